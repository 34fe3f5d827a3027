/**
 * A site on which the examples of the command line find what they name: user 12 is alice, channel 4 has two keys, and so
 * on. What they ask elsewhere (`example.com`) is asked of servers of this machine.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userRecord } from './account-records.ts';
import { type Ended, runProgram, wordsOf } from './command-line.ts';
import { rootPassword, startTestDaemon, type TestDaemon } from './daemon.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from './fake-upstream.ts';
import { newLogRow } from './log-records.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { merchantKey } from './payment-site.ts';
import { startWebServer } from './web-server.ts';
import { newDrawing, newTask } from './work-records.ts';

export const examplePassword = 'a good password';
const tradeNo = 'USR12NOabcdef';
/** A price as a published list has it. */
const listed = {
  litellm_provider: 'openai',
  mode: 'chat',
  input_cost_per_token: 5e-6,
  output_cost_per_token: 2e-5,
};

/** How an example is run where its line does not say it all. */
export interface Manner {
  /** Who runs it; root without, nobody for ''. */
  readonly as?: string;
  /** Added to the line: what a person would answer, or what only the site knows. */
  readonly adds?: string;
  /** What stands on standard input, where the line names no file for it. */
  readonly input?: string;
}

export interface ExampleSite {
  readonly daemon: TestDaemon;
  /** Address of the upstream of every channel. */
  readonly upstream: string;
  run(example: string, manner?: Manner): Promise<Ended>;
  stop(): Promise<void>;
}

