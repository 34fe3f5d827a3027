/**
 * Embeddings of words and media: Ark's one vector for all of a request, Jina's vector for each entry (relay.md 5.5).
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { logRowOf } from '../support/log-row.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
}

const test = suite<World>('relay/media embeddings');

const vision = 'doubao-embedding-vision-250615';
const png = 'data:image/png;base64,QUFB';
const page = 'https://example.com/cat.mp4';
const words = { type: 'text', text: 'a cat' };
const picture = { type: 'image_url', image_url: { url: png } };
const film = { type: 'video_url', video_url: { url: page } };

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  world.daemon = await startTestDaemon({ options: { SelfUseModeEnabled: 'true', RetryTimes: '0' } });
  const base_url = world.upstream.url;
  await world.daemon.addChannel({ type: 45, base_url, models: `${vision},ep-1,doubao-embedding-large-text-250515` });
  await world.daemon.addChannel({ type: 38, base_url, models: 'jina-clip-v2' });
  await world.daemon.addChannel({ type: 34, base_url, models: 'embed-v4.0,embed-english-v3.0' });
  world.key = await world.daemon.addKey();
});

test.before.each(({ upstream }) => {
  upstream.requests.length = 0;
  // Ark's vector is the number of the request, so that the order shows.
  upstream.script(({ url }) =>
    url.endsWith('/multimodal')
      ? jsonAnswer({
          model: vision,
          data: { object: 'embedding', embedding: [upstream.requests.length, 0.5] },
          usage: { prompt_tokens: 9, total_tokens: 9, prompt_tokens_details: { image_tokens: 6, text_tokens: 3 } },
        })
      : jsonAnswer({
          object: 'list',
          model: 'm',
          data: [
            { object: 'embedding', index: 0, embedding: [1] },
            { object: 'embedding', index: 1, embedding: [2] },
          ],
          usage: { total_tokens: 7 },
        }),
  );
});

test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

function ask({ daemon, key }: World, body: object, path = '/v1/embeddings'): Promise<Response> {
  return fetch(`${daemon.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

function sent({ upstream }: World): [string, unknown][] {
  return upstream.requests.map(({ url, body }) => [url, JSON.parse(String(body))]);
}

const multimodal = '/api/v3/embeddings/multimodal';

test('makes one vector of words, images and videos at Ark, and bills what it reports', async (world) => {
  const input = [words, picture, film];
  const answer = await ask(world, { model: vision, input, dimensions: 1024, instructions: 'find' });
  const { object, data, model, usage } = await answer.json();
  assert.equal([object, model, usage], ['list', vision, { prompt_tokens: 9, total_tokens: 9 }]);
  assert.equal(data, [{ object: 'embedding', index: 0, embedding: [1, 0.5] }]);
  assert.equal(sent(world), [
    [multimodal, { model: vision, input, encoding_format: 'float', dimensions: 1024, instructions: 'find' }],
  ]);
  assert.is((await logRowOf(world.daemon, answer)).prompt_tokens, 9);
});

test('asks Ark once for each text, where a model knows no other interface', async (world) => {
  const answer = await ask(world, { model: vision, input: ['one', 'two'], encoding_format: 'base64' });
  const { data, usage } = await answer.json();
  const place = ({ embedding }: { embedding: string }) => Buffer.from(embedding, 'base64').readFloatLE(0);
  assert.equal([data.length, usage.prompt_tokens], [2, 18]);
  assert.equal(data.map(place).toSorted(), [1, 2]);
  const texts = sent(world).map(([url, body]) => [url, JSON.stringify(body).match(/"text":"(\w+)"/)?.[1]]);
  assert.equal(texts.toSorted(), [
    [multimodal, 'one'],
    [multimodal, 'two'],
  ]);
});

test('tells by the request what an endpoint of Ark is asked in', async (world) => {
  await ask(world, { model: 'ep-1', input: [picture, 'a cat'] });
  await ask(world, { model: 'ep-1', input: ['a cat', 'a dog'] });
  await ask(world, { model: 'doubao-embedding-large-text-250515', input: 'a cat' });
  assert.equal(sent(world), [
    [multimodal, { model: 'ep-1', input: [picture, words], encoding_format: 'float' }],
    ['/api/v3/embeddings', { model: 'ep-1', input: ['a cat', 'a dog'] }],
    ['/api/v3/embeddings', { model: 'doubao-embedding-large-text-250515', input: 'a cat' }],
  ]);
});

test('serves the parts of a Gemini client from Ark', async (world) => {
  const parts = [{ text: 'a cat' }, { inlineData: { mimeType: 'image/png', data: 'QUFB' } }];
  const answer = await ask(world, { content: { parts } }, `/v1beta/models/${vision}:embedContent`);
  assert.equal((await answer.json()).embedding.values, [1, 0.5]);
  assert.equal(sent(world), [[multimodal, { model: vision, input: [words, picture], encoding_format: 'float' }]]);
});

test('refuses parts of other kinds, and media at vendors that embed words alone', async (world) => {
  for (const input of [[{ type: 'input_audio' }], [{ type: 'image_url' }], [{}]]) {
    const answer = await ask(world, { model: vision, input });
    assert.equal([answer.status, (await answer.json()).error.code], [400, 'invalid_request']);
  }
  const tokens = await ask(world, { model: vision, input: [1, 2] });
  assert.equal([tokens.status, (await tokens.json()).error.code], [400, 'convert_request_failed']);
  const address = { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } };
  for (const [model, part] of [
    ['embed-english-v3.0', picture],
    ['embed-v4.0', address],
    ['embed-v4.0', film],
  ] as const) {
    const elsewhere = await ask(world, { model, input: [words, part] });
    assert.equal([elsewhere.status, (await elsewhere.json()).error.code], [400, 'convert_request_failed'], model);
  }
  assert.equal(sent(world), []);
});

test('makes one vector of words and images at Cohere', async (world) => {
  const meta = { billed_units: { input_tokens: 3, image_tokens: 6 } };
  world.upstream.script(jsonAnswer({ id: 'e', embeddings: { float: [[1, 0.5]] }, meta }));
  const answer = await ask(world, { model: 'embed-v4.0', input: [words, picture] });
  const { data, usage } = await answer.json();
  assert.equal([data, usage.prompt_tokens], [[{ object: 'embedding', index: 0, embedding: [1, 0.5] }], 9]);
  const [[url, body] = []] = sent(world);
  assert.is(url, '/v2/embed');
  assert.equal(body, {
    model: 'embed-v4.0',
    inputs: [{ content: [words, picture] }],
    input_type: 'search_document',
    embedding_types: ['float'],
    truncate: 'END',
  });
});

test('shows an answer of Ark without a vector as a failure', async (world) => {
  world.upstream.script(() => jsonAnswer({ data: {}, usage: { prompt_tokens: 9 } }));
  const answer = await ask(world, { model: vision, input: [words] });
  assert.ok(answer.status >= 500);
});

test('writes the parts of a chat in Jina’s words, each entry with a vector of its own', async (world) => {
  const address = 'https://example.com/cat.png';
  const input = ['a dog', words, picture, { type: 'image_url', image_url: address }, { image: png }, { pdf: 'QUFB' }];
  const answer = await ask(world, { model: 'jina-clip-v2', input, user: 'u', normalized: true });
  assert.is(answer.status, 200);
  assert.equal(sent(world), [
    [
      '/v1/embeddings',
      {
        model: 'jina-clip-v2',
        input: [
          { text: 'a dog' },
          { text: 'a cat' },
          { image: 'QUFB' },
          { image: address },
          { image: 'QUFB' },
          { pdf: 'QUFB' },
        ],
        normalized: true,
      },
    ],
  ]);
  assert.is((await logRowOf(world.daemon, answer)).prompt_tokens, 7);
});

test('leaves lists of texts to Jina as they are', async (world) => {
  await ask(world, { model: 'jina-clip-v2', input: ['a', 'b'], encoding_format: 'float' });
  assert.equal(sent(world), [
    ['/v1/embeddings', { model: 'jina-clip-v2', input: ['a', 'b'], embedding_type: 'float' }],
  ]);
});

test.run();
