/**
 * Every recorded answer to a call that is no conversation, played by an upstream of its vendor to a whole gateway: the
 * client is told what the recording says, and pays for what the recording says was used. Refusals cost nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asNumber, asObject, asObjects, asText, asWord, parseJson } from '../../daemon/relay/formats/fields.ts';
import type { Json, JsonObject } from '../../daemon/relay/json.ts';
import { providerOf } from '../../daemon/relay/providers/index.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { recordedAnswer } from '../support/recorded-call.ts';
import * as sounds from '../support/sound-files.ts';
import { type RecordedCase, readRequest, readResponse, readStream, recordedCases } from './cases.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

/** Channel type by folder; hosts without one are asked as OpenAI is. */
const types: Readonly<Record<string, number>> = {
  ali: 17,
  anthropic: 14,
  azure: 3,
  bedrock: 33,
  cerebras: 102,
  cohere: 34,
  deepseek: 43,
  gemini: 24,
  groq: 106,
  mistral: 42,
  ollama: 4,
  openrouter: 20,
  perplexity: 27,
  tencent: 23,
  together: 110,
  vertex: 41,
  xai: 48,
};
/** The rerankers of a host that has no type of its own. */
const XINFERENCE = 47;
const keys: Readonly<Record<number, string>> = {
  23: '125|AKID|secret-of-the-key',
  33: 'AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1',
  41: 'project|AIza',
};

/** Where a client asks, what, and what of the answer must be as recorded. */
interface Surface {
  readonly path: (model: string) => string;
  readonly ask: (model: string, said: JsonObject, asked: JsonObject) => JsonObject | FormData;
  readonly check: (answer: { text: string; bytes: Buffer }, said: JsonObject, one: RecordedCase) => void;
  /** Channel setting, where the vendor is asked so only if its channel says so. */
  readonly setting?: string;
  /** Free of charge. */
  readonly isFree?: true;
}

const parsed = (text: string): JsonObject => asObject(parseJson(text)) ?? {};

/** The vectors of an answer, wherever its vendor puts them, in the order of their inputs. */
function vectorsIn(said: JsonObject): readonly Json[] {
  const own = asObject(said.embeddings);
  if (own !== undefined) return Array.isArray(own.float) ? own.float : [];
  const output = asObject(said.output);
  const native = asObject(said.Response)?.Data;
  const lists = [said.data, output?.embeddings, said.predictions, said.embeddings, native].find(Array.isArray);
  if (lists === undefined) return [asObject(said.embedding)?.values ?? []];
  return lists.map((entry: Json): Json => {
    const one = asObject(entry);
    return asObject(one?.embeddings)?.values ?? one?.embedding ?? one?.values ?? one?.Embedding ?? entry;
  });
}

function firstOf(vector: Json | undefined): number | undefined {
  // One vendor sends bytes.
  if (typeof vector === 'string') return new Int8Array(Buffer.from(vector, 'base64'))[0];
  return Array.isArray(vector) ? asNumber(vector[0]) : undefined;
}

const embeddings: Surface = {
  path: () => '/v1/embeddings',
  ask: (model, said) => ({ model, input: vectorsIn(said).map((_, index) => `text ${index}`) }),
  check({ text }, said) {
    const { data } = parsed(text);
    const meant = vectorsIn(said).map(firstOf);
    assert.ok(meant.length > 0 && meant.every((first) => first !== undefined));
    assert.equal(
      asObjects(data).map(({ embedding }) => firstOf(embedding)),
      meant,
    );
  },
};

/** Index and score of each document, best first. */
function rankingIn(said: JsonObject): readonly [index: number, score: number][] {
  const list = said.results ?? asObject(said.output)?.results ?? said.data;
  return asObjects(list)
    .map((entry): [number, number] => [
      Number(entry.index),
      Number(entry.relevance_score ?? entry.relevanceScore ?? entry.score),
    ])
    .sort(([, one], [, other]) => other - one);
}

const rerank: Surface = {
  path: () => '/v1/rerank',
  ask(model, said) {
    const last = Math.max(...rankingIn(said).map(([index]) => index));
    return { model, query: 'which', documents: Array.from({ length: last + 1 }, (_, index) => `text ${index}`) };
  },
  check({ text }, said) {
    assert.ok(rankingIn(said).length > 0);
    assert.equal(rankingIn(parsed(text)), rankingIn(said));
  },
};

