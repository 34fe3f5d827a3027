/**
 * DashScope's Qwen speakers in sessions over a socket, through a whole daemon: the sound goes on while it is made.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeSessionSocket, type SessionStep, startFakeSessionSocket } from '../support/fake-session-socket.ts';
import { allWithSockets, rowOf, type SocketWorld, secret, startListeningWorld } from '../support/listening-world.ts';
import { resolvesWithin } from '../support/until.ts';
import { addSpeechCases, piece, speaker } from './dashscope-speech-cases.ts';

type World = SocketWorld<FakeSessionSocket>;

const model = 'qwen3-tts-flash-realtime';
const speakers = [model, 'qwen3-tts-instruct-flash-realtime', 'qwen3-tts-vc-realtime-2026-01-15', 'qwen-tts-realtime'];

const test = suite<World>('DashScope’s speakers in sessions');
allWithSockets(test, startFakeSessionSocket, async (world) => {
  await startListeningWorld(world, { base_url: `${world.sockets.url}/compatible-mode/v1`, models: speakers });
  const value = JSON.stringify(Object.fromEntries(speakers.map((name) => [name, 1])));
  await world.daemon.root.options.set({ key: 'CompletionRatio', value });
});

const spoke = (fill: number): SessionStep => ({
  type: 'response.audio.delta',
  response_id: 'resp_1',
  delta: piece(fill).toString('base64'),
});
/** As the vendor's reference of server events shows it, read 2026-11. */
const done = (usage: { readonly [name: string]: number | Readonly<Record<string, number>> }): SessionStep => ({
  type: 'response.done',
  response: { id: 'resp_1', object: 'realtime.response', status: 'completed', voice: 'Cherry', usage },
});
const created: SessionStep = { type: 'response.created', response: { status: 'in_progress', output: [] } };
const finished: SessionStep = { type: 'session.finished' };
const spoken: readonly SessionStep[] = [
  created,
  spoke(1),
  done({ characters: 7 }),
  created,
  spoke(2),
  { type: 'response.audio.done' },
  done({ characters: 5 }),
  finished,
];

const speak = speaker({ model, voice: 'Ethan' });

test('a session is set up, told the text and left when all has been spoken; it costs what its parts report', async (world) => {
  world.sockets.script({ answer: spoken });
  const response = await speak(world, { input: 'a'.repeat(4500), speed: 3, instructions: 'gently' });
  assert.is(response.status, 200);
  assert.is(response.headers.get('content-type'), 'audio/mpeg');
  assert.equal(Buffer.from(await response.arrayBuffer()), Buffer.concat([piece(1), piece(2)]));
  const [asked] = world.sockets.requests;
  assert.is(asked?.url.href, `ws://upstream/api-ws/v1/realtime?model=${model}`);
  assert.is(asked?.headers.authorization, `Bearer ${secret}`);
  assert.equal(asked?.session, {
    voice: 'Ethan',
    speech_rate: 2,
    mode: 'server_commit',
    response_format: 'mp3',
    sample_rate: 24_000,
  });
  assert.equal(
    asked?.events.map(({ type, text }) => [type, String(text).length]),
    [2000, 2000, 500].map((length) => ['input_text_buffer.append', length]),
  );
  await resolvesWithin(2000, asked?.closed);
  const row = await rowOf(world, response);
  assert.equal([row.prompt_tokens, row.completion_tokens, row.quota], [12, 0, 12]);
});

test('the first of these models speaks samples only, which become a file, and costs tokens', async (world) => {
  const usage = { total_tokens: 67, input_tokens: 3, output_tokens: 64, output_tokens_details: { audio_tokens: 64 } };
  world.sockets.script({ answer: [spoke(1), spoke(2), done(usage), finished] });
  const response = await speak(world, { model: 'qwen-tts-realtime', speed: 2 });
  assert.is(response.headers.get('content-type'), 'audio/wav');
  const file = Buffer.from(await response.arrayBuffer());
  assert.is(file.toString('latin1', 0, 4) + file.toString('latin1', 8, 16), 'RIFFWAVEfmt ');
  assert.equal([file.readUInt16LE(22), file.readUInt32LE(24), file.readUInt16LE(34)], [1, 24_000, 16]);
  assert.equal(file.subarray(44), Buffer.concat([piece(1), piece(2)]));
  assert.equal(world.sockets.requests[0]?.session, {
    voice: 'Ethan',
    mode: 'server_commit',
    response_format: 'pcm',
    sample_rate: 24_000,
  });
  const row = await rowOf(world, response);
  assert.equal([row.prompt_tokens, row.completion_tokens], [3, 64]);
  assert.equal(JSON.parse(row.other).dropped_fields, ['speed']);
});

