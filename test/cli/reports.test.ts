/** Logs, usage and audit trail from the command line, against a whole daemon with a log of its own. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Settlements } from '../../daemon/store/ledger-rows.ts';
import type { NewLogRow } from '../../daemon/store/logs.ts';
import { type Ended, runProgram } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { newLogRow } from '../support/log-records.ts';
import { startWebServer } from '../support/web-server.ts';

const reports = suite('logs, usage and audits on the command line');

let daemon: TestDaemon;
let folder: string;

/** What the row of a call says that a second channel answered. */
const twoTries = JSON.stringify({
  price_version: 3,
  admin_info: {
    use_channel: ['3', '1'],
    attempts: [{ channel: 3, key: 9, status: 503, code: 'overloaded', ms: 1200, message: 'busy' }],
  },
});

reports.before(async () => {
  daemon = await startTestDaemon({ config: { 'limits.search.enabled': false, 'limits.download.enabled': false } });
  folder = mkdtempSync(join(tmpdir(), 'tollgate-reports-'));
  // All of one day, also where that ends meanwhile.
  const createdAt = Math.floor(Date.now() / 1000) - 60;
  const rows = Array.from(
    { length: 40 },
    (_, index): NewLogRow => ({
      userId: 1 + (index % 2),
      createdAt,
      type: 2,
      content: 'a call',
      username: index % 2 === 0 ? 'root' : 'ann',
      tokenName: 'laptop',
      modelName: index % 4 === 0 ? 'gpt-4o' : 'o3',
      quota: 500_000,
      promptTokens: 10,
      completionTokens: 5,
      useTime: 1,
      isStream: false,
      channelId: 1,
      tokenId: 1,
      group: 'default',
      other: index === 4 ? twoTries : '{}',
      requestId: `request-${index}`,
      failed: index === 7,
      ip: null,
      cost: index === 7 ? 0 : 100_000,
    }),
  );
  const charged = { id: 1, refund: -10_000_000, used: 10_000_000, requests: 20 };
  await daemon.daemon.foundation.database.transaction((stores) =>
    stores.ledger.applySettlements({ users: [charged], rows }),
  );
});

reports.after(async () => {
  await daemon?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function run(words: string, surroundings: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: daemon.url,
    TOLLGATE_ACCESS_TOKEN: daemon.accessToken,
    ...surroundings,
  };
  return runProgram(words.split(' '), { environment });
}

async function output(words: string): Promise<string> {
  const ended = await run(words);
  assert.is(ended.code, 0, ended.stderr);
  return ended.stdout;
}

reports('list failed requests alone, and one request by its id', async () => {
  assert.is(await output('log list --errors --columns user,model'), 'ann\to3\n');
  assert.equal(JSON.parse(await output('log list --request request-4 --json')).length, 1);
  assert.equal(JSON.parse(await output('log stat --errors --json')).quota, 500_000);
  assert.is((await output('log export --errors --format ndjson')).trim().split('\n').length, 1);
  assert.match(await output('log export --errors'), /,other,cost\n/);
  assert.match(await output('log export --mine --errors'), /,other\n/);
  const plain = await output('log export');
  const file = join(folder, 'rows.csv.gz');
  for (const line of [`log export --gzip --force --out ${file}`, `log export --force --out ${file}`]) {
    assert.is(await output(line), '');
    assert.is(gunzipSync(readFileSync(file)).toString(), plain, line);
  }
  await output(`log export --force --out ${join(folder, 'rows.ndjson.gz')}`);
  assert.match(gunzipSync(readFileSync(join(folder, 'rows.ndjson.gz'))).toString(), /^\{"id":/);
});

reports('tell everything of one call', async () => {
  const told = await output('log get request-4 -o table');
  assert.match(
    told,
    /^asked +3, 1\ntries +channel 3 key 9: 503 overloaded after 1.2 s {2}busy\nfacts +price_version 3\n$/m,
  );
  assert.match(told, /^model +gpt-4o$/m);
  assert.equal(JSON.parse(await output('log get request-4 --json=other'))[0].other.price_version, 3);
  assert.match((await run('log get request-4 -o table --lang zh')).stdout, /渠道 3 密钥 9：1.2 秒后 503 overloaded/);
  assert.is((await run('log get nobodys')).code, 6);
});

reports('find rows by how their text begins, or by a type, and by nothing else at once', async () => {
  assert.is((await output('log list --search a --all -q')).trim().split('\n').length, 40);
  assert.is(await output('log list --search call -q'), '');
  assert.is((await output('log list --search 2 --mine -q')).trim().split('\n').length, 20);
  const mixed = await run('log list --search call --model o3');
  assert.is(mixed.code, 3);
  assert.match(mixed.stderr, /--search does not go with --model/);
});

reports('go on behind the last row of an export that was cut', async () => {
  const rows = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);
  const whole = rows(await output('log export --format ndjson'));
  const rest = rows(await output(`log export --format ndjson --after ${whole[9]}`));
  assert.equal(rest, whole.slice(10));
  assert.is((await run('log export --after yesterday')).code, 3);
  const gone = await run('log export --after 99999999');
  assert.equal([gone.code, gone.stdout], [3, ''], gone.stderr);
  const mine = rows(await output('log export --mine --format ndjson'));
  assert.equal(rows(await output('log export --mine --format ndjson --after request-20')), mine.slice(-10));
  const unknown = await run('log export --mine --after request-21');
  assert.equal([unknown.code, unknown.stdout], [3, ''], 'of another user');
});

reports('hold accounts against the log, and end with 2 where they differ', async () => {
  const { database } = daemon.daemon.foundation;
  const told = (columns: string) => run(`doctor --only balances --columns ${columns}`);
  const settle = (changes: Settlements) => database.transaction(({ ledger }) => ledger.applySettlements(changes));
  const used = 20_000_000;
  await daemon.root.tokens.create({ name: 'laptop', remain_quota: 9 });
  await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'm' });
  await settle({ tokens: [{ id: 1, refund: 0, used, accessedTime: 0 }] });
  const unused = await told('result,remedy');
  assert.equal([unused.code, unused.stdout], [2, 'fail\ttollgate audit list --target channel:1\n'], unused.stderr);
  await settle({ channels: [{ id: 1, used }] });
  const whole = await told('result,found');
  assert.equal([whole.code, whole.stdout], [0, 'ok\t1 user, 1 key and 1 channel have what the log says\n']);
  await settle({ users: [{ id: 1, refund: 3, used: 0, requests: 0 }] });
  const found =
    '1 of 1 user, 1 key and 1 channel differs from the log, as user:1: quota is 90000003 and should be 90000000';
  assert.is((await told('found')).stdout, `${found}\n`);
  await settle({ users: [{ id: 1, refund: -3, used: 2, requests: 0 }] });
  assert.match((await told('found --lang zh')).stdout, /user:1：used_quota 为 10000002，应为 10000000/);
  await settle({ users: [{ id: 1, refund: 0, used: -2, requests: 0 }] });
  await daemon.root.channels.delete({ id: 1 });
});