/** What an image is known by: its data, or its address. */
function imagesIn(said: JsonObject): readonly (string | undefined)[] {
  const list = said.data ?? asObject(said.output)?.results;
  return asObjects(list).map(({ b64_json: data, url }) => asWord(data) ?? asWord(url));
}

const images: Surface = {
  path: () => '/v1/images/generations',
  ask: (model) => ({ model, prompt: 'a cat' }),
  check({ text }, said) {
    assert.ok(imagesIn(said).length > 0);
    assert.equal(imagesIn(parsed(text)), imagesIn(said));
  },
};

const edits: Surface = {
  ...images,
  path: () => '/v1/images/edits',
  ask: (model) => ({ model, prompt: 'a hat', images: [{ image_url: 'https://pictures.example/cat.png' }] }),
};

const speech: Surface = {
  path: () => '/v1/audio/speech',
  ask: (model) => ({ model, input: 'a few words', voice: 'alloy' }),
  check({ bytes }, said, one) {
    const whole = asWord(said.audio_data);
    const meant = whole === undefined ? recordedAnswer(one.name).chunks?.[0] : Buffer.from(whole, 'base64');
    assert.equal(bytes, meant);
  },
};

const transcript: Surface = {
  path: () => '/v1/audio/transcriptions',
  ask(model, _, { stream }) {
    const form = new FormData();
    form.set('model', model);
    form.set('file', new Blob([new Uint8Array(sounds.wav(4))], { type: 'audio/wav' }), 'talk.wav');
    if (stream === true) form.set('stream', 'true');
    return form;
  },
  check({ text }, said, one) {
    const lines = (bytes: unknown) => String(bytes).replaceAll('\r', '').trim();
    if (said.text === undefined) assert.is(lines(text), lines(recordedAnswer(one.name).chunks?.[0]));
    else assert.is(parsed(text).text, said.text);
  },
};

/** What a completed prompt says, whole or in chunks. */
function completedIn(text: string): string {
  const bodies = text.split('\n').map((line) => parsed(line.replace(/^data: /, '')));
  const whole = asObject(parseJson(text));
  return (whole === undefined ? bodies : [whole])
    .flatMap(({ choices }) => asObjects(choices).filter(({ index }) => index === 0))
    .map((choice) => asText(choice.text) ?? '')
    .join('');
}

const completion: Surface = {
  path: () => '/v1/completions',
  ask: (model, _, { stream }) => ({ model, prompt: 'hi', ...(stream === true ? { stream } : {}) }),
  check({ text }, _, one) {
    const meant = completedIn(String(recordedAnswer(one.name).chunks?.[0]));
    assert.ok(meant !== '');
    assert.is(completedIn(text), meant);
  },
};

const messages = [{ role: 'user', content: 'hi' }];
const countMessages: Surface = {
  path: () => '/v1/messages/count_tokens',
  ask: (model, _, asked) => ({ ...(asked.messages === undefined ? { messages } : asked), model }),
  check: ({ text }, said) => assert.equal(parsed(text), { input_tokens: said.input_tokens ?? said.inputTokens }),
  isFree: true,
};

const surfaces: Readonly<Record<string, Surface>> = {
  'openai-embeddings': embeddings,
  'cohere-embeddings': embeddings,
  'dashscope-embeddings': { ...embeddings, setting: '{"dashscope_native":true}' },
  'gemini-embeddings': embeddings,
  'ollama-embeddings': embeddings,
  'tencent-embeddings': embeddings,
  'vertex-embeddings': embeddings,
  rerank,
  'bedrock-rerank': rerank,
  'cohere-rerank': rerank,
  'dashscope-rerank': rerank,
  'openai-images': images,
  'xai-images': images,
  'openai-image-edits': edits,
  'openai-speech': speech,
  'mistral-speech': speech,
  'openai-transcription': transcript,
  'openai-translation': { ...transcript, path: () => '/v1/audio/translations' },
  'anthropic-count-tokens': countMessages,
  'bedrock-count-tokens': countMessages,
  'gemini-count-tokens': {
    path: (model) => `/v1beta/models/${model}:countTokens`,
    ask: () => ({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }),
    check: ({ text }, said) => assert.equal(parsed(text), said),
    isFree: true,
  },
  'openai-completions': completion,
  'openai-responses-compact': {
    path: () => '/v1/responses/compact',
    ask: (model, _, asked) => ({ ...asked, model }),
    check: ({ text }, said) => assert.equal(parsed(text), said),
  },
  'openai-moderations': {
    path: () => '/v1/moderations',
    ask: (model) => ({ model, input: 'a few words' }),
    check: ({ text }, said) => assert.equal(parsed(text), said),
  },
};

