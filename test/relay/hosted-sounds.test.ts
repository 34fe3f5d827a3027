/** Speech and transcripts at vendors with words of their own for them: what is asked, heard, noted and billed. */
import OpenAI, { toFile } from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import * as sounds from '../support/sound-files.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
  client: OpenAI;
}

const test = suite<Context>('relay: sound in vendors’ own words');

const melo = '@cf/myshell-ai/melotts';
const aura = '@cf/deepgram/aura-2-en';
const turbo = '@cf/openai/whisper-large-v3-turbo';
const whisper = '@cf/openai/whisper';
const large = 'openai/whisper-large-v3';
const grok = 'grok-tts';
const models = [melo, aura, turbo, whisper].join(',');
const ratios = Object.fromEntries([melo, aura, turbo, whisper, large, grok, 'grok-4.5'].map((model) => [model, 1]));
const place = '/client/v4/accounts/acc/ai/run/';
const spoken = sounds.wav(3);

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  const { upstream } = context;
  const channels = [
    { id: 1, type: 39, baseUrl: upstream.url, models, keys: ['acc|token'] },
    { id: 2, type: 107, baseUrl: upstream.url, models: large, keys: ['hf_key'] },
    { id: 3, type: 48, baseUrl: upstream.url, models: `${grok},grok-4.5`, keys: ['xai-key'] },
  ];
  context.harness = await GatewayHarness.start({ channels, options: { ModelRatio: ratios } });
  const { key, url } = context.harness;
  context.client = new OpenAI({ apiKey: `sk-${key}`, baseURL: `${url}/v1`, maxRetries: 0 });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

function bodyOf({ requests }: FakeUpstream, at: number): Record<string, unknown> {
  return JSON.parse(requests[at]?.body.toString() ?? '{}');
}

function upload(seconds = 2) {
  return toFile(sounds.wav(seconds), 'talk.wav', { type: 'audio/wav' });
}

function statusOf(error: unknown): number | undefined {
  return error instanceof OpenAI.APIError ? error.status : undefined;
}

test('MeloTTS speaks the language that is named as its voice, in base64', async ({ client, harness, upstream }) => {
  upstream.script(jsonAnswer({ success: true, result: { audio: spoken.toString('base64') } }));
  const said = await client.audio.speech.create({ model: melo, voice: 'fr', input: 'deux mots' });
  assert.equal(Buffer.from(await said.arrayBuffer()), spoken);
  assert.is(upstream.requests[0]?.url, place + melo);
  assert.equal(bodyOf(upstream, 0), { prompt: 'deux mots', lang: 'fr' });
  await client.audio.speech.create({ model: melo, voice: 'alloy', input: 'x', response_format: 'flac', speed: 2 });
  assert.equal(bodyOf(upstream, 1), { prompt: 'x' });
  const [first, second] = await harness.rows();
  // Three seconds of sound are fifty tokens.
  assert.is(first?.completionTokens, 50);
  assert.equal(second?.facts.dropped_fields, ['speed', 'voice', 'response_format']);
});

test('Aura answers with the file, in the form that was asked for', async ({ client, upstream }) => {
  upstream.script({ status: 200, headers: { 'content-type': 'audio/wav' }, chunks: [spoken] });
  const said = await client.audio.speech.create({ model: aura, voice: 'luna', input: 'hi', response_format: 'wav' });
  assert.is(said.headers.get('content-type'), 'audio/wav');
  assert.equal(Buffer.from(await said.arrayBuffer()), spoken);
  assert.equal(bodyOf(upstream, 0), { text: 'hi', speaker: 'luna', encoding: 'linear16', container: 'wav' });
});

test('Grok is asked for its own voices and forms, and costs the characters it reads', async (context) => {
  const { client, harness, upstream } = context;
  upstream.script({ status: 200, headers: { 'content-type': 'audio/mpeg' }, chunks: [Buffer.from('ID3 sound')] });
  const said = await client.audio.speech.create({ model: grok, voice: 'rex', input: '你好 ab', speed: 3 });
  assert.is(said.headers.get('content-type'), 'audio/mpeg');
  assert.equal(Buffer.from(await said.arrayBuffer()), Buffer.from('ID3 sound'));
  assert.equal([upstream.requests[0]?.url, upstream.requests[0]?.headers.authorization], ['/v1/tts', 'Bearer xai-key']);
  assert.equal(bodyOf(upstream, 0), {
    text: '你好 ab',
    language: 'auto',
    voice_id: 'rex',
    speed: 1.5,
    output_format: { codec: 'mp3' },
  });
  upstream.script({ status: 200, headers: { 'content-type': 'audio/pcm' }, chunks: [Buffer.alloc(48)] });
  const samples = await client.audio.speech.create({
    model: grok,
    voice: 'alloy',
    input: 'hi',
    response_format: 'pcm',
    instructions: 'gently',
  });
  assert.is(samples.headers.get('content-type'), 'audio/pcm');
  assert.equal(bodyOf(upstream, 1), {
    text: 'hi',
    language: 'auto',
    output_format: { codec: 'pcm', sample_rate: 24_000 },
  });
  await client.audio.speech.create({ model: grok, voice: 'eve', input: 'x', response_format: 'opus' });
  assert.equal(bodyOf(upstream, 2).output_format, { codec: 'mp3' });
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ promptTokens, completionTokens, quota }) => [promptTokens, completionTokens, quota]),
    [
      [5, 0, 5],
      [2, 0, 2],
      [1, 0, 1],
    ],
  );
  assert.equal(
    rows.map(({ facts }) => facts.dropped_fields),
    [undefined, ['instructions', 'voice'], ['response_format']],
  );
});

