/** REQ-1: what a stream that breaks, or whose client leaves, is billed for. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type FakeUpstream, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';
import { resolvesWithin, someTurns, until } from '../support/until.ts';
import { chatRequest, chunk, finishChunk, roleChunk, usage, usageChunk } from './wire.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
  invariants: LedgerInvariants;
}

const test = suite<Context>('relay: interrupted streams');

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({
    channels: [
      { id: 1, baseUrl: context.upstream.url, models: 'gpt-4o' },
      { id: 2, type: 14, baseUrl: context.upstream.url, models: 'claude-sonnet-4-5' },
    ],
    options: { EmptyAnswerFree: false },
  });
  context.invariants = await LedgerInvariants.begin(context.harness.databaseUrl);
});
test.after.each(async ({ harness, upstream, invariants }) => {
  await harness.settled();
  await invariants.check();
  await invariants.end();
  await harness.stop();
  await upstream.close();
});

const words = Array.from({ length: 40 }, (_, at) => `word${at} `);
const said = words.map((content) => chunk({ content }));

const responseCreated = {
  type: 'response.created',
  sequence_number: 0,
  response: { id: 'resp_1', object: 'response', status: 'in_progress', model: 'gpt-4o', output: [] },
};
const responseDelta = (at: number) => ({
  type: 'response.output_text.delta',
  sequence_number: at,
  item_id: 'msg_1',
  output_index: 0,
  content_index: 0,
  delta: `word${at} `,
});
const responseEnd = {
  type: 'response.completed',
  sequence_number: 99,
  response: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'gpt-4o',
    output: [],
    usage: { input_tokens: 12, output_tokens: 5, total_tokens: 17 },
  },
};
const deltas = words.map((_, at) => responseDelta(at + 1));

/** Anthropic reports the prompt with its first event, and of the answer a token that stands for all of it. */
const messageStart = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 12, output_tokens: 1 },
  },
};
const blockStart = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const textDeltas = words.map((text) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
}));
const messageUsage = [
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 6 } },
];

/** What the upstream has sent when it stops. */
type Stop = 'headers only' | 'first event' | 'half the text' | 'all text but no usage' | 'usage but no end mark';

interface Surface {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly sent: Readonly<Record<Stop, readonly unknown[]>>;
  /** The stream's proper end after a break. */
  readonly brokenEnd: RegExp;
  /** The charge of the usage that the upstream reported. */
  readonly exact: number;
}

const chatCharge = (usage.prompt_tokens + usage.completion_tokens * 4) * 1.25;
const left = { status: 'error', end_reason: 'client_gone' };

