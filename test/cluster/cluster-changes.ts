/** What an operator or user may change on one daemon, and how another one shows that it knows. */
import * as assert from 'uvu/assert';
import type { TestDaemon } from '../support/daemon.ts';
import { untilThere } from '../support/until.ts';

/** Two daemons on one database; `second` is told, `first` must honour it. */
export interface Pair {
  readonly first: TestDaemon;
  readonly second: TestDaemon;
  readonly upstreamUrl: string;
}

export interface PreparedChange {
  /** True while the first daemon still acts as before the change. */
  isAsBefore(): Promise<boolean>;
  /** Makes the change on the second daemon. */
  act(): Promise<unknown>;
  /** True once the first daemon honours it. */
  isHonoured(): Promise<boolean>;
}

export interface Change {
  readonly name: string;
  /** Topic of the revision that carries it; changes of one topic are tried one after another. */
  readonly topic: 'channels' | 'options' | 'rate_rules' | 'tokens' | 'users' | 'sessions';
  prepare(pair: Pair): Promise<PreparedChange>;
}

const password = 'a good password';
/** Where an upstream's path begins with this, its first answer asks for a long pause. */
export const pausingPath = 'pausing';

/** A name of its own for everything that a change makes. */
function fresh(prefix: string): string {
  return `${prefix}-${Math.random().toString(36).slice(2, 10)}`;
}

/** Status of a call to the relay. */
async function relay(daemon: TestDaemon, key: string, model: string): Promise<{ status: number; requestId: string }> {
  const answer = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  await answer.arrayBuffer();
  return { status: answer.status, requestId: answer.headers.get('x-request-id') ?? '' };
}

interface Account {
  readonly id: number;
  readonly username: string;
  readonly accessToken: string;
}

/** A new account with an access token. */
async function newAccount({ second }: Pair, role: 1 | 10 = 1): Promise<Account> {
  const username = fresh('u');
  const { id } = await second.root.users.create({ username, password, role, quota: 50_000_000 });
  const accessToken = username.padEnd(32, 'x').replaceAll('-', '0');
  const { database, keyring, nowSeconds } = second.daemon.foundation;
  await database.stores.users.setAccessToken(id, keyring.accessTokenHash(accessToken), nowSeconds() + 1000);
  return { id, username, accessToken };
}

async function newKey({ second }: Pair, account: Account): Promise<{ id: number; key: string }> {
  const made = await second.client(account.accessToken).tokens.create({
    name: 'of the test',
    expired_time: -1,
    unlimited_quota: true,
  });
  return { id: made.id, key: `sk-${made.key}` };
}

/** A channel with a model of its own, the keys of a caller, and what the first daemon answers to a call of it. */
async function routed(pair: Pair, fields: Record<string, unknown> = {}) {
  const model = fresh('gpt-4o-mini');
  const prices: Record<string, number> = JSON.parse(await optionOf(pair.second, 'ModelRatio'));
  await pair.second.root.options.set({ key: 'ModelRatio', value: JSON.stringify({ ...prices, [model]: 1 }) });
  const id = await pair.second.addChannel({ base_url: pair.upstreamUrl, models: model, ...fields });
  const account = await newAccount(pair);
  const { id: tokenId, key } = await newKey(pair, account);
  const status = async () => (await relay(pair.first, key, model)).status;
  return { id, model, account, tokenId, key, status };
}

async function optionOf({ root }: TestDaemon, name: string): Promise<string> {
  return (await root.options.list()).find(({ key }) => key === name)?.value ?? '';
}

/** Calls are served before and no longer afterwards. */
function untilRefused(status: () => Promise<number>, refusal: number, act: () => Promise<unknown>): PreparedChange {
  return {
    isAsBefore: async () => (await status()) === 200,
    act,
    isHonoured: async () => (await status()) === refusal,
  };
}

