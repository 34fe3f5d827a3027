/**
 * A channel's own instructions (`setting.system_prompt`), in the place that each upstream's dialect has for them.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../daemon/relay/json.ts';
import { at } from '../support/checkers/answer.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
}

const test = suite<World>('relay/system prompt');

const channels = [
  ['chat', 1, { responses_native: false }],
  ['codex', 1, {}],
  ['claude-sonnet-4-5', 14, {}],
  ['gemini-2.5-flash', 24, {}],
] as const;

test.before(async (world) => {
  // What comes back does not matter here.
  world.upstream = await startFakeUpstream(jsonAnswer({ error: { message: 'enough' } }, 400));
  world.daemon = await startTestDaemon({ options: { SelfUseModeEnabled: 'true' } });
  for (const [name, type, more] of channels) {
    for (const wins of [false, true]) {
      const setting = JSON.stringify({ ...more, system_prompt: 'House rules', system_prompt_override: wins });
      const models = `${name}${wins ? '-front' : ''}`;
      await world.daemon.addChannel({ type, base_url: world.upstream.url, models, setting });
    }
  }
  world.key = await world.daemon.addKey();
});

test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

const user = { role: 'user', content: 'hi' };

/** A request of each client, with and without instructions of its own. */
const clients = (model: string) =>
  [
    [
      '/v1/chat/completions',
      { model, messages: [user] },
      { model, messages: [{ role: 'system', content: 'Own' }, user] },
    ],
    ['/v1/responses', { model, input: 'hi' }, { model, input: 'hi', instructions: 'Own' }],
    [
      '/v1/messages',
      { model, messages: [user], max_tokens: 9 },
      { model, messages: [user], max_tokens: 9, system: 'Own' },
    ],
    [
      `/v1beta/models/${model}:generateContent`,
      { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
      { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], systemInstruction: { parts: [{ text: 'Own' }] } },
    ],
  ] as const;

/** The instructions that stand on the upstream's wire, whatever its dialect. */
function instructionsOf(body: Json): string {
  const place =
    at(body, 'instructions') ??
    at(body, 'system') ??
    at(body, 'systemInstruction', 'parts') ??
    at(body, 'messages', 0, 'content') ??
    '';
  if (typeof place === 'string') return place;
  return Array.isArray(place) ? place.map((part) => at(part, 'text')).join('') : '';
}

for (const [name] of channels) {
  test(`stand where ${name} reads them, whoever asks`, async (world) => {
    const ask = async (path: string, body: unknown) => {
      await fetch(world.daemon.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return instructionsOf(JSON.parse(world.upstream.requests.at(-1)?.body.toString() ?? 'null'));
    };
    for (const [path, without, own] of clients(name)) {
      assert.is(await ask(path, without), 'House rules', path);
      assert.is(await ask(path, own), 'Own', path);
    }
    for (const [path, without, own] of clients(`${name}-front`)) {
      assert.is(await ask(path, without), 'House rules', path);
      assert.is(await ask(path, own), 'House rules\nOwn', path);
    }
  });
}

test('stand beside a part that stands alone instead of in a list', async ({ daemon, key, upstream }) => {
  const own = { text: 'Own' };
  for (const [model, told] of [
    ['gemini-2.5-flash', own],
    ['gemini-2.5-flash-front', [{ text: 'House rules\n' }, own]],
  ]) {
    const body = { contents: [{ parts: [{ text: 'hi' }] }], systemInstruction: { parts: own } };
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const path = `${daemon.url}/v1beta/models/${model}:generateContent`;
    await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    const sent = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? 'null');
    assert.equal(sent.systemInstruction.parts, told);
  }
});

test('stand before instructions among the items of Responses only where they win', async ({
  daemon,
  key,
  upstream,
}) => {
  for (const [model, told] of [
    ['codex', undefined],
    ['codex-front', 'House rules'],
  ]) {
    const input = [{ role: 'developer', content: 'Own' }, user];
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    await fetch(`${daemon.url}/v1/responses`, { method: 'POST', headers, body: JSON.stringify({ model, input }) });
    const sent = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? 'null');
    assert.equal([sent.instructions, sent.input], [told, input]);
  }
});

test.run();
