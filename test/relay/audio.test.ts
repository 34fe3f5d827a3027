/** Speech and transcripts: bytes that flow, forms that are streamed on, lengths that are billed (relay.md 5.7, 5.8). */
import OpenAI, { toFile } from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { gate } from '../support/gate.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { recordedAnswer, recordedBody } from '../support/recorded-call.ts';
import * as sounds from '../support/sound-files.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: audio');

const models = 'tts-1,gpt-4o-mini-tts,whisper-1,gpt-4o-transcribe,speech-02-hd,gemini-2.5-flash-preview-tts,voxtral';
const ratios = { 'speech-02-hd': 1, voxtral: 1, 'gpt-4o-mini-tts': 1, 'gpt-4o-transcribe': 1 };

test.before.each(async (context) => {
  const { shippedOptionDefaults } = await import('../../daemon/domain/options.ts');
  context.upstream = await startFakeUpstream();
  const ModelRatio = { ...shippedOptionDefaults().ModelRatio, ...ratios };
  context.harness = await GatewayHarness.start({ channels: [], options: { ModelRatio } });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

function serve({ harness, upstream }: Context, type = 1): void {
  harness.setChannels([{ id: 1, type, baseUrl: upstream.url, models, keys: ['sk-upstream'] }]);
}

function sdk(harness: GatewayHarness): OpenAI {
  return new OpenAI({ apiKey: `sk-${harness.key}`, baseURL: `${harness.url}/v1`, maxRetries: 0 });
}

const input = 'héllo 👍';

test('passes speech on byte by byte, billed by the characters that were read', async (context) => {
  const { harness, upstream } = context;
  serve(context);
  const sound = recordedAnswer('openai/oa-audio-speech--default-body-returns-mp3');
  upstream.script({ ...sound, headers: { ...sound.headers, 'content-disposition': 'attachment', server: 'x' } });
  const spoken = await sdk(harness).audio.speech.create({ model: 'tts-1', voice: 'alloy', input });
  const passed = ['content-type', 'content-disposition', 'server'].map((name) => spoken.headers.get(name));
  assert.equal(passed, ['audio/mpeg', 'attachment', null]);
  assert.equal(Buffer.from(await spoken.arrayBuffer()), sound.chunks?.[0]);
  const [row] = await harness.rows();
  // relay.md 19.1, 8: seven code points.
  assert.equal([row?.quota, row?.promptTokens, row?.facts.audio], [53, 7, true]);
  assert.ok(Math.abs(Number(row?.facts.seconds) - 0.504) < 0.001, String(row?.facts.seconds));
});

test('lets the first bytes go before the last ones have come, and breaks the connection where the upstream does', async (context) => {
  const { harness, upstream } = context;
  serve(context);
  const part = sounds.mp3(10);
  const { open: finish, opened: goOn } = gate();
  upstream.script({ headers: { 'content-type': 'audio/mpeg' }, chunks: [part, part], goOn: () => goOn, end: 'reset' });
  const response = await harness.post('/v1/audio/speech', { model: 'tts-1', voice: 'alloy', input });
  const reader = response.body?.getReader();
  const first = await reader?.read();
  assert.ok((first?.value?.length ?? 0) > 0);
  finish();
  await assertRejects(async () => {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read());
  });
  const [row] = await harness.rows();
  assert.is(row?.facts.settle_reason, 'upstream_eof');
});

async function assertRejects(work: () => Promise<void>): Promise<void> {
  assert.is(await work().catch(() => 'broken'), 'broken', 'the body looked complete');
}

test('bills other voices by text and by the length of the sound, and by the upstream’s word where it gives one', async (context) => {
  const { harness, upstream } = context;
  serve(context);
  upstream.script({ headers: { 'content-type': 'audio/wav' }, chunks: [sounds.wav(6)] });
  const asked = { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'two words' };
  await (await harness.post('/v1/audio/speech', { ...asked, response_format: 'wav' })).arrayBuffer();
  upstream.script({ headers: { 'content-type': 'audio/pcm' }, chunks: [Buffer.alloc(48_000 * 3)] });
  await (await harness.post('/v1/audio/speech', { ...asked, response_format: 'pcm' })).arrayBuffer();
  const events = [
    { type: 'speech.audio.delta', audio: 'aGk=' },
    { type: 'speech.audio.done', usage: { input_tokens: 20, output_tokens: 55, total_tokens: 75 } },
  ];
  upstream.script({
    headers: { 'content-type': 'text/event-stream' },
    chunks: events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
  });
  const streamed = await harness.post('/v1/audio/speech', { ...asked, stream_format: 'sse' });
  assert.is(await streamed.text(), events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ completionTokens, promptTokens, isStream }) => [completionTokens, promptTokens > 0, isStream]),
    [
      [100, true, false],
      [50, true, false],
      [55, true, true],
    ],
  );
  assert.is(rows[2]?.promptTokens, 20);
  assert.is(rows[0]?.facts.usage_estimated, true);
});

