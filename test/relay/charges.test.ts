/** What a charge does not depend on: whether the answer streams (REQ-3), what name it echoes, and its form (REQ-24). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { type ClientWorld, everyModel, rowsOf, startClientWorld, stopClientWorld } from '../support/client-world.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import * as sounds from '../support/sound-files.ts';
import { saying } from '../support/speaking-upstream.ts';

const charges = suite<ClientWorld>('charges');

charges.before(async (world) => {
  Object.assign(world, await startClientWorld());
  const ones = Object.fromEntries(everyModel.map((model) => [model, 1]));
  const { root } = world.daemon;
  // What upstreams call themselves in every answer would be dear.
  await root.options.set({ key: 'ModelRatio', value: JSON.stringify({ ...ones, 'upstream-model': 1000 }) });
  await root.options.set({ key: 'CompletionRatio', value: JSON.stringify({ ...ones, 'upstream-model': 9 }) });
  await root.options.set({
    key: 'CacheRatio',
    value: JSON.stringify(Object.fromEntries(everyModel.map((m) => [m, 0.5]))),
  });
});
charges.after(stopClientWorld);

/** The same question in each dialect, streamed or not. */
function questions(model: string, stream: boolean): readonly (readonly [path: string, body: JsonObject])[] {
  const messages = [{ role: 'user', content: 'hi' }];
  const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return [
    ['/v1/chat/completions', { model, messages, stream }],
    ['/v1/responses', { model, input: 'hi', stream }],
    ['/v1/messages', { model, max_tokens: 100, messages, stream }],
    [`/v1beta/models/${model}:${action}`, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
  ];
}

for (const model of everyModel) {
  charges(`are the same in every dialect of ${model}, whole and streamed, whatever name is echoed`, async (world) => {
    const { daemon, key, upstream } = world;
    upstream.script(saying({ text: 'pong', usage: { prompt: 120, completion: 7, cached: 100 } }));
    const bills: unknown[] = [];
    for (const stream of [false, true]) {
      for (const [path, body] of questions(model, stream)) {
        const answer = await fetch(daemon.url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          body: JSON.stringify(body),
        });
        assert.is(answer.status, 200, await answer.text());
        const [row] = await rowsOf(world, model, bills.length + 1);
        bills.push([row?.quota, row?.completion_tokens]);
      }
    }
    // 20 fresh, 100 from the cache at half, 7 said.
    assert.equal(bills, Array(8).fill([77, 7]));
  });
}

charges('do not change with the form in which an answer is wanted', async (world) => {
  const { daemon, key, upstream } = world;
  await daemon.addChannel({ base_url: upstream.url, models: 'dall-e-2,whisper-1' });
  upstream.script(({ url }) =>
    url.includes('/images/')
      ? jsonAnswer({ created: 1, data: [{ url: 'https://images.example/1', b64_json: 'aGk=' }] })
      : jsonAnswer({ text: 'hello', duration: 4, segments: [], language: 'en' }),
  );
  const authorization = `Bearer ${key}`;
  const bills: Record<string, Set<number | undefined>> = { 'dall-e-2': new Set(), 'whisper-1': new Set() };
  for (const [at, form] of ['url', 'b64_json'].entries()) {
    const answer = await fetch(`${daemon.url}/v1/images/generations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify({ model: 'dall-e-2', prompt: 'a cat', response_format: form }),
    });
    assert.is(answer.status, 200, await answer.text());
    bills['dall-e-2']?.add((await rowsOf(world, 'dall-e-2', at + 1))[0]?.quota);
  }
  for (const [at, form] of ['json', 'verbose_json'].entries()) {
    const body = new FormData();
    body.set('model', 'whisper-1');
    body.set('file', new Blob([new Uint8Array(sounds.wav(4))], { type: 'audio/wav' }), 'a.wav');
    body.set('response_format', form);
    const answer = await fetch(`${daemon.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization },
      body,
    });
    assert.is(answer.status, 200, await answer.text());
    bills['whisper-1']?.add((await rowsOf(world, 'whisper-1', at + 1))[0]?.quota);
  }
  for (const [model, quotas] of Object.entries(bills)) {
    assert.is(quotas.size, 1, `${model}: ${[...quotas]}`);
    assert.ok(
      [...quotas].every((quota) => (quota ?? 0) > 0),
      model,
    );
  }
});

charges.run();
