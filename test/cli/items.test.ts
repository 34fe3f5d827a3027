/** Commands that take several things: what they print of them, and nothing to do where nothing is named. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, runBuilt, runProgram, wordsOf } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { someTurns, until } from '../support/until.ts';
import { startWebServer } from '../support/web-server.ts';

const items = suite('several items');

let daemon: TestDaemon;
let folder: string;
let environment: Record<string, string>;

items.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-items-'));
  daemon = await startTestDaemon({ config: { 'limits.search.enabled': false } });
  environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: daemon.url,
    TOLLGATE_ACCESS_TOKEN: daemon.accessToken,
  };
  for (const name of ['gpt-9', 'gpt-10', 'gpt-2']) {
    await daemon.addChannel({ base_url: 'http://127.0.0.1:9', name, models: 'gpt-4o' });
  }
  for (const username of ['alice', 'bob']) await daemon.root.users.create({ username, password: 'a good password' });
});
items.after(async () => {
  await daemon?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (line: string, input = ''): Promise<Ended> => runProgram(wordsOf(line), { environment, input });
const json = async (line: string, input = ''): Promise<unknown> => {
  const ended = await run(`${line} --json`, input);
  assert.is(ended.code, 0, `${line}: ${ended.stderr}`);
  return JSON.parse(ended.stdout);
};

items('are printed as one list, a single one as an object', async () => {
  const users = (await daemon.root.users.search({})).items;
  const idOf = (name: string) => users.find(({ username }) => username === name)?.id;
  assert.equal(await json('user disable alice bob --yes'), [
    { id: idOf('alice'), role: 1, status: 2 },
    { id: idOf('bob'), role: 1, status: 2 },
  ]);
  assert.equal(await json('user enable alice'), { id: idOf('alice'), role: 1, status: 1 });
  assert.is((await run('user enable bob --columns status')).stdout, 'enabled\n');
  assert.equal(await json('user quota set alice bob 2000units --yes'), [
    { id: idOf('alice'), quota: 2000 },
    { id: idOf('bob'), quota: 2000 },
  ]);
  const edited = await run('channel edit gpt-2 gpt-9 --weight 5 --json=name,weight');
  assert.equal(JSON.parse(edited.stdout), [
    { name: 'gpt-2', weight: 5 },
    { name: 'gpt-9', weight: 5 },
  ]);
  const partly = await run('user disable alice nobody --yes --columns id');
  assert.equal([partly.code, partly.stdout], [11, `${idOf('alice')}\n`]);
});

items('are told one by one in JSON where some failed', async () => {
  const [channel] = (await daemon.root.channels.search({ keyword: 'gpt-2' })).items;
  const id = channel?.id ?? 0;
  const edited = await run(`channel edit ${id} nobody --weight 6 --json=name,weight`);
  assert.is(edited.code, 11, edited.stderr);
  const [done, failed] = JSON.parse(edited.stdout);
  assert.equal(done, { id, ok: true, result: { name: 'gpt-2', weight: 6 } });
  assert.equal(
    [failed.id, failed.ok, failed.error.code, failed.error.exit_code],
    ['nobody', false, 'channel_not_found', 6],
  );
  assert.match(failed.error.message, /there is no channel named nobody/);
  const partial = JSON.parse(edited.stderr.trim().split('\n').at(-1) ?? '').error;
  assert.equal([partial.code, partial.exit_code], ['partial', 11]);
  assert.match(partial.message, /^1 of 2 failed: nobody: /);
  const short = JSON.parse((await run('user quota subtract alice bob 900usd --yes --json')).stdout);
  assert.equal(
    short.map(({ error }: { error: { hint: string } }) => error.hint),
    ['tollgate user get alice', 'tollgate user get bob'],
  );
  // Commands that print nothing of what they did tell it too, line by line where JSON goes so.
  const switched = await run('channel disable 999999 gpt-9 --yes -o ndjson');
  const lines = switched.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(
    [switched.code, lines.map(({ id, ok }) => [id, ok])],
    [
      11,
      [
        [999999, false],
        ['gpt-9', true],
      ],
    ],
  );
  assert.equal([lines[0].error.code, lines[0].error.exit_code], ['channel_not_found', 6]);
  assert.equal(lines[1], { id: 'gpt-9', ok: true });
  assert.is((await run('channel enable gpt-9 gpt-2 --json')).stdout, '');
  assert.is((await run("channel enable gpt-9 nobody --jq '.[] | select(.ok | not) | .id'")).stdout, 'nobody\n');
  assert.equal((await run('channel enable gpt-9 nobody -q --json')).stdout, '');
});

items('end as a single one does where all fail for what is wrong with none of them', async () => {
  const lines = ['channel enable gpt-2 gpt-9', 'channel enable gpt-2 gpt-9 --concurrency 1 --fail-fast'];
  const stranger = { ...environment, TOLLGATE_ACCESS_TOKEN: 'a'.repeat(32) };
  for (const line of lines) {
    const ended = await runProgram(wordsOf(`${line} --json`), { environment: stranger });
    assert.is(ended.code, 4, ended.stderr);
    const told = JSON.parse(ended.stdout);
    assert.equal(
      told.map(({ id, ok }: { id: string; ok: boolean }) => [id, ok]),
      [
        ['gpt-2', false],
        ['gpt-9', false],
      ],
    );
    const { code, source, exit_code } = JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '').error;
    assert.equal([code, source, exit_code], [told[0].error.code, 'TOLLGATE_ACCESS_TOKEN', 4]);
  }
  const users = 'username\nnew-one\nnew-two\n';
  const created = await runProgram(wordsOf('user create --from -'), { environment: stranger, input: users });
  assert.is(created.code, 4, created.stderr);
  const expires_at = Math.floor(Date.now() / 1000) + 3600;
  const channels = await daemon.root.machineTokens.create({ name: 'looks', scopes: ['channel:read'], expires_at });
  const looking = { ...environment, TOLLGATE_ACCESS_TOKEN: channels.secret };
  for (const line of ['channel enable gpt-2 gpt-9', 'channel balance gpt-2 gpt-9']) {
    const refused = await runProgram(wordsOf(line), { environment: looking });
    assert.is(refused.code, 5, `${line}: ${refused.stderr}`);
  }
  const unreached = { ...environment, TOLLGATE_URL: 'http://127.0.0.1:9' };
  assert.is((await runProgram(wordsOf('user enable 1 2 --timeout 5s'), { environment: unreached })).code, 10);
  assert.is((await run('user enable 999998 999999')).code, 11, 'each of them is another thing that is not there');
});

items('are begun no more with --fail-fast when one has failed', async () => {
  const line = 'channel edit gpt-2 nobody gpt-9 --weight 7 --concurrency 1 --json';
  const ended = await run(`${line} --fail-fast`);
  const told: { ok: boolean; error?: { code: string } }[] = JSON.parse(ended.stdout);
  assert.equal(
    [ended.code, told.map(({ ok, error }) => error?.code ?? ok)],
    [11, [true, 'channel_not_found', 'not_begun']],
  );
  assert.match(
    JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '').error.message,
    /1 of 3 failed, 1 was not begun/,
  );
  assert.equal(JSON.parse((await run('channel get gpt-9 --json=weight')).stdout), { weight: 5 });
  const whole = JSON.parse((await run(line)).stdout);
  assert.equal(
    whole.map(({ ok }: { ok: boolean }) => ok),
    [true, false, true],
  );
});

items('are done several at once, as many as --concurrency says', async () => {
  const ids = (await daemon.root.channels.list({ id_sort: true })).items.map(({ id }) => id);
  /** How many are under way at most; none ends before so many have come together, and had time to be more. */
  const most = async (wish: string, expected: number): Promise<number> => {
    let running = 0;
    let seen = 0;
    const road = await startWebServer(async ({ method, url, headers, body }, response) => {
      running += method === 'PUT' ? 1 : 0;
      seen = Math.max(seen, running);
      if (method === 'PUT') {
        await until(() => seen >= expected);
        await someTurns();
      }
      const answer = await fetch(daemon.url + url, {
        method,
        headers: { authorization: String(headers.authorization), 'content-type': 'application/json' },
        ...(method === 'GET' ? {} : { body }),
      });
      const text = await answer.text();
      running -= method === 'PUT' ? 1 : 0;
      response.setHeader('content-type', 'application/json').end(text);
    });
    try {
      const ended = await runProgram(wordsOf(`channel edit ${ids.join(' ')} --weight 8 ${wish} --json=id`), {
        environment: { ...environment, TOLLGATE_URL: road.url },
      });
      assert.is(ended.code, 0, ended.stderr);
      assert.equal(
        JSON.parse(ended.stdout).map(({ id }: { id: number }) => id),
        ids,
        'as they were named',
      );
      return seen;
    } finally {
      await road.stop();
    }
  };
  assert.is(await most('--concurrency 1', 1), 1);
  assert.is(await most('--concurrency 2', 2), 2);
  assert.is(await most('', 3), 3);
  const refused = await run('channel edit gpt-2 --weight 9 --concurrency none');
  assert.is(refused.code, 3, refused.stderr);
});