test('makes sound of what vendors wrap into JSON', async (context) => {
  const { harness, upstream } = context;
  serve(context, 35);
  const mp3 = sounds.mp3(5);
  upstream.script(
    jsonAnswer({
      data: { audio: mp3.toString('hex'), status: 2 },
      extra_info: { audio_format: 'mp3', usage_characters: 9 },
      base_resp: { status_code: 0 },
    }),
  );
  // OpenAI's voices are none of this vendor's.
  const minimax = await harness.post('/v1/audio/speech', { model: 'speech-02-hd', voice: 'alloy', input, speed: 3 });
  assert.is(minimax.headers.get('content-type'), 'audio/mpeg');
  assert.equal(Buffer.from(await minimax.arrayBuffer()), mp3);
  assert.equal(JSON.parse(upstream.requests[0]?.body.toString() ?? ''), {
    model: 'speech-02-hd',
    text: input,
    stream: false,
    voice_setting: { voice_id: 'male-qn-qingse', speed: 2 },
    audio_setting: { format: 'mp3' },
    output_format: 'hex',
  });
  assert.is(upstream.requests[0]?.url, '/v1/t2a_v2');
  serve(context, 42);
  upstream.script(recordedAnswer('mistral/oa-audio-speech--speech-basic-functionality-mistral-voxtral-mini-tts-late'));
  const mistral = await harness.post('/v1/audio/speech', { model: 'voxtral', voice: 'alloy', input });
  assert.is(JSON.parse(upstream.requests[1]?.body.toString() ?? '').voice, 'en_paul_neutral', 'nor of this one’s');
  assert.is(mistral.headers.get('content-type'), 'audio/mpeg');
  assert.is(Buffer.from(await mistral.arrayBuffer()).toString('latin1', 0, 3), 'ID3');
  serve(context, 24);
  const samples = Buffer.alloc(48_000, 1).toString('base64');
  upstream.script(
    jsonAnswer({
      candidates: [
        { content: { parts: [{ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: samples } }] } },
      ],
      usageMetadata: {
        promptTokenCount: 4,
        candidatesTokenCount: 25,
        candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 25 }],
      },
    }),
  );
  const model = 'gemini-2.5-flash-preview-tts';
  const gemini = await harness.post('/v1/audio/speech', { model, voice: 'Puck', input, response_format: 'wav' });
  const spoken = Buffer.from(await gemini.arrayBuffer());
  assert.is(spoken.toString('latin1', 8, 12), 'WAVE');
  assert.is(spoken.length, 48_044);
  const { speechConfig } = JSON.parse(upstream.requests[2]?.body.toString() ?? '').generationConfig;
  assert.equal(speechConfig, { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Puck' } } });
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ promptTokens }) => promptTokens).filter((_, index) => index !== 1),
    [9, 4],
  );
  assert.is(rows[0]?.quota, 9);
  upstream.script(jsonAnswer({ candidates: [{ content: {}, finishReason: 'SAFETY' }] }));
  assert.is((await harness.post('/v1/audio/speech', { model, input })).status, 400, 'a filter took it');
});

test('streams an upload on and bills it by the length that its header tells', async (context) => {
  const { harness, upstream } = context;
  serve(context);
  upstream.script(jsonAnswer({ text: 'hello' }));
  // 61.2 seconds: larger than what stays in memory is never read again to be measured.
  const file = sounds.wav(61.2);
  const heard = await sdk(harness).audio.transcriptions.create({
    model: 'whisper-1',
    file: await toFile(file, 'talk.wav', { type: 'audio/wav' }),
    language: 'en',
    timestamp_granularities: ['word', 'segment'],
  });
  assert.is(heard.text, 'hello');
  const [request] = upstream.requests;
  assert.is(request?.url, '/v1/audio/transcriptions');
  const form = await new Response(new Uint8Array(request?.body ?? []), {
    headers: { 'content-type': String(request?.headers['content-type']) },
  }).formData();
  assert.equal(form.getAll('timestamp_granularities[]'), ['word', 'segment']);
  const sent = form.get('file');
  assert.ok(sent instanceof File && sent.name === 'talk.wav' && sent.type === 'audio/wav' && sent.size === file.length);
  const [row] = await harness.rows();
  // relay.md 19.1, 7
  assert.equal([row?.quota, row?.promptTokens], [3099, 1033]);
  assert.is(row?.facts.duration_estimated, undefined);
  assert.ok(Math.abs(Number(row?.facts.seconds) - 61.2) < 0.01);
});

