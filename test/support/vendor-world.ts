/**
 * A whole daemon with one channel for each vendor that has a chat format or a signature of its own, before an upstream
 * that plays what was recorded or what the vendor's sheet shows.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { FormatId } from '../../daemon/relay/format.ts';
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { type RecordedCase, readResponse, readStream, readWire } from '../conformance/cases.ts';
import { startTestDaemon, type TestDaemon } from './daemon.ts';
import {
  type Answer,
  type FakeUpstream,
  jsonAnswer,
  type RecordedRequest,
  startFakeUpstream,
} from './fake-upstream.ts';
import { untilThere } from './until.ts';

export interface VendorWorld {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  key: string;
}

export interface Vendor {
  readonly type: number;
  readonly key: string;
  readonly format: string;
  readonly other?: string;
  readonly setting?: string;
  /** Of its recordings, where that is not its name. */
  readonly folder?: string;
  /** What the request must show: its address and its credentials. */
  readonly url: RegExp;
  readonly authorization: RegExp | undefined;
}

const vendors: Readonly<Record<string, Vendor>> = {
  cohere: { type: 34, key: 'co-key', format: 'cohere-chat', url: /^\/v2\/chat$/, authorization: /^Bearer co-key$/ },
  'cohere-v1': {
    folder: 'cohere',
    type: 34,
    key: 'co-key',
    format: 'cohere-v1-chat',
    setting: '{"api_version":"v1"}',
    url: /^\/v1\/chat$/,
    authorization: /^Bearer co-key$/,
  },
  'perplexity-chat': {
    folder: 'perplexity',
    type: 27,
    key: 'pplx-k',
    format: 'openai-chat',
    setting: '{"responses_native":false}',
    url: /^\/chat\/completions$/,
    authorization: /^Bearer pplx-k$/,
  },
  baidu: {
    type: 15,
    key: 'id|secret',
    format: 'baidu-wenxin',
    url: /^\/rpc\/2\.0\/ai_custom\/v1\/wenxinworkshop\/chat\/baidu-model\?access_token=24\.token$/,
    authorization: undefined,
  },
  tencent: {
    type: 23,
    key: '125|AKID|secret',
    format: 'tencent-hunyuan',
    url: /^\/$/,
    authorization: /^TC3-HMAC-SHA256 Credential=AKID\//,
  },
  dify: {
    type: 37,
    key: 'app-key',
    format: 'dify-chat',
    url: /^\/v1\/chat-messages$/,
    authorization: /^Bearer app-key$/,
  },
  coze: { type: 103, key: 'pat_k|someone', format: 'coze-chat', url: /^\/v3\/chat$/, authorization: /^Bearer pat_k$/ },
  xunfei: {
    type: 18,
    key: 'password',
    format: 'xunfei-spark',
    url: /^\/v1\/chat\/completions$/,
    authorization: /^Bearer password$/,
  },
  'zhipu-v4': {
    folder: 'zhipu',
    type: 26,
    key: 'id.secret',
    format: 'openai-chat',
    url: /^\/api\/paas\/v4\/chat\/completions$/,
    authorization: /^Bearer id\.secret$/,
  },
  ali: {
    type: 17,
    key: 'sk-ali',
    format: 'openai-chat',
    url: /^\/compatible-mode\/v1\/chat\/completions$/,
    authorization: /^Bearer sk-ali$/,
  },
  'ali-native': {
    folder: 'ali',
    type: 17,
    key: 'sk-ali',
    format: 'dashscope-chat',
    other: 'plugin',
    setting: '{"dashscope_native":true}',
    url: /^\/api\/v1\/services\/aigc\/text-generation\/generation$/,
    authorization: /^Bearer sk-ali$/,
  },
  minimax: {
    type: 35,
    key: 'jwt|group',
    format: 'openai-chat',
    url: /^\/v1\/chat\/completions$/,
    authorization: /^Bearer jwt$/,
  },
  fastgpt: {
    type: 22,
    key: 'fastgpt-k',
    format: 'openai-chat',
    url: /^\/v1\/chat\/completions$/,
    authorization: /^Bearer fastgpt-k$/,
  },
  ollama: {
    type: 4,
    key: 'none',
    format: 'ollama-chat',
    setting: '{"ollama_native":true}',
    url: /^\/api\/chat$/,
    authorization: /^Bearer none$/,
  },
  bedrock: {
    type: 33,
    key: 'AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1',
    format: 'bedrock-converse',
    url: /^\/model\/bedrock-model\/converse(?:-stream)?$/,
    authorization: /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d+\/eu-west-1\/bedrock\/aws4_request, /,
  },
  cloudflare: {
    type: 39,
    key: 'account|token',
    format: 'openai-chat',
    url: /^\/client\/v4\/accounts\/account\/ai\/v1\/chat\/completions$/,
    authorization: /^Bearer token$/,
  },
};

