/**
 * What must survive on the way from any client to any upstream and back, all sixteen pairs through a whole daemon: what
 * the upstream's wire says of each feature of a request, and what each client's wire says of each part of an answer.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../daemon/relay/canonical/chat.ts';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { answerFeatures, answers, plainAnswers } from './survival-answers.ts';
import { type Fate, type Feature, features } from './survival-features.ts';
import { turnFeatures } from './survival-turns.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
}

const test = suite<World>('relay/what must survive');

const dialects: readonly Dialect[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'];

/** A model behind each upstream dialect; the second answers in Responses and nothing else. */
const models: Readonly<Record<Dialect, string>> = {
  'openai-chat': 'm-chat',
  'openai-responses': 'm-codex',
  'anthropic-messages': 'claude-sonnet-4-5',
  'gemini-generate': 'gemini-2.5-flash',
};

/** The least that each dialect's request says. */
const least: Readonly<Record<Dialect, JsonObject>> = {
  'openai-chat': { messages: [{ role: 'user', content: 'hi' }] },
  'openai-responses': { input: 'hi' },
  'anthropic-messages': { messages: [{ role: 'user', content: 'hi' }], max_tokens: 100 },
  'gemini-generate': { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
};

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  world.daemon = await startTestDaemon({ options: { SelfUseModeEnabled: 'true', EmptyAnswerFree: 'false' } });
  const base_url = world.upstream.url;
  const allow = { allow_service_tier: true };
  const chatOnly = JSON.stringify({ ...allow, responses_native: false });
  const setting = JSON.stringify(allow);
  await world.daemon.addChannel({ type: 1, base_url, models: models['openai-chat'], setting: chatOnly });
  await world.daemon.addChannel({ type: 1, base_url, models: models['openai-responses'], setting });
  await world.daemon.addChannel({ type: 14, base_url, models: models['anthropic-messages'], setting });
  await world.daemon.addChannel({ type: 24, base_url, models: models['gemini-generate'], setting });
  world.key = await world.daemon.addKey({ conversion: 'warn' });
});

test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

function ask(world: World, pair: { client: Dialect; upstream: Dialect }, asked: JsonObject): Promise<Response> {
  const model = models[pair.upstream];
  const paths: Readonly<Record<Dialect, string>> = {
    'openai-chat': '/v1/chat/completions',
    'openai-responses': '/v1/responses',
    'anthropic-messages': '/v1/messages',
    'gemini-generate': `/v1beta/models/${model}:generateContent`,
  };
  return fetch(`${world.daemon.url}${paths[pair.client]}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, ...least[pair.client], ...asked }),
  });
}

async function checkRequest(world: World, feature: Feature, pair: { client: Dialect; upstream: Dialect }) {
  const asked = feature.asked[pair.client];
  if (asked === undefined) return;
  const where = `${pair.client} > ${pair.upstream}`;
  world.upstream.requests.length = 0;
  world.upstream.script(jsonAnswer(plainAnswers[pair.upstream]));
  const answer = await ask(world, pair, asked);
  const text = await answer.text();
  const fate: Fate = feature.except?.[where] ?? feature.arrives[pair.upstream];
  if (fate === 'refused') {
    assert.is(answer.status, 400, where);
    assert.is(world.upstream.requests.length, 0, where);
    return;
  }
  assert.is(answer.status, 200, `${where}: ${text}`);
  const body: unknown = JSON.parse(world.upstream.requests[0]?.body.toString() ?? 'null');
  if ('loses' in fate) {
    const lost = answer.headers.get('tollgate-dropped-fields')?.split(', ') ?? [];
    assert.ok(lost.includes(fate.loses), `${where}: ${lost.join()}`);
  } else assert.equal(feature.read[pair.upstream](isObject(body) ? body : null), fate.reads, where);
}

for (const feature of [...features, ...turnFeatures]) {
  test(`carries ${feature.name} from every client to every upstream, or says what becomes of it`, async (world) => {
    for (const client of dialects) {
      for (const upstream of dialects) await checkRequest(world, feature, { client, upstream });
    }
  });
}

for (const feature of answerFeatures) {
  test(`brings ${feature.name} from every upstream to every client`, async (world) => {
    for (const upstream of dialects) {
      const sent = answers[feature.name]?.[upstream];
      if (sent === undefined) continue;
      world.upstream.script(jsonAnswer(sent));
      for (const client of dialects) {
        const where = `${upstream} > ${client}`;
        const answer = await ask(world, { client, upstream }, {});
        const body: Json = await answer.json();
        const expected = feature.except?.[where] ?? feature.arrives[client];
        assert.is(answer.status, 200, where);
        if (isObject(expected) && typeof expected.loses === 'string') {
          assert.match(answer.headers.get('tollgate-dropped-fields') ?? '', expected.loses, where);
        } else assert.equal(feature.read[client](body), expected, where);
      }
    }
  });
}

test.run();
