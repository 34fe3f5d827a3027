/**
 * Predictions on Replicate: heard as they come, with large files handed in first, and called off when nobody waits.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../support/daemon.ts';
import { type Answer, jsonAnswer, type RecordedRequest, startFakeUpstream } from '../support/fake-upstream.ts';
import { until, untilPasses } from '../support/until.ts';
import { ask, stopVendorWorld, type VendorWorld } from '../support/vendor-world.ts';
import { picture } from './image-vendors.ts';

const test = suite<VendorWorld>('relay: Replicate');

const models = {
  llama: 'meta/meta-llama-3-70b-instruct',
  claude: 'anthropic/claude-4-sonnet',
  pro: 'black-forest-labs/flux-1.1-pro',
  banana: 'google/nano-banana',
  whole: 'acme/whole',
  eager: 'acme/eager',
  version: `stability-ai/sdxl:${'a1'.repeat(32)}`,
};

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  const ones = JSON.stringify(Object.fromEntries(Object.values(models).map((model) => [model, 1])));
  const prices = JSON.stringify({ [models.pro]: 0.01, [models.banana]: 0.01, [models.version]: 0.01 });
  world.daemon = await startTestDaemon({
    config: { 'limits.per_user.enabled': false },
    options: { ModelRatio: ones, CompletionRatio: ones, ModelPrice: prices, AutomaticDisableChannelEnabled: 'false' },
  });
  const { whole, eager, ...others } = models;
  const channel = { type: 109, key: 'r8_k', base_url: world.upstream.url };
  await world.daemon.addChannel({ ...channel, models: Object.values(others).join(',') });
  await world.daemon.addChannel({ ...channel, models: whole, setting: '{"stream_support":"NON_STREAM_ONLY"}' });
  await world.daemon.addChannel({ ...channel, models: eager, setting: '{"force_stream":true}' });
  world.key = await world.daemon.addKey();
});
test.after(stopVendorWorld);

const path = '/v1/predictions/p1';
const metrics = { input_token_count: 10, output_token_count: 2 };

/** A prediction that runs; its stream stands at another path of the same server, where keys must not be shown. */
function begun({ upstream }: VendorWorld, streams: 'streams' | 'silent' = 'streams') {
  const stream = streams === 'streams' ? { stream: `${upstream.url}/streams/s1` } : {};
  return { id: 'p1', status: 'starting', output: null, urls: { get: upstream.url + path, ...stream } };
}

const events = ['event: output\nid: 1:0\ndata: po\n\n', 'event: output\nid: 1:1\ndata: ng\ndata: \n\n'];
const done = 'event: done\ndata: {}\n\n';

function told(chunks: readonly string[], rest: Answer = {}): Answer {
  return { headers: { 'content-type': 'text/event-stream' }, chunks, ...rest };
}

interface Play {
  readonly stream?: Answer;
  /** Answers of the prediction itself, one after the other; the last stays. */
  readonly looks?: readonly unknown[];
}

/** Plays one prediction; returns the requests of it. */
function play(world: VendorWorld, { stream, looks = [] }: Play): () => RecordedRequest[] {
  const before = world.upstream.requests.length;
  let look = 0;
  world.upstream.script(({ method, url }) => {
    if (url === '/streams/s1') return stream ?? { status: 404 };
    if (url === `${path}/cancel`) return jsonAnswer({ id: 'p1', status: 'canceled' });
    if (method === 'POST') return jsonAnswer(begun(world, stream === undefined ? 'silent' : 'streams'), 201);
    const answer = looks[Math.min(look, looks.length - 1)];
    look += 1;
    return jsonAnswer(answer);
  });
  return () => world.upstream.requests.slice(before);
}

const ways = (requests: readonly RecordedRequest[]) => requests.map(({ method, url }) => `${method} ${url}`);
const succeeded = { id: 'p1', status: 'succeeded', output: ['po', 'ng\n'], metrics };
const create = `POST /v1/models/${models.llama}/predictions`;

