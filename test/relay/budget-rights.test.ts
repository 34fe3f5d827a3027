/** Who may see and set budgets by the period on a whole daemon (REQ-22). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';

const test = suite<{ daemon: TestDaemon }>('relay: rights on budgets by the period');

test.before(async (world) => {
  world.daemon = await startTestDaemon({});
  await world.daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'gpt-4o' });
});
test.after(({ daemon }) => daemon.stop());

test('lets users set budgets of their own keys alone, and administrators those below them', async ({ daemon }) => {
  const { root } = daemon;
  const rootKey = await root.tokens.create({ name: 'of root', expired_time: -1, unlimited_quota: true });
  const on = `token:${rootKey.id}`;
  const codeOf = (doing: Promise<unknown>) =>
    doing.then(
      () => 'ok',
      (error: { code?: string }) => error.code ?? String(error),
    );
  await root.users.create({ username: 'ann', password: 'a password', display_name: 'Ann' });
  const ann = await signIn(daemon, 'ann', 'a password');
  const own = await ann.client.tokens.create({ name: 'own', expired_time: -1, unlimited_quota: true });
  const day = { kind: 'quota', per: 'day' } as const;
  assert.equal(
    [
      await codeOf(ann.client.budgets.set({ on, ...day, limit: 5 })),
      await codeOf(ann.client.budgets.list({ on })),
      await codeOf(ann.client.budgets.set({ on: `user:${ann.id}`, ...day, limit: 5 })),
      await codeOf(ann.client.budgets.set({ on: 'channel:1', ...day, limit: 5 })),
      await codeOf(ann.client.budgets.list({ on: 'channel:1' })),
      await codeOf(ann.client.budgets.set({ on: `token:${own.id}`, ...day, limit: 0 })),
      await codeOf(ann.client.budgets.set({ on: `token:${own.id}`, ...day, limit: 5 })),
      await codeOf(ann.client.budgets.delete({ on: `token:${own.id}`, kind: 'tokens', per: 'day' })),
      await codeOf(root.budgets.set({ on: `user:${ann.id}`, ...day, limit: 7 })),
      await codeOf(root.budgets.set({ on: 'user:999999', ...day, limit: 7 })),
    ],
    [
      'token_not_found',
      'token_not_found',
      'forbidden_role',
      'forbidden_role',
      'forbidden_role',
      'invalid_params',
      'ok',
      'budget_not_found',
      'ok',
      'user_not_found',
    ],
  );
  const { items, total } = await ann.client.budgets.list({});
  assert.equal(
    [total, items.map((budget) => `${budget.on} ${budget.limit}`)],
    [2, [`token:${own.id} 5`, `user:${ann.id} 7`]],
  );
  const several = await ann.client.budgets.list({ on: `user:1,user:${ann.id},token:${own.id},channel:1` });
  assert.equal(
    several.items.map(({ on }) => on),
    [`token:${own.id}`, `user:${ann.id}`],
  );
  const { items: acts } = await root.audits.list({ action: 'budget.set', target: `user:${ann.id}` });
  assert.equal(acts.length, 1);
  await root.users.create({ username: 'adam', password: 'a password', role: 10 });
  const adam = await signIn(daemon, 'adam', 'a password');
  const subjects = [`token:${own.id}`, `user:${adam.id}`, on, 'user:1'];
  const told = subjects.map((subject) => codeOf(adam.client.budgets.set({ on: subject, ...day, limit: 9 })));
  assert.equal(await Promise.all(told), ['ok', 'user_same_level', 'user_same_level', 'user_same_level']);
});

test('shows an administrator the budgets of no peer, asked for alone, among several or among all', async ({
  daemon,
}) => {
  const { root } = daemon;
  const day = { kind: 'quota', per: 'day', limit: 5 } as const;
  const owners: string[] = [];
  const people = [];
  for (const [username, role] of [
    ['beth', 1],
    ['bert', 10],
    ['boss', 10],
  ] as const) {
    await root.users.create({ username, password: 'a password', role });
    const person = await signIn(daemon, username, 'a password');
    const { id } = await person.client.tokens.create({ name: 'own', expired_time: -1, unlimited_quota: true });
    people.push({ ...person, on: [`token:${id}`, `user:${person.id}`] });
    owners.push(`token:${id}`, `user:${person.id}`);
  }
  const rootKey = await root.tokens.create({ name: 'of root', expired_time: -1, unlimited_quota: true });
  owners.push(`token:${rootKey.id}`, 'user:1', 'channel:1');
  for (const on of owners) await root.budgets.set({ on, ...day });
  const [beth, bert, boss] = people;
  assert.ok(beth && bert && boss);
  const alone = await Promise.all(
    owners.map((on) =>
      bert.client.budgets.list({ on }).then(
        ({ items }) => (items.length > 0 ? [on] : []),
        () => [],
      ),
    ),
  );
  const seen = ['channel:1', beth.on[0], bert.on[0], beth.on[1], bert.on[1]];
  assert.equal(alone.flat().sort(), [...seen].sort());
  const several = await bert.client.budgets.list({ on: owners.join(',') });
  assert.equal([several.total, several.items.map(({ on }) => on)], [5, seen]);
  const everything = (await bert.client.budgets.list({ page_size: 500 })).items.map(({ on }) => on);
  assert.equal(
    everything.filter((on) => owners.includes(on)),
    seen,
  );
  assert.is((await root.budgets.list({ on: owners.join(',') })).total, owners.length);
  for (const on of owners) await root.budgets.delete({ on, kind: 'quota', per: 'day' });
});

async function signIn({ client, url }: TestDaemon, username: string, password: string) {
  const answer = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const { data }: { data: { id: number } } = await answer.json();
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const issued = await fetch(`${url}/api/user/token`, {
    method: 'POST',
    headers: { cookie, 'new-api-user': String(data.id), 'x-user-id': String(data.id) },
  });
  const { data: token }: { data: string } = await issued.json();
  return { id: data.id, client: client(token) };
}

test.run();
