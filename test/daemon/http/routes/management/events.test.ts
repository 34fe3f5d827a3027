/** Live events through a whole daemon: who sees what, from where on, and how a stream ends. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { ApiError, type Client } from '../../../../../daemon/contract/client.ts';
import { type EventView, events as endpoints, type OwnEventView } from '../../../../../daemon/contract/events.ts';
import type { LogView } from '../../../../../daemon/contract/logs.ts';
import type { NewLogRow } from '../../../../../daemon/store/logs.ts';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';
import { EventReader } from '../../../../support/event-reader.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../../../../support/fake-upstream.ts';
import { logRowOf } from '../../../../support/log-row.ts';
import { until, within } from '../../../../support/until.ts';

interface World {
  upstream: FakeUpstream;
  daemon: TestDaemon;
}

interface Account {
  readonly id: number;
  readonly username: string;
  readonly token: string;
  readonly client: Client;
}

const password = 'a good password';
const answered = jsonAnswer({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 },
});
/** Rights are kept within two seconds; a little more for what ends a stream then. */
const endsWithinMs = 2700;

const live = suite<World>('live events');

live.before(async (world) => {
  world.upstream = await startFakeUpstream(answered);
  world.daemon = await startTestDaemon();
});
live.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

let made = 0;

async function newAccount(daemon: TestDaemon, role: 1 | 10 = 1): Promise<Account> {
  made += 1;
  const username = `reader${made}`;
  const { id } = await daemon.root.users.create({ username, password, role, quota: 5_000_000 });
  const token = `${username}x`.padEnd(32, 'x');
  const { database, keyring, nowSeconds } = daemon.daemon.foundation;
  await database.stores.users.setAccessToken(id, keyring.accessTokenHash(token), nowSeconds() + 1000);
  return { id, username, token, client: daemon.client(token) };
}

function rowOf(fields: Partial<NewLogRow>): NewLogRow {
  return {
    userId: 1,
    createdAt: Math.floor(Date.now() / 1000),
    type: 2,
    content: '',
    username: 'root',
    tokenName: 'key',
    modelName: 'gpt-4o-mini',
    quota: 7,
    promptTokens: 1,
    completionTokens: 1,
    useTime: 0,
    isStream: false,
    channelId: 77,
    tokenId: 1,
    group: 'default',
    other: JSON.stringify({ model_ratio: 1, admin_info: { use_channel: ['77'] } }),
    requestId: '',
    failed: false,
    ip: null,
    ...fields,
  };
}

/** Writes rows as another node would: into the table, and nothing else. */
function write({ daemon }: TestDaemon, rows: readonly NewLogRow[]): Promise<void> {
  return daemon.foundation.database.transaction((stores) => stores.logs.insert(rows));
}

function follow(client: Client, input: Parameters<Client['events']['follow']>[0] = {}, lastSeen?: string) {
  const headers: Record<string, string> = lastSeen === undefined ? {} : { 'Last-Event-ID': lastSeen };
  return EventReader.open<EventView>((signal) => client.events.follow(input, { signal, headers }));
}

function followOwn(client: Client, lastSeen?: string) {
  const headers: Record<string, string> = lastSeen === undefined ? {} : { 'Last-Event-ID': lastSeen };
  return EventReader.open<OwnEventView>((signal) => client.events.followOwn({}, { signal, headers }));
}

function rowsOf(reader: { readonly seen: readonly (EventView | OwnEventView)[] }): LogView[] {
  return reader.seen.flatMap((event) => (event.event === 'log' ? [event.data] : []));
}

const isRow = (content: string) => (event: EventView | OwnEventView) =>
  event.event === 'log' && event.data.content === content;

