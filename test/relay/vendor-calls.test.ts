/** Calls that are no conversations at vendors with words of their own for them: what is asked, answered and billed. */
import OpenAI, { toFile } from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DownloadFailed } from '../../daemon/upstream/media-download.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness, type HarnessChannel } from '../support/gateway-harness.ts';
import { recordedAnswer, recordedBody, recordedRequest } from '../support/recorded-call.ts';
import * as sounds from '../support/sound-files.ts';
import { picture } from './image-vendors.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: calls of single vendors');

const models = [
  'qwen3-tts-flash',
  'qwen3-tts-instruct-flash',
  'qwen-tts',
  'qwen3-livetranslate-flash-realtime',
  'qwen3-asr-flash',
  'text-embedding-v1',
  'pplx-embed-v1-0.6b',
  'bytedance-seed/seedream-4.5',
  'openai/gpt-4o-mini-transcribe',
].join(',');
const ones = Object.fromEntries(models.split(',').map((model) => [model, 1]));
const prices = { ModelRatio: ones, ModelPrice: { 'bytedance-seed/seedream-4.5': 0.04 } };
const spoken = sounds.wav(3);
/** Where the vendor says that its sound lies; every other address is refused, as the guard does. */
const address = 'http://sounds.example/1.wav?Signature=x';
const downloads = {
  maxBytes: 1_000_000,
  fetch: (url: string) =>
    url === address
      ? Promise.resolve({ bytes: spoken, contentType: 'text/html' })
      : Promise.reject(new DownloadFailed('the address is not allowed')),
};

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({ channels: [], options: prices, downloads });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

function serve({ harness, upstream }: Context, type: number, rest: HarnessChannel = {}): void {
  harness.setChannels([{ id: 1, type, baseUrl: upstream.url, models, keys: ['sk-upstream'], ...rest }]);
}

function bodyOf({ requests }: FakeUpstream, at: number): Record<string, unknown> {
  return JSON.parse(requests[at]?.body.toString() ?? '{}');
}

const multimodal = '/api/v1/services/aigc/multimodal-generation/generation';

/** After the vendor's reference of Qwen's speech synthesis, read 2026-11. */
function speech(url: string, usage: Record<string, unknown>) {
  return jsonAnswer({
    status_code: 200,
    request_id: 'r',
    code: '',
    message: '',
    output: { text: null, finish_reason: 'stop', choices: null, audio: { data: '', url, id: 'a', expires_at: 1 } },
    usage,
  });
}

test('DashScope’s speech is fetched from where it lies, and billed by characters or by tokens', async (context) => {
  const { harness, upstream } = context;
  serve(context, 17);
  upstream.script(speech(address, { characters: 9, input_tokens: 0, output_tokens: 0 }));
  const asked = { model: 'qwen3-tts-flash', voice: 'alloy', input: 'two words', response_format: 'wav', speed: 2 };
  const first = await harness.post('/v1/audio/speech', asked);
  assert.is(first.status, 200);
  // Whatever its server calls it: the bytes are a WAV file.
  assert.is(first.headers.get('content-type'), 'audio/wav');
  assert.equal(Buffer.from(await first.arrayBuffer()), spoken);
  assert.is(upstream.requests[0]?.url, multimodal);
  assert.equal(bodyOf(upstream, 0), { model: 'qwen3-tts-flash', input: { text: 'two words', voice: 'Cherry' } });

  const tokens = { input_tokens: 14, output_tokens: 100, output_tokens_details: { audio_tokens: 100, text_tokens: 0 } };
  upstream.script(speech(address, tokens));
  const instructed = { voice: 'Ethan', input: 'hi', instructions: 'gently' };
  await harness.post('/v1/audio/speech', { model: 'qwen-tts', ...instructed });
  await harness.post('/v1/audio/speech', { model: 'qwen3-tts-instruct-flash', ...instructed });
  assert.equal(bodyOf(upstream, 1).input, { text: 'hi', voice: 'Ethan' });
  assert.equal(bodyOf(upstream, 2).input, { text: 'hi', voice: 'Ethan', instructions: 'gently' });
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ quota, promptTokens, completionTokens }) => [quota, promptTokens, completionTokens]),
    [
      [9, 9, 0],
      [114, 14, 100],
      [114, 14, 100],
    ],
  );
  assert.equal(rows[0]?.facts.dropped_fields, ['speed', 'voice']);
  assert.ok(Math.abs(Number(rows[0]?.facts.seconds) - 3) < 0.01);
});

