/**
 * DashScope's Qwen listeners in sessions over a socket, through a whole daemon: uploaded files are read out to them.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wavHead } from '../../daemon/relay/audio/wav-file.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { type FakeSessionSocket, type SessionStep, startFakeSessionSocket } from '../support/fake-session-socket.ts';
import {
  allWithSockets,
  listen,
  rowOf,
  type SocketWorld,
  secret,
  startListeningWorld,
} from '../support/listening-world.ts';
import * as sounds from '../support/sound-files.ts';
import { resolvesWithin } from '../support/until.ts';

type World = SocketWorld<FakeSessionSocket>;

const model = 'qwen3-asr-flash-realtime';

const test = suite<World>('DashScope’s listeners in sessions');
allWithSockets(test, startFakeSessionSocket, async (world) => {
  await startListeningWorld(world, { base_url: world.sockets.url, models: [model] });
});

const completed = 'conversation.item.input_audio_transcription.completed';
/** Events of one sentence as the vendor's reference shows them, read 2026-11. */
const heard = (id: string, start: number, transcript: string, rest: JsonObject = {}): readonly SessionStep[] => [
  { type: 'input_audio_buffer.speech_started', audio_start_ms: start, item_id: id },
  { type: 'conversation.item.input_audio_transcription.text', item_id: id, text: '', stash: 'Okay', language: 'en' },
  { type: 'input_audio_buffer.speech_stopped', audio_end_ms: start + 1250, item_id: id },
  { type: 'input_audio_buffer.committed', previous_item_id: '', item_id: id },
  { type: completed, item_id: id, content_index: 0, language: 'en', emotion: 'neutral', transcript, ...rest },
];
const finished: SessionStep = { type: 'session.finished' };
const conversation = [...heard('i1', 170, 'Okay, I got it.'), ...heard('i2', 61_250, 'And then?'), finished];

/** What was read out, put together. */
function soundOf({ sockets }: World): Buffer {
  const events = sockets.requests.at(-1)?.events ?? [];
  assert.ok(events.every(({ type }) => type === 'input_audio_buffer.append'));
  return Buffer.concat(events.map(({ audio }) => Buffer.from(String(audio), 'base64')));
}

function sessionOf({ sockets }: World): JsonObject {
  const session = sockets.requests.at(-1)?.session;
  return typeof session === 'object' && session !== null && !Array.isArray(session) ? session : {};
}

test('a file is read out once the session is set up, and costs its length where nothing is reported', async (world) => {
  world.sockets.script({ answer: conversation });
  const response = await listen(world, { model, language: 'en', prompt: 'names' });
  assert.equal(await response.json(), { text: 'Okay, I got it. And then?' });
  const [asked] = world.sockets.requests;
  assert.is(asked?.url.href, `ws://upstream/api-ws/v1/realtime?model=${model}`);
  assert.is(asked?.headers.authorization, `Bearer ${secret}`);
  assert.equal(asked?.session, {
    modalities: ['text'],
    input_audio_format: 'pcm',
    sample_rate: 8000,
    input_audio_transcription: { language: 'en', corpus: { text: 'names' } },
    turn_detection: { type: 'server_vad', threshold: 0, silence_duration_ms: 400 },
  });
  // Half a minute at 8 kHz, without the header.
  assert.is(soundOf(world).length, 30 * 16_000);
  await resolvesWithin(2000, asked?.closed);
  const row = await rowOf(world, response);
  assert.equal([row.prompt_tokens, row.quota], [500, 500]);
});

test('times of sentences are told in every form that has them, and seconds that are reported are paid for', async (world) => {
  const usage = { duration: 63 };
  world.sockets.script({ answer: [...heard('i1', 170, 'Okay, I got it.', { usage }), finished] });
  const verbose = await listen(world, { model, response_format: 'verbose_json', 'timestamp_granularities[]': 'word' });
  assert.equal(await verbose.json(), {
    task: 'transcribe',
    language: 'en',
    duration: 63,
    text: 'Okay, I got it.',
    segments: [{ id: 0, text: 'Okay, I got it.', start: 0.17, end: 1.42 }],
  });
  assert.is((await rowOf(world, verbose)).quota, 1050);
  const subtitles = await listen(world, { model, response_format: 'srt' });
  assert.is(await subtitles.text(), '1\n00:00:00,170 --> 00:00:01,420\nOkay, I got it.\n\n');
});