live(
  'show a call as its row is in the list, to administrators whole and to its user without what is not theirs',
  async ({ daemon, upstream }) => {
    const owner = await newAccount(daemon);
    const stranger = await newAccount(daemon);
    const channel = await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o-mini' });
    const { key } = await owner.client.tokens.create({ name: 'k', expired_time: -1, unlimited_quota: true });
    const [all, own, foreign] = [
      await follow(daemon.root),
      await followOwn(owner.client),
      await followOwn(stranger.client),
    ];
    const answer = await fetch(`${daemon.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer sk-${key}` },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
    });
    const { request_id } = await logRowOf(daemon, answer);
    const isIt = (event: EventView | OwnEventView) => event.event === 'log' && event.data.request_id === request_id;
    await Promise.all([all.until(isIt), own.until(isIt)]);
    const [listed] = (await daemon.root.logs.list({ request_id })).items;
    const [ownListed] = (await owner.client.logs.listOwn({ request_id })).items;
    const rowOfCall = (reader: typeof all | typeof own) => rowsOf(reader).find((row) => row.request_id === request_id);
    assert.equal(rowOfCall(all), listed);
    assert.is(listed?.channel, channel);
    assert.match(listed?.other ?? '', 'admin_info');
    const { other: ownOther, ...ownRow } = rowOfCall(own) ?? { other: '' };
    const { other: listedOther, ...listedRow } = ownListed ?? { other: '' };
    assert.equal(ownRow, listedRow);
    assert.not.match(ownOther, 'admin_info');
    assert.not.match(listedOther, 'admin_info');
    assert.equal(rowsOf(foreign), []);
    for (const event of all.seen) assert.ok(z.safeParse(endpoints.follow.output, event).success, JSON.stringify(event));
    for (const event of own.seen) assert.ok(z.safeParse(endpoints.followOwn.output, event).success);
    const ids = own.seen.flatMap((event) => ('id' in event && event.id !== undefined ? [event.id] : []));
    assert.ok(ids.length > 0 && ids.every((id) => !/^\d+$/.test(id)), 'how many calls the site has is not told');
    for (const reader of [all, own, foreign]) reader.hangUp();
  },
);

live('keep to the filter of the list', async ({ daemon }) => {
  const [byModel, byFailure, noRows] = [
    await follow(daemon.root, { model_name: 'gpt-%' }),
    await follow(daemon.root, { failed: true, username: 'root', channel: 77 }),
    await follow(daemon.root, { only: 'channel' }),
  ];
  await write(daemon, [
    rowOf({ content: 'f1', modelName: 'claude' }),
    rowOf({ content: 'f2', modelName: 'gpt-5' }),
    rowOf({ content: 'f3', modelName: 'gpt-5', failed: true }),
    rowOf({ content: 'f4', failed: true, channelId: 78 }),
  ]);
  await Promise.all([byModel.until(isRow('f4')), byFailure.until(isRow('f3'))]);
  const contents = (reader: typeof byModel) => rowsOf(reader).map(({ content }) => content);
  assert.equal(contents(byModel), ['f2', 'f3', 'f4']);
  assert.equal(contents(byFailure), ['f3']);
  assert.equal(contents(noRows), []);
  for (const reader of [byModel, byFailure, noRows]) reader.hangUp();
});

live('go on behind the last event that a reader has seen, without a gap and without a double', async ({ daemon }) => {
  const owner = await newAccount(daemon);
  const mine = (content: string) => rowOf({ content, userId: owner.id, username: owner.username });
  const [all, own] = [await follow(daemon.root), await followOwn(owner.client)];
  await write(daemon, [mine('g1'), rowOf({ content: 'g2' }), mine('g3')]);
  const [lastOfAll, lastOfOwn] = await Promise.all([all.until(isRow('g2')), own.until(isRow('g1'))]);
  all.hangUp();
  own.hangUp();
  await write(daemon, [mine('g4'), rowOf({ content: 'g5' })]);
  const positionOf = (event: EventView | OwnEventView) => ('id' in event ? event.id : '');
  const [allAgain, byParameter, ownAgain, foreign] = [
    await follow(daemon.root, {}, positionOf(lastOfAll)),
    await follow(daemon.root, { after_id: Number(positionOf(lastOfAll)) }),
    await followOwn(owner.client, positionOf(lastOfOwn)),
    await followOwn((await newAccount(daemon)).client, positionOf(lastOfOwn)),
  ];
  await write(daemon, [mine('g6'), rowOf({ content: 'g7' })]);
  await Promise.all([allAgain.until(isRow('g7')), byParameter.until(isRow('g7')), ownAgain.until(isRow('g6'))]);
  const contents = (reader: typeof allAgain | typeof ownAgain) =>
    rowsOf(reader).flatMap(({ content }) => (/^g\d$/.test(content) ? [content] : []));
  assert.equal(contents(allAgain), ['g3', 'g4', 'g5', 'g6', 'g7']);
  assert.equal(contents(byParameter), contents(allAgain));
  assert.equal(contents(ownAgain), ['g3', 'g4', 'g6']);
  assert.equal(contents(foreign), [], 'the position of another user is worth nothing');
  for (const reader of [allAgain, byParameter, ownAgain, foreign]) reader.hangUp();
});