/** Waits until it holds; fails with what was seen last. */
async function eventually(seen: () => readonly string[], wanted: readonly string[]): Promise<void> {
  await untilPasses(() => assert.equal(seen(), wanted));
}

test('a text is heard as it comes, and paid by what the prediction counted', async (world) => {
  const requests = play(world, { stream: told([...events, done]), looks: [succeeded] });
  const answer = await ask(world, models.llama, true);
  assert.equal([answer.content, answer.finish, answer.bill], ['pong\n', 'stop', [10, 2, 12]], answer.text);
  assert.equal(ways(requests()), [create, 'GET /streams/s1', `GET ${path}`]);
  const [first, stream, last] = requests();
  assert.equal([first?.headers.prefer, first?.headers.accept], [undefined, 'application/json']);
  assert.is(first?.headers['cancel-after'], '1h');
  assert.equal([stream?.headers.authorization, stream?.headers.accept], [undefined, 'text/event-stream']);
  assert.is(last?.headers.authorization, 'Bearer r8_k');
});

test('a long text that comes at once is paid by what the prediction counted, too', async (world) => {
  const sentences = Array.from({ length: 300 }, (_, at) => `${at}: nobody looks, and the fox comes back at noon. `);
  const said = sentences.map((sentence, at) => `event: output\nid: 1:${at}\ndata: ${sentence}\n\n`);
  const requests = play(world, { stream: told([[...said, done].join('')]), looks: [succeeded] });
  const answer = await ask(world, models.llama, true);
  assert.equal(answer.bill, [10, 2, 12]);
  assert.ok(answer.content === sentences.join(''));
  assert.equal(ways(requests()), [create, 'GET /streams/s1', `GET ${path}`]);
});

test('a stream that says its end and stays open is left, and what it lacks is looked up until it is there', async (world) => {
  const late = { ...succeeded, status: 'processing', metrics: {} };
  const requests = play(world, { stream: told([...events, done], { end: 'hang' }), looks: [late, succeeded] });
  const answer = await ask(world, models.llama, true);
  assert.equal([answer.content, answer.bill], ['pong\n', [10, 2, 12]], answer.text);
  assert.equal(ways(requests()).slice(2), [`GET ${path}`, `GET ${path}`]);
});

test('a prediction that cannot be looked up afterwards is counted here', async (world) => {
  play(world, { stream: told([...events, done]), looks: [{ id: 'p1', status: 'succeeded', metrics: {} }] });
  const { content, finish, bill } = await ask(world, models.llama, true);
  assert.equal([content, finish], ['pong\n', 'stop']);
  assert.ok(bill[1] > 0 && bill[2] > 0, String(bill));
});

test('a stream becomes one body for a client that asked for none', async (world) => {
  const requests = play(world, { stream: told([...events, done], { end: 'hang' }), looks: [succeeded] });
  const answer = await ask(world, models.eager, false);
  assert.equal([answer.content, answer.finish, answer.bill], ['pong\n', 'stop', [10, 2, 12]], answer.text);
  assert.is(requests().length, 3);
});

test('a model that streams nothing, or a channel that may not, is asked for the whole', async (world) => {
  const silent = play(world, { looks: [begun(world, 'silent'), succeeded] });
  const answer = await ask(world, models.llama, true);
  assert.equal([answer.content, answer.bill], ['pong\n', [10, 2, 12]], answer.text);
  assert.equal(ways(silent()), [create, `GET ${path}`, `GET ${path}`]);
  const forbidden = play(world, { stream: told([]), looks: [succeeded] });
  assert.is((await ask(world, models.whole, true)).content, 'pong\n');
  const [first, second] = forbidden();
  assert.equal([first?.headers.prefer, first?.headers['cancel-after']], ['wait=10', '10m']);
  assert.is(second?.url, path);
});

