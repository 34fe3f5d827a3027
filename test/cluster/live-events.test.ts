/**
 * A stream of events on one of two daemons tells what the other one does, with Redis and without.
 * Runs once: it brings PostgreSQL with it, and Redis where it wants one.
 */
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EventView, OwnEventView } from '../../daemon/contract/events.ts';
import type { NewLogRow } from '../../daemon/store/logs.ts';
import type { TestDaemon } from '../support/daemon.ts';
import { answeredChat, type DaemonPair, startPair, stopPair } from '../support/daemon-pair.ts';
import { EventReader } from '../support/event-reader.ts';
import { newLogRow } from '../support/log-records.ts';
import { startRedis } from '../support/servers.ts';
import { within } from '../support/until.ts';

/** Two seconds, and a little more for what reads the table only now and then. */
const tellsWithinMs = 2500;

function rowOf(content: string): NewLogRow {
  return newLogRow({ createdAt: Math.floor(Date.now() / 1000), type: 3, content, username: 'root' });
}

function contents(reader: EventReader<EventView>): string[] {
  return reader.seen.flatMap((event) => (event.event === 'log' ? [event.data.content] : []));
}

for (const kind of ['with Redis', 'without Redis'] as const) {
  const cluster = suite<DaemonPair>(`events of two daemons ${kind}`);

  cluster.before(async (pair) => {
    const redis = kind === 'with Redis' ? await startRedis() : undefined;
    await startPair(pair, { redis, prefix: 'live', script: answeredChat });
  });
  cluster.after(stopPair);

  const follow = ({ root }: TestDaemon) => EventReader.open<EventView>((signal) => root.events.follow({}, { signal }));

  cluster('tell of calls that the other one has served, and of channels it has switched', async (world) => {
    const { first, second, upstream } = world;
    const id = await second.addChannel({ base_url: upstream.url, models: 'gpt-4o-mini' });
    const key = await second.addKey();
    const reader = await follow(first);
    const answer = await fetch(`${second.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
    });
    await answer.arrayBuffer();
    assert.is(answer.status, 200);
    const requestId = answer.headers.get('x-request-id');
    const isCall = (event: EventView) => event.event === 'log' && event.data.request_id === requestId;
    await within(tellsWithinMs, () => reader.seen.some(isCall));
    await second.root.channels.setStatus({ id, status: 2 });
    const isDisabled = (event: EventView) =>
      event.event === 'channel' && event.data.id === id && event.data.change === 'disabled';
    await within(tellsWithinMs, () => reader.seen.some(isDisabled));
    reader.hangUp();
  });

  cluster('tell of a row that was committed behind a later one, in order and once', async ({ first, second }) => {
    const reader = await follow(first);
    const gate = new EventEmitter();
    const mayCommit = once(gate, 'commit');
    const isInserted = once(gate, 'inserted');
    const late = second.daemon.foundation.database.transaction(async (stores) => {
      await stores.logs.insert([rowOf('early id, late commit')]);
      gate.emit('inserted');
      await mayCommit;
    });
    await Promise.race([isInserted, late]);
    await first.daemon.foundation.database.transaction((stores) => stores.logs.insert([rowOf('late id')]));
    await sleep(1500);
    assert.equal(contents(reader), []);
    gate.emit('commit');
    await late;
    await within(tellsWithinMs, () => contents(reader).includes('late id'));
    assert.equal(contents(reader), ['early id, late commit', 'late id']);
    reader.hangUp();
  });

  cluster('end when the other one is told that the session is over', async ({ first, second }) => {
    const password = 'a good password';
    const { id } = await second.root.users.create({ username: 'reader', password, role: 1 });
    const signedIn = await fetch(`${first.url}/api/user/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'reader', password }),
    });
    const headers = {
      Cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '',
      'Tollgate-User': String(id),
    };
    const reader = await EventReader.open<OwnEventView>((signal) =>
      first.client(undefined).events.followOwn({}, { signal, headers }),
    );
    await fetch(`${second.url}/api/user/logout`, { headers });
    await within(tellsWithinMs, () => reader.isOver);
    assert.equal(reader.seen.at(-1)?.data, { code: 'session_expired' });
  });

  cluster.run();
}