live('say how many rows a reader missed who was away for long', async ({ daemon }) => {
  const before = await daemon.daemon.foundation.database.stores.logs.newestId();
  await write(
    daemon,
    Array.from({ length: 1500 }, (_, index) => rowOf({ content: `m${index}` })),
  );
  const reader = await follow(daemon.root, { after_id: before });
  assert.equal(reader.seen[0], { event: 'skipped', id: undefined, data: { rows: 500 } });
  assert.is(rowsOf(reader).length, 1000);
  assert.is(rowsOf(reader)[0]?.content, 'm500');
  reader.hangUp();
});

/** Opens a stream of rows as it comes over the wire, and reads nothing of it. */
async function openUnread(daemon: TestDaemon, search: string): Promise<IncomingMessage> {
  const headers = { Authorization: `Bearer ${daemon.accessToken}` };
  const call = request(`${daemon.url}/api/events?${search}`, { headers }).end();
  const [stream]: IncomingMessage[] = await once(call, 'response');
  if (stream === undefined) throw new Error('there is no answer');
  return stream.setEncoding('utf8');
}

/** Reads such a stream from now on and keeps nothing of it: how many rows it told, and how many it left out. */
function countRows(stream: IncomingMessage): { sent: number; skipped: number } {
  const counts = { sent: 0, skipped: 0 };
  let event = '';
  let rest = '';
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('event: ')) event = line.slice('event: '.length);
      if (!line.startsWith('data: ')) continue;
      if (event === 'log') counts.sent += 1;
      if (event === 'skipped') counts.skipped += Number(JSON.parse(line.slice('data: '.length)).rows);
    }
  });
  return counts;
}

live('leave rows out for a reader who does not read, and tell how many', async ({ daemon }) => {
  const content = 'slow '.repeat(2000);
  const rows = Array.from({ length: 2500 }, () => rowOf({ content, tokenName: 'slow' }));
  const slow = await openUnread(daemon, 'token_name=slow&only=log');
  const quick = await openUnread(daemon, 'token_name=slow&only=log');
  const told = countRows(quick);
  for (let at = 0; at < rows.length; at += 500) await write(daemon, rows.slice(at, at + 500));
  const heapBefore = process.memoryUsage().heapUsed;
  // Then all has been there for the other one, too.
  await until(() => told.sent + told.skipped === rows.length);
  assert.ok(process.memoryUsage().heapUsed - heapBefore < 100 * 1024 * 1024);
  const late = countRows(slow);
  await until(() => late.sent + late.skipped >= rows.length);
  assert.is(late.sent + late.skipped, rows.length);
  assert.ok(late.skipped > 0);
  slow.destroy();
  quick.destroy();
});

live('tell of channels that are switched, that cool and that resume', async ({ daemon, upstream }) => {
  const id = await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o', name: 'watched' });
  const key = await daemon.addKey();
  const reader = await follow(daemon.root, { only: 'channel' });
  const isChange = (change: string) => (event: EventView) =>
    event.event === 'channel' && event.data.id === id && event.data.change === change;
  await daemon.root.channels.setStatus({ id, status: 2 });
  const disabled = await reader.until(isChange('disabled'));
  assert.equal(disabled.data, {
    id,
    name: 'watched',
    change: 'disabled',
    key_hash: '',
    status: 2,
    cooling: 0,
    reason: '',
  });
  await daemon.root.channels.setStatus({ id, status: 1 });
  await reader.until(isChange('recovered'));
  upstream.script(jsonAnswer({ error: { message: 'slow down' } }, 429, { 'retry-after': '30' }));
  const refused = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
  });
  await refused.arrayBuffer();
  upstream.script(answered);
  const cooling = await reader.until(isChange('cooling'));
  assert.ok(cooling.event === 'channel' && cooling.data.status === 1);
  await daemon.root.channels.clearCooling({ id });
  await reader.until(isChange('resumed'));
  assert.equal(rowsOf(reader), []);
  reader.hangUp();
});

