/**
 * Canaries planted in every secret column appear in no answer and no log line, whoever asks (S2, S26, W1, W2, W28).
 * The endpoints are those of the contract, the columns those of the database: what is new is walked, or fails here.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Endpoint, pathNames } from '../../daemon/contract/endpoint.ts';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf, type NamedEndpoint } from '../../daemon/contract/openapi.ts';
import { optionKeys, optionTable } from '../../daemon/contract/options.ts';
import type { StateDocument } from '../../daemon/contract/state-document.ts';
import { answerText, callEndpoint, plausibleInput } from './endpoint-call.ts';
import { type Caller, openSite, type Site } from './site.ts';

const canary = suite('secrets in answers');

/** What no answer holds. Rows of `options` count where the option is secret. */
const secretColumns = [
  'users.password',
  'users.access_token_hash',
  'tokens.key_hash',
  'tokens.key_sealed',
  'sessions.id_hash',
  'machine_tokens.secret_hash',
  'machine_tokens.previous_hash',
  'cli_sign_ins.exchange_hash',
  'cli_sign_ins.user_code_hash',
  'verification_codes.code_hash',
  'user_totp.secret',
  'recovery_codes.code_hash',
  'channel_keys.key_sealed',
  'options.value',
  'alert_settings.sealed',
  'midjourneys.channel_key_hash',
  'tasks.channel_key_hash',
];
/** Columns whose names sound secret and why their values are none, or are looked for in another way. */
const openColumns: Readonly<Record<string, string>> = {
  'users.username_key': 'the name without case',
  'users.aff_code': 'an invite code is made to be handed out',
  'channel_keys.key_hash': 'a short hash, by which administrators name a key',
  'options.key': 'the name of the option',
  'passkeys.public_key': 'public',
  'option_changes.key': 'the same',
  'price_version_texts.key': 'the same',
  'audit_logs.prev_hash': 'a digest over what administrators may read',
  'audit_logs.hash': 'the same',
  'audit_head.hash': 'the same',
  'idempotency_keys.key': 'what the caller sent',
  'idempotency_keys.request_hash': 'a hash of what the caller sent',
  'redemptions.key': 'administrators hand codes out',
  'response_affinity.key_hash': 'as channel_keys.key_hash',
  'response_affinity.id_hash': 'digest of an id, which is no credential',
  'midjourneys.code': 'a number of the drawing service',
  'state_objects.key': 'what a document calls an object',
};

/** Where a channel's key is read on purpose, with an audit row (D3). */
const showsChannelKey = new Set(['channels.export', 'channels.get', 'channels.revealKey']);
/** Where administrators read prompts on purpose, with an audit row (D30). */
const showsPrompts = new Set(['logs.list']);

/** Where administrators see what calls cost the operator. */
const showsCosts = new Set([
  'logs.list',
  'logs.search',
  'logs.export',
  'usageReports.ofChannel',
  'usageReports.report',
  'usageReports.site',
]);

/** These ask the upstream, which refuses with the key in its text, or send what cannot go out: refusals are the answer. */
const asksOutside = /\.(test|fetchModels|updateBalance)/;

