/**
 * DashScope's transcripts by task, through a whole daemon: the file goes into the vendor's storage first.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import OpenAI, { toFile } from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../daemon/relay/json.ts';
import {
  type Answer,
  type FakeUpstream,
  jsonAnswer,
  type RecordedRequest,
  startFakeUpstream,
} from '../support/fake-upstream.ts';
import {
  type ListeningWorld,
  listen,
  paidFor,
  rowOf,
  secret,
  sentence,
  startListeningWorld,
  talk,
  word,
} from '../support/listening-world.ts';

interface World extends ListeningWorld {
  upstream: FakeUpstream;
}

const test = suite<World>('DashScope’s recordings');

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  await startListeningWorld(world, {
    base_url: world.upstream.url,
    models: ['paraformer-v2', 'paraformer-8k-v2', 'fun-asr', 'qwen3-asr-flash-filetrans'],
    param_override: JSON.stringify({
      operations: [{ mode: 'set', path: 'parameters.disfluency_removal_enabled', value: true }],
    }),
  });
});

test.before.each(async ({ upstream, free }) => {
  upstream.requests.length = 0;
  await free();
});

test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

const submission = '/api/v1/services/audio/asr/transcription';
const look = '/api/v1/tasks/task-1';

/** What the vendor's own interface and its storage answer; a test replaces single places. */
function vendor(
  upstream: FakeUpstream,
  places: Readonly<Record<string, (request: RecordedRequest) => Answer>> = {},
): (request: RecordedRequest) => Answer {
  const task = (status: string, rest: JsonObject = {}, usage: JsonObject = {}) =>
    jsonAnswer({ request_id: 'r', output: { task_id: 'task-1', task_status: status, ...rest }, usage });
  const known: Record<string, (request: RecordedRequest) => Answer> = {
    '/api/v1/uploads': () =>
      jsonAnswer({
        request_id: 'r',
        data: {
          policy: 'the-policy',
          signature: 'the-signature',
          upload_dir: 'dashscope-instant/dir',
          upload_host: `${upstream.url}/storage`,
          expire_in_seconds: 300,
          max_file_size_mb: 100,
          oss_access_key_id: 'LTAI',
          x_oss_object_acl: 'private',
          x_oss_forbid_overwrite: 'true',
        },
      }),
    '/storage': () => ({ status: 200, chunks: [] }),
    // A task may be done as soon as it is given out.
    [submission]: () => {
      const transcription_url = `${upstream.url}/result.json?Signature=x`;
      const done = { file_url: 'oss://x', transcription_url, subtask_status: 'SUCCEEDED' };
      return task('SUCCEEDED', { results: [done] }, { duration: 9 });
    },
    '/result.json': () =>
      jsonAnswer({
        file_url: 'oss://x',
        properties: { audio_format: 'pcm_s16le', original_duration_in_milliseconds: 3834 },
        transcripts: [
          {
            channel_id: 0,
            content_duration_in_milliseconds: 3720,
            text: 'Hello world, 这里是阿里巴巴语音实验室。',
            sentences: [sentence(100, 'Hello world, 这里是阿里巴巴语音实验室。', { words: [word(100, 'Hello ', '')] })],
          },
        ],
      }),
    ...places,
  };
  return (request) => {
    const path = request.url.split('?')[0] ?? '';
    return known[path]?.(request) ?? { status: 404, chunks: ['nothing here'] };
  };
}

const steps = ['/api/v1/uploads', '/storage', submission];

function pathsOf({ requests }: FakeUpstream): string[] {
  return requests.map(({ url }) => url.split('?')[0] ?? '');
}

test('a file is put into the vendor’s storage, a task given out and its transcript fetched', async (world) => {
  const { upstream } = world;
  const done = vendor(upstream);
  const submitted = (request: RecordedRequest) => done({ ...request, url: submission });
  const running = vendor(upstream, { [submission]: stillRunning, [look]: stillRunning });
  upstream.script((request) => {
    if (upstream.requests.length < 5) return running(request);
    return request.url === look ? submitted(request) : done(request);
  });
  const response = await listen(world, { model: 'paraformer-v2', language: 'zh', response_format: 'verbose_json' });
  const text = 'Hello world, 这里是阿里巴巴语音实验室。';
  assert.equal(await response.json(), {
    task: 'transcribe',
    duration: 9,
    text,
    segments: [{ id: 0, text, start: 0.1, end: 1.35 }],
  });
  assert.equal(pathsOf(upstream), [...steps, look, look, '/result.json']);
  const [place, storage, submit, first] = upstream.requests;
  assert.is(`${place?.method} ${place?.url}`, 'GET /api/v1/uploads?action=getPolicy&model=paraformer-v2');
  assert.is(place?.body.length, 0);
  assert.is(place?.headers.authorization, `Bearer ${secret}`);
  // The storage is shown the form and nothing of the channel.
  assert.is(storage?.headers.authorization, undefined);
  const form = await new Response(new Uint8Array(storage?.body ?? []), {
    headers: { 'content-type': storage?.headers['content-type'] ?? '' },
  }).formData();
  const key = String(form.get('key'));
  assert.match(key, /^dashscope-instant\/dir\/audio-\w+\.wav$/);
  assert.equal([...form.keys()].at(-1), 'file');
  assert.equal(
    ['OSSAccessKeyId', 'Signature', 'policy', 'success_action_status'].map((name) => form.get(name)),
    ['LTAI', 'the-signature', 'the-policy', '200'],
  );
  const file = form.get('file');
  assert.ok(file instanceof Blob);
  assert.equal(Buffer.from(await file.arrayBuffer()), talk);
  assert.is(submit?.headers['x-dashscope-async'], 'enable');
  assert.is(submit?.headers['x-dashscope-ossresourceresolve'], 'enable');
  // What the operator overrides reaches the task.
  assert.equal(JSON.parse(submit?.body.toString() ?? ''), {
    model: 'paraformer-v2',
    input: { file_urls: [`oss://${key}`] },
    parameters: { language_hints: ['zh'], disfluency_removal_enabled: true },
  });
  assert.is(first?.headers.authorization, `Bearer ${secret}`);
  assert.is(first?.headers['x-dashscope-async'], undefined);
  const row = await rowOf(world, response);
  assert.equal([row.prompt_tokens, row.quota], [150, 150]);
});