items('are made alike under a name that no header can carry, once for each --idempotency-key', async () => {
  const line = 'token create --count 2 --quota 1usd --idempotency-key phones -q --name';
  const made = await run(`${line} 手机`);
  assert.equal([made.code, made.stdout.trim().split('\n').length], [0, 2], made.stderr);
  assert.is((await run(`${line} 手机`)).stdout, made.stdout, 'run again it says the same');
  const other = await run(`${line} phone`);
  assert.equal([other.code, other.stdout], [11, ''], 'the key stands for what was made with it');
  assert.match(other.stderr, /was used with another request body/);
});

items('may be made alike: relay keys with numbered names, each key printed once', async () => {
  const line = 'token create --name lab --count 3 --quota 1usd --idempotency-key lab-keys';
  const made = await run(`${line} -q`);
  assert.is(made.code, 0, made.stderr);
  const keys = made.stdout.trim().split('\n');
  assert.is(new Set(keys).size, 3);
  const names = ['lab-1', 'lab-2', 'lab-3'];
  const told = (await json(line)) as { name: string; key: string }[];
  assert.equal(
    told.map(({ name, key }) => [name, `sk-${key}`]),
    names.map((name, at) => [name, keys[at]]),
    'run again it says the same',
  );
  assert.is((await run('token list --search lab --sort name --columns name')).stdout, `${names.join('\n')}\n`);
  await run('token disable lab-2');
  assert.is((await run('token list --status disabled --columns name')).stdout, 'lab-2\n');
  assert.is((await run('token list --search lab --status enabled --limit 1 --columns name')).stdout, 'lab-3\n');
  assert.is((await run('token list --status none')).code, 3);
  assert.equal((await run('token create --name alone --count 1 --columns name')).stdout, 'alone\n');
  // Of a name of 48 characters the tenth copy is one too long.
  const long = await run(`token create --name ${'n'.repeat(48)} --count 10 --json=name`);
  const items: { ok: boolean; result?: { name: string }; error?: { code: string } }[] = JSON.parse(long.stdout);
  assert.equal(
    [long.code, items.length, items.filter(({ ok }) => ok).length, items.at(-1)?.error?.code],
    [11, 10, 9, 'token_name_long'],
  );
  assert.is(items[0]?.result?.name, `${'n'.repeat(48)}-1`);
  const sent = await json('token create --name dry --count 2 --dry-run');
  assert.equal(
    (sent as { body: { name: string } }[]).map(({ body }) => body.name),
    ['dry-1', 'dry-2'],
  );
  for (const count of ['0', 'two', '10000']) {
    assert.is((await run(`token create --name lab --count ${count}`)).code, 3, count);
  }
});