/** The vendor that an answer was recorded of, by its folder and its format; undefined for none of ours. */
export function vendorOf(one: RecordedCase): { readonly name: string; readonly vendor: Vendor } | undefined {
  const folder = one.name.split('/')[0] ?? '';
  for (const [name, vendor] of Object.entries(vendors)) {
    if ((vendor.folder ?? name) === folder && vendor.format === one.format) return { name, vendor };
  }
  return undefined;
}

/** Models on Replicate whose inputs are named each in its own way. */
const replicateModels = ['openai/gpt-5.1', 'anthropic/claude-4-sonnet', 'google/gemini-2.5-flash'];

export const modelOf = (vendor: string) => `${vendor}-model`;

/** Starts everything; `stopVendorWorld` ends it. */
export async function startVendorWorld(world: VendorWorld): Promise<void> {
  world.upstream = await startFakeUpstream();
  const models = [...Object.keys(vendors), 'zhipu', 'replicate', 'aiproxy-library', 'palm', 'github-models'].map(
    modelOf,
  );
  models.push('sonar', ...replicateModels);
  const ones = JSON.stringify(Object.fromEntries(models.map((model) => [model, 1])));
  world.daemon = await startTestDaemon({
    config: { 'limits.search.enabled': false, 'limits.per_user.enabled': false },
    options: { ModelRatio: ones, CompletionRatio: ones, AutomaticDisableChannelEnabled: 'false' },
  });
  const base = world.upstream.url;
  for (const [name, { type, key, other = '', setting = '' }] of Object.entries(vendors)) {
    await world.daemon.addChannel({ type, key, other, setting, base_url: base, models: modelOf(name) });
  }
  await world.daemon.addChannel({ type: 27, key: 'pplx-k', base_url: base, models: 'sonar' });
  await world.daemon.addChannel({ type: 11, key: 'AIza', base_url: base, models: modelOf('palm') });
  await world.daemon.addChannel({ type: 16, key: 'id.secret', base_url: base, models: modelOf('zhipu') });
  await world.daemon.addChannel({
    type: 109,
    key: 'r8_k',
    base_url: base,
    models: [modelOf('replicate'), ...replicateModels].join(','),
  });
  await world.daemon.addChannel({
    type: 21,
    key: 'k',
    other: 'lib',
    base_url: base,
    models: modelOf('aiproxy-library'),
  });
  world.key = await world.daemon.addKey();
}

export async function stopVendorWorld({ daemon, upstream }: VendorWorld): Promise<void> {
  await daemon.stop();
  await upstream.close();
}
/** The recording; keys are traded at the same address. */
export function played(answer: Answer): (request: RecordedRequest) => Answer {
  return ({ url }) =>
    url.startsWith('/oauth/2.0/token') ? jsonAnswer({ access_token: '24.token', expires_in: 2_592_000 }) : answer;
}

export function recorded(one: RecordedCase): Answer {
  const stream = readStream(one);
  if (stream === undefined) return jsonAnswer(readResponse(one), one.status);
  const { contentType, bytes } = readWire(one) ?? { contentType: 'text/event-stream', bytes: stream };
  const chunks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += 97) chunks.push(bytes.subarray(start, start + 97));
  return { headers: { 'content-type': contentType }, chunks };
}

export interface Told {
  readonly status: number;
  readonly text: string;
  readonly content: string;
  readonly finish: Json | undefined;
  readonly bill: readonly [prompt: number, completion: number, quota: number];
}

