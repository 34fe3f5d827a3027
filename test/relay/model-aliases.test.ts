/**
 * The names that a key gives to models (C28): listed, followed, paid and logged as what they stand for. Every path that
 * names a model has its turn in `every-route.test.ts`. Runs once: no store decides it.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonAnswer, sseAnswer } from '../support/fake-upstream.ts';
import { type HarnessStarts, startsHarnesses } from '../support/harness-starts.ts';
import { chatRequest, completion, streamOf } from './wire.ts';

const test = suite<HarnessStarts>('relay: names that a key gives to models');

startsHarnesses(test);

test('lists the names that a key gives to models it may use, in three shapes', async ({ start, upstream }) => {
  const modelMapping = '{"mine":"long","long":"gpt-4o","gpt-4o-mini":"gone","far":"gone"}';
  const harness = await start({ token: { modelMapping, modelLimitsEnabled: true, modelLimits: 'gpt-4o,gpt-4o-mini' } });
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${harness.url}${path}`, { headers: { 'x-api-key': harness.key, ...headers } });
    return answer.json();
  };
  const names = ['gpt-4o', 'long', 'mine'];
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  const openai = await get('/v1/models');
  assert.equal(idsOf(openai.data), names);
  assert.is(openai.data.at(-1).owned_by, 'openai');
  assert.equal(idsOf((await get('/v1/models', { 'anthropic-version': '2023-06-01' })).data), names);
  const gemini = await get('/v1beta/models');
  assert.equal(
    gemini.models.map(({ name }: { name: string }) => name),
    names.map((name) => `models/${name}`),
  );
  assert.is((await get('/v1/models/mine')).id, 'mine');
  assert.is((await get('/v1/models/far')).error.code, 'model_not_found');
  const refused = await harness.post('/v1/chat/completions', { ...chatRequest, model: 'far' });
  assert.equal([refused.status, (await refused.json()).error.code], [403, 'model_not_allowed']);
  assert.is(upstream.requests.length, 0);
});

const paths = ['/v1/chat/completions', '/v1/messages'] as const;
for (const path of paths) {
  for (const stream of [false, true]) {
    test(`counts by the weights of the model and not of its name: ${path}, ${stream ? 'streamed' : 'whole'}`, async ({
      start,
      upstream,
    }) => {
      const text = '你好，世界 12 345 678';
      const message = { role: 'assistant', content: text };
      const whole = completion({ usage: undefined, choices: [{ index: 0, message, finish_reason: 'stop' }] });
      upstream.script(stream ? sseAnswer(streamOf([text], false)) : jsonAnswer(whole));
      const harness = await start({ token: { modelMapping: '{"claude-mine":"gpt-4o"}' } });
      for (const model of ['gpt-4o', 'claude-mine']) {
        await (await harness.post(path, { ...chatRequest, model, max_tokens: 99, stream })).text();
      }
      const [direct, named] = await harness.rows();
      assert.is(direct?.facts.usage_estimated, true);
      assert.equal(
        [named?.promptTokens, named?.completionTokens, named?.quota],
        [direct?.promptTokens, direct?.completionTokens, direct?.quota],
      );
    });
  }
}

test('takes every name that a key does not know for what its `*` stands for', async ({ start, upstream }) => {
  const harness = await start({ token: { modelMapping: '{"*":"any","any":"gpt-4o-mini","gpt-4o":"gpt-4o"}' } });
  for (const [asked, model] of [
    ['anything', 'gpt-4o-mini'],
    ['gpt-4o', 'gpt-4o'],
  ] as const) {
    const response = await harness.post('/v1/chat/completions', { ...chatRequest, model: asked });
    assert.is((await response.json()).model, asked === model ? 'gpt-4o-2024-08-06' : asked);
    assert.is(JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '{}').model, model);
  }
  const [mapped, plain] = await harness.rows();
  const { is_model_mapped, upstream_model_name, requested_model_name } = mapped?.facts ?? {};
  assert.equal([is_model_mapped, upstream_model_name, requested_model_name], [true, 'gpt-4o-mini', 'anything']);
  assert.equal([plain?.facts.is_model_mapped, plain?.facts.requested_model_name], [undefined, undefined]);
});

test.run();