test('a file at another rate, of several channels, is read out at the rate that the model hears', async (world) => {
  world.sockets.script({ answer: conversation });
  // One second, 48 kHz, left and right: their mean is 300 throughout.
  const frames = Buffer.alloc(48_000 * 4);
  for (let at = 0; at < frames.length; at += 4) {
    frames.writeInt16LE(100, at);
    frames.writeInt16LE(500, at + 2);
  }
  const head = wavHead(48_000, frames.length);
  head.writeUInt16LE(2, 22);
  head.writeUInt32LE(192_000, 28);
  const response = await listen(world, { model }, { file: Buffer.concat([head, frames]) });
  assert.is(response.status, 200, await response.text());
  const sound = soundOf(world);
  assert.is(sessionOf(world).sample_rate, 16_000);
  assert.is(sound.length, 32_000);
  assert.ok(sound.every((byte, at) => byte === (at % 2 === 0 ? 300 & 0xff : 300 >> 8)));
});

test('Opus is read out as it is, and what the model cannot hear or tell is refused by name', async (world) => {
  world.sockets.script({ answer: conversation });
  const file = sounds.opus(2);
  assert.is((await listen(world, { model }, { file, type: 'audio/ogg' })).status, 200);
  assert.is(sessionOf(world).input_audio_format, 'opus');
  assert.equal(soundOf(world), file);
  const count = world.sockets.requests.length;
  const refusals = [
    ['file', await listen(world, { model }, { file: sounds.flac(2), type: 'audio/flac' })],
    ['response_format', await listen(world, { model, response_format: 'diarized_json' })],
  ] as const;
  for (const [field, refused] of refusals) {
    assert.is(refused.status, 400);
    const { error } = await refused.json();
    assert.equal([error.code, error.param], ['convert_request_failed', field]);
  }
  assert.is(world.sockets.requests.length, count);
});

test('a silent file has an empty text, and costs its length', async (world) => {
  world.sockets.script({ answer: [finished] });
  const response = await listen(world, { model });
  assert.equal(await response.json(), { text: '' });
  assert.is((await rowOf(world, response)).quota, 500);
});

const begun = conversation.slice(0, 3);
const failures: Readonly<Record<string, readonly [steps: readonly SessionStep[], status: number]>> = {
  'a socket that breaks': [[...begun, { waitMs: 20 }, { end: 'break' }], 502],
  'a socket that is closed too early': [[...conversation.slice(0, 5), { end: 'close' }], 502],
  'an error event': [[...begun, { type: 'error', error: { code: 'Throttling.RateQuota', message: 'slow' } }], 429],
  'a sentence that cannot be heard': [
    [
      {
        type: 'conversation.item.input_audio_transcription.failed',
        error: { code: 'InvalidParameter', message: 'noise' },
      },
    ],
    400,
  ],
  'silence for too long': [begun, 504],
};

for (const [name, [answer, status]] of Object.entries(failures)) {
  test(`${name} in the middle of a transcript is no answer and costs nothing`, async (world) => {
    world.sockets.script({ answer });
    const ask = () => listen(world, { model });
    const response = await (status === 504 ? world.impatiently(ask) : ask());
    assert.is(response.status, status, await response.text());
    assert.is((await rowOf(world, response)).quota, 0);
    await resolvesWithin(2000, world.sockets.requests.at(-1)?.closed);
  });
}

test('signs of life keep a long transcript going', async (world) => {
  const sign: SessionStep = { type: 'conversation.item.input_audio_transcription.text', item_id: 'i1', stash: 'may' };
  const signs = Array.from({ length: 6 }, (): SessionStep[] => [{ waitMs: 250 }, sign]).flat();
  world.sockets.script({ answer: [...signs, ...conversation] });
  const response = await world.impatiently(() => listen(world, { model }));
  assert.equal(await response.json(), { text: 'Okay, I got it. And then?' });
});

test('a client that leaves while a file is heard closes the socket', async (world) => {
  world.sockets.script({ answer: begun });
  const abort = new AbortController();
  const asking = listen(world, { model }, { signal: abort.signal }).catch(() => undefined);
  while (world.sockets.requests.at(-1)?.finished !== true) await new Promise((resolve) => setTimeout(resolve, 10));
  abort.abort();
  await asking;
  await resolvesWithin(2000, world.sockets.requests.at(-1)?.closed);
});

test.run();
