import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { ApiError, buildRequest, type ClientOptions, callsOf, type Pace } from '../../../daemon/contract/client.ts';
import { endpoint, pagedFromZero } from '../../../daemon/contract/endpoint.ts';
import { within } from '../../support/until.ts';

const client = suite('typed client');

const table = {
  things: {
    list: endpoint({
      method: 'GET',
      path: '/api/thing/',
      access: 'user',
      shape: 'list',
      paging: { ...pagedFromZero, size: 'size' },
      description: { en: '', zh: '' },
      input: z.object({ keyword: z.optional(z.string()) }),
      output: z.object({ id: z.int() }),
    }),
    save: endpoint({
      method: 'PUT',
      path: '/api/thing/:id',
      access: 'user',
      shape: 'data',
      description: { en: '', zh: '' },
      query: ['status_only'],
      input: z.object({ id: z.int(), status_only: z.optional(z.boolean()), name: z.string() }),
      output: z.string(),
    }),
  },
};

const streams = {
  things: {
    follow: endpoint({
      method: 'GET',
      path: '/api/thing/events',
      access: 'user',
      shape: 'events',
      description: { en: '', zh: '' },
      output: z.object({ event: z.string(), data: z.int() }),
    }),
  },
};

interface Sent {
  url: string;
  init: RequestInit;
}

function scripted(answers: (Response | Error)[], over: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const waited: number[] = [];
  const calls = callsOf(table, {
    baseUrl: 'http://gate.test/',
    fetch: async (url, init) => {
      sent.push({ url, init });
      const answer = answers.shift();
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer left');
      return answer;
    },
    sleep: async (ms) => {
      waited.push(ms);
    },
    ...over,
  });
  return { calls, sent, waited };
}

function json(body: unknown, init: ResponseInit = {}): Response {
  return new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' }, ...init });
}

/** Code of the error that a call ends with. */
async function failureOf(call: Promise<unknown>): Promise<string> {
  const error = await call.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ApiError);
  return error.code;
}

client('puts path members, declared query members and the rest where they belong', () => {
  const request = buildRequest(table.things.save, { id: 7, status_only: true, name: 'a b' });
  assert.equal(request, { method: 'PUT', path: '/api/thing/7?status_only=true', body: '{"name":"a b"}' });
});

client('encodes the page its own way and leaves out what is not given', () => {
  const request = buildRequest(table.things.list, { page: 3, page_size: 50, keyword: undefined });
  assert.equal(request, { method: 'GET', path: '/api/thing/?p=2&size=50', body: undefined });
  assert.is(buildRequest(table.things.list, { keyword: 'ä&' }).path, '/api/thing/?keyword=%C3%A4%26&p=0&size=10');
});

client('returns a page that counts from 1', async () => {
  const { calls } = scripted([
    json({ success: true, message: '', data: [{ id: 1 }], total: 1, page: 0, page_size: 10 }),
  ]);
  assert.equal(await calls.things.list(), { items: [{ id: 1 }], total: 1, page: 1, page_size: 10 });
});

client('sends the identity it was given with every call', async () => {
  const { calls, sent } = scripted([json({ success: true, message: '', data: 'x' })], {
    credentials: () => ({ accessToken: 'abc', userId: 5 }),
    language: () => 'zh',
  });
  await calls.things.save({ id: 1, name: 'n' });
  const headers = new Headers(sent[0]?.init.headers);
  assert.is(headers.get('authorization'), 'Bearer abc');
  assert.is(headers.get('tollgate-user'), '5');
  assert.is(headers.get('accept-language'), 'zh');
  assert.is(headers.get('content-type'), 'application/json');
  assert.is(sent[0]?.url, 'http://gate.test/api/thing/1');
});

client('throws refusals with everything the daemon said', async () => {
  const { calls } = scripted([
    json(
      { success: false, message: 'Slow down', code: 'too_many_requests', field: 'name' },
      { status: 429, headers: { 'Content-Type': 'application/json', 'Retry-After': '9', 'X-Request-Id': 'r1' } },
    ),
  ]);
  const error = await calls.things.save({ id: 1, name: 'n' }).catch((thrown: unknown) => thrown);
  assert.instance(error, ApiError);
  if (!(error instanceof ApiError)) return;
  const { code, message, status, requestId, retryAfter, field } = error;
  assert.equal(
    { code, message, status, requestId, retryAfter, field },
    { code: 'too_many_requests', message: 'Slow down', status: 429, requestId: 'r1', retryAfter: 9, field: 'name' },
  );
});

client('tries a reading call again after a broken connection and a 503, then gives up', async () => {
  const success = json({ success: true, message: '', data: [], total: 0, page: 0, page_size: 10 });
  const once = scripted([new TypeError('fetch failed'), new Response('', { status: 503 }), success]);
  assert.equal((await once.calls.things.list()).items, []);
  assert.is(once.sent.length, 3);
  const never = scripted([new TypeError('a'), new TypeError('b'), new TypeError('c'), success]);
  const error = await never.calls.things.list().catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ApiError && error.code === 'network_error');
  assert.is(never.sent.length, 3);
});

client('never repeats a call that changes something, unless it carries an idempotency key', async () => {
  const plain = scripted([new TypeError('a')]);
  await plain.calls.things.save({ id: 1, name: 'n' }).catch(() => undefined);
  assert.is(plain.sent.length, 1);
  const keyed = scripted([new TypeError('a'), json({ success: true, message: '', data: 'x' })]);
  assert.is(await keyed.calls.things.save({ id: 1, name: 'n' }, { idempotencyKey: 'k' }), 'x');
  assert.is(new Headers(keyed.sent[1]?.init.headers).get('idempotency-key'), 'k');
});