test('sound that comes whole is told in events to a client that asked for those', async (context) => {
  const { harness, upstream } = context;
  serve(context, 17);
  upstream.script(speech(address, { characters: 9 }));
  const asked = { model: 'qwen3-tts-flash', voice: 'Cherry', input: 'two words', stream_format: 'sse' };
  const told = await harness.post('/v1/audio/speech', asked);
  assert.match(told.headers.get('content-type') ?? '', 'text/event-stream');
  const events = (await told.text()).trim().split('\n\n');
  assert.equal(
    events.map((event) => JSON.parse(event.replace(/^data: /, ''))),
    [
      { type: 'speech.audio.delta', audio: spoken.toString('base64') },
      { type: 'speech.audio.done', usage: { input_tokens: 9, output_tokens: 0, total_tokens: 9 } },
    ],
  );
});

test('sound that cannot be fetched is no answer and costs nothing', async (context) => {
  const { harness, upstream } = context;
  serve(context, 17);
  upstream.script(speech('http://169.254.169.254/latest', { characters: 9 }));
  const asked = { model: 'qwen3-tts-flash', voice: 'Cherry', input: 'two words' };
  const refused = await harness.post('/v1/audio/speech', asked);
  assert.ok(refused.status >= 500, String(refused.status));
  assert.not.match(await refused.text(), /169\.254/);
  upstream.script(jsonAnswer({ code: 'DataInspectionFailed', message: 'no', request_id: 'r' }, 400));
  assert.is((await harness.post('/v1/audio/speech', asked)).status, 400);
  // Models that hold conversations cannot be called.
  const session = await harness.post('/v1/audio/speech', { ...asked, model: 'qwen3-livetranslate-flash-realtime' });
  assert.is(session.status, 400);
  assert.is((await session.json()).error.code, 'invalid_api_type');
  assert.is(upstream.requests.length, 2);
  for (const { quota } of await harness.rows()) assert.is(quota, 0);
});

/** After the vendor's reference of Qwen's speech recognition, read 2026-11. */
function transcript(seconds: number | undefined) {
  const annotations = [{ language: 'zh', type: 'audio_info', emotion: 'neutral' }];
  const content = [{ text: '欢迎使用。' }];
  const usage = { input_tokens_details: { text_tokens: 0 }, output_tokens_details: { text_tokens: 6 } };
  return jsonAnswer({
    request_id: 'r',
    output: { choices: [{ finish_reason: 'stop', message: { annotations, content, role: 'assistant' } }] },
    usage: seconds === undefined ? usage : { ...usage, seconds },
  });
}

