import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LogService } from '../../../daemon/domain/logs.ts';
import type { NewLogRow } from '../../../daemon/store/logs.ts';
import { actor, type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { optionsView } from '../../support/options-view.ts';
import { codeOf } from '../../support/refusal-code.ts';

interface Context {
  world: DomainWorld;
  logs: LogService;
}

const logs = suite<Context>('domain/logs');
const admin = actor({ userId: 2, username: 'admin' });
const alice = actor({ userId: 7, username: 'alice', role: 1 });
const window = { offset: 0, limit: 100 };

logs.before.each(async (context) => {
  context.world = await openDomainWorld();
  context.logs = new LogService({
    database: context.world.database,
    options: () => optionsView(),
    nowSeconds: context.world.nowSeconds,
    siteLanguage: 'zh',
  });
});
logs.after.each(({ world }) => world.close());

const row = (world: DomainWorld, over: Partial<NewLogRow> = {}): NewLogRow => ({
  userId: 7,
  createdAt: world.nowSeconds() - 10,
  type: 2,
  content: 'a call',
  username: 'alice',
  tokenName: 'key',
  modelName: 'gpt-4o',
  quota: 100,
  promptTokens: 10,
  completionTokens: 5,
  useTime: 1,
  isStream: true,
  channelId: 3,
  tokenId: 4,
  group: 'default',
  other: '{"model_ratio":1,"admin_info":{"use_channel":["3"]}}',
  requestId: 'req-1',
  failed: false,
  ip: null,
  ...over,
});

const add = (world: DomainWorld, ...rows: Partial<NewLogRow>[]) =>
  world.database.stores.logs.insert(rows.map((over) => row(world, over)));

logs('filters by every column, a trailing percent sign making the model a prefix', async ({ world, logs }) => {
  const base = world.nowSeconds();
  await add(
    world,
    { modelName: 'gpt-4o', requestId: 'a' },
    { modelName: 'gpt-4o-mini', requestId: 'b', channelId: 9, group: 'vip' },
    { modelName: '100%_real', requestId: 'c', username: 'bob', userId: 8, tokenName: 'other' },
    { type: 1, modelName: '', requestId: 'd', createdAt: base - 5000 },
  );
  const find = async (question: Parameters<LogService['stat']>[0]) =>
    (await logs.list(admin, question, { window, contents: 'hidden' })).items.map(({ requestId }) => requestId);
  assert.equal(await find({}), ['c', 'b', 'a', 'd']);
  assert.equal(await find({ type: 0 }), ['c', 'b', 'a', 'd']);
  assert.equal(await find({ type: 1 }), ['d']);
  assert.equal(await find({ model_name: 'gpt-4o' }), ['a']);
  assert.equal(await find({ model_name: 'gpt-4o%' }), ['b', 'a']);
  assert.equal(await find({ model_name: '100%_%' }), ['c']);
  assert.equal(await find({ model_name: 'gpt_4o' }), []);
  assert.equal(await find({ username: 'bob' }), ['c']);
  assert.equal(await find({ token_name: 'other' }), ['c']);
  assert.equal(await find({ channel: 9 }), ['b']);
  assert.equal(await find({ group: 'vip' }), ['b']);
  assert.equal(await find({ request_id: 'c' }), ['c']);
  assert.equal(await find({ start_timestamp: base - 100 }), ['c', 'b', 'a']);
  assert.equal(await find({ end_timestamp: base - 100 }), ['d']);
});

logs('shows users their own rows alone, without channel, operator facts and true ids', async ({ world, logs }) => {
  await add(world, { requestId: 'mine' }, { requestId: 'theirs', userId: 8 });
  const page = await logs.listOwn(alice, { username: 'bob', channel: 3 }, window);
  assert.is(page.total, 1);
  const [own] = page.items;
  assert.equal([own?.requestId, own?.channelId], ['mine', 0]);
  assert.equal(JSON.parse(own?.other ?? ''), { model_ratio: 1 });
  assert.ok((own?.id ?? 2000) < 1024);
});

logs(
  'merges prompts and answers for their user, and for admins who ask, with an audit row',
  async ({ world, logs }) => {
    await add(world, { requestId: 'req-1' });
    const body = { requestId: 'req-1', userId: 7, createdAt: 0, systemPrompt: 'be brief', inputContent: 'hi' };
    await world.database.stores.logBodies.insert([
      { ...body, context: '[{"role":"user","content":"hey"}]', outputContent: null },
    ]);
    const hidden = await logs.list(admin, {}, { window, contents: 'hidden' });
    assert.not.match(hidden.items[0]?.other ?? '', /be brief/);
    const shown = await logs.list(admin, {}, { window, contents: 'shown' });
    const other = JSON.parse(shown.items[0]?.other ?? '');
    assert.equal(
      [other.system_prompt, other.input_content, other.context],
      ['be brief', 'hi', [{ role: 'user', content: 'hey' }]],
    );
    const own = await logs.listOwn(alice, {}, window);
    assert.match(own.items[0]?.other ?? '', /be brief/);
    const looks = await world.database.stores.audits.listBefore({ action: 'log.content_read' }, { limit: 5 });
    assert.equal(
      looks.map(({ actorId }) => actorId),
      [2],
    );
  },
);

logs('sums consume rows within the filter and rates over the last minute', async ({ world, logs }) => {
  const now = world.nowSeconds();
  await add(
    world,
    { createdAt: now - 30, quota: 100 },
    { createdAt: now - 3600, quota: 50 },
    { createdAt: now - 20, quota: 0, failed: true },
    { createdAt: now - 20, quota: 0, other: '{"is_test":true}' },
    { createdAt: now - 20, quota: 7, promptTokens: 0, completionTokens: 0, other: '{"tool":{"name":"web_search"}}' },
    { createdAt: now - 20, type: 1, quota: 1000 },
    { createdAt: now - 20, userId: 8, username: 'bob', quota: 9 },
  );
  assert.equal(await logs.stat({}), { quota: 166, rpm: 2, tpm: 30, promptTokens: 50, completionTokens: 25 });
  assert.is((await logs.stat({ end_timestamp: now - 1800 })).quota, 50);
  assert.is((await logs.stat({ end_timestamp: now - 1800 })).rpm, 2);
  const own = await logs.statOwn(alice, { username: 'bob' });
  assert.equal([own.quota, own.rpm], [157, 1]);
  const empty = await logs.stat({ username: 'nobody' });
  assert.equal(empty, { quota: 0, rpm: 0, tpm: 0, promptTokens: 0, completionTokens: 0 });
});

logs('finds rows by type number or by the start of their content', async ({ world, logs }) => {
  await add(world, { content: '100% done' }, { content: 'one', type: 3 }, { content: '100 done', userId: 8 });
  const contents = async (rows: Promise<{ content: string }[]>) => (await rows).map(({ content }) => content);
  assert.equal(await contents(logs.search('3')), ['one']);
  assert.equal(await contents(logs.search('100%')), ['100% done']);
  assert.equal(await contents(logs.searchOwn(alice, '100 ')), []);
  assert.equal(await contents(logs.searchOwn(alice, 'on')), ['one']);
});

logs('lists the rows of one key in the view of its user', async ({ world, logs }) => {
  await add(world, { tokenId: 4 }, { tokenId: 5 });
  const rows = await logs.listByToken({ id: 4, userId: 7 });
  assert.equal(
    rows.map(({ tokenId, channelId }) => [tokenId, channelId]),
    [[4, 0]],
  );
});

logs('deletes what is older than the cut-off, in batches, and says who did', async ({ world, logs }) => {
  const now = world.nowSeconds();
  for (let batch = 0; batch < 5; batch += 1) {
    await add(world, ...Array.from({ length: 300 }, () => ({ createdAt: now - 1000 })));
  }
  await add(world, { createdAt: now - 1 });
  assert.is(await logs.deleteBefore(admin, now - 500.5, 'req-9'), 1500);
  const left = (await logs.list(admin, {}, { window, contents: 'hidden' })).items;
  assert.equal(
    left.map(({ type, userId, requestId }) => [type, userId, requestId]),
    [
      [3, 2, 'req-9'],
      [2, 7, 'req-1'],
    ],
  );
  assert.match(left[0]?.content ?? '', /1500/);
});

logs('exports every row of the filter once, page by page, own rows as users may see them', async ({ world, logs }) => {
  const now = world.nowSeconds();
  for (let batch = 0; batch < 3; batch += 1) {
    await add(
      world,
      ...Array.from({ length: 500 }, (_, index) => ({
        createdAt: now - 100 - (index % 3),
        requestId: `${batch}-${index}`,
      })),
    );
  }
  await add(world, { userId: 8, requestId: 'other' });
  const pages: number[] = [];
  const seen = new Set<string>();
  let last = 0;
  for await (const page of await logs.export({ model_name: 'gpt-4o' })) {
    pages.push(page.length);
    for (const { requestId } of page) seen.add(requestId);
    if (pages.length === 1) last = page.at(-1)?.id ?? 0;
    await add(world, { requestId: 'later' });
  }
  assert.equal([pages, seen.size], [[...Array.from({ length: 6 }, () => 250), 1], 1501]);
  const rest: string[] = [];
  for await (const page of await logs.export({ model_name: 'gpt-4o' }, last)) {
    rest.push(...page.map(({ requestId }) => requestId));
  }
  assert.equal([...new Set(rest)], [...seen].slice(250), 'goes on where a file ended, without what came since');
  assert.is(await codeOf(logs.export({}, last + 1_000_000)), 'invalid_params');
  for await (const page of await logs.exportOwn(alice, { request_id: '0-7' })) {
    assert.equal(
      page.map(({ channelId, other }) => [channelId, other]),
      [[0, '{"model_ratio":1}']],
    );
  }
});

logs('goes on behind a row that its user names by request and id', async ({ world, logs }) => {
  for (const content of ['first', 'second', 'third']) await add(world, { requestId: 'with-tools', content });
  await add(world, { requestId: 'one-row', content: 'fourth' });
  const shown = (await logs.listOwn(alice, {}, { offset: 0, limit: 4 })).items;
  const [, third, second] = shown;
  const rest = async (after: string) => {
    const contents: string[] = [];
    for await (const page of await logs.exportOwn(alice, {}, after))
      contents.push(...page.map(({ content }) => content));
    return contents;
  };
  assert.equal(await rest('one-row'), ['third', 'second', 'first']);
  assert.equal(await rest(`with-tools/${third?.id}`), ['second', 'first']);
  assert.equal(await rest(`with-tools/${second?.id}`), ['first']);
  for (const name of ['with-tools', 'with-tools/1000', 'nobodys']) {
    assert.is(await codeOf(rest(name)), 'invalid_params', name);
  }
});

logs('asks for a cut-off in the past', async ({ world, logs }) => {
  for (const cutoff of [0, Number.NaN, -5, world.nowSeconds() + 60]) {
    assert.is(await codeOf(logs.deleteBefore(admin, cutoff, '')), 'log_cutoff');
  }
});

logs.run();