test('what went wrong in a stream is told as of any prediction', async (world) => {
  const failed = (detail: string) => [
    `event: error\ndata: ${JSON.stringify({ detail })}\n\n`,
    'event: done\ndata: {"reason":"error"}\n\n',
  ];
  for (const [chunks, status, text] of [
    [failed('CUDA out of memory'), 502, 'CUDA out of memory'],
    [failed('NSFW content detected'), 400, 'NSFW'],
    [['event: done\ndata: {"reason":"canceled"}\n\n'], 502, 'canceled'],
  ] as const) {
    const requests = play(world, { stream: told(chunks), looks: [{ id: 'p1', status: 'failed' }] });
    const answer = await ask(world, models.llama, true);
    assert.is(answer.status, status, answer.text);
    assert.match(answer.text, text);
    assert.equal(ways(requests()), [create, 'GET /streams/s1']);
  }
  play(world, { stream: told([...events, ...failed('lost the GPU')]), looks: [{ id: 'p1', status: 'failed' }] });
  const broken = await ask(world, models.llama, true);
  assert.equal([broken.status, broken.content, broken.finish], [200, 'pong\n', undefined]);
  assert.match(broken.text, 'lost the GPU');
});

/** Asks and leaves as soon as the upstream has been asked so many questions, or the first text is there. */
async function askAndLeave({ daemon, key, upstream }: VendorWorld, body: Record<string, unknown>, asked: number) {
  const leaving = new AbortController();
  const before = upstream.requests.length;
  const response = fetch(`${daemon.url}/v1/${body.prompt === undefined ? 'chat/completions' : 'images/generations'}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  response.then((answer) => answer.text()).catch(() => undefined);
  await until(() => upstream.requests.length - before >= asked);
  leaving.abort();
}

test('a prediction is called off when its client leaves, whatever it waits for', async (world) => {
  const messages = [{ role: 'user', content: 'hi' }];
  const cancel = `POST ${path}/cancel`;
  const streaming = play(world, { stream: told(events, { end: 'hang' }) });
  await askAndLeave(world, { model: models.llama, messages, stream: true }, 2);
  await eventually(() => ways(streaming()), [create, 'GET /streams/s1', cancel]);
  assert.is(streaming().at(-1)?.headers.authorization, 'Bearer r8_k');
  const polled = play(world, { looks: [begun(world, 'silent')] });
  await askAndLeave(world, { model: models.llama, messages }, 2);
  await eventually(() => ways(polled()), [create, `GET ${path}`, cancel]);
  const drawn = play(world, { looks: [begun(world, 'silent')] });
  await askAndLeave(world, { model: models.pro, prompt: 'a cat', n: 2 }, 4);
  await eventually(() => ways(drawn()).filter((way) => way === cancel), [cancel, cancel]);
});

test('a prediction is called off when its stream breaks', async (world) => {
  const requests = play(world, { stream: told(events, { end: 'reset' }), looks: [begun(world)] });
  const answer = await ask(world, models.llama, true);
  assert.equal([answer.content, answer.finish], ['pong\n', undefined]);
  await eventually(() => ways(requests()), [create, 'GET /streams/s1', `POST ${path}/cancel`]);
});

test('a stream that cannot be heard fails the attempt, and calls the prediction off', async (world) => {
  const requests = play(world, { stream: { status: 403, chunks: ['not for you'] } });
  const answer = await ask(world, models.llama, true);
  assert.is(answer.status, 502, answer.text);
  assert.not.match(answer.text, 'not for you');
  await eventually(() => ways(requests()), [create, 'GET /streams/s1', `POST ${path}/cancel`]);
});

const large = `data:image/png;base64,${Buffer.concat([picture, Buffer.alloc(300_000)]).toString('base64')}`;
const small = `data:image/png;base64,${picture.toString('base64')}`;

function takeFiles(world: VendorWorld, made: Answer): () => RecordedRequest[] {
  const before = world.upstream.requests.length;
  let files = 0;
  world.upstream.script(({ url }) => {
    if (url !== '/v1/files') return made;
    files += 1;
    return jsonAnswer({ id: `f${files}`, urls: { get: `https://api.replicate.com/v1/files/f${files}` } }, 201);
  });
  return () => world.upstream.requests.slice(before);
}

