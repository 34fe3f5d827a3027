/** Channels on the command line, against a whole daemon and a scripted upstream. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, runProgram } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, type Script, startFakeUpstream } from '../support/fake-upstream.ts';
import { newLogRow } from '../support/log-records.ts';
import { startWebServer } from '../support/web-server.ts';

const channels = suite('channels on the command line');

let daemon: TestDaemon;
let upstream: FakeUpstream;
let folder: string;

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const choice = { index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' };
const chat = jsonAnswer({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage });
const refused = jsonAnswer({ error: { message: 'bad key', type: 'x', code: 'invalid_api_key' } }, 401);

const usual: Script = ({ url, headers }) => {
  if (url.startsWith('/v1/models')) return jsonAnswer({ data: [{ id: 'gpt-4o' }, { id: 'gpt-5' }] });
  if (url.includes('/subscription')) return jsonAnswer({ hard_limit_usd: 3 });
  if (url.includes('/usage')) return jsonAnswer({ total_usage: 0 });
  return headers.authorization?.includes('dead') ? refused : chat;
};

channels.before(async () => {
  upstream = await startFakeUpstream();
  folder = mkdtempSync(join(tmpdir(), 'tollgate-channels-'));
  daemon = await startTestDaemon({ config: { 'jobs.polling_interval_seconds': 0, 'limits.search.enabled': false } });
});
channels.before.each(async () => {
  upstream.script(usual);
  const { items } = await daemon.root.channels.list({ page_size: 100 });
  if (items.length > 0) await daemon.root.channels.deleteBatch({ ids: items.map(({ id }) => id) });
});
channels.after(async () => {
  await daemon.stop();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

function run(words: string, input = ''): Promise<Ended> {
  const args = words.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
  const environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: daemon.url,
    TOLLGATE_ACCESS_TOKEN: daemon.accessToken,
    KEYS: 'sk-canary-new-one\nsk-canary-new-two',
  };
  return runProgram(args, { environment, input });
}

/** The output of a command that succeeds. */
async function output(words: string, input = ''): Promise<string> {
  const { code, stdout, stderr } = await run(words, input);
  assert.is(code, 0, `${words}: ${stdout}${stderr}`);
  return stdout;
}

/** The exit code of a command with what it said. */
async function ending(words: string, input = ''): Promise<[number | null, string]> {
  const { code, stdout, stderr } = await run(words, input);
  return [code, stdout + stderr];
}

const add = (name: string, more: Readonly<Record<string, unknown>> = {}) =>
  daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o', name, ...more });

channels('can be disabled automatically again after they could not, and edits say what can be cleared', async () => {
  const id = await add('guarded');
  assert.is(await output(`channel edit ${id} --no-auto-ban --json=auto_ban`), '{"auto_ban":0}\n');
  assert.is(await output(`channel edit ${id} --auto-ban --json=auto_ban`), '{"auto_ban":1}\n');
  const [code, said] = await ending(`channel edit ${id} --unset auto-ban`);
  assert.is(code, 3);
  assert.match(said, /auto-ban cannot be cleared; these can: base-url, tag, prefix/);
});

channels('are found by tag, state and type, and by many ids from a pipe', async () => {
  const first = await add('one', { tag: 'blue', priority: 3 });
  const second = await add('two', { tag: 'blue', status: 2 });
  const third = await add('three', { type: 43 });
  assert.is(await output('channel list --tag blue --sort id -q'), `${second}\n${first}\n`);
  assert.is(await output('channel list --status disabled -q'), `${second}\n`);
  assert.is(await output('channel list --type deepseek --columns name,type'), 'three\tdeepseek\n');
  assert.is(await output('channel list --by-tag --columns tag,channels,pri'), 'blue\t2\tmixed\n');
  const pipe = `${first}\n{"id":${third},"name":"three"}\n`;
  assert.is((await run('channel disable -', pipe)).code, 3, 'many need a yes');
  assert.is((await run('channel disable - --yes', pipe)).code, 0);
  assert.is((await output('channel list --status disabled -q')).split('\n').length, 4);
  assert.is((await run('channel get 99999')).code, 6);
});

