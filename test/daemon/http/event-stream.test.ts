import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { StreamedEvent } from '../../../daemon/contract/event-stream.ts';
import { EventQueue } from '../../../daemon/domain/event-queue.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { EventBody, mapEvents } from '../../../daemon/http/event-stream.ts';
import { resolvesWithin, until } from '../../support/until.ts';

interface World {
  queue: EventQueue<StreamedEvent>;
  ends: number;
}

const body = suite<World>('body of events');
const timing = { checkMs: 20, keepAliveMs: 40, stallMs: 120 };
const mayGoOn = async () => undefined;

// The timers of a body do not keep a process alive, as its socket does outside of tests.
let socket: NodeJS.Timeout;
body.before(() => {
  socket = setInterval(() => undefined, 1000);
});
body.after(() => clearInterval(socket));

body.before.each((world) => {
  world.ends = 0;
  world.queue = new EventQueue<StreamedEvent>({
    limit: 10_000,
    skipped: (count) => ({ event: 'skipped', data: count }),
    onEnd: () => {
      world.ends += 1;
    },
  });
});

/** Reads all that comes. */
function read(stream: EventBody): { text: string } {
  const got = { text: '' };
  stream.setEncoding('utf8');
  stream.on('data', (piece: string) => {
    got.text += piece;
  });
  return got;
}

body('writes events as they come, with ids, and a line when nothing does', async ({ queue }) => {
  const stream = new EventBody(queue, { mayGoOn, timing });
  const got = read(stream);
  queue.push({ event: 'log', id: '7', data: { text: 'two\nlines' } });
  const began = performance.now();
  const first = 'event: log\nid: 7\ndata: {"text":"two\\nlines"}\n\n';
  await until(() => got.text !== '');
  assert.is(got.text.slice(0, first.length), first);
  await until(() => /\n\n(: keep-alive\n\n){2,}$/.test(got.text));
  const kept = got.text.split(': keep-alive').length - 1;
  assert.ok(kept <= (performance.now() - began) / timing.keepAliveMs + 1, `${kept} lines`);
  stream.destroy();
});

body('ends with the code of what the caller would be refused for', async (world) => {
  let isGood = true;
  const check = async () => {
    if (!isGood) throw new TollgateError('session_expired');
  };
  const stream = new EventBody(world.queue, { mayGoOn: check, timing });
  const got = read(stream);
  await sleep(60);
  assert.not.match(got.text, 'ended');
  isGood = false;
  await once(stream, 'close');
  assert.match(got.text, /event: ended\ndata: \{"code":"session_expired"\}\n\n$/);
  assert.is(world.ends, 1);
});

body('goes on while nobody can tell whether the caller may', async ({ queue }) => {
  const away = async () => {
    throw new TollgateError('db_unavailable');
  };
  const stream = new EventBody(queue, { mayGoOn: away, timing });
  const got = read(stream);
  await sleep(80);
  queue.push({ event: 'log', data: 1 });
  await until(() => got.text.includes('event: log'));
  stream.destroy();
});

body('ends when its events do', async ({ queue }) => {
  const stream = new EventBody(queue, { mayGoOn, timing });
  const got = read(stream);
  queue.end({ event: 'ended', data: { code: 'shutting_down' } });
  await once(stream, 'close');
  assert.match(got.text, 'shutting_down');
});

body('hangs up on a reader who takes nothing for long, and takes no more than fits', async (world) => {
  const stream = new EventBody(world.queue, { mayGoOn, timing });
  const data = 'x'.repeat(10_000);
  for (let at = 0; at < 100; at += 1) world.queue.push({ event: 'log', data });
  stream.read(0);
  await resolvesWithin(1000, once(stream, 'close'));
  assert.ok(stream.readableLength <= 90_000, String(stream.readableLength));
  assert.is(world.ends, 1);
});

body('lets go of its events when the reader goes, though none is on its way', async (world) => {
  const stream = new EventBody(
    mapEvents(world.queue, (event) => event),
    { mayGoOn, timing },
  );
  read(stream);
  await sleep(5);
  stream.destroy();
  await once(stream, 'close');
  assert.is(world.ends, 1);
});

body.run();