items('may be none: an empty standard input is nothing to do', async () => {
  const lines = [
    'user disable -',
    'user sign-out -',
    'user quota add - 5usd',
    'token delete -',
    'token disable -',
    'channel delete -',
    'channel test -',
    'channel balance -',
    'session revoke -',
  ];
  for (const line of lines) {
    const ended = await run(line, '\n');
    assert.equal([ended.code, ended.stdout, ended.stderr], [0, '', ''], line);
  }
});

items('are sorted as a whole by any field, in every form', async () => {
  const names = 'gpt-2\ngpt-9\ngpt-10\n';
  assert.is((await run('channel list --sort name --columns name')).stdout, names);
  assert.is(
    (await run('channel list --sort name --all -o csv --columns name --no-header')).stdout.replaceAll('\r', ''),
    names,
  );
  assert.is((await run("channel list --sort name:desc --jq '.[].name'")).stdout, 'gpt-10\ngpt-9\ngpt-2\n');
  assert.is(
    (await run('channel list --sort name -o ndjson --json=name')).stdout.match(/gpt-\d+/g)?.join(' '),
    'gpt-2 gpt-9 gpt-10',
  );
  assert.is((await run('channel list --sort id --limit 1 --columns name')).stdout, 'gpt-2\n', 'the server sorts');
  assert.is((await run('channel list --search gpt --limit 1 --sort id --columns name')).stdout, 'gpt-2\n');
  const built = await runBuilt(wordsOf('user list --sort username:desc -o table --columns name'), { environment });
  assert.is(built.stdout, 'NAME\nroot\nbob\nalice\n');
});