interface Reported {
  readonly recording: string;
  readonly type: number;
  readonly model: string;
  readonly quota: number;
  readonly path?: string;
}

const reported: readonly Reported[] = [
  {
    recording: 'openai/oa-audio-transcriptions--transcription-basic-functionality-openai-whisper-1-can-t',
    type: 1,
    model: 'whisper-1',
    // Four seconds: 67 tokens at ratio 3.
    quota: 201,
  },
  {
    recording: 'mistral/oa-audio-transcriptions--transcription-basic-functionality-mistral-voxtral-mini-l-v2',
    type: 42,
    model: 'voxtral',
    quota: 5 + 375 + 11,
  },
  // Without a report: the two seconds of the file.
  { recording: 'groq/oa-audio-transcriptions--groq-transcription-text', type: 106, model: 'whisper-1', quota: 99 },
  {
    recording: 'cohere/oa-audio-transcriptions--transcription-basic-functionality-cohere-cohere-transcri',
    type: 34,
    model: 'whisper-1',
    quota: 99,
    path: '/v2/audio/transcriptions',
  },
];

function upload(
  { harness }: Context,
  path: string,
  fields: Record<string, string>,
  file = sounds.wav(2),
): Promise<Response> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(file)], { type: 'audio/wav' }), 'a.wav');
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return fetch(`${harness.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${harness.key}` },
    body: form,
  });
}

test('bills what recorded transcripts report, and the file where they report nothing', async (context) => {
  const { harness, upstream } = context;
  for (const { recording, type, model, path } of reported) {
    serve(context, type);
    upstream.script(recordedAnswer(recording));
    const response = await upload(context, '/v1/audio/transcriptions', { model });
    assert.is(response.status, 200, recording);
    assert.equal(await response.json(), recordedBody(recording));
    if (path !== undefined) assert.is(upstream.requests.at(-1)?.url, path);
  }
  assert.equal(
    (await harness.rows()).map(({ quota }) => quota),
    reported.map(({ quota }) => quota),
  );
});

test('passes every form of a transcript, streams among them', async (context) => {
  const { harness, upstream } = context;
  serve(context);
  for (const [form, type] of [
    ['text', 'text/plain; charset=utf-8'],
    ['srt', 'text/plain; charset=utf-8'],
    ['vtt', 'text/vtt; charset=utf-8'],
  ] as const) {
    const body = `${form} says <b>hello</b>\n`;
    upstream.script({ headers: { 'content-type': 'text/html' }, chunks: [body] });
    const response = await upload(context, '/v1/audio/translations', { model: 'whisper-1', response_format: form });
    assert.is(response.headers.get('content-type'), type);
    assert.is(await response.text(), body);
    assert.is(upstream.requests.at(-1)?.url, '/v1/audio/translations');
  }
  upstream.script(
    recordedAnswer(
      'openai/oa-audio-transcriptions--transcription-basic-functionality-openai-gpt-4o-transcri-stream-v2',
    ),
  );
  const stream = await sdk(harness).audio.transcriptions.create({
    model: 'gpt-4o-transcribe',
    file: await toFile(sounds.mp3(100), 'a.mp3'),
    stream: true,
  });
  let said = '';
  for await (const event of stream) if (event.type === 'transcript.text.delta') said += event.delta;
  assert.is(said, 'Ruby is a programming language designed for developer happiness.');
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ quota }) => quota),
    // Audio in at 2.4 times the ratio of text, text out at 4 times: the shipped prices.
    [99, 99, 99, Math.round(37 * 2.4 + 12 * 4)],
  );
  assert.is(rows[3]?.isStream, true);
});

/** A transcript that says who said what, and the events that bring it, as OpenAI's reference shows them, read 2026-11. */
const diarized = {
  task: 'transcribe',
  duration: 27.4,
  text: 'Agent: Thanks for calling. A: Hi, I want an ad.',
  segments: [
    {
      type: 'transcript.text.segment',
      id: 'seg_001',
      start: 0,
      end: 4.7,
      text: 'Thanks for calling.',
      speaker: 'agent',
    },
    { type: 'transcript.text.segment', id: 'seg_002', start: 4.7, end: 9, text: 'Hi, I want an ad.', speaker: 'A' },
  ],
  usage: { type: 'duration', seconds: 28 },
};

