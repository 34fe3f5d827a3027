/**
 * What a channel's setting does to its answers: thoughts in or out of the text, standard fields alone (relay.md 5.3).
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import {
  type FakeUpstream,
  jsonAnswer,
  type RecordedRequest,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts';
import { logRowOf } from '../support/log-row.ts';
import { chunk, completion, events, finishChunk, roleChunk, usageChunk } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
}

const test = suite<World>('relay/answer shape');

const choiceOf = (message: Record<string, unknown>) => ({
  index: 0,
  message: { role: 'assistant', ...message },
  finish_reason: 'stop',
});

/** An upstream that answers with this message, whole or in the pieces of a stream. */
function saying(message: Record<string, unknown>, pieces: readonly Record<string, unknown>[]) {
  return (request: RecordedRequest) =>
    request.body.includes('"stream":true')
      ? sseAnswer([roleChunk, ...pieces.map((piece) => chunk(piece, { odd: 1 })), finishChunk, usageChunk, '[DONE]'])
      : jsonAnswer(completion({ choices: [{ ...choiceOf(message), odd: 1 }], odd: 1 }));
}

const tagged = saying({ content: '<think>\nHm\n</think>\n\nHi' }, [
  { content: '<thi' },
  { content: 'nk>\nHm\n</th' },
  { content: 'ink>\n\nH' },
  { content: 'i' },
]);
const told = saying({ content: 'Hi', reasoning_content: 'Hm' }, [{ reasoning_content: 'Hm' }, { content: 'Hi' }]);

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  world.daemon = await startTestDaemon({ options: { SelfUseModeEnabled: 'true' } });
  const base_url = world.upstream.url;
  for (const setting of ['split_think_tags', 'thinking_to_content', 'force_format']) {
    await world.daemon.addChannel({ type: 1, base_url, models: setting, setting: JSON.stringify({ [setting]: true }) });
  }
  const both = JSON.stringify({ split_think_tags: true, thinking_to_content: true });
  await world.daemon.addChannel({ type: 1, base_url, models: 'both', setting: both });
  world.key = await world.daemon.addKey();
});

test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

async function ask(world: World, model: string, asked: Record<string, unknown> = {}): Promise<Response> {
  return fetch(`${world.daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], ...asked }),
  });
}

/** What the chunks of a stream add up to. */
function collected(stream: string) {
  const sum = { reasoning: '', content: '' };
  for (const payload of events(stream)) {
    if (payload === '[DONE]') continue;
    const delta = JSON.parse(payload).choices[0]?.delta ?? {};
    sum.reasoning += delta.reasoning_content ?? '';
    sum.content += delta.content ?? '';
  }
  return sum;
}

test('split_think_tags tells the thought apart from the answer, whole and streamed, for every dialect', async (world) => {
  world.upstream.script(tagged);
  const whole = await (await ask(world, 'split_think_tags')).json();
  const { message } = whole.choices[0];
  assert.equal([message.reasoning_content, message.content, whole.usage.total_tokens], ['Hm', 'Hi', 17]);
  const stream = await (await ask(world, 'split_think_tags', { stream: true })).text();
  assert.equal(collected(stream), { reasoning: 'Hm', content: 'Hi' });
  assert.match(stream, /data: \[DONE\]\n\n$/);
  assert.not.match(stream, /"usage":\{/);
  const answer = await fetch(`${world.daemon.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': world.key, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'split_think_tags', messages: [{ role: 'user', content: 'hi' }], max_tokens: 9 }),
  });
  const { content } = await answer.json();
  assert.equal(
    content.map((block: Record<string, unknown>) => block.thinking ?? block.text),
    ['Hm', 'Hi'],
  );
});

test('thinking_to_content writes the thought into the text, whole and streamed', async (world) => {
  world.upstream.script(told);
  const expected = '<think>\nHm\n</think>\nHi';
  const answer = await ask(world, 'thinking_to_content');
  const { message } = (await answer.json()).choices[0];
  assert.equal([message.content, message.reasoning_content], [expected, undefined]);
  const stream = await (await ask(world, 'thinking_to_content', { stream: true })).text();
  assert.equal(collected(stream), { reasoning: '', content: expected });
  const row = await logRowOf(world.daemon, answer);
  assert.equal([row.prompt_tokens, row.completion_tokens, row.facts.request_conversion], [12, 5, undefined]);
});

test('force_format leaves nothing but the standard fields', async (world) => {
  world.upstream.script(told);
  const answer = await ask(world, 'force_format');
  const body = await answer.json();
  assert.equal([body.odd, body.choices[0].odd], [undefined, undefined]);
  assert.equal([body.choices[0].message.content, body.choices[0].message.reasoning_content], ['Hi', 'Hm']);
  const stream = await (
    await ask(world, 'force_format', { stream: true, stream_options: { include_usage: true } })
  ).text();
  assert.not.match(stream, /odd/);
  assert.equal(collected(stream), { reasoning: 'Hm', content: 'Hi' });
  assert.match(stream, /"total_tokens":17/);
});

test('tells of a stream that breaks all that came, also what waited for the end of a thought', async (world) => {
  for (const [model, opening, expected] of [
    ['split_think_tags', '', 'I come to no '],
    ['both', '<think>', '<think>\nI come to no '],
  ] as const) {
    const pieces = [`${opening}I come `, 'to no '].map((content) => chunk({ content }));
    world.upstream.script(sseAnswer([roleChunk, ...pieces], { end: 'reset' }));
    const payloads = events(await (await ask(world, model, { stream: true })).text());
    const told = payloads.map((payload) => JSON.parse(payload));
    assert.ok(told.pop()?.error);
    assert.is(told.map(({ choices }) => choices[0].delta.content ?? '').join(''), expected);
  }
});

test.run();