function inputOf(request: RecordedRequest | undefined): unknown {
  return JSON.parse(request?.body.toString() ?? '{}');
}

async function fileIn(request: RecordedRequest | undefined): Promise<File> {
  const type = String(request?.headers['content-type']);
  const body = new Uint8Array(request?.body ?? []);
  const file = (await new Response(body, { headers: { 'content-type': type } }).formData()).get('content');
  assert.instance(file, File);
  return file instanceof File ? file : new File([], '');
}

async function edit({ daemon, key }: VendorWorld, body: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${daemon.url}/v1/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'green', ...body }),
  });
  const text = await response.text();
  assert.is(response.status, 200, text);
}

test('a large picture in a chat is handed in first and named by its address', async (world) => {
  const requests = takeFiles(world, jsonAnswer(succeeded, 201));
  const response = await fetch(`${world.daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: models.claude,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'what?' },
            { type: 'image_url', image_url: { url: large } },
          ],
        },
      ],
    }),
  });
  assert.is(response.status, 200);
  const [upload, asked] = requests();
  assert.equal(ways(requests()), ['POST /v1/files', `POST /v1/models/${models.claude}/predictions`]);
  const file = await fileIn(upload);
  assert.equal([file.name, file.type, file.size], ['content.png', 'image/png', picture.length + 300_000]);
  assert.is(upload?.headers.authorization, 'Bearer r8_k');
  assert.equal(inputOf(asked), { input: { prompt: 'what?', image: 'https://api.replicate.com/v1/files/f1' } });
});

test('large pictures of an edit are handed in, small ones stay, and a version keeps its hash', async (world) => {
  const address = 'https://a.example/a.png';
  const images = [large, small, address].map((image_url) => ({ image_url }));
  const made = jsonAnswer({ id: 'p', status: 'succeeded', output: address }, 201);
  const banana = takeFiles(world, made);
  await edit(world, { model: models.banana, images });
  const first = 'https://api.replicate.com/v1/files/f1';
  assert.equal(inputOf(banana()[1]), { input: { prompt: 'green', image_input: [first, small, address] } });
  const sdxl = takeFiles(world, made);
  await edit(world, { model: models.version, images: [{ image_url: large }] });
  assert.equal(ways(sdxl()), ['POST /v1/files', 'POST /v1/predictions']);
  assert.equal(inputOf(sdxl()[1]), { input: { prompt: 'green', image: first }, version: models.version });
  const pro = takeFiles(world, made);
  await edit(world, { model: models.pro, images: [{ image_url: large }], n: 2 });
  assert.equal(
    ways(pro()).filter((way) => way === 'POST /v1/files').length,
    ways(pro()).filter((way) => way !== 'POST /v1/files').length,
  );
  assert.is(pro().length, 4);
});

test('a refused file is a refusal of the channel', async (world) => {
  world.upstream.script(jsonAnswer({ title: 'm', detail: 'too large', status: 422 }, 422));
  const response = await fetch(`${world.daemon.url}/v1/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'green', model: models.banana, images: [{ image_url: large }] }),
  });
  assert.is(response.status, 422);
  assert.match(await response.text(), 'too large');
});

test('the models that are called by their name alone are listed', async (world) => {
  const named = (owner: string, name: string) => ({ owner, name, url: 'u', is_official: true });
  const list = { name: 'Official', slug: 'official', models: [named('meta', 'llama'), named('google', 'veo'), {}] };
  world.upstream.script(jsonAnswer(list));
  const found = await world.daemon.root.channels.fetchModelsDraft({
    type: 109,
    key: 'r8_k',
    base_url: world.upstream.url,
  });
  assert.equal(found, ['meta/llama', 'google/veo']);
  const sent = world.upstream.requests.at(-1);
  assert.equal([sent?.url, sent?.headers.authorization], ['/v1/collections/official', 'Bearer r8_k']);
});

test.run();