function startUpstream(): Promise<FakeUpstream> {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const said = { id: 'c', object: 'chat.completion', created: 1, model: 'gpt-4o', usage };
  const choice = { index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' };
  const piece = { index: 0, delta: { content: 'hi' }, finish_reason: 'stop' };
  return startFakeUpstream(({ url, body }) => {
    if (url.includes('/models')) return jsonAnswer({ data: [{ id: 'gpt-4o' }, { id: 'gpt-5' }] });
    if (url.includes('/subscription')) return jsonAnswer({ hard_limit_usd: 3 });
    if (url.includes('/usage')) return jsonAnswer({ total_usage: 0 });
    if (!/"stream":\s*true/.test(body.toString())) return jsonAnswer({ ...said, choices: [choice] });
    return sseAnswer([{ ...said, object: 'chat.completion.chunk', choices: [piece] }, '[DONE]']);
  });
}

/** Starts the site; what the examples name is there. The working folder is one of its own until it is stopped. */
export async function startExampleSite(): Promise<ExampleSite> {
  const upstream = await startUpstream();
  const mail = await startMailServer();
  const elsewhere = await startWebServer(({ url }) => {
    if (url.includes('prices.json')) return { 'gpt-brand-new': listed };
    return url.includes('api.php')
      ? { code: 1, trade_no: 'p-1', out_trade_no: tradeNo, money: '73.00', status: 1 }
      : {};
  });
  const daemon = await startDaemon(mail, elsewhere.url);
  await daemon.root.options.set({ key: 'ServerAddress', value: daemon.url });
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-examples-'));
  const back = process.cwd();
  process.chdir(folder);
  await seedUsers(daemon);
  await seedChannels(daemon, upstream.url);
  await seedRecords(daemon);
  const key = await daemon.addKey({ name: 'trial' });
  const code = (await codesOf(daemon)).at(-1) ?? '';
  writeFiles(elsewhere.url);
  const inputs: Readonly<Record<string, string>> = {
    'password.txt': examplePassword,
    'token.txt': daemon.accessToken,
    'code.txt': code,
    'changes.diff': '+ a line',
    key,
  };
  const hosts = /https:\/\/(?:pager\.)?example\.com/g;
  return {
    daemon,
    upstream: upstream.url,
    run: async (example, { as, adds = '', input = '' } = {}) => {
      const [line = '', source] = example.split(/ (?:<|>>?) ?/);
      const here = line.replace('https://gw.example.com', daemon.url).replace(hosts, elsewhere.url);
      const words = wordsOf(
        `${here.replaceAll('"', "'")} ${adds.replace('http://upstream.example.com', upstream.url)}`,
      );
      // Who types an example does so where the file is not there yet.
      if (words.includes('--out')) rmSync(words[words.indexOf('--out') + 1] ?? '', { force: true });
      return runProgram(words, {
        environment: {
          // An address is good for whatever a document of state calls a secret.
          ...Object.fromEntries(secretsOf(line).map((name) => [name, `${elsewhere.url}/robot`])),
          TOLLGATE_CONFIG_DIR: folder,
          TOLLGATE_URL: daemon.url,
          TOLLGATE_ACCESS_TOKEN: as === undefined ? daemon.accessToken : tokenOf(as),
          TOLLGATE_API_KEY: key,
          DS_KEY: 'sk-deepseek',
          SECRET: 'a secret of hooks',
          SMTP_TOKEN: 'right',
          ROBOT_URL: `${elsewhere.url}/robot`,
        },
        input: inputs[source ?? ''] ?? input,
      });
    },
    async stop() {
      process.chdir(back);
      await daemon.stop();
      await Promise.all([upstream.close(), mail.stop(), elsewhere.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function startDaemon(mail: MailServer, payAddress: string): Promise<TestDaemon> {
  const off = ['download', 'search', 'mail', 'mail_recipient', 'critical', 'per_user'];
  return startTestDaemon({
    config: {
      ...Object.fromEntries(off.map((name) => [`limits.${name}.enabled`, false])),
      'jobs.polling_interval_seconds': 0,
    },
    options: {
      SMTPServer: '127.0.0.1',
      SMTPPort: String(mail.port),
      SMTPFrom: 'gate@example.org',
      PayAddress: payAddress,
      EpayId: '1001',
      EpayKey: merchantKey,
      CheckInEnabled: 'true',
      CheckInQuota: '5',
      UserUsableGroups: '{"default":"","vip":"","old":"","trial":""}',
      GroupRatio: '{"default":1,"vip":1,"old":1,"trial":1}',
    },
  });
}

const tokenOf = (username: string): string => (username === '' ? '' : username.padEnd(32, 'x'));

/** Lets somebody run examples. */
export async function letIn({ daemon }: ExampleSite, username: string): Promise<void> {
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  const { items } = await daemon.root.users.search({ keyword: username });
  const id = items.find((user) => user.username === username)?.id ?? 0;
  await database.stores.users.setAccessToken(id, keyring.accessTokenHash(tokenOf(username)), nowSeconds() + 1000);
}

/** What a document of state names as its secrets. */
function secretsOf(line: string): string[] {
  if (!/^(?:apply|diff)/.test(line)) return [];
  return readFileSync('state.yaml', 'utf8').match(/(?<=env:)\w+/g) ?? [];
}

async function seedUsers({ root, daemon }: TestDaemon): Promise<void> {
  const names: Readonly<Record<number, string>> = { 2: 'carol', 12: 'alice', 13: 'bob' };
  const { users } = daemon.foundation.database.stores;
  for (let id = 2; id <= 13; id += 1) {
    const username = names[id] ?? `user-${id}`;
    await users.insert(userRecord({ id, username, quota: 50_000_000, affCode: `code-${id}` }));
  }
  for (const name of ['one', 'two', 'laptop', 'four', 'five']) {
    await root.tokens.create({ name, expired_time: -1, unlimited_quota: true });
  }
}

async function seedChannels({ root, addChannel }: TestDaemon, base_url: string): Promise<void> {
  for (let id = 1; id <= 9; id += 1) {
    await addChannel({
      base_url,
      name: id === 1 ? 'openai-main' : `channel-${id}`,
      models: 'gpt-4o',
      group: 'default,vip',
      ...(id === 4 ? { key: 'sk-first-AbCd\nsk-second-EfGh', mode: 'multi_to_single' } : { key: `sk-channel-${id}` }),
      tag: id === 5 ? 'azure' : '',
    });
  }
  await root.channels.setStatus({ id: 9, status: 2 });
}

const daySeconds = 86_400;

async function seedRecords({ root, daemon }: TestDaemon): Promise<void> {
  const { database, nowSeconds } = daemon.foundation;
  const { ledger, logs, midjourneys, priceVersions, tasks, topUps } = database.stores;
  const now = nowSeconds();
  const call = {
    userId: 12,
    username: 'alice',
    group: 'default',
    modelName: 'gpt-4o',
    promptTokens: 1000,
    channelId: 1,
  };
  const other = JSON.stringify({ group_ratio: 1, model_price: -1, price_version: 0 });
  await logs.insert([
    newLogRow({ ...call, requestId: '20261121035544123456789AbCdEfGh', createdAt: now - 60, quota: 1250, other }),
    newLogRow({ ...call, createdAt: now - 100 * daySeconds, quota: 1250, other }),
    newLogRow({ ...call, createdAt: now - 10 * daySeconds, quota: 1250, other }),
  ]);
  await ledger.applySettlements({ channels: [{ id: 1, used: 3750 }] });
  await midjourneys.insert(newDrawing({ mjId: '1712345678901234', submitTime: now * 1000 }));
  await tasks.insert(newTask({ taskId: '6f1b2c9a', submitTime: now, status: 'SUCCESS' }));
  const order = {
    tradeNo,
    userId: 12,
    amount: 10,
    quota: 5_000_000,
    money: '73.00',
    provider: 'epay',
    currency: 'CNY',
  };
  await topUps.insert({ ...order, paymentMethod: 'zfb', createTime: now, completeTime: 0, status: 'pending' });
  for (let version = 1; version <= 41; version += 1) {
    const change = {
      actorId: 1,
      actorName: 'root',
      cause: 'edit',
      note: '',
      models: '["gpt-4o"]',
      modelCount: 1,
    } as const;
    await priceVersions.insert({ ...change, createdAt: now - 2 * daySeconds }, new Map());
  }
  await root.redemptions.create({ name: 'summer', count: 13, quota: 1000 });
}

async function codesOf({ root }: TestDaemon): Promise<string[]> {
  const { items } = await root.redemptions.list({ page: 1, page_size: 100 });
  return items.map(({ key }) => key);
}

function writeFiles(web: string): void {
  const later = 'another good password';
  const files: Readonly<Record<string, string>> = {
    'users.csv': 'username,quota\nnew-one,5usd\nnew-two,5usd\n',
    'keys.txt': 'sk-third-IjKl\nsk-fourth-MnOp\n',
    'names.json': '{"fast":"gpt-4o-mini"}',
    'body.json': '{"model":"gpt-4o","temperature":1}',
    'override.json': '{"operations":[{"mode":"set","path":"temperature","value":0}]}',
    'groups.json': '{"default":1,"vip":0.8,"old":1,"trial":1}',
    'notice.md': 'Hello',
    'prices.csv': 'model,input,output\nmy-model,1usd,4usd\n',
    'prices.json': JSON.stringify({ 'brand-new': listed }),
    'new.yaml': 'gpt-4o:\n  input: 1\n  output: 4\n',
    'profiles.yaml': `profiles:\n  staging:\n    url: ${web}\n`,
    old: examplePassword,
    new: later,
    pw: later,
    rootpw: rootPassword,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(name, text, { mode: 0o600 });
}
