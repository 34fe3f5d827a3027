/** A whole daemon as it is after some use: accounts of every level, and one user who owns something of everything. */
import knexModule, { type Knex } from 'knex';
import { optionKeys, optionTable } from '../../daemon/contract/options.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts';
import { newDrawing, newTask } from '../support/work-records.ts';

/** Who calls; `headers` are all that a call of theirs needs. */
export interface Caller {
  readonly id: number;
  readonly role: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Rows of the victim by what they are. */
export interface Belongings {
  readonly token: number;
  readonly machineToken: number;
  readonly passkey: number;
  /** Root's channel, which has a tag and a key. */
  readonly channel: number;
  readonly channelKeyHash: string;
  readonly redemption: number;
  /** The text of that redemption code: a gift that anybody may redeem. */
  readonly code: string;
  readonly tradeNo: string;
  readonly mjId: string;
  readonly taskId: string;
}

export interface Site {
  readonly daemon: TestDaemon;
  readonly upstream: FakeUpstream;
  readonly victim: Caller;
  /** `nobody`, `relay key`, `disabled`, `user`, `admin`, `peer` (another admin), `root`: by name, the weakest first. */
  readonly callers: ReadonlyMap<string, Caller>;
  readonly belongings: Belongings;
  readonly db: Knex;
  /** Texts that were planted: what nobody may read, except where a test says so. */
  readonly planted: Readonly<Record<'channelKey' | 'relayKey' | 'webhookSecret' | 'prompt' | 'cost', string>>;
  close(): Promise<void>;
}

const channelKey = 'sk-canary-channel-key-0123456789';
const webhookSecret = 'canary-webhook-secret';
const prompt = 'canary-prompt of the victim';
/** What a call of the victim's cost the operator: for administrators alone. */
const cost = 4_242_424_242;

/** Sets up the site. Its upstream repeats in every answer the credential that it was sent, as a hostile one would. */
export async function openSite(): Promise<Site> {
  const upstream = await startFakeUpstream((request) => ({
    status: 401,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify({ error: { message: `bad key ${JSON.stringify(request.headers)}`, code: 'invalid' } })],
  }));
  const daemon = await startTestDaemon({
    config: { 'limits.search.enabled': false, 'limits.download.enabled': false, 'limits.per_user.enabled': false },
  });
  const accounts = await makeAccounts(daemon);
  const db = connect(daemon.databaseUrl);
  const { belongings, relayKey } = await plant(daemon, accounts.victim, upstream.url);
  return {
    daemon,
    upstream,
    ...accounts,
    belongings,
    db,
    planted: { channelKey, relayKey, webhookSecret, prompt, cost: String(cost) },
    async close() {
      await db.destroy();
      await daemon.stop();
      await upstream.close();
    },
  };
}

async function makeAccounts(daemon: TestDaemon): Promise<Pick<Site, 'victim' | 'callers'>> {
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  const accountOf = async (username: string, role: number): Promise<Caller> => {
    const { id } = await daemon.root.users.create({ username, password: 'canary-password', role, quota: 9_000_000 });
    const token = `${username}0`.padEnd(32, 'x');
    await database.stores.users.setAccessToken(id, keyring.accessTokenHash(token), nowSeconds() + 10_000);
    return { id, role, headers: { Authorization: `Bearer ${token}` } };
  };
  const user = await accountOf('stranger', 1);
  const disabled = await accountOf('disabled', 1);
  await database.stores.users.update(disabled.id, { status: 2 });
  const key = await daemon.client(user.headers.Authorization?.slice(7)).tokens.create({
    name: 'of the stranger',
    expired_time: -1,
    unlimited_quota: true,
  });
  const callers = new Map<string, Caller>([
    ['nobody', { id: 0, role: 0, headers: {} }],
    ['relay key', { id: user.id, role: 0, headers: { Authorization: `Bearer sk-${key.key}` } }],
    ['disabled', disabled],
    ['user', user],
    ['admin', await accountOf('admin', 10)],
    ['peer', await accountOf('peer', 10)],
    ['root', { id: 1, role: 100, headers: { Authorization: `Bearer ${daemon.accessToken}` } }],
  ]);
  return { victim: await accountOf('victim', 1), callers };
}