/** Endpoints that cannot succeed here, and what shows that their successes hold nothing of others. */
const neverHere: Readonly<Record<string, string>> = {
  'machineTokens.revoke': 'a password that an administrator has set for its user ended it before',
  'account.delete': 'by session alone; answers nothing',
  'cliSignIns.approve': 'by session alone; answers nothing',
  'cliSignIns.authorize': 'by session alone; answers a code that is made for the caller',
  'cliSignIns.deny': 'by session alone; answers nothing',
  'cliSignIns.find': 'test/daemon/http/routes/management/cli-sign-ins.test.ts',
  'cliSignIns.token': 'the same',
  'orders.query': 'test/daemon/http/routes/management/orders.test.ts',
  'channels.removeKeys': 'removeKey has removed the one that it names',
  'oauth.github': 'test/daemon/http/routes/management/oauth.test.ts',
  'oauth.oidc': 'the same',
  'oauth.linuxdo': 'the same',
  'oauth.wechat': 'the same',
  'oauth.bindWechat': 'the same',
  'oauth.telegram': 'the same',
  'oauth.bindTelegram': 'the same',
  'rewards.checkInAlias': 'the call before it has had the reward of the day',
  'rewards.transferInviteEarnings': 'nobody has earned any; answers nothing',
  'passkeys.beginSignIn':
    'needs an address that browsers take passkeys for; test/daemon/http/routes/management/passkeys.test.ts',
  'passkeys.signIn': 'the same',
  'passkeys.beginAdding': 'the same',
  'passkeys.add': 'the same',
  'passkeys.rename': 'the same',
  'passkeys.remove': 'the same',
  'secondFactor.beginPasskey': 'as passkeys.beginSignIn',
  'secondFactor.signIn': 'test/daemon/http/routes/management/second-factor.test.ts',
  'secondFactor.begin': 'by session alone; answers a secret that is made for the caller',
  'secondFactor.enable': 'as begin',
  'secondFactor.disable': 'by session alone; answers nothing',
  'secondFactor.renewRecoveryCodes': 'as begin',
  'stepUp.beginPasskey': 'as passkeys.beginSignIn',
  'stepUp.prove': 'by session alone; answers a time',
  'selfTests.proof': 'answers a keyed digest of a challenge; test/cli/reports.test.ts',
  'sessions.end': 'by the id of a session of their own; answers nothing',
  'setup.submit': 'serves once, before there is anything to hide',
  'verification.sendCode': 'no mail server; answers nothing',
  'verification.requestReset': 'as sendCode',
  'verification.reset': 'test/daemon/http/routes/management/verification.test.ts',
  'verification.bindEmail': 'the same',
};

/** A set of declared state that there is something of. */
const declared: StateDocument = { apiVersion: 'tollgate/v1', set: 'shown', options: { PreConsumedQuota: 600 } };

let site: Site;
/** Values that are in the columns above, and the plain texts behind them. */
let secrets: string[];
let seen: Map<string, number>;

canary.before(async () => {
  site = await openSite();
  await site.daemon.root.state.apply({ document: declared });
  secrets = [site.planted.relayKey, 'canary-', site.planted.cost, ...(await storedSecrets())];
  seen = new Map();
});

canary.after(() => site.close());

/** `table.column` of every column there is. */
async function columns(): Promise<string[]> {
  const isSqlite = site.daemon.databaseUrl.startsWith('sqlite:');
  const query = isSqlite
    ? `select m.name as "table", c.name as "column" from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'`
    : `select table_name as "table", column_name as "column" from information_schema.columns where table_schema = 'public'`;
  const answer: { rows?: unknown } | unknown[] = await site.db.raw(query);
  const rows: { table: string; column: string }[] = JSON.parse(
    JSON.stringify(Array.isArray(answer) ? answer : answer.rows),
  );
  return rows.map(({ table, column }) => `${table}.${column}`);
}

async function storedSecrets(): Promise<string[]> {
  const found: string[] = [];
  for (const place of secretColumns) {
    const [table = '', column = ''] = place.split('.');
    const query = site.db(table).select({ value: column }).whereNotNull(column);
    if (table === 'options') query.whereIn('key', secretOptions);
    const values = (await query).map(({ value }) => String(value)).filter((value) => value !== '');
    assert.ok(values.length > 0, `nothing was planted in ${place}`);
    found.push(...values);
  }
  return found;
}

const secretOptions = optionKeys.filter((name) => optionTable[name].secret);

canary('are planted in every column whose name sounds like one', async () => {
  const sounding = (await columns()).filter((name) =>
    /\.(.*_)?(hash|sealed|secret|password|token|key|code)$/.test(name),
  );
  assert.ok(sounding.length > 10);
  for (const name of sounding) {
    assert.ok(secretColumns.includes(name) || openColumns[name] !== undefined, `${name}: secret or not?`);
  }
  assert.ok(secretOptions.length >= 9);
});

