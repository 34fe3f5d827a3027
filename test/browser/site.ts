/** The daemon that a browser opens: set up, with an account of each role, a channel before a scripted upstream, and rows. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LoginView } from '../../daemon/contract/account.ts';
import { rootPassword, startTestDaemon, type TestDaemon, type TestDaemonOptions } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { logRowOf } from '../support/log-row.ts';

export type Role = 'user' | 'admin' | 'root';

export interface Account {
  readonly username: string;
  readonly password: string;
}

/** A browser's credential, kept so that one password is not checked for each journey. */
export interface SignedIn {
  readonly cookies: readonly { readonly name: string; readonly value: string }[];
  readonly user: LoginView;
}

export interface Site {
  readonly daemon: TestDaemon;
  readonly upstream: FakeUpstream;
  /** Accounts that every site has. */
  readonly accounts: Readonly<Record<Role, Account>>;
  /** Makes one more account. */
  addAccount(fields?: Readonly<Record<string, unknown>>): Promise<Account & { readonly id: number }>;
  signIn(account: Account): Promise<SignedIn>;
  stop(): Promise<void>;
}

const builtConsole = fileURLToPath(new URL('../../dist/console/assets/index.html', import.meta.url));
const password = 'a good password';

/** A whole chat answer of a hundred tokens each way. */
export const answeredChat = jsonAnswer({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 },
});

/** Starts a site; one that is not set up has no accounts but those that a test makes. */
export async function startSite(options: TestDaemonOptions = {}): Promise<Site> {
  if (!existsSync(builtConsole)) throw new Error('the console is not built: npm run build');
  const upstream = await startFakeUpstream(answeredChat);
  const daemon = await startTestDaemon({
    ...options,
    // A file opens more pages in its minutes than anybody does.
    config: {
      'limits.search.enabled': false,
      'limits.per_user.enabled': false,
      'limits.global_web.enabled': false,
      ...options.config,
    },
  });
  let made = 0;
  const addAccount = async (fields: Readonly<Record<string, unknown>> = {}) => {
    made += 1;
    const username = `someone${made}`;
    const { id } = await daemon.root.users.create({ username, password, role: 1, quota: 5_000_000, ...fields });
    return { id, username: String(fields.username ?? username), password };
  };
  if (options.isSetUp !== false) {
    await addAccount({ username: 'alice', display_name: 'Alice' });
    await addAccount({ username: 'bob', role: 10 });
  }
  return {
    daemon,
    upstream,
    accounts: {
      user: { username: 'alice', password },
      admin: { username: 'bob', password },
      root: { username: 'root', password: rootPassword },
    },
    addAccount,
    signIn: (account) => signIn(daemon.url, account),
    async stop() {
      await daemon.stop();
      await upstream.close();
    },
  };
}

async function signIn(url: string, { username, password: secret }: Account): Promise<SignedIn> {
  const answer = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: secret }),
  });
  const body: { success: boolean; message: string; data: LoginView } = JSON.parse(await answer.text());
  if (!body.success) throw new Error(`${username} cannot sign in: ${body.message}`);
  const cookies = answer.headers.getSetCookie().map((line) => {
    const [pair = ''] = line.split(';');
    return { name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1) };
  });
  return { cookies, user: body.data };
}

/** Rows for what every list shows: a channel, a key and a call of each account, codes. */
export async function fill({ daemon, upstream, signIn: enter, accounts }: Site): Promise<void> {
  await daemon.addChannel({ name: 'first', base_url: upstream.url, models: 'gpt-4o-mini,gpt-4o', tag: 'main' });
  await daemon.addChannel({ name: 'second', base_url: upstream.url, models: 'gpt-4.1', priority: 5 });
  await daemon.root.redemptions.create({ name: 'spring', quota: 500_000, count: 3 });
  const rootKey = await daemon.addKey({ name: 'of root' });
  const { cookies, user } = await enter(accounts.user);
  const headers = {
    cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
    'Tollgate-User': String(user.id),
  };
  const { key } = await daemon
    .client(undefined)
    .tokens.create({ name: 'of alice', expired_time: -1, unlimited_quota: true }, { headers });
  for (const each of [rootKey, `sk-${key}`]) {
    const answer = await fetch(`${daemon.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${each}` },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
    });
    await logRowOf(daemon, answer);
  }
}

/** A site with rows in every list. */
export async function startFilledSite(): Promise<Site> {
  const site = await startSite();
  await fill(site);
  return site;
}
