/**
 * DashScope's speakers over their socket, through a whole daemon: the sound goes on while it is made.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeTaskSocket, startFakeTaskSocket, type TaskStep } from '../support/fake-task-socket.ts';
import { allWithSockets, rowOf, type SocketWorld, secret, startListeningWorld } from '../support/listening-world.ts';
import { addSpeechCases, piece, speaker } from './dashscope-speech-cases.ts';

type World = SocketWorld<FakeTaskSocket>;

const speakers = [
  'cosyvoice-v3-flash',
  'cosyvoice-v3.5-flash',
  'cosyvoice-v2',
  'qwen-audio-3.0-tts-plus',
  'sambert-zhichu-v1',
];

const test = suite<World>('DashScope’s speakers');
allWithSockets(test, startFakeTaskSocket, async (world) => {
  await startListeningWorld(world, { base_url: `${world.sockets.url}/compatible-mode/v1`, models: speakers });
});

const counted = (characters: number, name: 'result-generated' | 'task-finished'): TaskStep => {
  const output = name === 'result-generated' ? { type: 'sentence-end', sentence: { index: 0, words: [] } } : {};
  return { event: name, payload: { output, usage: { characters } } };
};
const spoken: readonly TaskStep[] = [
  { event: 'result-generated', payload: { output: { type: 'sentence-begin', sentence: { index: 0 } } } },
  { sound: piece(1) },
  counted(7, 'result-generated'),
  { sound: piece(2) },
  counted(12, 'task-finished'),
];

const speak = speaker({ model: 'cosyvoice-v3-flash', voice: 'longanyang' });

test('speech is asked for step by step, goes on as it comes and costs the characters that were reported', async (world) => {
  world.sockets.script({ answer: spoken });
  const response = await speak(world, { input: 'a'.repeat(25_000), speed: 3, instructions: 'gently' });
  assert.is(response.status, 200);
  assert.is(response.headers.get('content-type'), 'audio/mpeg');
  assert.equal(Buffer.from(await response.arrayBuffer()), Buffer.concat([piece(1), piece(2)]));
  const [asked] = world.sockets.requests;
  assert.is(asked?.url.pathname, '/api-ws/v1/inference');
  assert.is(asked?.headers.authorization, `Bearer ${secret}`);
  assert.equal(asked?.run.payload, {
    task_group: 'audio',
    task: 'tts',
    function: 'SpeechSynthesizer',
    model: 'cosyvoice-v3-flash',
    parameters: {
      text_type: 'PlainText',
      voice: 'longanyang',
      format: 'mp3',
      sample_rate: 24_000,
      rate: 2,
      instruction: 'gently',
    },
    input: {},
  });
  assert.equal(
    asked?.texts.map((text) => text.length),
    [10_000, 10_000, 5000],
  );
  const row = await rowOf(world, response);
  assert.equal([row.prompt_tokens, row.completion_tokens, row.quota], [12, 0, 12]);
});

test('models that are billed by tokens report those', async (world) => {
  const usage = { input_tokens: 14, output_tokens: 100, output_tokens_details: { audio_tokens: 100 } };
  world.sockets.script({ answer: [{ sound: piece(1) }, { event: 'task-finished', payload: { output: {}, usage } }] });
  const response = await speak(world, { model: 'qwen-audio-3.0-tts-plus', voice: 'longanlufeng' });
  await response.arrayBuffer();
  const row = await rowOf(world, response);
  assert.equal([row.prompt_tokens, row.completion_tokens], [14, 100]);
});

test('Sambert’s models are voices, and are given the whole text at once', async (world) => {
  const said = counted(6, 'result-generated');
  world.sockets.script({ answer: [{ sound: piece(1) }, said, { sound: piece(2) }, counted(13, 'task-finished')] });
  const response = await speak(world, { model: 'sambert-zhichu-v1', voice: 'zhichu', speed: 0.3 });
  assert.equal(Buffer.from(await response.arrayBuffer()), Buffer.concat([piece(1), piece(2)]));
  const [asked] = world.sockets.requests;
  assert.match(JSON.stringify(asked?.run.header), '"streaming":"out"');
  assert.equal(asked?.run.payload, {
    task_group: 'audio',
    task: 'tts',
    function: 'SpeechSynthesizer',
    model: 'sambert-zhichu-v1',
    parameters: { text_type: 'PlainText', format: 'mp3', sample_rate: 24_000, rate: 0.5 },
    input: { text: 'hello' },
  });
  assert.equal(asked?.texts, []);
  assert.is((await rowOf(world, response)).quota, 13);
  const opus = await speak(world, { model: 'sambert-zhichu-v1', voice: 'alloy', response_format: 'opus' });
  assert.is(opus.headers.get('content-type'), 'audio/mpeg');
  await opus.arrayBuffer();
});

test('no pair of surrogates is torn apart between two commands', async (world) => {
  world.sockets.script({ answer: spoken });
  const text = `${'a'.repeat(9999)}😀b`;
  await (await speak(world, { input: text })).arrayBuffer();
  assert.equal(world.sockets.requests[0]?.texts, ['a'.repeat(9999), '😀b']);
});

test('voices and forms are those of the model, and what it lacks is named', async (world) => {
  world.sockets.script({ answer: spoken });
  const cases = [
    [{ voice: 'alloy', response_format: 'opus' }, 'longanyang', 'opus', 'audio/ogg', undefined],
    [{ model: 'cosyvoice-v2', voice: 'echo', instructions: 'x' }, 'longxiaochun_v2', 'mp3', 'audio/mpeg', 'voice'],
    [{ model: 'qwen-audio-3.0-tts-plus', voice: 'nova', response_format: 'pcm' }, 'longanlingxi', 'pcm', 'audio/pcm'],
    [{ model: 'cosyvoice-v3.5-flash', voice: 'mine-1', response_format: 'flac' }, 'mine-1', 'mp3', 'audio/mpeg'],
  ] as const;
  for (const [asked, voice, format, type] of cases) {
    const response = await speak(world, asked);
    assert.is(response.headers.get('content-type'), type);
    await response.arrayBuffer();
    const { payload } = world.sockets.requests.at(-1)?.run ?? {};
    const text = JSON.stringify(payload);
    assert.match(text, `"voice":"${voice}","format":"${format}"`);
    assert.is(text.includes('instruction'), false);
  }
  const count = world.sockets.requests.length;
  const refused = await speak(world, { model: 'cosyvoice-v3.5-flash', voice: 'alloy' });
  assert.is(refused.status, 400);
  assert.is((await refused.json()).error.code, 'convert_request_failed');
  assert.is(world.sockets.requests.length, count);
});

test('who asks for events gets each piece as one, and the usage at the end', async (world) => {
  world.sockets.script({ answer: spoken });
  const response = await speak(world, { stream_format: 'sse' });
  assert.match(response.headers.get('content-type') ?? '', 'text/event-stream');
  const events = (await response.text()).trim().split('\n\n');
  const told = events.map((event) => JSON.parse(event.replace(/^data: /, '')));
  assert.equal(told, [
    { type: 'speech.audio.delta', audio: piece(1).toString('base64') },
    { type: 'speech.audio.delta', audio: piece(2).toString('base64') },
    { type: 'speech.audio.done', usage: { input_tokens: 12, output_tokens: 0, total_tokens: 12 } },
  ]);
  assert.is((await rowOf(world, response)).quota, 12);
  world.sockets.script({ answer: [{ sound: piece(1) }, { end: 'break' }] });
  const broken = await (await speak(world, { stream_format: 'sse' })).text();
  assert.match(broken, '"error"');
  assert.is(broken.includes('speech.audio.done'), false);
});

/** The vendor's code, and the status that the client gets. */
const refusals: readonly (readonly [code: string, status: number])[] = [
  ['InvalidParameter', 400],
  ['DataInspectionFailed', 400],
  ['ModelNotFound', 404],
  ['Throttling.RateQuota', 429],
  ['InternalError.Algo', 500],
  ['ServiceUnavailable', 503],
  ['SomethingNew', 502],
];