test('what Grok answers without a sound is no answer, and its conversations do not speak', async (context) => {
  const { client, harness, upstream } = context;
  upstream.script(jsonAnswer({ error: 'something new' }));
  const failed = client.audio.speech.create({ model: grok, voice: 'eve', input: 'hi' }).catch(statusOf);
  assert.ok(Number(await failed) >= 400);
  upstream.script({ status: 200, headers: { 'content-type': 'audio/mpeg' }, chunks: [] });
  const silent = client.audio.speech.create({ model: grok, voice: 'eve', input: 'hi' }).catch(statusOf);
  assert.ok(Number(await silent) >= 400);
  const asked = upstream.requests.length;
  const chatty = client.audio.speech.create({ model: 'grok-4.5', voice: 'eve', input: 'hi' }).catch(statusOf);
  assert.ok(Number(await chatty) >= 400);
  assert.is(upstream.requests.length, asked);
  assert.is(
    (await harness.rows()).reduce((sum, { quota }) => sum + quota, 0),
    0,
  );
});

test('a success that holds a refusal is no sound and costs nothing', async ({ client, harness, upstream }) => {
  upstream.script(jsonAnswer({ success: false, errors: [{ code: 5007, message: 'No such model' }], result: null }));
  const failed = client.audio.speech.create({ model: melo, voice: 'en', input: 'hi' }).catch(statusOf);
  assert.ok(Number(await failed) >= 400);
  assert.is((await harness.rows())[0]?.quota ?? 0, 0);
});

test('the newest Whisper is told language, prompt and task, and tells times', async (context) => {
  const { client, harness, upstream } = context;
  const words = [
    { word: ' Hello', start: 0, end: 0.5 },
    { word: ' there.', start: 0.5, end: 1 },
  ];
  const segments = [{ start: 0, end: 1, text: ' Hello there.', words }];
  const transcription_info = { language: 'en', duration: 61 };
  upstream.script(
    jsonAnswer({ success: true, result: { transcription_info, text: ' Hello there.', segments, vtt: '' } }),
  );
  const heard = await client.audio.transcriptions.create({
    model: turbo,
    file: await upload(),
    language: 'en',
    prompt: 'names',
    response_format: 'verbose_json',
    timestamp_granularities: ['word'],
  });
  assert.equal([heard.text, heard.language, heard.duration], ['Hello there.', 'en', 61]);
  assert.equal(heard.words?.[1], { word: ' there.', start: 0.5, end: 1 });
  const audio = sounds.wav(2).toString('base64');
  assert.equal(bodyOf(upstream, 0), { audio, task: 'transcribe', language: 'en', initial_prompt: 'names' });
  await client.audio.translations.create({ model: turbo, file: await upload() });
  assert.equal(bodyOf(upstream, 1), { audio, task: 'translate' });
  assert.is((await harness.rows())[0]?.promptTokens, 1017);
});

test('the older Whisper takes the bytes alone, and its words become sentences', async (context) => {
  const { client, harness, upstream } = context;
  const words = ['One', 'two.', 'Three'].map((word, at) => ({ word, start: at, end: at + 1 }));
  upstream.script(jsonAnswer({ success: true, result: { text: 'One two. Three', word_count: 3, words } }));
  const asked = { model: whisper, file: await upload(), language: 'en', response_format: 'srt' as const };
  const told = String(await client.audio.transcriptions.create(asked));
  assert.match(told, /00:00:00,000 --> 00:00:02,000\s+One two\.\s+2\s+00:00:02,000 --> 00:00:03,000\s+Three/);
  assert.is(upstream.requests[0]?.headers['content-type'], 'application/octet-stream');
  assert.equal(upstream.requests[0]?.body, Buffer.from(sounds.wav(2)));
  assert.equal((await harness.rows())[0]?.facts.dropped_fields, ['language']);
  const refused = client.audio.translations.create({ model: whisper, file: await upload() }).catch(statusOf);
  assert.is(await refused, 400);
  assert.is(upstream.requests.length, 1);
});

test('a recogniser at Hugging Face is asked for times where the form needs them', async ({ client, upstream }) => {
  upstream.script(jsonAnswer({ text: ' Hi.', chunks: [{ text: ' Hi.', timestamp: [0, 1.5] }] }));
  assert.equal(await client.audio.transcriptions.create({ model: large, file: await upload() }), { text: 'Hi.' });
  const inputs = sounds.wav(2).toString('base64');
  assert.is(upstream.requests[0]?.url, `/hf-inference/models/${large}`);
  assert.equal(bodyOf(upstream, 0), { inputs });
  const vtt = await client.audio.transcriptions.create({ model: large, file: await upload(), response_format: 'vtt' });
  assert.match(String(vtt), /00:00:00\.000 --> 00:00:01\.500/);
  assert.equal(bodyOf(upstream, 1), { inputs, parameters: { return_timestamps: true } });
});

test.run();
