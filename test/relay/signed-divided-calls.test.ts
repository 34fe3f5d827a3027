/**
 * Divided calls at a vendor whose requests are signed one by one: Baidu's texts and images (providers/baidu.md, V1).
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../support/daemon.ts';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { postJson, type RelayWorld, tidyBetween } from '../support/relay-world.ts';

const test = suite<RelayWorld>('relay: signed divided calls');
const model = 'Stable-Diffusion-XL';

test.before(async (world) => {
  world.upstream = await startFakeUpstream(({ url, body }) => {
    if (url.startsWith('/oauth/2.0/token')) return jsonAnswer({ access_token: '24.1', expires_in: 2_592_000 });
    const asked = JSON.parse(body.toString());
    if (asked.prompt === 'bad') return jsonAnswer({ error_code: 336_003, error_msg: 'prompt is bad' });
    const data = url.includes('text2image')
      ? Array.from({ length: asked.n }, (_, index) => ({ object: 'image', b64_image: 'aGk=', index }))
      : asked.input.map((text: string, index: number) => ({ object: 'embedding', embedding: [Number(text)], index }));
    const usage = { prompt_tokens: data.length, total_tokens: data.length };
    return jsonAnswer({ id: 'as-1', object: 'list', created: 5, data, usage });
  });
  world.daemon = await startTestDaemon({
    options: { ModelRatio: '{"Embedding-V1":1}', ModelPrice: `{"${model}":0.01}` },
  });
  const models = `Embedding-V1,${model}`;
  await world.daemon.addChannel({ type: 15, key: 'id|secret', base_url: world.upstream.url, models });
  world.key = await world.daemon.addKey();
});
tidyBetween(test);

function calls({ upstream }: RelayWorld): string[] {
  return upstream.requests.map(({ url }) => url).filter((url) => !url.startsWith('/oauth'));
}

test('every part carries the token that the key was traded for', async (world) => {
  const input = Array.from({ length: 33 }, (_, index) => String(index));
  const { status, body } = await postJson(world, '/v1/embeddings', { model: 'Embedding-V1', input });
  assert.is(status, 200, JSON.stringify(body));
  assert.equal(
    body.data.map(({ embedding }: { embedding: number[] }) => embedding[0]),
    input.map(Number),
  );
  assert.is(body.usage.total_tokens, 33);
  const address = '/rpc/2.0/ai_custom/v1/wenxinworkshop/embeddings/embedding-v1?access_token=24.1';
  assert.equal(calls(world), Array(3).fill(address));
});

test('five images are four and one', async (world) => {
  const { status, body } = await postJson(world, '/v1/images/generations', {
    model,
    prompt: 'a cat',
    n: 5,
    size: '1024x768',
    steps: 20,
    style: 'Anime',
    moderation: 'low',
  });
  assert.is(status, 200, JSON.stringify(body));
  assert.equal(body.data, Array(5).fill({ b64_json: 'aGk=' }));
  assert.equal(calls(world), Array(2).fill('/rpc/2.0/ai_custom/v1/wenxinworkshop/text2image/sd_xl?access_token=24.1'));
  const asked = world.upstream.requests
    .filter(({ url }) => url.includes('text2image'))
    .map((request) => JSON.parse(request.body.toString()));
  const rest = { prompt: 'a cat', size: '1024x768', steps: 20, style: 'Anime' };
  assert.equal(
    asked.sort((one, other) => other.n - one.n),
    [
      { ...rest, n: 4 },
      { ...rest, n: 1 },
    ],
  );
});

test('a refusal inside a success is none of the client’s images', async (world) => {
  const { status, body } = await postJson(world, '/v1/images/generations', { model, prompt: 'bad' });
  assert.is(status, 400);
  assert.match(body.error.message, /prompt is bad/);
});

test.run();