test('voices, forms and instructions are those of the model, and what it lacks is named', async (world) => {
  world.sockets.script({ answer: spoken });
  const owned = 'qwen3-tts-vc-realtime-2026-01-15';
  const cases = [
    [{ voice: 'alloy', response_format: 'opus' }, { voice: 'Cherry', response_format: 'opus' }, 'audio/ogg'],
    [{ voice: 'Ethan', response_format: 'pcm' }, { voice: 'Ethan', response_format: 'pcm' }, 'audio/pcm'],
    [{ response_format: 'wav' }, { voice: 'Ethan', response_format: 'pcm' }, 'audio/wav'],
    [{ response_format: 'flac' }, { voice: 'Ethan', response_format: 'mp3' }, 'audio/mpeg'],
    [{ model: owned, voice: 'mine-1' }, { voice: 'mine-1', response_format: 'mp3' }, 'audio/mpeg'],
    [
      { model: 'qwen3-tts-instruct-flash-realtime', instructions: 'fast' },
      { voice: 'Ethan', instructions: 'fast', response_format: 'mp3' },
      'audio/mpeg',
    ],
  ] as const;
  for (const [asked, session, type] of cases) {
    const response = await speak(world, asked);
    assert.is(response.headers.get('content-type'), type);
    await response.arrayBuffer();
    const said = world.sockets.requests.at(-1)?.session;
    assert.equal(said, { ...session, mode: 'server_commit', sample_rate: 24_000 });
  }
  const count = world.sockets.requests.length;
  const refused = await speak(world, { model: owned, voice: 'alloy' });
  assert.is(refused.status, 400);
  const { error } = await refused.json();
  assert.equal([error.code, error.param], ['convert_request_failed', 'voice']);
  assert.is(world.sockets.requests.length, count);
});

test('who asks for events gets each piece as one, and the usage at the end', async (world) => {
  world.sockets.script({ answer: spoken });
  const response = await speak(world, { stream_format: 'sse' });
  const told = (await response.text())
    .trim()
    .split('\n\n')
    .map((event) => JSON.parse(event.replace(/^data: /, '')));
  assert.equal(told, [
    { type: 'speech.audio.delta', audio: piece(1).toString('base64') },
    { type: 'speech.audio.delta', audio: piece(2).toString('base64') },
    { type: 'speech.audio.done', usage: { input_tokens: 12, output_tokens: 0, total_tokens: 12 } },
  ]);
});

/** The vendor's code, and the status that the client gets. */
const refusals: readonly (readonly [code: string, status: number])[] = [
  ['invalid_value', 400],
  ['InvalidParameter', 400],
  ['ModelNotFound', 404],
  ['Throttling.RateQuota', 429],
  ['server_error', 500],
  ['SomethingNew', 502],
];

for (const [code, status] of refusals) {
  test(`an error ${code} before a sound is a refusal with status ${status}, and free`, async (world) => {
    const failed: SessionStep = { type: 'error', error: { code, message: `no, ${secret}` } };
    for (const script of [{ answer: [failed] }, { opening: [failed], answer: [] }]) {
      await world.free();
      world.sockets.script(script);
      const response = await speak(world, {});
      const text = await response.text();
      assert.is(response.status, status, text);
      assert.is(text.includes(secret), false);
      assert.is((await rowOf(world, response)).quota, 0);
    }
  });
}

test('a session that ends without a sound, or fails to make one, is no answer', async (world) => {
  const failed: SessionStep = {
    type: 'response.done',
    response: { status: 'failed', status_details: { error: { code: 'InternalError', message: 'engine' } } },
  };
  for (const answer of [[finished], [failed], [{ end: 'close' }], [{ end: 'break' }]] as const) {
    await world.free();
    world.sockets.script({ answer });
    const response = await speak(world, {});
    assert.ok(response.status >= 500, await response.text());
    assert.is((await rowOf(world, response)).quota, 0);
  }
});

addSpeechCases<SessionStep, World>(test, {
  speak,
  spoke: spoke(1),
  counted: done({ characters: 7 }),
  failed: { type: 'error', error: { code: 'InternalError', message: 'engine' } },
});

test.run();