channels('are shown without a key, and looking writes no audit row', async () => {
  const id = await add('shown', { key: 'sk-canary-aaaa,sk-canary-bbbb', setting: '{"proxy":""}', tag: "it's" });
  const shown: unknown = JSON.parse(await output('channel get shown -o json'));
  assert.ok(typeof shown === 'object' && shown !== null && 'keys' in shown && Array.isArray(shown.keys));
  assert.equal(
    shown.keys.map(({ tail }) => tail),
    ['aaaa', 'bbbb'],
  );
  assert.not.match(JSON.stringify(shown), 'canary');
  const { database, nowSeconds } = daemon.daemon.foundation;
  const spent = { channelId: id, createdAt: nowSeconds() - 60 };
  await database.stores.logs.insert([
    newLogRow({ ...spent, quota: 1_000_000, cost: 250_000 }),
    newLogRow({ ...spent, userId: 0, cost: 500_000, failed: true, other: '{"attempt":{}}' }),
    newLogRow({ channelId: id, createdAt: nowSeconds() - 30 * 3600, quota: 7, cost: 7 }),
  ]);
  assert.is(await output('channel get shown --jq [.cost_24h,.revenue_24h]|@json'), '[750000,1000000]\n');
  assert.is(await output('channel get shown --money usd --columns cost_24h,revenue_24h'), '1.5\t2\n');
  const remade = await output('channel get shown --as-create');
  assert.match(remade, /--name shown/);
  assert.match(remade, /--tag 'it'\\''s'/);
  const { audits } = daemon.daemon.foundation.database.stores;
  const reads = await audits.list({ action: 'channel.key_read', target: `channel:${id}` }, { offset: 0, limit: 1 });
  assert.is(reads.total, 0);
});

channels('are changed field by field and model by model', async () => {
  await add('edited', { models: 'gpt-4o,o3', tag: 'blue', model_prefix: 'p/' });
  await output('channel edit edited --add-models gpt-5,o3 --remove-models gpt-4o --unset tag,prefix');
  const shown = await output('channel get edited --jq [.models,.tag,.model_prefix]|@json');
  assert.is(shown, '["o3,gpt-5",null,""]\n');
  assert.equal((await ending('channel edit edited --remove-models o3,gpt-5'))[0], 3);
});

channels('stay disabled when the test of a new one fails', async () => {
  const create = `channel create --type openai --base-url ${upstream.url} --models gpt-4o --test`;
  assert.is((await run(`${create} --name good --key env:KEYS`)).code, 0);
  const bad = await run(`${create} --name bad --key - --json=id`, 'sk-dead');
  assert.is(bad.code, 2);
  const { id } = JSON.parse(bad.stdout);
  assert.match(bad.stderr, `try: tollgate channel edit ${id}, then: tollgate channel test ${id}\n`);
  assert.is(await output('channel list --sort id --columns name,status'), 'bad\tdisabled\ngood\tenabled\n');
});

channels('are tested one by one or all, with 2 for a failure', async () => {
  const good = await add('good', { models: 'gpt-4o,gpt-5' });
  const bad = await add('bad', { key: 'sk-dead' });
  const each = await output('channel test good --model each --columns model,result,tokens --repeat 2');
  assert.is(each, 'gpt-4o\tok\t2\ngpt-4o\tok\t2\ngpt-5\tok\t2\ngpt-5\tok\t2\n');
  const [code, lines] = await ending('channel test --all -o ndjson --disable-failing --yes');
  assert.is(code, 2);
  assert.match(lines, `{"id":${bad},"name":"bad","model":"gpt-4o","ok":false`);
  assert.is(await output('channel list --columns id,status --sort id'), `${bad}\tdisabled\n${good}\tenabled\n`);
  assert.is((await run('channel test good --endpoint nonsense')).code, 3);
  assert.match(
    (await run('channel test --all')).stderr,
    /^1 disabled channel is left out; --status disabled tests those$/m,
  );
  assert.match((await run('channel test --status cool')).stderr, 'there are enabled, disabled, auto, cooling');
  assert.is((await run('channel test good --repeat 1001')).code, 3);
  assert.match((await run('channel list --type nonsense')).stderr, 'try: tollgate channel types');
  await output('channel test --server --wait --timeout 30s');
  assert.is((await daemon.root.channels.tests({ id: good })).length, 7);
  for (const [wish, field] of [
    ['good', 'CHANNEL'],
    ['--canary', '--canary'],
    ['--disable-failing', '--disable-failing'],
  ]) {
    const refused = await run(`channel test ${wish} --server`);
    assert.is(refused.code, 3, `${wish}: the run would test every channel without it`);
    assert.match(refused.stderr, new RegExp(`\\n {2}${field}\\n {2}try: leave out --server\\n$`));
  }
});

channels('are tested once, by whatever they are named', async () => {
  const good = await add('good', { tag: 'blue' });
  assert.is(await output(`channel test good ${good} --tag blue --columns name,result`), 'good\tok\n');
});

channels('that fail are disabled one by one, and told where one cannot be', async () => {
  const gone = await add('gone', { key: 'sk-dead' });
  await add('bad', { key: 'sk-dead-too' });
  const before = upstream.requests.length;
  upstream.script(async (_request, index) => {
    if (index > before) await daemon.root.channels.delete({ id: gone });
    return refused;
  });
  const ended = await run('channel test gone bad --concurrency 1 --disable-failing --yes --columns name,result');
  assert.equal([ended.code, ended.stdout], [11, 'gone\tfailed\nbad\tfailed\n'], ended.stderr);
  assert.match(ended.stderr, /channel bad: disabled\n[\s\S]*not disabled: gone/);
  assert.is(await output('channel list --columns name,status'), 'bad\tdisabled\n');
});

channels('are neither failures nor disabled where no test suits them, but for one that is asked alone', async () => {
  const good = await add('good', { models: 'gpt-4o,tts-1' });
  const voice = await add('voice', { models: 'tts-1' });
  const each = await run('channel test good --model each --columns model,result');
  assert.equal([each.code, each.stdout], [0, 'gpt-4o\tok\ntts-1\tuntested\n'], each.stderr);
  assert.is((await run('channel test --all --disable-failing --yes')).code, 0);
  const alone = await run('channel test voice --columns name,result --disable-failing --yes');
  assert.equal([alone.code, alone.stdout], [2, 'voice\tuntested\n'], alone.stderr);
  const states = await output('channel list --columns id,status --sort id');
  assert.is(states, `${voice}\tenabled\n${good}\tenabled\n`);
});

channels('end tests that the server refuses to make as they were refused', async () => {
  const [good, other] = [await add('good'), await add('other')];
  const { secret } = await daemon.root.machineTokens.create({
    name: 'reader',
    scopes: ['channel:read'],
    expires_at: Math.floor(Date.now() / 1000) + 3600,
  });
  const environment = { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: daemon.url, TOLLGATE_ACCESS_TOKEN: secret };
  for (const named of [[good], [good, other]]) {
    const words = ['channel', 'test', ...named.map(String), '--columns', 'name,result', '--disable-failing'];
    const ended = await runProgram(words, { environment });
    assert.is(ended.code, 5, ended.stderr);
    assert.match(ended.stdout, /^good\tfailed$/m);
    assert.match(ended.stderr, 'scope_missing');
  }
});

channels('are not made or changed with rules that no call could keep', async () => {
  const broken = `--override '{"operations":[{"mode":"put"}]}'`;
  const made = `channel create --type openai --name broken --key sk-1 --models m ${broken}`;
  for (const line of [made, `channel edit ${await add('whole')} ${broken}`]) {
    const [code, told] = await ending(line);
    assert.is(code, 3, told);
    assert.match(told, 'param_override.operations.0.mode: must be one of set, delete');
    assert.match(told, 'help channel-rules');
  }
  assert.match(await output('help channel-rules'), 'regex_replace');
});

channels('end with 11 where some tests were refused and none failed, with 2 where one failed', async () => {
  let verdict = true;
  const site = await startWebServer(({ url }, response) => {
    const done = { success: true, message: '', time: 0.1, tokens: 3 };
    if (url.startsWith('/api/channel/test/1')) return verdict ? done : { ...done, success: false, message: 'no' };
    if (url.startsWith('/api/channel/test/')) {
      response.statusCode = 403;
      return { success: false, message: 'not yours', code: 'scope_missing' };
    }
    const data = [1, 2].map((id) => ({ id, name: `c${id}`, status: 1, models: 'm', test_model: '' }));
    return { success: true, message: '', data, total: 2, type_counts: {} };
  });
  const environment = { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: site.url, TOLLGATE_ACCESS_TOKEN: 'x' };
  try {
    const some = await runProgram(['channel', 'test', '--all', '--columns', 'id,result'], { environment });
    assert.equal([some.code, some.stdout], [11, '1\tok\n2\tfailed\n'], some.stderr);
    assert.match(some.stderr, '1 of 2 tests could not be made');
    verdict = false;
    assert.is((await runProgram(['channel', 'test', '--all'], { environment })).code, 2);
  } finally {
    await site.stop();
  }
});

channels('are held against what their upstreams list', async () => {
  await add('listed', { models: 'gpt-4o,own' });
  const [code, diff] = await ending('channel models listed --diff');
  assert.equal([code, diff], [2, 'gpt-5\tnew\nown\tgone\n']);
  await output('channel models listed --add-missing --remove-gone');
  assert.is(await output('channel get listed --jq .models'), 'gpt-4o,gpt-5\n');
  assert.is(await output("channel models listed --match 'gpt-5*' -q"), 'gpt-5\n');
  await output('channel models listed --off gpt-5');
  assert.is(await output('channel get listed --jq .setting.disabled_models[0]'), 'gpt-5\n');
});

channels('tell their balances, with 2 for those below a line', async () => {
  await add('poor');
  await add('silent', { type: 14 });
  assert.is(await output('channel balance --all --columns name,balance'), 'poor\t3\n');
  assert.equal((await ending('channel balance --all --below 5usd --columns name'))[0], 2);
  assert.is((await run('channel balance silent')).code, 1);
});

channels('rotate their keys without a gap', async () => {
  const id = await add('main', { key: 'sk-dead-one,sk-old-two-long-enough' });
  const old = await output('channel key list main -q');
  const fresh = await output('channel key add main --key env:KEYS -q');
  assert.is(fresh.trim().split('\n').length, 2);
  assert.is(await output('channel key add main --key env:KEYS -q'), '', 'known ones');
  assert.is((await run('channel key test main -', fresh)).code, 0);
  const [code, tested] = await ending('channel key test main --columns result');
  assert.equal([code, tested.split('\n').filter((line) => line === 'ok').length], [2, 3]);
  const half = await run('channel key disable main #1 nosuch -o json');
  assert.equal([half.code, JSON.parse(half.stdout).map((row: { ok: boolean }) => row.ok)], [11, [true, false]]);
  assert.match(half.stderr, '1 of 2 failed: nosuch: the channel has no key nosuch');
  const edited = await run('channel key edit main nosuch #2 --concurrency 0 -o json');
  assert.equal([edited.code, JSON.parse(edited.stdout).map((row: { ok: boolean }) => row.ok)], [11, [false, true]]);
  assert.is(await output('channel key edit main #2 --cap 60 --columns cap'), '60\n');
  assert.is(
    await output('channel key list main --columns #,status,cap'),
    '1\tdisabled\t\n2\tenabled\t60\n3\tenabled\t\n4\tenabled\t\n',
  );
  await output('channel key remove main - --yes', old);
  assert.is(await output('channel key list main -q'), fresh);
  assert.is((await run('channel key reveal main')).code, 3);
  assert.is(await output('channel key reveal main #1 --reveal'), 'sk-canary-new-one\n');
  assert.is(await output('channel key reveal main #1 --reveal --json'), '{"key":"sk-canary-new-one"}\n');
  assert.is(await output('channel key export main --reveal --jq .[1].key'), 'sk-canary-new-two\n');
  assert.is(await output('channel key export main --reveal'), 'sk-canary-new-one\nsk-canary-new-two\n');
  const [first = ''] = fresh.split('\n');
  const { channelKeys } = daemon.daemon.foundation.database.stores;
  const [row] = await channelKeys.all([id]);
  await channelKeys.setStatus(row?.id ?? 0, { status: 3, reason: 'dead', statusTime: 1 });
  await output('channel key remove main --dead --yes');
  assert.not.match(await output('channel key list main -q'), first);
  assert.is((await run(`channel key enable main ${first}`)).code, 6);
});

channels('share tags, which are listed, changed and dissolved', async () => {
  const ids = [await add('one'), await add('two', { priority: 4 }), await add('three')];
  await output(`channel tag set blue ${ids[0]} two`);
  assert.is(await output('channel tag list --columns tag,channels,groups,pri,wt'), 'blue\t2\tdefault\tmixed\t0\n');
  await output('channel tag edit blue --priority 2 --rename green --groups vip');
  assert.is(await output('channel tag list --columns tag,groups,pri'), 'green\tvip\t2\n');
  await output('channel tag disable green --yes');
  assert.is(await output('channel list --status enabled --columns name'), 'three\n');
  await output('channel tag enable green');
  await output('channel tag dissolve green --yes');
  assert.is(await output('channel tag list'), '');
  assert.is((await run('channel tag enable green')).code, 6);
});

channels('are made many at once from a file, or not at all', async () => {
  const file = join(folder, 'many.yaml');
  const rows = [
    '- {name: a, type: openai, key: sk-a, models: gpt-4o}',
    '- {name: b, type: openai, key: sk-b, models: gpt-4o, setting: {proxy: ""}}',
  ];
  writeFileSync(file, `${rows.join('\n')}\n- {name: c, type: nonsense, key: sk-c, models: m}\n`);
  const [code, told] = await ending(`channel create --from ${file}`);
  assert.is(code, 3);
  assert.match(told, /3\tc\ttype\tchannel_type_unknown/);
  assert.is(await output('channel list -q'), '');
  writeFileSync(file, rows.join('\n'));
  await output(`channel create --from ${file}`);
  assert.is(await output('channel list --sort id --columns name'), 'b\na\n');
});

channels('that are disabled go together, by their count', async () => {
  await add('off', { status: 2 });
  await add('on');
  assert.is((await run('channel delete-disabled --yes')).code, 3);
  await output('channel delete-disabled --confirm 1');
  assert.is(await output('channel list --columns name'), 'on\n');
  assert.match(
    await output('channel types --columns name,key,format'),
    /^bedrock\tAk\|Sk\|Region.*\tanthropic-messages,openai-responses,/m,
  );
  await output('channel clear-cooling on');
});

channels.run();