items('are said with the moment that a word for the future means', async () => {
  const created = await run('token create --name soon --expires 2030-01-01T00:00:00Z');
  assert.is(created.code, 0, created.stderr);
  assert.match(created.stderr, /^--expires: 2030-01-01T00:00:00Z$/m);
});

items('are not asked for in two forms at once', async () => {
  for (const line of ['user list -o csv --json', "user list -o table --jq '.[0]'", "user list -o yaml --jq '.[0]'"]) {
    const ended = await run(line);
    assert.is(ended.code, 3, line);
    assert.match(ended.stderr, /does not go with -o/);
  }
  assert.match((await run('user list -o yaml --json=username --sort username')).stdout, /^- username: alice\n/);
});

items('and everything else come from standard input once', async () => {
  const ended = await run('channel edit - --models - --json', 'gpt-2\n');
  assert.is(ended.code, 3, ended.stderr);
  assert.match(JSON.parse(ended.stderr).error.message, /read once/);
});

items('are told call by call where the environment says so', async () => {
  const told = await runProgram(wordsOf('user list -q'), { environment: { ...environment, TOLLGATE_DEBUG: '1' } });
  assert.match(told.stderr, /^GET \/api\/user\/\S* 200 \d+ ms /m);
});

/** Twelve channels of a server that answers the test of each as told. */
async function withChannels(
  answer: (id: number, asked: readonly number[]) => unknown,
  work: (run: (line: string, signal?: AbortSignal) => Promise<Ended>, asked: readonly number[]) => Promise<void>,
): Promise<void> {
  const asked: number[] = [];
  const server = await startWebServer(async ({ method, url, headers }) => {
    const id = Number(/^\/api\/channel\/test\/(\d+)/.exec(url)?.[1]);
    if (Number.isSafeInteger(id)) {
      asked.push(id);
      return answer(id, asked);
    }
    const { authorization = '' } = headers;
    const told = await (await fetch(daemon.url + url, { method, headers: { authorization } })).json();
    if (!url.startsWith('/api/channel/')) return told;
    const [row] = told.data;
    told.data = Array.from({ length: 12 }, (_none, at) => ({ ...row, id: at + 1, name: `c-${at + 1}` }));
    told.total = 12;
    return told;
  });
  try {
    const wishes = { environment: { ...environment, TOLLGATE_URL: server.url } };
    await work(
      (line, signal) => runProgram(wordsOf(line), signal === undefined ? wishes : { ...wishes, signal }),
      asked,
    );
  } finally {
    await server.stop();
  }
}

const tested = { success: true, message: '', time: 0.1, tokens: 1, data: null };

items('go on behind one that is long in coming, and are told in order all the same', () =>
  withChannels(
    async (id, asked) => {
      // The first is answered when all of the others were asked for.
      if (id === 1) await until(() => asked.length === 12);
      return tested;
    },
    async (run) => {
      const ended = await run('channel test --all --concurrency 2 --columns id --timeout 20s');
      const ids = Array.from({ length: 12 }, (_none, at) => `${at + 1}\n`);
      assert.equal([ended.code, ended.stdout], [0, ids.join('')], ended.stderr);
    },
  ),
);

items(
  'that were cut off or not begun are not told as failed: whoever disables what failed would disable them',
  async () => {
    const answer = (id: number) => (id <= 3 ? tested : new Promise(() => undefined));
    await withChannels(answer, async (run) => {
      const late = await run('channel test --all -o ndjson --json=id,ok --timeout 2s');
      assert.equal([late.code, late.stdout], [8, '{"id":1,"ok":true}\n{"id":2,"ok":true}\n{"id":3,"ok":true}\n']);
    });
    await withChannels(answer, async (run, asked) => {
      const stop = new AbortController();
      const running = run('channel test --all -o ndjson --json=id,ok', stop.signal);
      await until(() => asked.length > 4);
      stop.abort('SIGINT');
      const ended = await running;
      assert.equal([ended.code, ended.stdout.includes('false')], [130, false], ended.stderr);
    });
  },
);

items.run();