/** The first daemon leaves a channel alone that has refused it, until something is done to the channel. */
async function paused(pair: Pair, act: (id: number) => Promise<unknown>): Promise<PreparedChange> {
  const { id, status } = await routed(pair, { base_url: `${pair.upstreamUrl}/${fresh(pausingPath)}` });
  const isCooling = async () => ((await pair.first.root.channels.keys({ id }))[0]?.cool_until ?? 0) > 0;
  return {
    isAsBefore: async () => (await status()) !== 200 && (await isCooling()),
    act: () => act(id),
    isHonoured: async () => !(await isCooling()),
  };
}

/** A browser signed in on one of the daemons. */
async function signIn(daemon: TestDaemon, { id, username }: Account): Promise<Record<string, string>> {
  const answer = await fetch(`${daemon.url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  assert.is(answer.status, 200);
  return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '', 'Tollgate-User': String(id) };
}

function statusOf(daemon: TestDaemon, path: string, headers: Record<string, string>): () => Promise<number> {
  return () => fetch(`${daemon.url}${path}`, { headers }).then(({ status }) => status);
}

export const changes: readonly Change[] = [
  {
    name: 'a user gets a rate rule',
    topic: 'rate_rules',
    prepare: async (pair) => {
      const { model, account } = await routed(pair);
      const rate = async () =>
        (await pair.first.root.channels.explain({ user_id: account.id, model })).rate_rule?.ratio ?? null;
      const rule = { subject_kind: 'user', subject: account.id, model: '*', ratio: 0.25 } as const;
      return {
        isAsBefore: async () => (await rate()) === null,
        act: () => pair.second.root.rateRules.set(rule),
        isHonoured: async () => (await rate()) === 0.25,
      };
    },
  },
  {
    name: 'a channel is disabled',
    topic: 'channels',
    prepare: async (pair) => {
      const { id, status } = await routed(pair);
      return untilRefused(status, 503, () => pair.second.root.channels.setStatus({ id, status: 2 }));
    },
  },
  {
    name: 'the channels of a tag are disabled',
    topic: 'channels',
    prepare: async (pair) => {
      const tag = fresh('tag');
      const { status } = await routed(pair, { tag });
      return untilRefused(status, 503, () => pair.second.root.channels.disableTag({ tag }));
    },
  },
  {
    name: 'a channel is deleted',
    topic: 'channels',
    prepare: async (pair) => {
      const { id, status } = await routed(pair);
      return untilRefused(status, 404, () => pair.second.root.channels.delete({ id }));
    },
  },
  {
    name: 'a channel is added',
    topic: 'channels',
    prepare: async (pair) => {
      const { id, model, status } = await routed(pair);
      await pair.second.root.channels.delete({ id });
      return {
        isAsBefore: async () => (await status()) === 404,
        act: () => pair.second.addChannel({ base_url: pair.upstreamUrl, models: model }),
        isHonoured: async () => (await status()) === 200,
      };
    },
  },
  {
    name: 'a pause is ended by hand',
    topic: 'channels',
    prepare: (pair) => paused(pair, (id) => pair.second.root.channels.clearCooling({ id })),
  },
  {
    name: 'a channel that pauses is edited',
    topic: 'channels',
    prepare: (pair) => paused(pair, (id) => pair.second.root.channels.update({ id, weight: 3 })),
  },
  {
    name: 'a price is changed',
    topic: 'options',
    prepare: async (pair) => {
      const { model, key } = await routed(pair);
      /** What the first daemon charges for 100 + 100 tokens; -1 while it does not serve the model yet. */
      const charge = async () => {
        const { status, requestId } = await relay(pair.first, key, model);
        if (status !== 200) return -1;
        return untilThere(async () => {
          const { items } = await pair.second.root.logs.list({ request_id: requestId, type: 2 });
          return items[0]?.quota;
        });
      };
      return {
        isAsBefore: async () => {
          const now = await charge();
          return now > 0 && now < 10_000;
        },
        act: async () => {
          const prices = JSON.parse(await optionOf(pair.second, 'ModelRatio'));
          await pair.second.root.options.set({ key: 'ModelRatio', value: JSON.stringify({ ...prices, [model]: 100 }) });
        },
        isHonoured: async () => (await charge()) >= 100 * 200,
      };
    },
  },
  {
    name: 'an option is changed',
    topic: 'options',
    prepare: async ({ first, second }) => {
      const value = fresh('name');
      const shown = async () => (await first.client(undefined).status.get()).system_name;
      return {
        isAsBefore: async () => (await shown()) !== value,
        act: () => second.root.options.set({ key: 'SystemName', value }),
        isHonoured: async () => (await shown()) === value,
      };
    },
  },
  {
    name: 'a rate limit is set',
    topic: 'options',
    prepare: async (pair) => {
      const { status } = await routed(pair);
      const set = (key: string, value: string) => pair.second.root.options.set({ key, value });
      return {
        isAsBefore: async () => (await status()) === 200,
        act: async () => {
          await set('ModelRequestRateLimitCount', '1');
          await set('ModelRequestRateLimitEnabled', 'true');
        },
        isHonoured: async () => {
          const isLimited = (await status()) === 429;
          if (isLimited) await set('ModelRequestRateLimitEnabled', 'false');
          return isLimited;
        },
      };
    },
  },
  {
    name: 'a key is deleted',
    topic: 'tokens',
    prepare: async (pair) => {
      const { status, tokenId, account } = await routed(pair);
      return untilRefused(status, 401, () => pair.second.client(account.accessToken).tokens.delete({ id: tokenId }));
    },
  },
  {
    name: 'a key is disabled',
    topic: 'tokens',
    prepare: async (pair) => {
      const { status, tokenId, account } = await routed(pair);
      const disable = { id: tokenId, status: 2, status_only: 'true' };
      return untilRefused(status, 401, () => pair.second.client(account.accessToken).tokens.update(disable));
    },
  },
  {
    name: 'a user with a key is disabled',
    topic: 'users',
    prepare: async (pair) => {
      const { status, account } = await routed(pair);
      return untilRefused(status, 403, () => pair.second.root.users.manage({ id: account.id, action: 'disable' }));
    },
  },
  {
    name: 'a user with a session is disabled',
    topic: 'users',
    prepare: async (pair) => {
      const account = await newAccount(pair);
      const status = statusOf(pair.first, '/api/user/self', await signIn(pair.first, account));
      // The session goes with the account, so the second look finds none.
      const isRefused = async () => [401, 403].includes(await status());
      return {
        isAsBefore: async () => (await status()) === 200,
        act: () => pair.second.root.users.manage({ id: account.id, action: 'disable' }),
        isHonoured: isRefused,
      };
    },
  },
  {
    name: 'an administrator is demoted',
    topic: 'users',
    prepare: async (pair) => {
      const account = await newAccount(pair, 10);
      const status = statusOf(pair.first, '/api/group/', { Authorization: `Bearer ${account.accessToken}` });
      return untilRefused(status, 403, () => pair.second.root.users.manage({ id: account.id, action: 'demote' }));
    },
  },
  {
    name: 'an access token is replaced',
    topic: 'users',
    prepare: async (pair) => {
      const account = await newAccount(pair);
      const status = statusOf(pair.first, '/api/user/self', { Authorization: `Bearer ${account.accessToken}` });
      return untilRefused(status, 401, () => pair.second.client(account.accessToken).account.issueToken());
    },
  },
  {
    name: 'a session is ended',
    topic: 'sessions',
    prepare: async (pair) => {
      const headers = await signIn(pair.first, await newAccount(pair));
      const status = statusOf(pair.first, '/api/user/self', headers);
      return untilRefused(status, 401, () => fetch(`${pair.second.url}/api/user/logout`, { headers }));
    },
  },
  {
    name: 'all other sessions are ended by a new password',
    topic: 'sessions',
    prepare: async (pair) => {
      const account = await newAccount(pair);
      const status = statusOf(pair.first, '/api/user/self', await signIn(pair.first, account));
      const headers = { ...(await signIn(pair.second, account)), 'Content-Type': 'application/json' };
      const body = JSON.stringify({ password: 'another password', original_password: password });
      return untilRefused(status, 401, () =>
        fetch(`${pair.second.url}/api/user/self`, { method: 'PUT', headers, body }),
      );
    },
  },
];