/** Ids and names under which the endpoint of a path finds rows of the victim. */
function aimAt(endpoint: Endpoint): Record<string, unknown> {
  const { belongings, victim } = site;
  const byPath: readonly (readonly [string, number])[] = [
    ['/api/user', victim.id],
    ['/api/token', belongings.token],
    ['/api/machine_token', belongings.machineToken],
    ['/api/redemption', belongings.redemption],
    ['/api/channel', belongings.channel],
  ];
  const id = byPath.find(([start]) => endpoint.path.startsWith(start))?.[1] ?? 1;
  const until = site.daemon.daemon.foundation.nowSeconds();
  const filters = { keyword: 'v', with_content: 1, start_timestamp: until - 86_400, end_timestamp: until + 10 };
  return {
    ...filters,
    id,
    ids: [id],
    key_hash: belongings.channelKeyHash,
    key_hashes: [belongings.channelKeyHash],
    user_id: victim.id,
    trade_no: belongings.tradeNo,
  };
}

/** What single endpoints need so that they succeed. */
function needsOf(name: string): Record<string, unknown> {
  const fresh = Math.random().toString(36).slice(2, 12);
  const budget = { on: `token:${site.belongings.token}`, kind: 'quota', per: 'day' };
  const needs: Record<string, Record<string, unknown>> = {
    'account.login': { username: 'victim', password: 'canary-password' },
    'account.register': { username: fresh, aff_code: '' },
    'budgets.list': { on: budget.on },
    'budgets.set': { ...budget, limit: 1_000_000_000 },
    'budgets.delete': budget,
    'limits.set': { on: budget.on, rpm: 1000, tpm: undefined, concurrency: undefined },
    'limits.delete': { on: budget.on },
    'channels.export': { ids: String(site.belongings.channel) },
    'cliSignIns.begin': { expires_at: site.daemon.daemon.foundation.nowSeconds() + 10_000 },
    'channels.create': { channel: undefined, mode: 'single' },
    'channels.previewOverride': { param_override: '{"temperature":0}', body: '{}' },
    'channels.update': { key: '', base_url: site.upstream.url },
    'channels.editTag': { groups: 'default', new_tag: 'tag' },
    'logs.listByKey': { key: '' },
    'machineTokens.create': { expires_at: site.daemon.daemon.foundation.nowSeconds() + 10_000, allow_ips: '' },
    'priceWork.differences': { from: 0, to: undefined },
    'priceWork.rerate': { version: 0, draft: {}, after: '0.0', book: false },
    'priceWork.rollback': { version: 0 },
    'priceWork.sync': { url: '', content: { model_ratio: { m: 1 } }, only: [], except: [], no_new: false },
    'prices.set': { models: { 'gpt-4o-mini': { model_ratio: 0.075 } } },
    'rateRules.set': { subject_kind: 'group', subject: 'default', model: 'gpt-*', ratio: 1 },
    'state.export': { kinds: '', tag: '', set: '' },
    'state.plan': { document: declared },
    'state.apply': { document: declared, plan_id: undefined },
    'state.set': { name: declared.set },
    'state.forget': { name: declared.set },
    'redemptions.create': { key: fresh },
    'redemptions.redeem': { key: site.belongings.code },
    'users.create': { username: fresh },
  };
  return needs[name] ?? {};
}

async function look(named: NamedEndpoint, name: string, caller: Caller): Promise<void> {
  const { endpoint } = named;
  const filters = { ...aimAt(endpoint), ...needsOf(named.name) };
  const allMembers = plausibleInput(endpoint, 'all members', filters);
  const names = { keyword: '', model_name: '', token_name: '', group: '', request_id: '', resume_after: '' };
  const emptied = { ...names, p: '', channel: '' };
  const loose = Object.fromEntries(Object.entries({ ...allMembers, ...emptied }).filter(([key]) => key in allMembers));
  for (const input of [plausibleInput(endpoint, 'required members', filters), loose, allMembers]) {
    const response = await callEndpoint({ url: site.daemon.url, endpoint, input, headers: caller.headers });
    const body = await answerText(response);
    const answer = `${JSON.stringify([...response.headers])} ${body}`;
    assert.ok(response.status < 500, `${named.name} as ${name}: ${answer}`);
    if (response.ok && !body.startsWith('{"success":false')) seen.set(named.name, (seen.get(named.name) ?? 0) + 1);
    for (const secret of secrets) {
      if (!answer.includes(secret)) continue;
      assert.ok(isOnPurpose(named, caller, answer), `${named.name} shows ${secret.slice(0, 20)} to ${name}: ${answer}`);
    }
  }
}