test('DashScope hears a file inside the request, and is billed by its length', async (context) => {
  const { harness, upstream } = context;
  serve(context, 17);
  upstream.script(transcript(61));
  const client = new OpenAI({ apiKey: `sk-${harness.key}`, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const file = sounds.wav(2);
  const upload = () => toFile(file, 'talk.wav', { type: 'audio/wav' });
  const heard = await client.audio.transcriptions.create({
    model: 'qwen3-asr-flash',
    file: await upload(),
    language: 'zh',
    prompt: 'names: Qwen',
  });
  assert.equal(heard, { text: '欢迎使用。' });
  assert.is(upstream.requests[0]?.url, multimodal);
  assert.equal(bodyOf(upstream, 0), {
    model: 'qwen3-asr-flash',
    input: {
      messages: [
        { role: 'system', content: [{ text: 'names: Qwen' }] },
        { role: 'user', content: [{ audio: `data:audio/wav;base64,${file.toString('base64')}` }] },
      ],
    },
    parameters: { asr_options: { enable_itn: false, language: 'zh' } },
  });
  upstream.script(transcript(undefined));
  const asked = { model: 'qwen3-asr-flash', file: await upload() };
  const told = await client.audio.transcriptions.create({ ...asked, response_format: 'verbose_json' });
  assert.equal([told.text, told.language, told.duration], ['欢迎使用。', 'zh', 2]);
  const plain = await client.audio.transcriptions.create({ ...asked, file: await upload(), response_format: 'text' });
  assert.is(String(plain).trim(), '欢迎使用。');
  const stream = await client.audio.transcriptions.create({ ...asked, file: await upload(), stream: true });
  const types: string[] = [];
  for await (const event of stream) types.push(event.type);
  assert.equal(types, ['transcript.text.delta', 'transcript.text.done']);
  for (const wrong of [{ response_format: 'srt' as const }, { model: 'qwen3-livetranslate-flash-realtime' }]) {
    const refused = await client.audio.transcriptions
      .create({ ...asked, file: await upload(), ...wrong })
      .catch((error: unknown) => error);
    assert.ok(refused instanceof OpenAI.APIError && refused.status === 400, String(refused));
  }
  assert.is(upstream.requests.length, 4);
  // 61 seconds are 1017 tokens, 2 seconds 33 (relay.md 5.8).
  const rows = await harness.rows();
  assert.equal(
    rows.filter(({ failed }) => !failed).map(({ promptTokens }) => promptTokens),
    [1017, 33, 33, 33],
  );
});

test('DashScope’s own embeddings are asked where the channel says so', async (context) => {
  const { harness, upstream } = context;
  const recording = 'ali/dashscope-embeddings--text-embedding-with-text-type';
  serve(context, 17, { setting: '{"dashscope_native":true}' });
  upstream.script(recordedAnswer(recording));
  const asked = { model: 'text-embedding-v1', input: 'What is machine learning?', input_type: 'query' };
  const answer = await (await harness.post('/v1/embeddings', asked)).json();
  assert.is(upstream.requests[0]?.url, '/api/v1/services/embeddings/text-embedding/text-embedding');
  assert.equal(bodyOf(upstream, 0), recordedRequest(recording));
  assert.equal(answer.usage, { prompt_tokens: 5, total_tokens: 5 });
  assert.ok(JSON.stringify(recordedBody(recording)).includes(String(answer.data[0].embedding[7])));
  assert.is((await harness.rows())[0]?.quota, 5);
});

test('Perplexity’s vectors are read from their bytes', async (context) => {
  const { harness, upstream } = context;
  const recording = 'perplexity/oa-embeddings--embedding-perplexity-int8-embeddings-perplexity-pplx-emb';
  serve(context, 27);
  upstream.script(recordedAnswer(recording));
  const asked = { model: 'pplx-embed-v1-0.6b', input: 'Ruby is a programmer’s best friend' };
  const answer = await (await harness.post('/v1/embeddings', asked)).json();
  assert.is(upstream.requests[0]?.url, '/v1/embeddings');
  assert.equal(bodyOf(upstream, 0), { ...asked, input: [asked.input], encoding_format: 'base64_int8' });
  const [{ embedding }] = answer.data;
  // The recording begins with f6 c6 00 03 3c.
  assert.equal(embedding.slice(0, 5), [-10, -58, 0, 3, 60]);
  assert.is(embedding.length, 1024);
  assert.equal(answer.usage, { prompt_tokens: 7, total_tokens: 7 });
  const packed = await (await harness.post('/v1/embeddings', { ...asked, encoding_format: 'base64' })).json();
  assert.is(Buffer.from(packed.data[0].embedding, 'base64').readFloatLE(4), -58);
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    [7, 7],
  );
});

test('OpenRouter makes images one by one, and edits by reference', async (context) => {
  const { harness, upstream } = context;
  serve(context, 20);
  const b64_json = picture.toString('base64');
  // As the vendor's reference shows it, read 2026-11.
  const usage = { prompt_tokens: 0, completion_tokens: 4175, total_tokens: 4175, cost: 0.04 };
  upstream.script(jsonAnswer({ created: 1_748_372_400, data: [{ b64_json, media_type: 'image/png' }], usage }));
  const model = 'bytedance-seed/seedream-4.5';
  const asked = { model, prompt: 'a cat', n: 2, size: '2K', seed: 7, style: 'vivid', user: 'u' };
  const made = await (await harness.post('/v1/images/generations', asked)).json();
  assert.equal(made.data, [{ b64_json }, { b64_json }]);
  assert.is(made.usage.output_tokens, 8350);
  assert.is(upstream.requests.length, 2);
  assert.is(upstream.requests[0]?.url, '/v1/images');
  assert.equal(bodyOf(upstream, 0), { model, prompt: 'a cat', size: '2K', seed: 7 });
  const client = new OpenAI({ apiKey: `sk-${harness.key}`, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  await client.images.edit({ model, prompt: 'a hat', image: await toFile(picture, 'cat.png', { type: 'image/png' }) });
  assert.equal(bodyOf(upstream, 2).input_references, [
    { type: 'image_url', image_url: { url: `data:image/png;base64,${b64_json}` } },
  ]);
  upstream.script(jsonAnswer({ error: { code: 404, message: 'No endpoints found' } }, 404));
  assert.is((await harness.post('/v1/images/generations', { model, prompt: 'x' })).status, 404);
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    [40_000, 20_000, 0],
  );
});

test('OpenRouter hears files as OpenAI does', async (context) => {
  const { harness, upstream } = context;
  const recording = 'openrouter/oa-audio-transcriptions--transcription-basic-functionality-openrouter-openai-gpt';
  serve(context, 20);
  upstream.script(recordedAnswer(recording));
  const client = new OpenAI({ apiKey: `sk-${harness.key}`, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const file = await toFile(sounds.wav(4), 'ruby.wav', { type: 'audio/wav' });
  const heard = await client.audio.transcriptions.create({ model: 'openai/gpt-4o-mini-transcribe', file });
  assert.is(heard.text, recordedBody(recording).text);
  assert.is(upstream.requests[0]?.url, '/v1/audio/transcriptions');
  const [row] = await harness.rows();
  assert.equal([row?.promptTokens, row?.completionTokens, row?.quota], [37, 12, 49]);
});

test.run();
