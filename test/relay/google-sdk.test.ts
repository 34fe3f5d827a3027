/**
 * The official `@google/genai` package, unmodified, as a client of a whole daemon.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { untilThere } from '../support/until.ts';
import { completion, streamOf } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  google: GoogleGenAI;
  openai: OpenAI;
}

const sdk = suite<World>('official google package');
const model = 'gemini-2.5-flash';

const answer = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'pong' }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, thoughtsTokenCount: 41, totalTokenCount: 53 },
  modelVersion: model,
  responseId: 'r1',
};

function recordedStream(name: string): Buffer {
  return readFileSync(fileURLToPath(new URL(`../fixtures/gemini/${name}/stream.sse`, import.meta.url)));
}

sdk.before(async (world) => {
  world.upstream = await startFakeUpstream();
  world.daemon = await startTestDaemon();
  const base = { base_url: world.upstream.url };
  await world.daemon.addChannel({ ...base, type: 24, key: 'AIza-upstream', models: model });
  await world.daemon.addChannel({ ...base, models: 'gpt-4o' });
  const apiKey = await world.daemon.addKey();
  world.google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: world.daemon.url } });
  world.openai = new OpenAI({ baseURL: `${world.daemon.url}/v1`, apiKey, maxRetries: 0 });
});

sdk.after(async (world) => {
  await world.daemon.stop();
  await world.upstream.close();
});

/** The log row of the first call, once it is written. */
function firstRow(daemon: TestDaemon) {
  return untilThere(async () => (await daemon.root.logs.list({ type: 2 })).items[0]);
}

sdk('sends a call on as it came, with the channel key in its header and the default safety', async (world) => {
  const { google, upstream, daemon } = world;
  upstream.script(jsonAnswer(answer));
  const response = await google.models.generateContent({ model, contents: 'hi', config: { topK: 3 } });
  assert.is(response.text, 'pong');
  const [sent] = upstream.requests.slice(-1);
  assert.is(sent?.url, `/v1beta/models/${model}:generateContent`);
  assert.is(sent?.headers['x-goog-api-key'], 'AIza-upstream');
  const body = JSON.parse(sent?.body.toString() ?? '');
  assert.equal(body.contents, [{ role: 'user', parts: [{ text: 'hi' }] }]);
  assert.is(body.generationConfig.topK, 3);
  assert.equal(body.safetySettings[4], { category: 'HARM_CATEGORY_CIVIC_INTEGRITY', threshold: 'OFF' });
  const row = await firstRow(daemon);
  // Thoughts are output like any other.
  assert.equal([row.prompt_tokens, row.completion_tokens], [9, 44]);
});

sdk('streams a recorded answer', async ({ google, upstream }) => {
  const bytes = recordedStream('gemini-generatecontent--streaming-success-citations-stream');
  upstream.script({ headers: { 'content-type': 'text/event-stream' }, chunks: [bytes] });
  let text = '';
  let total = 0;
  for await (const piece of await google.models.generateContentStream({ model, contents: 'hi' })) {
    text += piece.text ?? '';
    total = piece.usageMetadata?.totalTokenCount ?? total;
  }
  assert.is(upstream.requests.at(-1)?.url, `/v1beta/models/${model}:streamGenerateContent?alt=sse`);
  assert.ok(text.length > 10);
  assert.ok(total > 0);
});

sdk('talks to an upstream of OpenAI, whole and streamed', async ({ google, upstream }) => {
  upstream.script(jsonAnswer(completion()));
  const whole = await google.models.generateContent({ model: 'gpt-4o', contents: 'hi' });
  assert.is(whole.text, 'Hello there');
  assert.is(whole.usageMetadata?.promptTokenCount, 12);
  assert.is(JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '').model, 'gpt-4o');
  upstream.script(sseAnswer(streamOf(['Hel', 'lo'])));
  let text = '';
  for await (const piece of await google.models.generateContentStream({ model: 'gpt-4o', contents: 'hi' })) {
    text += piece.text ?? '';
  }
  assert.is(text, 'Hello');
  assert.is(JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '').stream, true);
});

sdk('lets a chat client talk to Gemini, whole and streamed', async ({ openai, upstream }) => {
  upstream.script(jsonAnswer(answer));
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hi' }];
  const whole = await openai.chat.completions.create({ model, messages });
  assert.is(whole.choices[0]?.message.content, 'pong');
  assert.is(whole.usage?.completion_tokens_details?.reasoning_tokens, 41);
  const bytes = recordedStream('gemini-generatecontent--streaming-success-citations-stream');
  upstream.script({ headers: { 'content-type': 'text/event-stream' }, chunks: [bytes] });
  const final = await openai.chat.completions.stream({ model, messages }).finalChatCompletion();
  assert.is(final.choices[0]?.finish_reason, 'stop');
  assert.ok((final.choices[0]?.message.content ?? '').length > 10);
});

sdk('shows a refusal without the project that it names', async ({ google, upstream }) => {
  const message =
    'API has not been used in project 12345678 before. Visit https://console.x.googleapis.com/?project=12345678';
  upstream.script(jsonAnswer({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }, 400));
  try {
    await google.models.generateContent({ model, contents: 'hi' });
    assert.unreachable();
  } catch (error) {
    assert.instance(error, ApiError);
    assert.is(error instanceof ApiError && error.status, 400);
    assert.not.match(String(error), '12345678');
  }
});

sdk.run();