const surfaces = {
  'chat completions': {
    path: '/v1/chat/completions',
    body: { ...chatRequest, stream: true },
    sent: {
      'headers only': [],
      'first event': [roleChunk],
      'half the text': [roleChunk, ...said.slice(0, 20)],
      'all text but no usage': [roleChunk, ...said],
      'usage but no end mark': [roleChunk, ...said, finishChunk, usageChunk],
    },
    brokenEnd: /data: \{"error":\{[^\n]*\}\n\n$/,
    exact: chatCharge,
  },
  responses: {
    path: '/v1/responses',
    body: { model: 'gpt-4o', input: 'hi', stream: true },
    sent: {
      'headers only': [],
      'first event': [responseCreated],
      'half the text': [responseCreated, ...deltas.slice(0, 20)],
      'all text but no usage': [responseCreated, ...deltas],
      'usage but no end mark': [responseCreated, ...deltas, responseEnd],
    },
    brokenEnd: /event: response\.failed\ndata: \{[^\n]*\}\n\n$/,
    exact: chatCharge,
  },
  messages: {
    path: '/v1/messages',
    body: { ...chatRequest, model: 'claude-sonnet-4-5', max_tokens: 100, stream: true },
    sent: {
      'headers only': [],
      'first event': [messageStart],
      'half the text': [messageStart, blockStart, ...textDeltas.slice(0, 20)],
      'all text but no usage': [messageStart, blockStart, ...textDeltas],
      'usage but no end mark': [messageStart, blockStart, ...textDeltas, ...messageUsage],
    },
    brokenEnd: /event: error\ndata: \{"type":"error",[^\n]*\}\n\n$/,
    exact: (12 + 6 * 5) * 1.5,
  },
} satisfies Readonly<Record<string, Surface>>;
const stops: readonly Stop[] = [
  'headers only',
  'first event',
  'half the text',
  'all text but no usage',
  'usage but no end mark',
];

function script(surface: Surface, stop: Stop, end: Answer['end']): Answer {
  const events = surface.sent[stop].map((event) =>
    !surface.path.endsWith('completions') && typeof event === 'object' && event !== null
      ? `event: ${Reflect.get(event, 'type')}\ndata: ${JSON.stringify(event)}\n\n`
      : `data: ${JSON.stringify(event)}\n\n`,
  );
  // With its status the fake sends the headers also where nothing follows them.
  return { ...sseAnswer([]), status: 200, chunks: events, ...(end === undefined ? {} : { end }) };
}

for (const [name, surface] of Object.entries(surfaces)) {
  for (const stop of stops) {
    test(`${name}: the upstream stops after ${stop} and the client stays`, async ({ harness, upstream }) => {
      upstream.script(script(surface, stop, stop === 'usage but no end mark' ? 'clean' : 'reset'));
      const response = await harness.post(surface.path, surface.body);
      const text = await response.text();
      const [row, ...others] = await harness.rows();
      // Anthropic reports the prompt first: it is the operator's cost, in a row of its own.
      const costs = name === 'messages' && stop === 'first event' ? [[0, 0, Math.round(12 * 1.5)]] : [];
      assert.equal(
        others.map(({ userId, quota, cost }) => [userId, quota, cost]),
        costs,
      );
      if (stop === 'headers only' || stop === 'first event') {
        assert.is(response.status, 502);
        assert.equal([row?.failed, row?.quota, row?.facts.settle_reason], [true, 0, 'upstream_eof']);
        return;
      }
      assert.is(response.status, 200);
      if (stop === 'usage but no end mark') {
        assert.is(row?.quota, surface.exact);
        assert.is(row?.facts.settle_reason, 'complete');
        assert.is(row?.facts.usage_estimated, undefined);
        return;
      }
      assert.match(text, surface.brokenEnd);
      assert.not.match(text, /\[DONE\]/);
      assert.is(row?.facts.settle_reason, 'upstream_eof');
      assert.is(row?.facts.usage_estimated, true);
      const expected = stop === 'half the text' ? 20 : 40;
      assert.ok((row?.completionTokens ?? 0) >= expected, `${row?.completionTokens} tokens`);
      assert.ok((row?.completionTokens ?? 0) <= expected * 4, `${row?.completionTokens} tokens`);
    });

    test(`${name}: the client leaves after ${stop}`, async ({ harness, upstream }) => {
      upstream.script(script(surface, stop, 'hang'));
      const abort = new AbortController();
      const calling = harness.post(surface.path, surface.body, { signal: abort.signal });
      if (stop === 'headers only' || stop === 'first event') {
        await until(() => upstream.requests.length > 0);
        // What the upstream has begun to say must have been read.
        await until(() => upstream.open() > 0);
        await someTurns();
        abort.abort();
        await calling.catch(() => undefined);
      } else {
        const reader = (await calling).body?.getReader();
        const wanted = stop === 'half the text' ? 'word19 ' : 'word39 ';
        let seen = '';
        while (!seen.includes(wanted))
          seen += Buffer.from((await reader?.read())?.value ?? new Uint8Array()).toString();
        abort.abort();
      }
      await upstream.requests[0]?.aborted;
      const [row, ...others] = await harness.rows();
      assert.is(others.length, 0);
      assert.equal([row?.facts.settle_reason, row?.facts.stream_status], ['client_gone', left]);
      assert.is(row?.failed, false);
      if (stop === 'usage but no end mark') {
        assert.is(row?.quota, surface.exact);
      } else if (name === 'messages' && stop === 'first event') {
        // Anthropic's first event reports the prompt.
        assert.equal([row?.quota, row?.promptTokens, row?.facts.usage_estimated], [12 * 1.5, 12, undefined]);
      } else if (stop === 'headers only' || stop === 'first event') {
        // The upstream had accepted the request, so the prompt was read; nothing was said.
        assert.is(row?.completionTokens, 0);
        assert.ok((row?.promptTokens ?? 0) > 0);
      } else {
        assert.is(row?.facts.usage_estimated, true);
        assert.ok((row?.completionTokens ?? 0) >= (stop === 'half the text' ? 20 : 40));
      }
      assert.is(harness.disabled.length, 0);
    });
  }
}

test('charges nothing when the client leaves before the upstream has accepted the request', async ({
  harness,
  upstream,
}) => {
  upstream.script({ headersAfterMs: 5000 });
  for (const [asked, stream] of [false, true].entries()) {
    const abort = new AbortController();
    const calling = harness.post('/v1/chat/completions', { ...chatRequest, stream }, { signal: abort.signal });
    await until(() => upstream.requests.length > asked);
    abort.abort();
    await calling.catch(() => undefined);
  }
  const rows = await harness.rows();
  assert.is(rows.length, 2);
  for (const { quota, facts } of rows) {
    assert.equal([quota, facts.settle_reason], [0, 'client_gone']);
    // The attempt that was called off is told, too (REQ-7).
    const attempts: Record<string, unknown>[] = Reflect.get(Object(facts.admin_info), 'attempts');
    assert.equal(
      attempts.map(({ channel, status, code }) => [channel, status, code]),
      [[1, 0, 'client_gone']],
    );
  }
  assert.is((await harness.user()).quota, 100_000_000);
});

test('reads on for the usage where the operator wants that', async ({ harness, upstream }) => {
  harness.setOptions({ StreamDrainSeconds: { default: 30 } });
  upstream.script(sseAnswer([roleChunk, ...said, finishChunk, usageChunk, '[DONE]'], { pauseMs: 10 }));
  const abort = new AbortController();
  const response = await harness.post(
    '/v1/chat/completions',
    { ...chatRequest, stream: true },
    { signal: abort.signal },
  );
  await response.body?.getReader().read();
  abort.abort();
  const [row] = await harness.rows();
  assert.is(row?.facts.settle_reason, 'client_gone');
  assert.is(row?.quota, chatCharge);
});

test('reads on no longer than the seconds of the channel’s own type', async ({ harness, upstream }) => {
  harness.setOptions({ StreamDrainSeconds: { default: 30, '1': 1 } });
  upstream.script(sseAnswer([roleChunk, ...said], { end: 'hang' }));
  const abort = new AbortController();
  const body = { ...chatRequest, stream: true };
  const response = await harness.post('/v1/chat/completions', body, { signal: abort.signal });
  await response.body?.getReader().read();
  const leftAt = performance.now();
  abort.abort();
  await resolvesWithin(3000, upstream.requests[0]?.aborted);
  assert.ok(performance.now() - leftAt > 900, 'it read on for a second');
  const [row] = await harness.rows();
  assert.equal([row?.facts.settle_reason, row?.facts.usage_estimated], ['client_gone', true]);
  assert.is(harness.disabled.length, 0);
});

test('begins no further attempt for a client that has left, and holds nothing against the channel', async ({
  harness,
  upstream,
}) => {
  harness.setOptions({ RetryTimes: 5, AutomaticDisableChannelEnabled: true, AutomaticDisableFailures: 1 });
  harness.setChannels([1, 2, 3].map((id) => ({ id, baseUrl: upstream.url, models: 'gpt-4o' })));
  upstream.script({ headersAfterMs: 1500 });
  for (const [asked, stream] of [false, true].entries()) {
    const abort = new AbortController();
    const calling = harness.post('/v1/chat/completions', { ...chatRequest, stream }, { signal: abort.signal });
    await until(() => upstream.requests.length > asked);
    abort.abort();
    await calling.catch(() => undefined);
    await upstream.requests.at(-1)?.aborted;
  }
  assert.is((await harness.rows()).length, 2);
  assert.is(upstream.requests.length, 2);
  assert.equal(harness.disabled, []);
});

test('bills what Claude said to a client of another dialect before it broke off', async ({ harness, upstream }) => {
  const { messages } = surfaces;
  upstream.script(script(messages, 'half the text', 'reset'));
  const body = { ...chatRequest, model: 'claude-sonnet-4-5', stream: true };
  assert.match(await (await harness.post('/v1/chat/completions', body)).text(), /word19 /);
  const [row] = await harness.rows();
  assert.equal([row?.promptTokens, row?.facts.usage_estimated], [12, true]);
  assert.ok((row?.completionTokens ?? 0) >= 20, `${row?.completionTokens} tokens`);
});

test('bills usage that rides on the last chunk with text', async ({ harness, upstream }) => {
  upstream.script(sseAnswer([roleChunk, chunk({ content: 'hi' }), { ...finishChunk, usage }, '[DONE]']));
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  const text = await response.text();
  assert.not.match(text, /"usage"/);
  assert.match(text, /"finish_reason":"stop"/);
  assert.is((await harness.rows())[0]?.quota, chatCharge);
});

test('ends a stream that falls silent as timed out', async ({ harness, upstream }) => {
  harness.setChannels([{ baseUrl: upstream.url, models: 'gpt-4o', setting: '{"timeout_idle":0.2}' }]);
  upstream.script(sseAnswer([roleChunk, said[0]], { end: 'hang' }));
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  assert.match(await response.text(), /upstream_timeout/);
  const [row] = await harness.rows();
  assert.is(row?.facts.settle_reason, 'timeout');
});

test('ends a stream that goes on for too long as timed out, though it never falls silent', async ({ upstream }) => {
  const harness = await GatewayHarness.start({
    channels: [{ baseUrl: upstream.url, models: 'gpt-4o' }],
    config: { timeouts: { connectMs: 5000, headersMs: 0, firstTokenMs: 0, idleMs: 300_000, answerMaxMs: 900 } },
  });
  upstream.script(sseAnswer([roleChunk, ...said, ...said, ...said], { pauseMs: 50 }));
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  assert.match(await response.text(), /word0 [\s\S]*upstream_timeout/);
  assert.is((await harness.rows())[0]?.facts.settle_reason, 'timeout');
  await harness.stop();
});

test('ends a stream with the upstream’s error in the client’s words', async ({ harness, upstream }) => {
  upstream.script(
    sseAnswer([roleChunk, said[0], { error: { message: `key sk-one of org-abcdef123 died${' now'.repeat(100)}` } }]),
  );
  const response = await harness.post('/v1/chat/completions', { ...chatRequest, stream: true });
  const text = await response.text();
  assert.match(text, /"error"/);
  assert.not.match(text, /sk-one|org-abcdef123|\[DONE\]/);
  const [row] = await harness.rows();
  assert.is(row?.facts.settle_reason, 'upstream_error');
  // One word was said; what the error says is no part of the answer.
  assert.ok((row?.completionTokens ?? 99) < 5, `${row?.completionTokens} tokens`);
});

test('tells what was used before the error, also where another dialect broke off and had not told it', async () => {
  const upstream = await startFakeUpstream(
    sseAnswer(
      [
        { type: 'message_start', message: { id: 'msg_1', content: [] } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half of it' } },
      ],
      { end: 'reset' },
    ),
  );
  const model = 'claude-sonnet-4-5';
  const harness = await GatewayHarness.start({ channels: [{ type: 14, baseUrl: upstream.url, models: model }] });
  try {
    const asked = { ...chatRequest, model, stream: true, stream_options: { include_usage: true } };
    const events = (await (await harness.post('/v1/chat/completions', asked)).text()).trim().split('\n\n');
    const [used, error] = events.slice(-2).map((event) => JSON.parse(event.replace(/^data: /, '')));
    assert.ok(used.usage.prompt_tokens > 0 && used.usage.completion_tokens > 0, JSON.stringify(used));
    assert.is(error.error.code, 'read_response_body_failed');
  } finally {
    await harness.stop();
    await upstream.close();
  }
});

test.run();
