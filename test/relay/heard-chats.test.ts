/** Chats that are heard: what is billed of their sound where no report came, and when they end (relay.md 14.3, 15.8, D20). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sseAnswer } from '../support/fake-upstream.ts';
import { gate } from '../support/gate.ts';
import { type CheckedWorld, checksBooks } from './checked-books.ts';

const test = suite<CheckedWorld>('relay: heard chats');

const model = 'gpt-4o-audio-preview';
checksBooks(
  test,
  () => sseAnswer([]),
  ({ url: baseUrl }) => ({
    channels: [{ baseUrl, models: model }],
    options: {
      ModelRatio: { [model]: 1 },
      CompletionRatio: { [model]: 4 },
      AudioRatio: { [model]: 16 },
      AudioCompletionRatio: { [model]: 2 },
    },
  }),
);

const asked = {
  model,
  stream: true,
  modalities: ['text', 'audio'],
  audio: { voice: 'alloy', format: 'pcm16' },
  messages: [{ role: 'user', content: 'hi' }],
};
const asGemini = `/v1beta/models/${model}:streamGenerateContent?alt=sse`;
const geminiAsked = {
  contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
  generationConfig: { responseModalities: ['AUDIO'] },
};
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model,
  choices: [{ index: 0, delta, finish_reason }],
});
/** Of 24 kHz. */
const sound = (seconds: number) => Buffer.alloc(seconds * 48_000, 7).toString('base64');
const heard = (seconds: number) => chunk({ audio: { id: 'audio_1', data: sound(seconds) } });
const piece = (seconds: number, mimeType: string) => ({
  candidates: [{ content: { role: 'model', parts: [{ inlineData: { mimeType, data: sound(seconds) } }] }, index: 0 }],
});

for (const [name, type, events, path, body] of [
  ['chat', 1, [heard(1), heard(2)], '/v1/chat/completions', asked],
  ['chat that Gemini answers', 24, [piece(3, 'audio/L16;rate=24000')], '/v1/chat/completions', asked],
  ['chat of Gemini', 24, [piece(3, 'audio/L16;codec=pcm;rate=24000')], asGemini, geminiAsked],
  ['chat of Gemini that OpenAI answers', 1, [heard(1), heard(2)], asGemini, geminiAsked],
] as const) {
  test(`bills whoever leaves a ${name} for what was heard of it`, async ({ start, upstream }) => {
    const { opened: goOn, open: finish } = gate();
    const said = sseAnswer(events);
    upstream.script({ ...said, chunks: [said.chunks?.join('') ?? '', 'data: [DONE]\n\n'], goOn: () => goOn });
    const harness = await start({ channels: [{ type, baseUrl: upstream.url, models: model }] });
    const reader = (await harness.post(path, body)).body?.getReader();
    for (let read = 0; read < 3 * 64_000; ) read += (await reader?.read())?.value?.length ?? Number.POSITIVE_INFINITY;
    await reader?.cancel();
    const [row] = await harness.rows();
    finish();
    assert.equal(
      [row?.completionTokens, row?.facts.audio_output, row?.facts.settle_reason, row?.facts.usage_estimated],
      [50, 50, 'client_gone', true],
    );
  });
}

test('counts what is said aloud as words too, as its vendor does', async ({ start, upstream }) => {
  const harness = await start();
  const words = chunk({ audio: { transcript: 'four words of it' } });
  upstream.script(sseAnswer([heard(6), words, chunk({}, 'stop'), '[DONE]']));
  await (await harness.post('/v1/chat/completions', asked)).text();
  const [row] = await harness.rows();
  assert.is(row?.facts.audio_output, 100);
  assert.is(row?.facts.text_output, 6);
  assert.is(row?.completionTokens, 106);
});

test('ends once the balance is spent, at most one slice below zero', async ({ start, upstream }) => {
  const harness = await start({ user: { quota: 12_000 } });
  upstream.script(sseAnswer([...Array.from({ length: 600 }, () => heard(0.125)), chunk({}, 'stop'), '[DONE]']));
  const text = await (await harness.post('/v1/chat/completions', asked)).text();
  assert.match(text, /insufficient_user_quota/);
  assert.is((await harness.rows())[0]?.facts.settle_reason, 'quota_exhausted');
  const { quota } = await harness.user();
  assert.ok(quota >= -512 * 4 && quota < 512 * 4, `balance ${quota}`);
});

test.run();