/** True where the only secrets of an answer are those that its endpoint is for. */
function isOnPurpose({ name, endpoint }: NamedEndpoint, caller: Caller, answer: string): boolean {
  const { channelKey, relayKey, webhookSecret, prompt, cost } = site.planted;
  const allowed: string[] = [];
  if (caller === site.victim) allowed.push(relayKey, webhookSecret, prompt);
  if (caller.role >= 10 && showsCosts.has(name)) allowed.push(cost);
  if (caller.role >= 10 && showsChannelKey.has(name)) allowed.push(channelKey);
  if (caller.role >= 10 && showsPrompts.has(name)) allowed.push(prompt);
  const rest = allowed.reduce((text, shown) => text.replaceAll(shown, ''), answer);
  return endpoint.access !== 'public' && !secrets.some((secret) => rest.includes(secret));
}

/** Reading, changing, deleting: in this order, so that there is something to look at. */
const phases = ['read', 'change', 'delete'] as const;

function phaseOf({ name, endpoint }: NamedEndpoint): (typeof phases)[number] {
  if (endpoint.method === 'DELETE' || /\.(delete|remove|purge)/.test(name)) return 'delete';
  return endpoint.method === 'GET' ? 'read' : 'change';
}

canary('reach nobody, whatever the role and the endpoint', async () => {
  // What lies deeper comes first: deleting the whole would leave no part to delete.
  const isOfRow = ({ name }: NamedEndpoint) => /^(?:budgets|limits)[.]/.test(name);
  const depth = (named: NamedEndpoint) => (isOfRow(named) ? 9 : pathNames(named.endpoint.path).length);
  const endpoints = endpointsOf(contract).sort((a, b) => depth(b) - depth(a));
  const callers: readonly (readonly [string, Caller])[] = [['its owner', site.victim], ...site.callers];
  for (const phase of phases) {
    for (const [name, caller] of callers) {
      // What an administrator did last may have ended it.
      await restore(caller);
      for (const named of endpoints.filter((each) => phaseOf(each) === phase)) {
        // What one of them deletes shows nothing to the next; root comes last and may have it all.
        if (phase === 'delete' && caller.role >= 10 && name !== 'root') continue;
        if (named.endpoint.access === 'public' && name !== 'nobody') continue;
        await look(named, name, caller);
        await restore(caller);
      }
    }
  }
});

/** Issuing a token and leaving the site end the credential that the walk itself uses. */
async function restore(caller: Caller): Promise<void> {
  const token = caller.headers.Authorization?.slice(7);
  if (caller.role === 0 || caller.id === 0 || token === undefined) return;
  const { database, keyring, nowSeconds } = site.daemon.daemon.foundation;
  await database.stores.users.setAccessToken(caller.id, keyring.accessTokenHash(token), nowSeconds() + 10_000);
}

canary('were looked for in answers that succeeded, not in refusals alone', () => {
  const silent = endpointsOf(contract)
    .map(({ name }) => name)
    .filter((name) => !seen.has(name) && neverHere[name] === undefined && !asksOutside.test(name));
  assert.equal(silent, [], 'give them what they need to succeed, or say in `neverHere` why they cannot');
  for (const name of Object.keys(neverHere)) assert.not(seen.has(name), `${name} does succeed here`);
});

canary('show a channel key to administrators on purpose alone, with an audit row', async () => {
  const { audits } = site.daemon.daemon.foundation.database.stores;
  const { items } = await audits.list({ action: 'channel.key_read' }, { offset: 0, limit: 5 });
  assert.ok(items.length > 0);
});

canary('are blank in the option list, which only says whether they are set', async () => {
  const shown = (await site.daemon.root.options.list()).filter(({ set }) => set !== undefined);
  const blank = optionKeys.filter((key) => optionTable[key].secret).map((key) => [key, '', true]);
  assert.equal(
    shown.map(({ key, value, set }) => [key, value, set]),
    blank,
  );
});

canary('reach no log line', () => {
  const written = site.daemon.log.join('\n');
  assert.ok(written.length > 0);
  for (const secret of secrets) assert.not(written.includes(secret), secret.slice(0, 20));
});

canary.run();