live('are for administrators, and own rows for everybody who is signed in', async ({ daemon }) => {
  const { client } = await newAccount(daemon);
  const codeOf = (call: Promise<unknown>) =>
    call.then(String, (error) => (error instanceof ApiError ? error.code : ''));
  assert.is(await codeOf(client.events.follow()), 'forbidden_role');
  assert.is(await codeOf(daemon.client(undefined).events.follow()), 'auth_required');
  assert.is(await codeOf(daemon.client(undefined).events.followOwn()), 'auth_required');
});

live('are a bounded number for one user, until one is closed', async ({ daemon }) => {
  const { client } = await newAccount(daemon);
  const readers = await Promise.all(Array.from({ length: 10 }, () => followOwn(client)));
  const refusal = await followOwn(client).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(refusal instanceof ApiError && refusal.status === 429 && refusal.code === 'event_streams_full');
  assert.is(refusal.retryAfter, 5);
  (await followOwn((await newAccount(daemon)).client)).hangUp();
  readers[0]?.hangUp();
  // The place of a closed stream is free as soon as the daemon has noticed.
  await until(() =>
    followOwn(client).then(
      (reader) => readers.push(reader) > 0,
      () => false,
    ),
  );
  for (const reader of readers) reader.hangUp();
});

/** A browser signed in with a password. */
async function signIn(daemon: TestDaemon, { id, username }: Account): Promise<Record<string, string>> {
  const answer = await fetch(`${daemon.url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  return { Cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '', 'Tollgate-User': String(id) };
}

live('end within two seconds when the session, the role, the token or the account ends', async ({ daemon }) => {
  const signedIn = await newAccount(daemon);
  const cookie = await signIn(daemon, signedIn);
  const [demoted, replaced, disabled] = [
    await newAccount(daemon, 10),
    await newAccount(daemon),
    await newAccount(daemon),
  ];
  const bySession = await EventReader.open<OwnEventView>((signal) =>
    daemon.client(undefined).events.followOwn({}, { signal, headers: cookie }),
  );
  const [byRole, byToken, byAccount] = [
    await follow(demoted.client),
    await followOwn(replaced.client),
    await followOwn(disabled.client),
  ];
  await sleep(1200);
  assert.ok([bySession, byRole, byToken, byAccount].every(({ seen }) => seen.every(({ event }) => event !== 'ended')));
  await Promise.all([
    fetch(`${daemon.url}/api/user/logout`, { headers: cookie }),
    daemon.root.users.manage({ id: demoted.id, action: 'demote' }),
    replaced.client.account.issueToken(),
    daemon.root.users.manage({ id: disabled.id, action: 'disable' }),
  ]);
  const ended = async (reader: EventReader<EventView> | EventReader<OwnEventView>) => {
    await within(endsWithinMs, () => reader.isOver);
    return reader.seen.at(-1)?.data;
  };
  assert.equal(await Promise.all([ended(bySession), ended(byRole), ended(byToken), ended(byAccount)]), [
    { code: 'session_expired' },
    { code: 'forbidden_role' },
    { code: 'access_token_invalid' },
    { code: 'access_token_invalid' },
  ]);
});

live('are not in the way of proxies, and answer HEAD without opening a stream', async ({ daemon }) => {
  const headers = { Authorization: `Bearer ${daemon.accessToken}` };
  for (let tries = 0; tries < 12; tries += 1) {
    const head = await fetch(`${daemon.url}/api/events`, { method: 'HEAD', headers });
    assert.is(head.status, 200);
  }
  const hangUp = new AbortController();
  const answer = await fetch(`${daemon.url}/api/events`, { headers, signal: hangUp.signal });
  assert.is(answer.headers.get('content-type'), 'text/event-stream');
  assert.is(answer.headers.get('cache-control'), 'no-store, no-transform');
  assert.is(answer.headers.get('x-accel-buffering'), 'no');
  hangUp.abort();
});

live('end at once, with the reason, when the daemon stops', async () => {
  const daemon = await startTestDaemon();
  const reader = await follow(daemon.root);
  await Promise.all([daemon.stop(), within(2000, () => reader.isOver)]);
  assert.equal(reader.seen.at(-1), { event: 'ended', id: undefined, data: { code: 'shutting_down' } });
});

live.run();