async function plant(
  daemon: TestDaemon,
  victim: Caller,
  upstreamUrl: string,
): Promise<{ belongings: Belongings; relayKey: string }> {
  const { database, nowSeconds } = daemon.daemon.foundation;
  const { stores } = database;
  const own = daemon.client(victim.headers.Authorization?.slice(7));
  await own.account.saveSetting({
    notify_type: 'webhook',
    quota_warning_threshold: 1,
    webhook_url: 'https://example.org/hook',
    webhook_secret: webhookSecret,
  });
  const { id: token, key: relayKey } = await own.tokens.create({
    name: 'of the victim',
    expired_time: -1,
    unlimited_quota: true,
  });
  const wish = { name: 'of the victim', scopes: ['user:write' as const], expires_at: nowSeconds() + 1_000_000 };
  const { id: machineToken } = await own.machineTokens.create(wish);
  await own.machineTokens.rotate({ id: machineToken, grace_seconds: 600_000 });
  await own.cliSignIns.begin({ ...wish, name: 'a program that waits' });
  const open = {
    CheckInEnabled: 'true',
    ExposeRatioEnabled: 'true',
    LogChatContentEnabled: 'true',
    PayAddress: 'https://pay.invalid',
    EpayId: '1000',
    ServerAddress: 'http://gateway.invalid',
  };
  for (const [key, value] of Object.entries(open)) await daemon.root.options.set({ key, value });
  for (const key of optionKeys.filter((name) => optionTable[name].secret)) {
    await daemon.root.options.set({ key, value: `canary-${key}` });
  }
  await daemon.root.alerts.set({
    targets: [
      { id: 'hook', type: 'webhook', address: 'https://example.org/alerts', secret: 'canary-of-the-alerts' },
      { id: 'robot', type: 'robot', dialect: 'slack', address: 'https://example.org/canary-robot' },
    ],
  });
  const channel = await daemon.addChannel({
    base_url: upstreamUrl,
    models: 'gpt-4o-mini',
    key: channelKey,
    tag: 'tag',
  });
  const now = nowSeconds();
  const [code = ''] = await daemon.root.redemptions.create({ name: 'code', quota: 500, count: 1, is_gift: true });
  const redemption = (await daemon.root.redemptions.search({ keyword: code })).items[0]?.id ?? 0;
  // A session, a mailed code and a call with its texts, as sign-in, mail and relay leave them behind.
  await stores.sessions.insert({
    idHash: 'canary-session-hash',
    userId: victim.id,
    data: '{}',
    authVersion: 1,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: now + 1000,
    ip: '',
    userAgent: '',
  });
  const mailed = { codeHash: 'canary-code-hash', createdAt: now, expiresAt: now + 1000 };
  await stores.verificationCodes.replace({ purpose: 'email', subject: 'victim@example.org', ...mailed });
  // Never enabled, so that the password alone goes on signing in.
  await stores.secondFactors.beginTotp({ userId: victim.id, secret: 'canary-totp', createdAt: 1 });
  await stores.secondFactors.replaceRecoveryCodes(victim.id, ['canary-recovery-code']);
  const passkey = await stores.passkeys.insert({
    userId: victim.id,
    credentialId: 'passkey-of-the-victim',
    publicKey: 'canary-public-key',
    signCount: 0,
    transports: '',
    synced: false,
    name: 'of the victim',
    createdAt: now,
  });
  await stores.logs.insert([
    {
      userId: victim.id,
      createdAt: now,
      type: 2,
      content: 'a call',
      username: 'victim',
      tokenName: 'of the victim',
      modelName: 'gpt-4o-mini',
      quota: 0,
      promptTokens: 1,
      completionTokens: 1,
      useTime: 1,
      isStream: false,
      channelId: channel,
      tokenId: token,
      group: 'default',
      other: JSON.stringify({ admin_info: { use_channel: [String(channel)], attempts: [{ cost }] } }),
      requestId: 'request-of-the-victim',
      failed: false,
      ip: null,
      cost,
    },
  ]);
  const texts = { systemPrompt: prompt, context: null, inputContent: prompt, outputContent: prompt };
  await stores.logBodies.insert([{ requestId: 'request-of-the-victim', userId: victim.id, createdAt: now, ...texts }]);
  await plantWork(daemon, { userId: victim.id, tokenId: token, channelId: channel });
  await stores.topUps.insert({
    userId: victim.id,
    amount: 1,
    quota: 500_000,
    money: '7.30',
    tradeNo: 'order-of-the-victim',
    provider: 'epay',
    currency: 'CNY',
    paymentMethod: 'alipay',
    createTime: now,
    completeTime: 0,
    status: 'pending',
  });
  const belongings = {
    token,
    machineToken,
    passkey: passkey?.id ?? 0,
    channel,
    channelKeyHash: (await stores.channelKeys.all([channel]))[0]?.keyHash ?? '',
    redemption,
    code,
    tradeNo: 'order-of-the-victim',
    mjId: 'drawing-of-the-victim',
    taskId: 'task-of-the-victim',
  };
  return { belongings, relayKey };
}

/** A drawing and a song of the victim. */
async function plantWork(
  daemon: TestDaemon,
  owner: { userId: number; tokenId: number; channelId: number },
): Promise<void> {
  const { midjourneys, tasks } = daemon.daemon.foundation.database.stores;
  // Done, so that no poll ends it as too old while a slow machine looks at everything.
  const secret = { ...owner, channelKeyHash: 'canary-key-hash0', requestId: 'canary-request', status: 'SUCCESS' };
  await midjourneys.insert(newDrawing({ ...secret, mjId: 'drawing-of-the-victim' }));
  await tasks.insert(newTask({ ...secret, taskId: 'task-of-the-victim' }));
}

function connect(url: string): Knex {
  if (url.startsWith('sqlite:')) {
    return knexModule({ client: 'sqlite3', connection: { filename: url.slice(7) }, useNullAsDefault: true });
  }
  return knexModule({ client: 'pg', connection: url, pool: { min: 0, max: 2 } });
}
