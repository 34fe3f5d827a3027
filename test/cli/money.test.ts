/** Wallet, orders, codes, prices, groups, pages and options from the command line, against a whole daemon. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, runProgram } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { merchantKey } from '../support/payment-site.ts';
import { startWebServer, type WebServer } from '../support/web-server.ts';

const money = suite('money on the command line');

let daemon: TestDaemon;
let provider: WebServer;
let providerAnswer: unknown;
let folder: string;
/** Access token of a user with a balance of nothing. */
let alice: string;

money.before(async () => {
  provider = await startWebServer(() => providerAnswer);
  folder = mkdtempSync(join(tmpdir(), 'tollgate-money-'));
  daemon = await startTestDaemon({
    config: { 'limits.download.enabled': false },
    options: {
      PayAddress: provider.url,
      EpayId: '1001',
      EpayKey: merchantKey,
      CheckInEnabled: 'true',
      CheckInQuota: '500000',
    },
  });
  await daemon.root.options.set({ key: 'ServerAddress', value: daemon.url });
  await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'gpt-4o-mini,house-model', key: 'k' });
  const { id } = await daemon.root.users.create({ username: 'alice', password: 'long enough', quota: 0 });
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  alice = 'alice'.padEnd(32, 'x');
  await database.stores.users.setAccessToken(id, keyring.accessTokenHash(alice), nowSeconds() + 10_000);
});