reports('sum usage by what is asked for', async () => {
  assert.is(await output('usage report --by user --columns user,requests,failed'), 'root\t20\t0\nann\t19\t1\n');
  const rows = JSON.parse(await output('usage report --by model,group --model gpt-4o --json'));
  assert.is(rows.length, 1);
  assert.equal([rows[0].model_name, rows[0].group, rows[0].requests], ['gpt-4o', 'default', 10]);
  assert.match(await output('usage report --by day --columns day,share'), /Z?\t100%\n$/);
  // A day before its end, not before now, which is behind the end.
  const [until, since] = [1_793_491_200, 1_793_404_800];
  for (const line of ['usage report', 'usage site', 'log stat']) {
    const { stderr } = await run(`${line} --until @${until} --debug -q`);
    assert.match(stderr, new RegExp(`start_timestamp=${since}&end_timestamp=${until}\\b`), line);
  }
  assert.is((await output('usage report --by user --top 1 -q')).trim().split('\n').length, 1);
  assert.match((await run('usage report --by user --top 1')).stderr, /^Showing the first 1 row; --all for the rest/);
  assert.not.match((await run('usage report --by user')).stderr, '--all');
  assert.is(
    await output('usage report --cost --money usd --columns channel,requests,cost,revenue,margin'),
    '#1\t39\t7.8\t40\t32.2\n',
  );
  assert.match((await run('usage report --by channel --cost')).stderr, /, cost \$?[\d.]+\n/);
  const misplaced = await run('usage report --by model --cost');
  assert.equal([misplaced.code, /--cost/.test(misplaced.stderr)], [3, true]);
  assert.is((await run('usage report --cost --mine')).code, 3);
  const site = JSON.parse(await output('usage site --json'));
  assert.equal([site.requests, site.failures, site.active_users, site.cost], [39, 1, 2, 3_900_000]);
  const refused = await run('usage report --by name');
  assert.is(refused.code, 3);
  assert.match(refused.stderr, /report_keys/);
});

reports('list, verify and export what was done', async () => {
  await daemon.root.options.set({ key: 'Notice', value: 'hello' });
  const [newest] = JSON.parse(await output('audit list --target option:Notice --json'));
  assert.equal([newest.actor_name, newest.action], ['root', 'option.set']);
  assert.is(JSON.parse(await output('audit verify --json')).intact, true);
  const file = (await output('audit export')).trim().split('\n');
  assert.match(file[0] ?? '', /^id,created_at,actor_id/);
  assert.ok(file.length > 1);
});

