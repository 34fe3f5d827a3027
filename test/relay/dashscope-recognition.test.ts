/**
 * DashScope's listeners over their socket, through a whole daemon: uploaded files are read out to them.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import OpenAI, { toFile } from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { type FakeTaskSocket, startFakeTaskSocket, type TaskStep } from '../support/fake-task-socket.ts';
import {
  allWithSockets,
  listen,
  rowOf,
  type SocketWorld,
  secret,
  sentence,
  startListeningWorld,
  talk,
  word,
} from '../support/listening-world.ts';
import * as sounds from '../support/sound-files.ts';
import { resolvesWithin } from '../support/until.ts';

type World = SocketWorld<FakeTaskSocket>;

const test = suite<World>('DashScope’s listeners');
allWithSockets(test, startFakeTaskSocket, async (world) => {
  const models = ['paraformer-realtime-v2', 'fun-asr-realtime', 'gummy-realtime-v1'];
  await startListeningWorld(world, { base_url: world.sockets.url, models });
});

const heard = (output: JsonObject, duration?: number): TaskStep => ({
  event: 'result-generated',
  payload: { output, usage: duration === undefined ? null : { duration } },
});
const finished: TaskStep = { event: 'task-finished', payload: { output: {}, usage: null } };

const conversation: readonly TaskStep[] = [
  heard({ sentence: sentence(170, 'Okay', { sentence_end: false, end_time: null }) }),
  heard({ sentence: sentence(170, 'Okay, I got it.', { words: [word(170, 'Okay', ','), word(470, 'I', '')] }) }, 2),
  heard({ sentence: { heartbeat: true, sentence_end: true, text: '' } }),
  heard({ sentence: sentence(61_250, 'And then?') }, 63),
  finished,
];

test('a file is read out once the task has begun, and costs the seconds that were reported', async (world) => {
  world.sockets.script({ answer: conversation });
  const response = await listen(world, { model: 'paraformer-realtime-v2', language: 'en', prompt: 'names' });
  assert.equal(await response.json(), { text: 'Okay, I got it. And then?' });
  const [asked] = world.sockets.requests;
  assert.is(asked?.url.pathname, '/api-ws/v1/inference');
  assert.is(asked?.headers.authorization, `Bearer ${secret}`);
  assert.equal(asked?.run.payload, {
    task_group: 'audio',
    task: 'asr',
    function: 'recognition',
    model: 'paraformer-realtime-v2',
    parameters: { format: 'wav', sample_rate: 8000, language_hints: ['en'] },
    input: {},
  });
  assert.ok(asked?.sound.every((frame) => frame.length <= 12_800));
  assert.equal(Buffer.concat(asked?.sound ?? []), talk);
  const row = await rowOf(world, response);
  // 63 seconds are 1050 tokens (relay.md 5.8).
  assert.equal([row.prompt_tokens, row.quota], [1050, 1050]);
});

test('times are told in every form that has them', async (world) => {
  world.sockets.script({ answer: conversation });
  const model = 'fun-asr-realtime';
  const verbose = await listen(world, { model, response_format: 'verbose_json', 'timestamp_granularities[]': 'word' });
  assert.equal(await verbose.json(), {
    task: 'transcribe',
    duration: 63,
    text: 'Okay, I got it. And then?',
    segments: [
      { id: 0, text: 'Okay, I got it.', start: 0.17, end: 1.42 },
      { id: 1, text: 'And then?', start: 61.25, end: 62.5 },
    ],
    words: [
      { word: 'Okay,', start: 0.17, end: 0.47 },
      { word: 'I', start: 0.47, end: 0.77 },
    ],
  });
  const subtitles = await listen(world, { model, response_format: 'srt' });
  assert.match(subtitles.headers.get('content-type') ?? '', 'text/plain');
  assert.is(
    await subtitles.text(),
    '1\n00:00:00,170 --> 00:00:01,420\nOkay, I got it.\n\n2\n00:01:01,250 --> 00:01:02,500\nAnd then?\n\n',
  );
  const captions = await listen(world, { model, response_format: 'vtt' });
  assert.match(await captions.text(), /^WEBVTT\n\n00:00:00\.170 --> 00:00:01\.420\nOkay, I got it\.\n\n/);
  assert.is(await (await listen(world, { model, response_format: 'text' })).text(), 'Okay, I got it. And then?');
  const speakers = await listen(world, { model, response_format: 'diarized_json' });
  assert.is(speakers.status, 400);
});

test('OpenAI’s own client hears the words, whole and as events', async (world) => {
  world.sockets.script({ answer: conversation });
  const client = new OpenAI({ apiKey: world.key, baseURL: `${world.daemon.url}/v1`, maxRetries: 0 });
  const file = () => toFile(talk, 'talk.wav', { type: 'audio/wav' });
  const model = 'fun-asr-realtime';
  assert.is(
    (await client.audio.transcriptions.create({ model, file: await file() })).text,
    'Okay, I got it. And then?',
  );
  const types: string[] = [];
  const stream = await client.audio.transcriptions.create({ model, file: await file(), stream: true });
  for await (const event of stream) types.push(event.type);
  assert.equal(types, ['transcript.text.delta', 'transcript.text.done']);
});

test('Gummy translates into English, and the others say that they do not', async (world) => {
  const chinese = sentence(100, '这是一句用来测试的文本。');
  const english = sentence(100, 'This is a text used for testing.', { lang: 'en' });
  world.sockets.script({ answer: [heard({ transcription: chinese, translations: [english] }, 3), finished] });
  const translated = await listen(world, { model: 'gummy-realtime-v1' }, { path: 'translations' });
  assert.equal(await translated.json(), { text: 'This is a text used for testing.' });
  assert.equal(parametersOf(world), {
    format: 'wav',
    sample_rate: 8000,
    transcription_enabled: false,
    translation_enabled: true,
    translation_target_languages: ['en'],
  });
  assert.is((await rowOf(world, translated)).quota, 50);
  const told = await listen(world, { model: 'gummy-realtime-v1', language: 'zh' });
  assert.equal(await told.json(), { text: '这是一句用来测试的文本。' });
  assert.is(parametersOf(world)?.source_language, 'zh');
  const refused = await listen(world, { model: 'fun-asr-realtime' }, { path: 'translations' });
  assert.is(refused.status, 400);
  assert.is((await refused.json()).error.code, 'convert_request_failed');
});

function parametersOf({ sockets }: World): JsonObject | undefined {
  const payload = sockets.requests.at(-1)?.run.payload;
  const parameters = typeof payload === 'object' && payload !== null && 'parameters' in payload && payload.parameters;
  return typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters) ? parameters : undefined;
}

test('files of other kinds name their form, and what no listener knows is refused', async (world) => {
  world.sockets.script({ answer: conversation });
  const model = 'fun-asr-realtime';
  const ogg = await listen(world, { model }, { file: sounds.opus(2), type: 'audio/ogg' });
  assert.is(ogg.status, 200);
  assert.equal(parametersOf(world), { format: 'opus', sample_rate: 16_000 });
  const flac = await listen(world, { model }, { file: sounds.flac(2), type: 'audio/flac' });
  assert.is(flac.status, 400, await flac.text());
  assert.is(world.sockets.requests.length, 1);
});

test('models that are billed by tokens report those', async (world) => {
  const usage = { input_tokens: 40, output_tokens: 6, total_tokens: 46 };
  const said = { event: 'result-generated', payload: { output: { sentence: sentence(1, 'Hi.') }, usage } };
  world.sockets.script({ answer: [said, finished] });
  const response = await listen(world, { model: 'fun-asr-realtime' });
  const row = await rowOf(world, response);
  assert.equal([row.prompt_tokens, row.completion_tokens], [40, 6]);
});

test('a silent file has an empty text, and costs its length', async (world) => {
  world.sockets.script({ answer: [finished] });
  const response = await listen(world, { model: 'paraformer-realtime-v2' });
  assert.equal(await response.json(), { text: '' });
  assert.is((await rowOf(world, response)).quota, 500);
});

const failures: Readonly<Record<string, readonly [steps: readonly TaskStep[], status: number]>> = {
  'a socket that breaks': [[...conversation.slice(0, 2), { waitMs: 20 }, { end: 'break' }], 502],
  'a socket that is closed too early': [[...conversation.slice(0, 2), { end: 'close' }], 502],
  'an error event': [
    [
      ...conversation.slice(0, 2),
      { event: 'task-failed', header: { error_code: 'Throttling.RateQuota', error_message: 'slow down' } },
    ],
    429,
  ],
  'a file that the vendor cannot read': [
    [{ event: 'task-failed', header: { error_code: 'InvalidParameter', error_message: 'unsupported' } }],
    400,
  ],
  'silence for too long': [conversation.slice(0, 2), 504],
};

for (const [name, [answer, status]] of Object.entries(failures)) {
  test(`${name} in the middle of a transcript is no answer and costs nothing`, async (world) => {
    world.sockets.script({ answer });
    const ask = () => listen(world, { model: 'paraformer-realtime-v2' });
    const response = await (status === 504 ? world.impatiently(ask) : ask());
    assert.is(response.status, status, await response.text());
    assert.is((await rowOf(world, response)).quota, 0);
    await resolvesWithin(2000, world.sockets.requests.at(-1)?.closed);
  });
}

test('signs of life keep a long transcript going', async (world) => {
  const signs = Array.from({ length: 6 }, (): TaskStep[] => [
    { waitMs: 250 },
    heard({ sentence: sentence(1, 'maybe', { sentence_end: false }) }),
  ]).flat();
  world.sockets.script({ answer: [...signs, ...conversation] });
  const response = await world.impatiently(() => listen(world, { model: 'paraformer-realtime-v2' }));
  assert.equal(await response.json(), { text: 'Okay, I got it. And then?' });
});

test('a client that leaves while a file is heard closes the socket', async (world) => {
  world.sockets.script({ answer: conversation.slice(0, 2) });
  const abort = new AbortController();
  const asking = listen(world, { model: 'paraformer-realtime-v2' }, { signal: abort.signal }).catch(() => undefined);
  while (world.sockets.requests.at(-1)?.finished !== true) await new Promise((resolve) => setTimeout(resolve, 10));
  abort.abort();
  await asking;
  await resolvesWithin(2000, world.sockets.requests.at(-1)?.closed);
});

test.run();