test('Qwen’s task names one file, and tells its transcript in a place of its own', async (world) => {
  const { upstream } = world;
  const output = {
    task_id: 't',
    task_status: 'SUCCEEDED',
    result: { transcription_url: `${upstream.url}/result.json` },
  };
  const submitted = () => jsonAnswer({ request_id: 'r', output, usage: { seconds: 3 } });
  upstream.script(vendor(upstream, { [submission]: submitted }));
  const response = await listen(world, { model: 'qwen3-asr-flash-filetrans', response_format: 'srt' });
  assert.match(await response.text(), /^1\n00:00:00,100 --> 00:00:01,350\nHello world/);
  const { input } = JSON.parse(upstream.requests[2]?.body.toString() ?? '{}');
  assert.match(input.file_url, /^oss:\/\//);
  assert.is((await rowOf(world, response)).quota, 50);
});

/** Sentences of a file with two speakers, after the vendor's reference of results, read 2026-11. */
const turns = {
  '/result.json': () =>
    jsonAnswer({
      transcripts: [
        {
          channel_id: 0,
          text: 'How are you? Fine, thanks. Good.',
          sentences: [
            sentence(100, 'How are you?', { sentence_id: 1, speaker_id: 0 }),
            sentence(1500, 'Fine, thanks.', { sentence_id: 2, speaker_id: 1 }),
            sentence(3000, 'Good.', { sentence_id: 3, speaker_id: 0 }),
          ],
        },
      ],
    }),
};
const said = [
  { id: 'seg_001', start: 0.1, end: 1.35, text: 'How are you?', speaker: 'A' },
  { id: 'seg_002', start: 1.5, end: 2.75, text: 'Fine, thanks.', speaker: 'B' },
  { id: 'seg_003', start: 3, end: 4.25, text: 'Good.', speaker: 'A' },
].map((segment) => ({ type: 'transcript.text.segment', ...segment }));

test('who said what is asked for and told where a model tells speakers apart', async (world) => {
  const { upstream } = world;
  const text = 'How are you? Fine, thanks. Good.';
  const diarized = { response_format: 'diarized_json', chunking_strategy: 'auto' };
  for (const model of ['paraformer-v2', 'fun-asr']) {
    upstream.requests.length = 0;
    upstream.script(vendor(upstream, turns));
    const response = await listen(world, { model, ...diarized });
    assert.equal(await response.json(), { task: 'transcribe', duration: 9, text, segments: said });
    const { parameters } = JSON.parse(upstream.requests[2]?.body.toString() ?? '{}');
    assert.is(parameters.diarization_enabled, true);
    assert.is(JSON.parse((await rowOf(world, response)).other).dropped_fields, undefined);
  }
  const plain = await listen(world, { model: 'fun-asr', response_format: 'verbose_json' });
  assert.is(JSON.stringify(await plain.json()).includes('speaker'), false);
  const { parameters } = JSON.parse(upstream.requests.at(-2)?.body.toString() ?? '{}');
  assert.is(parameters.diarization_enabled, undefined);
  const count = upstream.requests.length;
  const refused = await listen(world, { model: 'qwen3-asr-flash-filetrans', ...diarized });
  assert.is(refused.status, 400);
  const { error } = await refused.json();
  assert.equal([error.code, error.param], ['convert_request_failed', 'response_format']);
  assert.is(upstream.requests.length, count);
});

test('OpenAI’s own client hears who said what, whole and as events', async (world) => {
  const { upstream, key, daemon } = world;
  upstream.script(vendor(upstream, turns));
  const client = new OpenAI({ apiKey: key, baseURL: `${daemon.url}/v1`, maxRetries: 0 });
  const asked = { model: 'fun-asr', response_format: 'diarized_json', chunking_strategy: 'auto' } as const;
  const file = () => toFile(talk, 'talk.wav', { type: 'audio/wav' });
  const whole = await client.audio.transcriptions.create({ ...asked, file: await file() });
  assert.equal(whole, { task: 'transcribe', duration: 9, text: whole.text, segments: said });
  const events = [];
  const stream = await client.audio.transcriptions.create({ ...asked, file: await file(), stream: true });
  for await (const event of stream) events.push(event);
  assert.equal(
    events.filter(({ type }) => type === 'transcript.text.segment'),
    said,
  );
  const deltas = events.flatMap((event) => (event.type === 'transcript.text.delta' ? [event] : []));
  assert.equal(
    deltas.map(({ segment_id: id }) => id),
    ['seg_001', 'seg_002', 'seg_003'],
  );
  assert.is(deltas.map(({ delta }) => delta).join(''), whole.text);
  const last = events.at(-1);
  assert.equal(last, { type: 'transcript.text.done', text: whole.text });
});

test('a file in which nobody speaks has an empty text', async (world) => {
  const { upstream } = world;
  const result = { subtask_status: 'FAILED', code: 'SUCCESS_WITH_NO_VALID_FRAGMENT', message: 'no speech' };
  const output = { task_id: 'task-1', task_status: 'FAILED', results: [result] };
  upstream.script(vendor(upstream, { [submission]: () => jsonAnswer({ output, usage: { duration: 0 } }) }));
  const response = await listen(world, { model: 'fun-asr' });
  assert.equal(await response.json(), { text: '' });
});

const stillRunning = () => jsonAnswer({ output: { task_id: 'task-1', task_status: 'RUNNING' } });
const failedTask = (code: string) => () =>
  jsonAnswer({ output: { task_id: 'task-1', task_status: 'FAILED', results: [{ code, message: 'm' }] } });
const place = (over: JsonObject) => () =>
  jsonAnswer({
    data: { upload_host: 'x', upload_dir: 'd', policy: 'p', signature: 's', oss_access_key_id: 'i', ...over },
  });

/** Where something goes wrong, what the client gets, and how many requests were made by then. */
const troubles: Readonly<
  Record<string, readonly [places: Parameters<typeof vendor>[1], status: number, asked: number]>
> = {
  'a wrong key': [{ '/api/v1/uploads': () => jsonAnswer({ code: 'InvalidApiKey', message: 'm' }, 401) }, 502, 1],
  'a region without storage': [
    { '/api/v1/uploads': () => jsonAnswer({ code: 'BadRequest', message: 'm' }, 400) },
    400,
    1,
  ],
  'a file above the limit': [{ '/api/v1/uploads': place({ max_file_size_mb: 0.1 }) }, 400, 1],
  'a place that means nothing': [{ '/api/v1/uploads': () => jsonAnswer({ data: {} }) }, 502, 1],
  'storage on a forbidden host': [{ '/api/v1/uploads': place({ upload_host: 'http://169.254.169.254/' }) }, 502, 1],
  'storage that is no address': [{ '/api/v1/uploads': place({ upload_host: 'file:///etc/passwd' }) }, 502, 1],
  'storage that refuses': [{ '/storage': () => ({ status: 403, chunks: ['<Error>AccessDenied</Error>'] }) }, 502, 2],
  'a task that is refused': [{ [submission]: () => jsonAnswer({ code: 'Throttling', message: 'm' }, 429) }, 429, 3],
  'a task that fails of the file': [{ [submission]: failedTask('InvalidFile.DecodeFailed') }, 400, 3],
  'a task that fails of the vendor': [{ [submission]: stillRunning, [look]: failedTask('InternalError') }, 500, 4],
  'a transcript that is gone': [{ '/result.json': () => ({ status: 404 }) }, 502, 4],
  'a transcript that is none': [{ '/result.json': () => jsonAnswer({ code: 'no' }) }, 502, 4],
};

for (const [name, [places, status, asked]] of Object.entries(troubles)) {
  test(`${name} is a refusal with status ${status}, and costs nothing`, async (world) => {
    const { upstream } = world;
    upstream.script(vendor(upstream, places));
    const response = await listen(world, { model: 'paraformer-v2' });
    const text = await response.text();
    assert.is(response.status, status, text);
    assert.is(upstream.requests.length, asked);
    assert.is(/169\.254|127\.0\.0\.1|LTAI|AccessDenied/.test(text), false, text);
    assert.is(await paidFor(world, response), 0);
  });
}

test('a client that leaves during a task is not waited for', async (world) => {
  const { upstream } = world;
  upstream.script(vendor(upstream, { [submission]: stillRunning, [look]: stillRunning }));
  const abort = new AbortController();
  const asking = listen(world, { model: 'fun-asr' }, { signal: abort.signal }).catch(() => undefined);
  while (upstream.requests.length < 4) await new Promise((resolve) => setTimeout(resolve, 10));
  abort.abort();
  await asking;
  const asked = upstream.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  assert.is(upstream.requests.length, asked);
});

test.run();