client('repeats a call that changes something when its connection was never made', async () => {
  const unmade = () =>
    new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) });
  const cut = new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) });
  const { calls, sent } = scripted([unmade(), unmade(), json({ success: true, message: '', data: 'saved' })]);
  assert.is(await calls.things.save({ id: 1, name: 'a' }), 'saved');
  assert.is(sent.length, 3);
  const broken = scripted([unmade(), cut, json({ success: true, message: '', data: 'saved' })]);
  assert.is(await failureOf(broken.calls.things.save({ id: 1, name: 'a' })), 'network_error');
  assert.is(broken.sent.length, 2);
});

client('lets every try wait for its turn, and repeats what a limit refused before anything was done', async () => {
  const limited = (body: unknown) =>
    json(body, { status: 429, headers: { 'Content-Type': 'application/json', 'Retry-After': '1' } });
  const ours = { success: false, message: 'too many', code: 'too_many_requests' };
  const done = json({ success: true, message: '', data: 'saved' });
  const turns: (string | undefined)[] = [];
  const over: number[] = [];
  const pace: Pace = async (_endpoint, refused) => {
    turns.push(refused?.code);
    return { answered: ({ status }) => over.push(status), ended: () => over.push(0) };
  };
  const { calls } = scripted([limited(ours), done], { pace });
  assert.is(await calls.things.save({ id: 1, name: 'a' }), 'saved');
  assert.equal(turns, [undefined, 'too_many_requests']);
  assert.equal(over, [429, 0, 200, 0]);
  // Who else refuses may have done something first.
  const proxied = scripted([limited({}), done], { pace });
  assert.is(await failureOf(proxied.calls.things.save({ id: 1, name: 'a' })), 'invalid_answer');
  // A reader may stay for hours.
  const streams = scripted([limited({ ...ours, code: 'event_streams_full' }), done], { pace });
  assert.is(await failureOf(streams.calls.things.list()), 'event_streams_full');
  const unpaced = scripted([limited(ours), done]);
  assert.is(await failureOf(unpaced.calls.things.save({ id: 1, name: 'a' })), 'too_many_requests');
});

client('takes an answer that breaks off on its way for none, and asks again', async () => {
  const broken = () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"success":true,"da'));
        controller.error(new TypeError('terminated'));
      },
    });
    return new Response(body, { headers: { 'Content-Type': 'application/json' } });
  };
  const success = json({ success: true, message: '', data: [], total: 0, page: 0, page_size: 10 });
  const once = scripted([broken(), success]);
  assert.equal((await once.calls.things.list()).items, []);
  assert.is(await failureOf(scripted([broken(), broken(), broken()]).calls.things.list()), 'network_error');
  const whole = new Response('{"success":true,"da', { headers: { 'Content-Type': 'application/json' } });
  assert.is(await failureOf(scripted([whole]).calls.things.list()), 'invalid_answer');
});

client('takes a page of HTML for an invalid answer', async () => {
  const { calls } = scripted([new Response('<html>', { headers: { 'Content-Type': 'text/html' } })]);
  const error = await calls.things.list().catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ApiError && error.code === 'invalid_answer' && error.status === 200);
  // A wrong address is no missing thing; the daemon says what it does not know.
  const elsewhere = scripted([new Response('Not Found', { status: 404 })]);
  assert.is(await failureOf(elsewhere.calls.things.list()), 'invalid_answer');
  const unknown = scripted([json({ error: { message: 'Invalid URL', code: '' } }, { status: 404 })]);
  assert.is(await failureOf(unknown.calls.things.list()), 'not_found');
});

/** What the client waits for an answer, not for the end of a stream. */
const answerMs = 1000;

/** A server that sends an event every 20 ms until it is hung up on, or until it breaks off after some. */
async function startStream(eventsUntilBreak = Number.POSITIVE_INFINITY) {
  const state = { isHungUp: false };
  const server = createServer((request, response) => {
    assert.is(request.headers.accept, 'text/event-stream');
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    let sent = 0;
    const timer = setInterval(() => {
      sent += 1;
      if (sent > eventsUntilBreak) response.destroy();
      else response.write(`event: tick\ndata: ${sent}\n\n`);
    }, 20);
    response.on('close', () => {
      clearInterval(timer);
      state.isHungUp = true;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    state,
    calls: callsOf(streams, { baseUrl, retries: 0, timeoutMs: answerMs }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

client('reads a stream for as long as it goes on, and hangs up when nobody reads on', async () => {
  const { state, calls, close } = await startStream();
  try {
    const seen: unknown[] = [];
    const began = performance.now();
    for await (const { event, data } of await calls.things.follow()) {
      seen.push([event, data]);
      if (seen.length >= 20 && performance.now() - began > 1.2 * answerMs) break;
    }
    assert.equal(
      [seen[0], seen[19]],
      [
        ['tick', 1],
        ['tick', 20],
      ],
    );
    await within(2000, () => state.isHungUp);
  } finally {
    await close();
  }
});

client('ends a stream by its signal, and tells when one breaks off', async () => {
  const endless = await startStream();
  const broken = await startStream(3);
  const codeOf = async (events: AsyncIterable<unknown>) => {
    try {
      for await (const _event of events);
    } catch (error) {
      return error instanceof ApiError ? error.code : String(error);
    }
    return 'ended';
  };
  try {
    const stop = new AbortController();
    const events = await endless.calls.things.follow({}, { signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    assert.is(await codeOf(events), 'aborted');
    assert.is(await codeOf(await broken.calls.things.follow()), 'network_error');
  } finally {
    await endless.close();
    await broken.close();
  }
});

client.run();
