/** JSON in texts that is nested deeper than the stack reaches: arguments and results of tools, whole answers (relay.md 17.3). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { chatRequest, claudeMessage, completion } from './wire.ts';

interface World {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<World>('relay: deep nesting');

const levels = 20_000;
/** An object that nothing can walk. */
const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const models = { openai: 'gpt-4o', anthropic: 'claude-sonnet-4-5', gemini: 'gemini-2.5-flash' };

const message = claudeMessage();
const generated = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 },
};

const answerTo = (url: string): Record<string, unknown> => {
  if (url.includes('/messages')) return message;
  return url.includes('enerateContent') ? generated : completion();
};

test.before.each(async (world) => {
  world.upstream = await startFakeUpstream(({ url }) => jsonAnswer(answerTo(url)));
  const baseUrl = world.upstream.url;
  const paramOverride = JSON.stringify({
    operations: ['messages', 'contents'].map((from) => ({ mode: 'copy', from, to: 'kept' })),
  });
  world.harness = await GatewayHarness.start({
    channels: [
      { id: 1, type: 1, baseUrl, models: models.openai, keys: ['k'], paramOverride },
      { id: 2, type: 14, baseUrl, models: models.anthropic, keys: ['k'], paramOverride },
      { id: 3, type: 24, baseUrl, models: models.gemini, keys: ['k'], paramOverride },
    ],
    options: { SelfUseModeEnabled: true },
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

/** A conversation in which a tool was called and has answered. */
const turns = (input: string, output: string) => [
  ...chatRequest.messages,
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: input } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: output },
];

test('arguments and results reach every upstream, as text where they cannot be objects', async (world) => {
  const { harness, upstream } = world;
  for (const model of Object.values(models)) {
    const answer = await harness.post('/v1/chat/completions', { model, messages: turns(deep, deep) });
    assert.is(answer.status, 200, await answer.text());
    const sent = upstream.requests.at(-1)?.body.toString() ?? '';
    const said = JSON.stringify(deep).slice(0, 100);
    const times = model === models.openai ? 2 : 1;
    assert.ok(sent.split(said).length > times, `${model}: ${sent.slice(0, 300)}`);
  }
});

test('a body of its own depth is refused before anything of it is walked', async ({ harness, upstream }) => {
  const body = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"metadata":${deep}}`;
  const answer = await harness.post('/v1/chat/completions', body);
  assert.is(answer.status, 400);
  assert.match((await answer.json()).error.message, /nested deeper than 128 levels/);
  assert.is(upstream.requests.length, 0);
});

/** An upstream's answer with a tool call whose arguments are the object, or with the object in a member of its own. */
const answersWith = (url: string, place: 'arguments' | 'member'): Answer => {
  const input = place === 'arguments' ? '@' : {};
  const whole = url.includes('/messages')
    ? { ...message, content: [{ type: 'tool_use', id: 't', name: 'f', input }] }
    : { ...generated, candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: input } }] } }] };
  const text = JSON.stringify(place === 'arguments' ? whole : { ...whole, extra: '@' });
  return { headers: { 'content-type': 'application/json' }, chunks: [text.replace('"@"', deep)] };
};

test('whole answers that nothing can walk are refused, and no call waits for ever', async ({ harness, upstream }) => {
  // Each call has a channel of its own, that none is left out for the failures of the one before.
  let id = 10;
  for (const place of ['arguments', 'member'] as const) {
    upstream.script(({ url }) => answersWith(url, place));
    for (const [type, model] of [
      [14, models.anthropic],
      [24, models.gemini],
    ] as const) {
      const asked: readonly [path: string, body: Record<string, unknown>][] = [
        ['/v1/chat/completions', { ...chatRequest, model }],
        ['/v1/messages', { ...chatRequest, model, max_tokens: 9 }],
        ['/v1/responses', { model, input: 'hi', store: false }],
        [`/v1beta/models/${model}:generateContent`, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
      ];
      for (const [path, body] of asked) {
        id += 1;
        harness.setChannels([{ id, type, baseUrl: upstream.url, models: model, keys: ['k'] }]);
        const answer = await harness.post(path, body, { signal: AbortSignal.timeout(20_000) });
        const text = await answer.text();
        assert.is(answer.status, 502, `${place} ${path} ${model}: ${text.slice(0, 300)}`);
        assert.match(text, /could not be read/);
      }
    }
  }
  assert.equal(harness.reports, []);
  assert.is((await harness.user()).quota, 100_000_000);
});

test.run();