test('who said what passes as the upstream tells it, whole and as events', async (context) => {
  const { harness, upstream } = context;
  const model = 'gpt-4o-transcribe-diarize';
  harness.setChannels([{ id: 1, type: 1, baseUrl: upstream.url, models: model, keys: ['sk-upstream'] }]);
  upstream.script(jsonAnswer(diarized));
  const file = async () => toFile(sounds.mp3(10), 'a.mp3');
  const asked = { model, response_format: 'diarized_json', chunking_strategy: 'auto' } as const;
  const whole = await sdk(harness).audio.transcriptions.create({
    ...asked,
    file: await file(),
    known_speaker_names: ['agent'],
    known_speaker_references: ['data:audio/wav;base64,AAAA'],
  });
  assert.equal(whole, diarized);
  const sent = upstream.requests[0]?.body.toString('latin1') ?? '';
  for (const text of ['diarized_json', 'known_speaker_names[]', 'known_speaker_references[]', 'chunking_strategy']) {
    assert.ok(sent.includes(text), text);
  }
  const [first, second] = diarized.segments;
  const events = [
    { type: 'transcript.text.delta', delta: 'Thanks for calling.', segment_id: 'seg_001' },
    first,
    { type: 'transcript.text.delta', delta: ' Hi, I want an ad.', segment_id: 'seg_002' },
    second,
    { type: 'transcript.text.done', text: 'Thanks for calling. Hi, I want an ad.', usage: diarized.usage },
  ];
  upstream.script({
    headers: { 'content-type': 'text/event-stream' },
    chunks: events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
  });
  const heard: unknown[] = [];
  const stream = await sdk(harness).audio.transcriptions.create({ ...asked, file: await file(), stream: true });
  for await (const event of stream) heard.push(event);
  assert.equal(heard, events);
  // 28 seconds are 467 tokens (relay.md 5.8), each at the model's ratio (15.5).
  const rows = await harness.rows();
  assert.equal(
    rows.map(({ promptTokens, quota }) => [promptTokens, quota]),
    [1, 2].map(() => [467, Math.round(467 * 1.25)]),
  );
});

test('refuses what is no upload, and shows a refusal of the upstream', async (context) => {
  const { harness, upstream } = context;
  serve(context);
  const path = '/v1/audio/transcriptions';
  assert.is((await harness.post(path, { model: 'whisper-1', file: 'x' })).status, 400);
  assert.is((await upload(context, path, { model: 'whisper-1', response_format: 'doc' })).status, 400);
  assert.is((await upload(context, path, { model: 'whisper-1' }, Buffer.alloc(5 * 1024 * 1024))).status, 413);
  for (const body of [{ model: 'tts-1' }, { model: 'tts-1', input: '' }, { model: 'tts-1', input, speed: 9 }]) {
    assert.is((await harness.post('/v1/audio/speech', body)).status, 400);
  }
  assert.is(upstream.requests.length, 0);
  upstream.script(recordedAnswer('openai/oa-audio-transcriptions--rejected-request-surfaces-the-provider-body'));
  const refused = await upload(context, path, { model: 'whisper-1' });
  assert.is(refused.status, 400);
  assert.is(typeof (await refused.json()).error.message, 'string');
  assert.is((await harness.rows())[0]?.quota, 0);
});

test('sends the whole upload again to the next channel', async (context) => {
  const { harness, upstream } = context;
  harness.setOptions({ RetryTimes: 1, ModelRatio: { 'whisper-1': 3 } });
  harness.setChannels([
    { id: 1, type: 1, baseUrl: upstream.url, models, keys: ['a'], priority: 1 },
    { id: 2, type: 1, baseUrl: upstream.url, models, keys: ['b'] },
  ]);
  upstream.script((_, index) =>
    index === 0 ? jsonAnswer({ error: { message: 'no' } }, 503) : jsonAnswer({ text: 'hello' }),
  );
  const response = await upload(context, '/v1/audio/transcriptions', { model: 'whisper-1' }, sounds.wav(100));
  assert.is(response.status, 200);
  const [first, second] = upstream.requests.map(({ body }) => body.length);
  assert.ok(first !== undefined && first > 1_600_000 && first === second);
  assert.is((await harness.rows()).length, 1);
});

test.run();