reports('list nodes, and find what is wrong', async () => {
  const [node] = JSON.parse(await output('node list --same-version --json'));
  assert.equal([node.alive, node.role], [true, 'master']);
  assert.is(
    await output('doctor --only server,audit --columns result,check'),
    'ok\tserver\nok\tsetup\nok\taudit chain\n',
  );
  const warned = await run('doctor --only system --columns check,result');
  assert.is(warned.code, 0, warned.stderr);
  assert.match(warned.stdout, /mail_missing\twarn\n/);
  assert.is((await run('doctor --only system --strict -q')).code, 2);
  assert.is((await run('doctor --only weather')).code, 3);
  const none = await run('doctor --only system --skip system');
  assert.equal([none.code, none.stdout], [3, ''], 'nothing was checked, so nothing is well');
  const wish = { name: 'narrow', scopes: ['log:read' as const], expires_at: Math.floor(Date.now() / 1000) + 3600 };
  const { secret } = await daemon.root.machineTokens.create(wish);
  const narrow = await run('doctor --only server,system,audit --columns result,check', {
    TOLLGATE_ACCESS_TOKEN: secret,
  });
  assert.is(narrow.code, 5, 'what is refused is said behind what was found');
  assert.is(narrow.stdout, 'ok\tserver\nok\tsetup\nskip\tsystem\nskip\taudit\n');
  await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'm' });
  const failed = await run('doctor --only upstreams --columns result,found,remedy');
  assert.is(failed.code, 2, failed.stderr);
  assert.match(failed.stdout, /^fail\tECONNREFUSED\ttollgate channel test \d+\n$/);
  // The usual screen has no room for the column, but for the remedy.
  const small = await run('doctor --only upstreams', { TOLLGATE_FORCE_TTY: '60' });
  assert.not.match(small.stdout, /channel test/);
  assert.match(small.stderr, /^upstream http:\/\/127\.0\.0\.1:9: ECONNREFUSED\n {2}try: tollgate channel test \d+\n/);
  for (let more = 0; more < 6; more += 1) await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'm' });
  const many = await run('doctor --only upstreams --columns remedy');
  assert.match(many.stdout, /^tollgate channel test(?: \d+){5}\n$/, 'a few of them tell what is wrong with all');
});

reports('let the server test what it depends on, and skip what is not configured', async () => {
  const { root } = daemon;
  const doctor = async (checks: string) => {
    const ended = await run(`doctor --only ${checks} --columns result,check,found,remedy`);
    assert.ok(ended.code === 0 || ended.code === 2, ended.stderr);
    return ended.stdout;
  };
  assert.is(
    await doctor('mail,oidc,address,holds,ledger'),
    [
      'skip\tmail\tno mail server is configured\ttollgate option set SMTPServer …',
      'skip\toidc\tsign-in by OIDC is switched off\t',
      'skip\tpublic address\tthe address of the site is not set\ttollgate option set ServerAddress https://…',
      'ok\topen holds\t0 open, none too old\t',
      'ok\tledger sums\tthe last 0 charges are those of the log\t',
      '',
    ].join('\n'),
  );
  const another = await startWebServer(({ url }) =>
    url === '/discovery'
      ? { issuer: 'https://id.example', jwks_uri: `${another.url}/keys`, token_endpoint: 'https://id.example/token' }
      : url === '/keys'
        ? { keys: [{ kid: '1' }] }
        : { success: true, data: { proof: 'made up' } },
  );
  const set = async (values: Readonly<Record<string, string>>) => {
    for (const [key, value] of Object.entries(values)) await root.options.set({ key, value });
  };
  try {
    await set({ ServerAddress: another.url, SMTPServer: '127.0.0.1', SMTPPort: '9', SMTPFrom: 'site@example.org' });
    await set({
      'oidc.client_id': 'c',
      'oidc.client_secret': 's',
      'oidc.authorization_endpoint': 'https://id.example/authorize',
      'oidc.token_endpoint': 'https://id.example/token',
      'oidc.user_info_endpoint': 'https://id.example/me',
      'oidc.well_known': `${another.url}/discovery`,
      'oidc.enabled': 'true',
    });
    const told = await doctor('mail,oidc,address');
    const lines = [
      'fail\tmail\t127\\.0\\.0\\.1: E\\w+\ttollgate option list --section mail',
      'warn\toidc\tthe provider names another oidc.authorization_endpoint, oidc.user_info_endpoint\t.*--discover',
      `fail\tpublic address\t${another.url} answered HTTP 200, and not as this site does\ttollgate option get ServerAddress`,
    ];
    assert.match(told, new RegExp(`^${lines.join('\n')}\n$`));
    await set({ ServerAddress: daemon.url, 'oidc.well_known': `${another.url}/keys` });
    assert.match(await doctor('address'), `ok\tpublic address\t${daemon.url} leads here\t\n`);
    assert.match(await doctor('oidc'), 'NO_ISSUER_OR_KEYS\ttollgate option get oidc.well_known');
    const chinese = await run('doctor --only address --lang zh --columns found');
    assert.is(chinese.stdout, `${daemon.url} 指向本站\n`);
  } finally {
    await another.stop();
    await set({ 'oidc.enabled': 'false', ServerAddress: '', SMTPServer: '' });
  }
});