/** Names for recordings that keep none, and that a vendor tells its interfaces apart by. */
const models: Readonly<Record<string, string>> = {
  'bedrock-rerank': 'amazon.rerank-v1:0',
  'gemini-embeddings': 'gemini-embedding-2',
  'tencent-embeddings': 'hunyuan-embedding',
};

/** Names that are no model's, and ones of the family that was asked in that manner. */
const unknownModels: Readonly<Record<string, string>> = {
  'bedrock/bedrock-counttokens--bedrock-count-tokens-error': 'claude-that-does-not-exist',
};

const test = suite<Context>('recorded calls');

test.before(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({ channels: [] });
});
test.after(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

function about(one: RecordedCase, name: string): string | undefined {
  const line = new RegExp(`^- ${name}: (.*)$`, 'm').exec(readFileSync(join(one.folder, 'about.md'), 'utf8'));
  return line?.[1] === 'None' || line?.[1] === 'null' ? undefined : line?.[1];
}

/** Tokens that the recording says were used; undefined where it says nothing of them. */
function usageIn(one: RecordedCase): [prompt: number, completion: number] | undefined {
  const usage = asObject(parseJson(about(one, 'usage') ?? ''));
  const billed = asObject(usage?.billed_units);
  if (usage === undefined || usage.type === 'duration') return undefined;
  const completion = asNumber(usage.completion_tokens) ?? asNumber(usage.output_tokens) ?? 0;
  const prompt =
    asNumber(usage.prompt_tokens) ??
    asNumber(usage.input_tokens) ??
    asNumber(usage.promptTokenCount) ??
    asNumber(usage.prompt_eval_count) ??
    asNumber(billed?.input_tokens) ??
    asNumber(usage.total_tokens) ??
    asNumber(usage.TotalTokens);
  // What the audio of some was worth stands beside the prompt.
  const heard = asNumber(asObject(usage.prompt_tokens_details)?.audio_tokens) ?? 0;
  return prompt === undefined ? undefined : [prompt + (heard > prompt ? heard : 0), completion];
}

function channelOf(one: RecordedCase, setting: string | undefined) {
  const [folder = ''] = one.name.split('/');
  const type = types[folder] ?? (one.format === 'rerank' ? XINFERENCE : 1);
  return { type, keys: [keys[type] ?? 'sk-upstream'], setting: setting ?? '' };
}

for (const [index, one] of recordedCases().entries()) {
  const surface = surfaces[one.format];
  if (surface === undefined) continue;
  const said = asObject(readResponse(one)) ?? {};
  const asked = asObject(readRequest(one)) ?? {};
  const model = unknownModels[one.name] ?? about(one, 'model') ?? models[one.format] ?? 'some-model';
  const isStream = readStream(one) !== undefined;

  test(`${one.name} is told as recorded and paid as reported`, async ({ harness, upstream }) => {
    const channel = channelOf(one, surface.setting);
    harness.setOptions({ ModelRatio: { [model]: 1 }, CompletionRatio: { [model]: 1 }, ModelPrice: {} });
    harness.setChannels([{ id: index + 1, baseUrl: upstream.url, models: model, ...channel }]);
    upstream.script(recordedAnswer(one.name));
    const fails = one.status >= 400;
    const body = surface.ask(model, fails ? { data: [{}], results: [{ index: 0 }] } : said, {
      ...asked,
      ...(isStream ? { stream: true } : {}),
    });
    const isForm = body instanceof FormData;
    const response = await fetch(harness.url + surface.path(model), {
      method: 'POST',
      headers: { authorization: `Bearer sk-${harness.key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
      body: isForm ? body : JSON.stringify(body),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString('utf8');
    await harness.settled();
    const requestId = response.headers.get('x-request-id') ?? '';
    const { items } = await harness.database.stores.logs.list({ requestId }, { offset: 0, limit: 10 });
    const row = items.find(({ type }) => type === 2);
    if (fails) {
      assert.ok(response.status >= 400, text);
      assert.not.match(text, /sk-upstream|secret-of-the-key/);
      assert.is(row?.quota ?? 0, 0);
      return;
    }
    assert.is(response.status, 200, text.slice(0, 400));
    surface.check({ text, bytes }, said, one);
    assert.ok(row);
    if (surface.isFree) {
      assert.equal([row.quota, row.promptTokens], [0, 0]);
      return;
    }
    const usage = usageIn(one);
    if (usage === undefined) return;
    assert.equal([row.promptTokens, row.completionTokens], usage);
    assert.is(row.quota, usage[0] + usage[1]);
  });
}

test('tasks that DashScope gave out are asked after until their images are there', async ({ harness, upstream }) => {
  const given = recordedCases().filter(({ name }) => name.startsWith('ali/dashscope-text2image--'));
  assert.is(given.length, 2);
  const pending = recordedAnswer('ali/dashscope-tasks--image-synthesis-call-no-duplicate-spans-1');
  // As the sheet shows it: what was recorded ends before the images are there.
  const made = { task_status: 'SUCCEEDED', results: [{ url: 'https://images.example/1.png' }] };
  const paths: string[] = [];
  harness.setOptions({ ModelPrice: { 'wanx-v1': 0.02, 'wanx-v2': 0.02 } });
  const channel = { id: 5000, type: 17, baseUrl: upstream.url, models: 'wanx-v1,wanx-v2', keys: ['sk-upstream'] };
  harness.setChannels([channel]);
  upstream.script(({ method, url, body }) => {
    if (method === 'POST') return recordedAnswer(given[String(body).includes('wanx-v1') ? 0 : 1]?.name ?? '');
    paths.push(url);
    return paths.length === 1 ? pending : jsonAnswer({ output: made, usage: { image_count: 1 } });
  });
  const asks = given.map(async (_, place) => {
    const model = `wanx-v${place + 1}`;
    const response = await harness.post('/v1/images/generations', { model, prompt: 'a cat' });
    assert.equal(imagesIn(parsed(await response.text())), ['https://images.example/1.png']);
  });
  await Promise.all(asks);
  const tasks = given.map((one) => asText(asObject(asObject(readResponse(one))?.output)?.task_id));
  // The recorded state is that of a third task, which is asked after in its turn.
  for (const id of tasks) assert.ok(paths.includes(`/api/v1/tasks/${id}`), `${id} of ${paths}`);
  assert.is(paths.length, 3);
});

test('every recorded list of models is read', () => {
  let lists = 0;
  for (const one of recordedCases()) {
    if (one.format !== 'models' || one.status >= 400) continue;
    const [folder = ''] = one.name.split('/');
    const adapter = providerOf(types[folder] ?? 1);
    // The list of the host's other front is one like everybody's.
    const facts = { baseUrl: '', other: '', setting: {}, settings: { project: 'p', region: 'us-east-1' } };
    const names = adapter?.listModels?.(facts)?.read(readResponse(one) ?? null) ?? [];
    assert.ok(names.length > 0 && names.every((name) => name !== ''), one.name);
    lists += 1;
  }
  assert.ok(lists >= 9);
});

test('every recorded answer speaks a format that some battery plays', () => {
  // Refusals are read by their vendor, whatever they were asked.
  const answers = recordedCases().filter(({ status }) => status < 400);
  const played = new Set([
    ...Object.keys(surfaces),
    ...['models', 'dashscope-images', 'openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'],
    ...['bedrock-converse', 'bedrock-anthropic', 'baidu-wenxin', 'cohere-chat', 'cohere-v1-chat'],
    ...['coze-chat', 'dashscope-chat', 'dify-chat', 'ollama-chat', 'replicate-predictions', 'tencent-hunyuan'],
    'xunfei-spark',
  ]);
  assert.equal(
    [...new Set(answers.map(({ format }) => format))].filter((format) => !played.has(format)),
    [],
  );
});

test.run();