money.after(async () => {
  await daemon?.stop();
  await provider?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command as root, or with another token. */
function run(words: string, { token = daemon.accessToken, input = '', environment = {} } = {}): Promise<Ended> {
  const args = words.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
  const own = { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: daemon.url, TOLLGATE_ACCESS_TOKEN: token };
  return runProgram(args, { environment: { ...own, ...environment }, input });
}

/** The output of a command that succeeds. */
async function output(words: string, wish: Parameters<typeof run>[1] = {}): Promise<string> {
  const ended = await run(words, wish);
  assert.is(ended.code, 0, `${words}: ${ended.stderr}`);
  return ended.stdout;
}

const json = async (words: string, wish: Parameters<typeof run>[1] = {}) => JSON.parse(await output(words, wish));

money('redeems a code, and a used one is a conflict', async () => {
  const code = (await output('redemption create --name cli --quota 2usd -q')).trim();
  assert.equal(await json('wallet redeem - --json', { token: alice, input: `${code}\n` }), {
    quota: 1_000_000,
    is_gift: false,
  });
  assert.is((await run(`wallet redeem ${code}`, { token: alice })).code, 7);
  assert.is(await output('wallet get --columns balance --money usd', { token: alice }), '2\n');
  const [row] = JSON.parse(await output('user list --search alice --money usd --json=quota'));
  assert.equal(row, { quota_usd: '2' });
});

money('prices a top-up, orders it, and administrators see, ask about and complete it', async () => {
  assert.equal(await json('wallet price 10 --json', { token: alice }), { amount: 10, price: '73.00' });
  // Units are no dollars: half a million of them are one.
  for (const amount of ['10usd', '5000000units'])
    assert.is((await json(`wallet price ${amount} --json`, { token: alice })).amount, 10, amount);
  for (const amount of ['0.5', '0.5usd', '10units', '0x10', '1e3', '0'])
    assert.is((await run(`wallet price ${amount}`, { token: alice })).code, 3, amount);
  const form = await json('wallet pay 10 --method zfb --print --json', { token: alice });
  assert.is(form.url, `${provider.url}/submit.php`);
  const tradeNo = form.fields.out_trade_no;
  assert.is(await output('wallet orders --columns trade,status', { token: alice }), `${tradeNo}\tpending\n`);
  assert.is(await output('order list --status pending --user alice -q'), `${tradeNo}\n`);
  providerAnswer = { code: 1, out_trade_no: tradeNo, money: '73.00', status: 0 };
  assert.is((await run(`order query ${tradeNo}`)).code, 2);
  providerAnswer = { code: 1, out_trade_no: tradeNo, money: '73.00', status: 1 };
  assert.is((await run(`order query ${tradeNo}`)).code, 0);
  const unconfirmed = await run(`order complete ${tradeNo} --yes`);
  assert.is(unconfirmed.code, 3);
  assert.match(unconfirmed.stderr, ` CNY: pass --confirm ${tradeNo} (usage)`);
  const misspelt = await run('order list --status paid');
  assert.is(misspelt.code, 3);
  assert.match(misspelt.stderr, 'error: no paid; there are pending, success, failed, expired (usage)');
  const done = await json(`order complete ${tradeNo} --reason bank --confirm ${tradeNo} --json`);
  assert.equal([done.status, done.username, done.quota], ['success', 'alice', 5_000_000]);
  const { items } = await daemon.root.audits.list({ target: `order:${tradeNo}`, action: 'order.complete' });
  assert.is(JSON.parse(items[0]?.detail ?? '{}').reason, 'bank');
  assert.is((await run(`order complete ${tradeNo} --confirm ${tradeNo}`)).code, 7);
  assert.is((await run('order get NOWHERE')).code, 6);
  assert.is((await json('wallet get --json', { token: alice })).quota, 6_000_000);
});

money('says whether the provider could reach the site', async () => {
  const { reachable, callback_url } = await json('order self-test --json');
  assert.equal([reachable, callback_url], [true, `${daemon.url}/api/user/epay/notify`]);
});

money('checks in once a day without failing, and shows the invite link', async () => {
  assert.equal(await json('checkin --json', { token: alice }), { quota: 500_000 });
  assert.equal(await json('checkin --json', { token: alice }), { quota: 0 });
  assert.is((await json('checkin --status --json', { token: alice })).can_check_in, false);
  const invite = await json('invite get --json', { token: alice });
  assert.is(invite.link, `${daemon.url}/register?aff=${invite.aff_code}`);
  assert.is((await run('invite transfer 1usd --yes', { token: alice })).code, 1);
});

money('asks in the site’s unit about amounts, whatever form the rows have', async () => {
  for (const form of ['', ' -q', ' -o json']) {
    assert.match((await run(`invite transfer 1usd${form}`)).stderr, /Move \$1 to the balance\?/, form);
  }
  assert.match((await run('invite transfer 1usd --money units')).stderr, /Move 500000 to the balance\?/);
});

money('sets prices in dollars, all or none, and says what changed', async () => {
  const set = await output('price set house-model --input 2.5usd --output 10usd');
  assert.is(set, 'house-model\tmodel_ratio\t\t1.25\t\nhouse-model\tcompletion_ratio\t\t4\t\n');
  const listed = "price list --model 'house-*' --columns model,in/m,out/m";
  assert.is(await output(`${listed} --header --money usd`), 'model\tin/m_usd\tout/m_usd\nhouse-model\t2.5\t10\n');
  assert.match(await output(`${listed} -o table`), /IN\/M +OUT\/M\nhouse-model +\$2\.5 +\$10\n/);
  assert.is((await run('price set house-model --per-call 0.04usd')).code, 7);
  assert.is((await run('price set house-model --output 10usd')).code, 3);
  const file = join(folder, 'prices.csv');
  writeFileSync(file, 'model,input,output,per-call\nhouse-model,5,20,\nother-model,,,0.5usd\n');
  assert.match(await output(`price set --from ${file}`), /house-model\tmodel_ratio\t1\.25\t2\.5\t\+100\.0/);
  assert.match(await output('price set other-model --unset --dry-run'), '"model_price": null');
  for (const rest of [
    'other-model --unset model_ratio',
    'other-model --unset cache-write',
    'other-model --unset --input 1usd',
  ]) {
    assert.is((await run(`price set ${rest}`)).code, 3, rest);
  }
  const piped = async (input: string) => (await run('price set - --input 1usd --dry-run', { input })).stdout;
  assert.equal(Object.keys(JSON.parse((await piped('a\nb\n')).replace(/^.*\n/, '')).models), ['a', 'b']);
  assert.is(await piped(''), '');
  // A column that is misspelt, or a row that lacks a cell, would leave a price as it was.
  writeFileSync(file, 'model,input,ouput\nhouse-model,5,20\n');
  const misspelt = await run(`price set --from ${file}`);
  assert.is(misspelt.code, 3);
  assert.match(misspelt.stderr, 'no figure ouput; there are input, output, per-call');
  writeFileSync(file, 'model,input,output\nhouse-model,5\n');
  assert.is((await run(`price set --from ${file}`)).code, 12);
  writeFileSync(file, '7\n');
  assert.match((await run(`price set --from ${file}`)).stderr, 'holds no prices; it begins with a line');
  writeFileSync(file, 'model,input\nhouse-model,5\nother-model,1\nhouse-model,50\n');
  assert.match((await run(`price set --from ${file}`)).stderr, 'stands in two rows of the file (usage)');
  writeFileSync(file, 'model,input,unset\nhouse-model,,true\nother-model,3,false\n');
  assert.match(await output(`price set --from ${file} --dry-run`), /"house-model": \{\s+"model_ratio": null/);
  assert.match((await run('price reset --yes')).stderr, '--confirm ModelRatio');
  assert.is((await run('price reset --confirm ModelRatio')).code, 0);
  assert.is(await output("price list --model 'house-*'"), '');
});

money('makes, changes and deletes groups', async () => {
  await output(
    "group set paid --ratio 0.8 --topup-ratio 0.9 --usable --description 'for payers' --for-group default=0.5",
  );
  assert.equal(await json('group get paid --json'), {
    group: 'paid',
    ratio: 0.8,
    topup_ratio: 0.9,
    usable: true,
    description: 'for payers',
    for_group: { default: 0.5 },
    users: 0,
    channels: 0,
    tokens: 0,
  });
  await output('group set paid --no-usable');
  assert.is((await run('group set paid --no-usable --description none')).code, 3, 'nobody would read it');
  assert.is(await output('group list --columns group,usable'), 'default\ttrue\npaid\tfalse\nsvip\tfalse\nvip\ttrue\n');
  assert.is((await run('group delete default --yes')).code, 7, 'where new accounts go');
  assert.is((await run('group set fresh')).code, 3);
  assert.match((await run('group set __proto__ --ratio 2')).stderr, /GroupRatio: must not contain __proto__/);
  const inherited = 'group set constructor --ratio 2 --columns group,topup,desc';
  assert.is(await output(inherited), 'constructor\t\t\n', 'and nothing that every object has');
  await output('group set vip --for-group paid=0.3');
  await output('group set svip --for-group paid=0.3 --for-group default=0.7');
  await output('group delete constructor --yes');
  await Promise.all(['a', 'b', 'c'].map((name) => output(`group set ${name} --ratio 2`)));
  await Promise.all(['a', 'b', 'c', 'paid'].map((name) => output(`group delete ${name} --yes`)));
  assert.is((await run('group get paid')).code, 6);
  const ratios = await json('option get GroupGroupRatio --json');
  assert.equal(ratios.value, { svip: { default: 0.7 } }, 'nor what others paid in it');
  assert.is((await json('option get TopupGroupRatio --json')).changed, false);
});

money('writes pages and reads them back', async () => {
  const file = join(folder, 'notice.md');
  writeFileSync(file, '# Hello\n');
  const { key, value } = await json(`page set notice @${file} --json`);
  assert.equal([key, value], ['Notice', '# Hello\n']);
  assert.is(await output('page get notice'), '# Hello\n');
  assert.is((await run('page get nowhere')).code, 3);
});

money('prints the limits that it has set', async () => {
  const set = 'limit set --on group:vip --rpm 60 --tpm 90k';
  assert.is(await output(`${set} --columns on,kind,limit`), 'group:vip\trpm\t60\ngroup:vip\ttpm\t90000\n');
  assert.is(await output('limit set --on group:vip --rpm none --tpm none --json'), '[]\n');
});

money('limits the key of a channel that is named by its name or its id', async () => {
  const [channel] = (await daemon.root.channels.list({})).items;
  await daemon.root.channels.update({ id: channel?.id ?? 0, name: 'eu/main' });
  const [hash] = (await output('channel key list eu/main -q')).split('\n');
  const on = `channel-key:${channel?.id}/${hash}`;
  assert.is(await output(`limit set --on channel-key:eu/main/${hash} --rpm 50 --columns on,limit`), `${on}\t50\n`);
  assert.is(await output(`limit set --on ${on} --rpm 40 --columns on,limit`), `${on}\t40\n`);
  await output(`limit delete --on channel-key:eu/main/${hash} --yes`);
  assert.is(await output('limit list --jq length'), '0\n');
  assert.is((await run(`limit set --on channel-key:nowhere/${hash} --rpm 50`)).code, 6);
});

money('finds options by their labels and shows who changed them', async () => {
  assert.match(await output('option search 失败重试'), 'RetryTimes');
  const set = await json('option set RetryTimes 2 --json');
  const row = await json('option get RetryTimes --json');
  assert.equal(set, row, 'a write prints what it wrote');
  assert.is(await output('option set RetryTimes=2 MinTopUp=1 --yes -q'), 'RetryTimes\nMinTopUp\n');
  assert.equal([row.value, row.default, row.changed, row.updated_by], ['2', '0', true, 'root']);
  assert.match(await output('option list --changed --columns key'), 'RetryTimes');
  const ratios = await json('option get GroupRatio --json');
  assert.equal([ratios.value, ratios.default.vip], [{ default: 1, vip: 1, svip: 1 }, 1]);
  assert.type((await json('option get GroupRatio --json --raw')).value, 'string');
  assert.is((await json('option unset RetryTimes --json')).value, '0');
  assert.is((await run('option set RetryTimes=3 EpayKey=env:NOT_SET --yes')).code, 3);
  assert.is((await json('option get RetryTimes --json')).changed, false, 'nothing is sent before all is read');
  assert.is((await run('option edit EpayKey')).code, 3);
});

money('says of a long value that it is only the beginning that is shown', async () => {
  const names = [...'abcdefghijklmnopqrst'];
  const limits = JSON.stringify({ user: Object.fromEntries(names.map((name) => [name, { rpm: 9 }])) });
  const { code, stderr } = await run(`option set RateLimits ${limits}`);
  assert.is(code, 0, stderr);
  assert.match(stderr, /^✓ RateLimits = \{"user":.+…$/m);
  await run('option unset RateLimits');
});

money('options that decide who gets in and who is paid are changed, and put back, after a question alone', async () => {
  const { code, stderr } = await run('option unset PayAddress');
  assert.is(code, 3, stderr);
  assert.match(stderr, /PayAddress/);
  assert.is((await run('option set PayAddress https://pay.example.org')).code, 3);
  assert.is((await json('option get PayAddress --json')).value, provider.url, 'nothing was changed');
  assert.is((await json('option unset PayAddress --yes --json')).value, '');
  await output(`option set PayAddress ${provider.url} --yes`);
});

money('fills in the addresses that an OpenID provider names', async () => {
  providerAnswer = {
    authorization_endpoint: 'https://id.example/authorize',
    token_endpoint: 'https://id.example/token',
    userinfo_endpoint: 'https://id.example/me',
  };
  await output(`option set oidc.well_known ${provider.url}/.well-known/openid-configuration --discover --yes`);
  assert.is((await json('option get oidc.user_info_endpoint --json')).value, 'https://id.example/me');
});

money('checks a relay key by the key alone', async () => {
  const key = (await output('token create --name checked --quota 3usd -q', { token: alice })).trim();
  const checked = await json('token check - --json', { input: key, token: '' });
  assert.equal([checked.name, checked.total_available], ['checked', 1_500_000]);
  assert.is((await json('token check --token checked --json', { token: alice })).name, 'checked');
  assert.is(await output('token check --log', { token: '', environment: { TOLLGATE_API_KEY: key } }), '');
  assert.is((await run('token check', { token: '' })).code, 3);
  assert.is((await run('token check -', { input: 'sk-unknown', token: '' })).code, 4);
});

money('exports codes of a filter and lists who used a gift', async () => {
  await output('redemption create --name export --quota 1usd --count 3');
  const gift = (await output('redemption create --name export --quota 1usd --gift --max-uses 5 -q')).trim();
  await output(`wallet redeem ${gift}`, { token: alice });
  const file = join(folder, 'codes.csv');
  await output(`redemption export --name export --out ${file}`);
  assert.is(readFileSync(file, 'utf8').trimEnd().split('\n').length, 5);
  assert.is(await output('redemption export --name export --gift --format text'), `${gift}\n`);
  for (const wish of ['-o json', '--json', '--format json', '--format json -o csv']) {
    const [code] = await json(`redemption export --name export --gift ${wish}`);
    assert.is(code.key, gift, wish);
  }
  assert.match(await output('redemption export --name export --gift -o csv'), /^code,name,.*\r?\n/);
  for (const line of [
    'redemption export -o yaml',
    'log export -o json',
    'log export --json',
    'audit export -o table',
  ]) {
    const refused = await run(line);
    assert.equal([refused.code, refused.stdout], [3, ''], line);
    assert.match(refused.stderr, /no format \w+; there are .*csv/, line);
  }
  assert.match(await output('log export -o ndjson'), /^\{/);
  const [row] = await json('redemption list --name export --gift --json');
  assert.is(await output('redemption batches --search exp --columns name,codes,unused,uses'), 'export\t4\t4\t1\n');
  assert.is(await output(`redemption uses ${row.id} --columns user`), 'alice\n');
});

money('clears fields of keys and codes by name, and refuses names that cannot be cleared', async () => {
  await output('token create --name bare --quota 1usd --models gpt-4o-mini --allow-ip 10.0.0.1 --rpm 5 -q');
  const fields = 'model_limits,model_limits_enabled,allow_ips,rpm_limit,remain_quota';
  assert.equal(await json(`token edit bare --unset models,allow-ip,rpm --json=${fields}`), {
    model_limits: '',
    model_limits_enabled: false,
    allow_ips: '',
    rpm_limit: 0,
    remain_quota: 500_000,
  });
  await output('token create --name spare --quota 1usd -q');
  assert.is(await output('token edit bare spare --rpm 7 --columns name,rpm'), 'bare\t7\nspare\t7\n');
  assert.is((await run('token edit bare nobody --rpm 8')).code, 11);
  const [id] = await json("redemption create --name dated --quota 1usd --valid-until 2d --jq '[.[].key]'");
  const window = 'valid_from,valid_until';
  assert.equal(await json(`redemption edit ${id} --unset valid-until --json=${window}`), {
    valid_from: 0,
    valid_until: 0,
  });
  const refused = await run('token edit bare --unset name');
  assert.is(refused.code, 3);
  assert.match(refused.stderr, /these can: allow-ip, concurrent-calls, group, model-mapping, models/);
});

money('repeats a batch with the same key and says so', async () => {
  const first = await run('redemption create --name again --quota 1usd --count 5 --idempotency-key ci-1');
  const again = await run('redemption create --name again --quota 1usd --count 5 --idempotency-key ci-1');
  assert.equal([first.code, again.code, again.stdout], [0, 0, first.stdout]);
  assert.match(again.stderr, 'earlier call');
  const refused = await run('redemption create --name again --quota 2usd --count 5 --idempotency-key ci-1');
  assert.is(refused.code, 7);
  assert.not.match(refused.stderr, 'Run again');
});

money('disables, counts and deletes codes by name, by number and from standard input', async () => {
  const preview = await json('redemption create --name batch --quota 1usd --count 4 --dry-run --json');
  assert.equal(preview, { count: 4, total: 2_000_000, existing: 0 });
  await output('redemption create --name batch --quota 1usd --count 4');
  const ids = (await output('redemption list --name batch -q')).trim().split('\n');
  await output('redemption disable -', { input: `${ids[0]}\n` });
  assert.equal(await json('redemption disable --name batch --yes --json'), { count: 3 });
  await output(`redemption enable ${ids[0]}`);
  assert.is((await run('redemption delete-disabled --confirm 1')).code, 3);
  assert.equal(await json('redemption delete-disabled --confirm 3 --json'), { count: 3 });
  assert.equal(await json('redemption delete-by-name batch --confirm batch --json'), { count: 1 });
  assert.is(await output('redemption count --name batch'), '0\n');
  assert.is((await run('redemption disable')).code, 3);
});

money('says of codes to disable by name that none has the name, and asks nothing where all are disabled', async () => {
  const nobody = await run('redemption disable --name mistyped --yes');
  assert.equal([nobody.code, nobody.stdout], [6, '']);
  assert.match(nobody.stderr, 'there is no code named mistyped (redemption_not_found)');
  await output('redemption create --name twice --quota 1usd --count 2');
  assert.equal(await json('redemption disable --name twice --yes --json'), { count: 2 });
  assert.equal(await json('redemption disable --name twice --json'), { count: 0 });
});

money('quotes a call from the published prices, and lists models with and without one', async () => {
  await output('price set quoted --input 2usd --output 8usd');
  await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'quoted,never-priced', key: 'k' });
  const quote = await json('price quote quoted --in 1000 --out 500 --json');
  assert.equal([quote.units, quote.usd], [3000, '0.006']);
  const file = join(folder, 'quote.json');
  await output(`price quote quoted --in 1000 --out-file ${file}`);
  assert.is(JSON.parse(readFileSync(file, 'utf8')).units, 1000);
  assert.is((await run('price quote nobody-offers-this --in 1')).code, 6);
  assert.is((await run('price quote quoted --in 1 --cached 2')).code, 3);
  assert.is(await output('model list --unpriced --search never -q'), 'never-priced\n');
  const priced = await output('model list --search quoted --columns model,channels,groups,kind,in/m,out/m');
  assert.is(priced, 'quoted\t1\tdefault\ttoken\t2\t8\n');
  assert.ok((await json('model list --builtin --all --json=id')).length > 100);
  const spare = { base_url: 'http://127.0.0.1:9', models: 'quoted,spare-only', key: 'k', name: 'spare', status: 2 };
  await daemon.addChannel(spare);
  const ofSpare = 'model list --channel spare --columns model,channels,groups';
  assert.is(
    await output(ofSpare),
    'quoted\t1\tdefault\nspare-only\t0\t\n',
    'a channel that is disabled has models, too',
  );
  assert.is(await output(`${ofSpare} --enabled`), 'quoted\t1\tdefault\n');
  assert.is((await run('model list --channel nowhere')).code, 6);
  assert.is((await run('model list --channel spare --builtin')).code, 3);
});

money.run();