reports('name a hold that is stuck and a charge that the log tells otherwise', async () => {
  const { database, nodeId } = daemon.daemon.foundation;
  const createdAt = Math.floor(Date.now() / 1000);
  const hold = { userId: 1, tokenId: 0, group: '', amount: 5, tokenAmount: 0, node: nodeId, createdAt };
  const end = { state: 'settled', charged: 5, reason: 'complete', closedAt: createdAt } as const;
  await database.transaction(async ({ ledger }) => {
    await ledger.insertHolds([
      { ...hold, requestId: 'stuck', createdAt: createdAt - 40 * 86_400 },
      { ...hold, requestId: 'unlogged' },
      { ...hold, requestId: 'mislogged' },
    ]);
    await ledger.closeHolds([{ ...end, requestId: 'unlogged' }]);
  });
  const told = async (columns: string) => run(`doctor --only holds,ledger --columns ${columns}`);
  const stuck = await told('result,found,remedy');
  assert.is(stuck.code, 2, stuck.stderr);
  assert.match(stuck.stdout, /^fail\t1 is older than any call can be, the oldest from \S+ on node \S+\t.* node list$/m);
  assert.match(
    stuck.stdout,
    /^fail\t1 of the last \d+ charges differs from the log, as that of request unlogged: 5 charged, 0 in the log\t/m,
  );
  await database.transaction(async ({ ledger, logs }) => {
    await ledger.closeHolds([{ ...end, requestId: 'mislogged' }]);
    await logs.insert([newLogRow({ requestId: 'mislogged', quota: 4, createdAt })]);
  });
  assert.match((await told('result,found')).stdout, /^fail\t2 of the last \d+ charges differ from the log/m);
  assert.match((await told('result,remedy')).stdout, /^fail\ttollgate log get \w*logged$/m);
  for (const value of ['false', 'true']) await daemon.root.options.set({ key: 'LogConsumeEnabled', value });
  assert.match(
    (await told('result,found')).stdout,
    /^ok\tthe last 0 charges are those of the log$/m,
    'charges may have no row from when none were written',
  );
});

reports('say what is wrong with channels, prices and groups, and how the server is reached', async () => {
  const { root } = daemon;
  for (const { id } of (await root.channels.list({})).items) await root.channels.delete({ id });
  const doctor = async (check: string): Promise<string> => {
    const ended = await run(`doctor --only ${check} --columns result,check,found,remedy`);
    assert.ok(ended.code === 0 || ended.code === 2, ended.stderr);
    return ended.stdout;
  };
  assert.is(await doctor('channels,prices'), 'ok\tchannels\t0 enabled\t\nok\tprices\tevery offered model has one\t\n');
  await root.options.set({ key: 'GroupRatio', value: '{"default":1,"soon":1}' });
  const channel = { base_url: 'http://127.0.0.1:9', models: 'nobody-priced-this', group: 'default,soon' };
  const [fresh, keyless] = [await daemon.addChannel({ ...channel, name: 'fresh' }), await daemon.addChannel(channel)];
  const [key] = await root.channels.keys({ id: keyless });
  await root.channels.setKey({ id: keyless, key_hash: key?.key_hash ?? '', status: 2 });
  await root.options.set({ key: 'GroupRatio', value: '{"default":1}' });
  const told = await doctor('channels,prices,groups');
  const lines = [
    `fail\tchannels\twithout a usable key: test\ttollgate channel key list ${keyless}`,
    `warn\tchannels\tnever tested: .*\ttollgate channel test (?:${fresh} ${keyless}|${keyless} ${fresh})`,
    'warn\tprices\twithout one: nobody-priced-this\ttollgate model list --unpriced',
    `warn\tgroups\tchannel \\d+ is in soon, which there is not\ttollgate group set soon --ratio 1`,
  ];
  assert.match(told, new RegExp(`^${lines.join('\n')}\n$`));
  assert.match(
    await doctor('connection'),
    /^ok\tready\tHTTP 200\t\n\w+\tanswer time\t\d+ ms\t\n\w+\tclock\t[\d.]+ s apart\t/,
  );
  const away = await run('doctor --only connection --url http://127.0.0.1:9');
  assert.is(away.code, 10, away.stderr);
  assert.match((await run('doctor --only groups --lang zh -o table')).stdout, /所属的分组 soon 不存在/);
});

reports.run();