/** The other dialects that clients speak: what each asks, and where. */
export const otherDialects: readonly ((
  model: string,
  stream: boolean,
) => { format: FormatId; path: string; body: JsonObject })[] = [
  (model, stream) => ({
    format: 'anthropic-messages',
    path: '/v1/messages',
    body: { model, stream, max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] },
  }),
  (model, stream) => ({ format: 'openai-responses', path: '/v1/responses', body: { model, stream, input: 'hi' } }),
  (model, stream) => ({
    format: 'gemini-generate',
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  }),
];

/** What a call in another dialect costs. */
export async function billed(
  { daemon, key }: VendorWorld,
  call: { path: string; body: JsonObject },
): Promise<Told['bill']> {
  const response = await fetch(daemon.url + call.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(call.body),
  });
  const text = await response.text();
  assert.is(response.status, 200, text);
  return billOf(daemon, response);
}

export async function ask({ daemon, key }: VendorWorld, model: string, stream: boolean): Promise<Told> {
  const response = await fetch(`${daemon.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], stream }),
  });
  const text = await response.text();
  const { content, finish } = readChat(text, stream && response.status === 200);
  return { status: response.status, text, content, finish, bill: await billOf(daemon, response) };
}

/** The row of a call that was paid for; it is written after the answer. */
async function billOf(daemon: TestDaemon, response: Response): Promise<Told['bill']> {
  if (response.status !== 200) return [0, 0, 0];
  const request_id = response.headers.get('x-request-id') ?? '';
  assert.ok(request_id !== '');
  const ofCall = async () => (await daemon.root.logs.list({ request_id })).items.find(({ type }) => type === 2);
  const row = await untilThere(ofCall);
  return [row.prompt_tokens, row.completion_tokens, row.quota];
}

export function parsed(text: string): Json {
  const value: Json = JSON.parse(text);
  return value;
}

function readChat(text: string, isStream: boolean): { content: string; finish: Json | undefined } {
  const bodies = isStream
    ? text
        .split('\n\n')
        .filter((event) => event.startsWith('data: {'))
        .map((event) => parsed(event.slice(6)))
    : [parsed(text)];
  let content = '';
  let finish: Json | undefined;
  for (const body of bodies) {
    const choices = isObject(body) && Array.isArray(body.choices) ? body.choices : [];
    for (const choice of choices.filter(isObject)) {
      const message: Json | undefined = isStream ? choice.delta : choice.message;
      if (isObject(message)) content += spoken(message);
      if (typeof choice.finish_reason === 'string') finish = choice.finish_reason;
    }
  }
  return { content, finish };
}

function spoken(message: JsonObject): string {
  const calls = Array.isArray(message.tool_calls) ? JSON.stringify(message.tool_calls) : '';
  const thought = typeof message.reasoning_content === 'string' ? message.reasoning_content : '';
  return (typeof message.content === 'string' ? message.content : '') + thought + calls;
}

/** What the recording says was used; undefined where it says nothing. */
export function usageIn(one: RecordedCase): [prompt: number, completion: number] | undefined {
  const found = /^- usage: (\{.*)$/m.exec(readFileSync(join(one.folder, 'about.md'), 'utf8'));
  const usage = found?.[1] === undefined ? undefined : parsed(found[1]);
  if (!isObject(usage)) return undefined;
  const billed = isObject(usage.billed_units) ? usage.billed_units : {};
  const fresh =
    usage.prompt_tokens ??
    usage.PromptTokens ??
    usage.input_count ??
    usage.inputTokens ??
    usage.input_tokens ??
    usage.prompt_eval_count ??
    billed.input_tokens;
  const prompt = Number(fresh) + Number(usage.cacheReadInputTokens ?? 0) + Number(usage.cacheWriteInputTokens ?? 0);
  const completion =
    usage.completion_tokens ??
    usage.CompletionTokens ??
    usage.output_count ??
    usage.outputTokens ??
    usage.output_tokens ??
    usage.eval_count ??
    billed.output_tokens;
  return Number(prompt) > 0 ? [Number(prompt), Number(completion)] : undefined;
}
