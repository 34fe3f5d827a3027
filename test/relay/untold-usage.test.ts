/**
 * Answers whose upstream tells no usage: a client of another dialect is told what is charged. Runs once: it looks at
 * the wire and at one row.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject, type Json } from '../../daemon/relay/json.ts';
import { at } from '../support/checkers/answer.ts';
import { type Answer, type FakeUpstream, type Script, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { dialectOf, saying } from '../support/speaking-upstream.ts';

interface World {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<World>('relay: usage that no upstream tells');

const answers: Script = (request, index) => withoutUsage(said(request, index));
const said = saying({ text: 'Hello there, this is a longer answer.' });

test.before(async (world) => {
  world.upstream = await startFakeUpstream(answers);
  const baseUrl = world.upstream.url;
  world.harness = await GatewayHarness.start({
    channels: [
      { id: 1, type: 31, baseUrl, models: 'yi-large' },
      { id: 2, type: 24, baseUrl, models: 'gemini-2.5-flash' },
      { id: 3, type: 14, baseUrl, models: 'claude-sonnet-4-5' },
    ],
  });
});
test.after(async ({ harness, upstream }) => {
  await harness.settled();
  await harness.stop();
  await upstream.close();
});

const whole = ['usage', 'usageMetadata'];
const ofPrompt = ['prompt_tokens', 'input_tokens', 'promptTokenCount', 'total_tokens', 'totalTokenCount'];

/** The same answer of a vendor that counts nothing, or not what the members count. */
function withoutUsage(answer: Answer, members: readonly string[] = whole): Answer {
  const chunks = (answer.chunks ?? []).map((chunk) =>
    String(chunk).replace(/\{.*\}/, (json) => JSON.stringify(silent(JSON.parse(json), members))),
  );
  return { ...answer, chunks };
}

function silent(value: Json, members: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((entry) => silent(entry, members));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !members.includes(name));
  return Object.fromEntries(kept.map(([name, entry]) => [name, silent(entry, members)]));
}

const question = 'What is the weather in Zürich, and in Oslo? 今天天气怎么样？';
const parameters = { type: 'object', properties: { city: { type: 'string', description: 'a city' } } };
const weather = { name: 'get_weather', description: 'tells the weather', parameters };

interface Client {
  readonly dialect: ReturnType<typeof dialectOf>;
  path(model: string, stream: boolean): string;
  readonly body: object;
  /** Where it is told what was used. */
  readonly usage: readonly (readonly [prompt: string[], completion: string[]])[];
}

const clients: readonly Client[] = [
  {
    dialect: 'chat',
    path: () => '/v1/chat/completions',
    body: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: question },
      ],
      tools: [{ type: 'function', function: weather }],
    },
    usage: [
      [
        ['usage', 'prompt_tokens'],
        ['usage', 'completion_tokens'],
      ],
    ],
  },
  {
    dialect: 'responses',
    path: () => '/v1/responses',
    body: { input: question, instructions: 'Be brief.', tools: [{ type: 'function', ...weather }] },
    usage: [
      [
        ['response', 'usage', 'input_tokens'],
        ['response', 'usage', 'output_tokens'],
      ],
      [
        ['usage', 'input_tokens'],
        ['usage', 'output_tokens'],
      ],
    ],
  },
  {
    dialect: 'messages',
    path: () => '/v1/messages',
    body: {
      max_tokens: 400,
      system: 'Be brief.',
      messages: [{ role: 'user', content: question }],
      tools: [{ name: weather.name, description: weather.description, input_schema: parameters }],
    },
    usage: [
      [
        ['usage', 'input_tokens'],
        ['usage', 'output_tokens'],
      ],
    ],
  },
  {
    dialect: 'gemini',
    path: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [{ role: 'user', parts: [{ text: question }] }],
      tools: [{ functionDeclarations: [weather] }],
    },
    usage: [
      [
        ['usageMetadata', 'promptTokenCount'],
        ['usageMetadata', 'candidatesTokenCount'],
      ],
    ],
  },
];

/** What the last event, or the body, that tells of usage says. */
function toldIn(text: string, { usage }: Client): Json[] {
  const bodies = text.startsWith('{') ? [text] : [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => json);
  const told = bodies.flatMap((json) => {
    const body: Json = JSON.parse(json);
    return usage.flatMap(([prompt, completion]) => {
      const counts = [at(body, ...prompt), at(body, ...completion)].filter((count) => count !== undefined);
      return counts.length === 2 ? [counts] : [];
    });
  });
  return told.at(-1) ?? [];
}

/** What a call is answered, and what it is charged by an estimate. */
async function charged(harness: GatewayHarness, path: string, body: Record<string, unknown>) {
  const answer = await harness.post(path, body);
  const text = await answer.text();
  assert.is(answer.status, 200, text);
  await harness.settled();
  const row = (await harness.rows()).reduce((one, other) => (other.id > one.id ? other : one));
  assert.is(row.facts.usage_estimated, true);
  return { text, promptTokens: row.promptTokens, completionTokens: row.completionTokens };
}

for (const model of ['yi-large', 'gemini-2.5-flash', 'claude-sonnet-4-5']) {
  for (const client of clients) {
    for (const stream of [true, false]) {
      test(`${model} tells a ${client.dialect} client what is charged, ${stream ? 'streamed' : 'whole'}`, async ({
        harness,
        upstream,
      }) => {
        const streamed = client.dialect === 'chat' ? { stream, stream_options: { include_usage: true } } : { stream };
        const manner = client.dialect === 'gemini' || !stream ? {} : streamed;
        const { text, promptTokens, completionTokens } = await charged(harness, client.path(model, stream), {
          model,
          ...client.body,
          ...manner,
        });
        assert.ok(promptTokens > 30 && completionTokens > 8, `${promptTokens} and ${completionTokens}`);
        // A native client is told by its upstream; only a chat stream owes a report.
        const request = upstream.requests.at(-1);
        if (request !== undefined && dialectOf(request) === client.dialect && !(client.dialect === 'chat' && stream))
          return;
        assert.equal(toldIn(text, client), [promptTokens, completionTokens], text);
      });
    }
  }
}

test('a question is charged whose vendor counts the answer alone, and clients are told so', async (world) => {
  const { harness, upstream } = world;
  upstream.script((request, index) => withoutUsage(said(request, index), ofPrompt));
  for (const model of ['yi-large', 'gemini-2.5-flash', 'claude-sonnet-4-5']) {
    for (const client of clients.filter(({ dialect }) => dialect === 'chat' || dialect === 'gemini')) {
      for (const stream of [true, false]) {
        const manner = client.dialect === 'chat' && stream ? { stream, stream_options: { include_usage: true } } : {};
        const { text, promptTokens, completionTokens } = await charged(harness, client.path(model, stream), {
          model,
          ...client.body,
          ...manner,
        });
        assert.ok(promptTokens > 30 && completionTokens > 0, `${promptTokens} and ${completionTokens}`);
        const request = upstream.requests.at(-1);
        if (request !== undefined && dialectOf(request) === client.dialect) continue;
        assert.equal(toldIn(text, client), [promptTokens, completionTokens], text);
      }
    }
  }
  upstream.script(answers);
});

test.run();