for (const [code, status] of refusals) {
  test(`a task that fails with ${code} before a sound is a refusal with status ${status}, and free`, async (world) => {
    const failed = { event: 'task-failed', header: { error_code: code, error_message: `no, ${secret}` } };
    for (const script of [{ answer: [failed] }, { opening: [failed], answer: [] }]) {
      await world.free();
      world.sockets.script(script);
      const response = await speak(world, {});
      const text = await response.text();
      assert.is(response.status, status, text);
      assert.is(text.includes(secret), false);
      assert.is((await rowOf(world, response)).quota, 0);
    }
    assert.is(world.sockets.requests.length, 2);
  });
}

test('a task that ends without a sound, or before it began, is no answer', async (world) => {
  const scripts = [
    { answer: [{ event: 'task-finished', payload: {} }] },
    { opening: [{ end: 'close' }], answer: [] },
    { opening: [{ end: 'break' }], answer: [] },
  ] as const;
  for (const script of scripts) {
    await world.free();
    world.sockets.script(script);
    const response = await speak(world, {});
    assert.ok(response.status >= 500, await response.text());
    assert.is((await rowOf(world, response)).quota, 0);
  }
});

test('a client that does not read holds the upstream back', async (world) => {
  const megabytes = 96;
  const sound = Buffer.alloc(1024 * 1024);
  world.sockets.script({ answer: [{ sound, times: megabytes }, counted(5, 'task-finished')] });
  const response = await speak(world, {});
  const reader = response.body?.getReader();
  await reader?.read();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const held = world.sockets.requests.at(-1)?.unsent() ?? 0;
  assert.ok(held > (megabytes / 2) * sound.length, `only ${held} bytes were held back`);
  let bytes = 0;
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    bytes += next.value.length;
  }
  assert.ok(bytes > (megabytes - 1) * sound.length, String(bytes));
  assert.is((await rowOf(world, response)).quota, 5);
});

addSpeechCases<TaskStep, World>(test, {
  speak,
  spoke: { sound: piece(1) },
  counted: counted(7, 'result-generated'),
  failed: { event: 'task-failed', header: { error_code: 'InternalError', error_message: 'engine' } },
});

test.run();
