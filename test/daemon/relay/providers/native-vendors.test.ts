import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { UpstreamCall } from '../../../../daemon/relay/provider.ts';
import { anthropic } from '../../../../daemon/relay/providers/anthropic/index.ts';
import { azure } from '../../../../daemon/relay/providers/azure/index.ts';
import { azureFoundry } from '../../../../daemon/relay/providers/azure-foundry/index.ts';
import { bedrock } from '../../../../daemon/relay/providers/bedrock/index.ts';
import { bedrockModelId } from '../../../../daemon/relay/providers/bedrock/model-ids.ts';
import { gemini } from '../../../../daemon/relay/providers/gemini/index.ts';
import { ollama } from '../../../../daemon/relay/providers/ollama/index.ts';
import { vertex } from '../../../../daemon/relay/providers/vertex/index.ts';
import { keySettings } from '../../../../daemon/upstream/auth/key-settings.ts';
import { adapterOf } from '../../../support/adapter-calls.ts';

const test = suite('vendors with addresses and formats of their own');

function callOf(rest: Partial<UpstreamCall> = {}): UpstreamCall {
  return {
    capability: 'chat',
    format: 'openai-chat',
    model: 'm',
    stream: false,
    baseUrl: 'https://host',
    other: '',
    organization: undefined,
    setting: {},
    settings: {},
    options: {},
    ...rest,
  };
}

test('Azure takes a date for deployment paths and anything else for the undated interface', () => {
  const path = (rest: Partial<UpstreamCall>) => azure.path(callOf({ model: 'gpt 4', ...rest }));
  assert.is(path({ other: '' }), '/openai/v1/chat/completions');
  assert.is(path({ other: 'preview' }), '/openai/v1/chat/completions?api-version=preview');
  const dated = { other: '2024-10-21' };
  assert.is(path(dated), '/openai/deployments/gpt%204/chat/completions?api-version=2024-10-21');
  assert.is(
    path({ ...dated, format: 'openai-embeddings' }),
    '/openai/deployments/gpt%204/embeddings?api-version=2024-10-21',
  );
  assert.is(path({ ...dated, format: 'openai-responses' }), '/openai/v1/responses');
  const later = { other: '2025-04-01-preview', format: 'openai-responses' } as const;
  assert.is(path(later), '/openai/responses?api-version=2025-04-01-preview');
  const wished = {
    ...dated,
    format: 'openai-responses',
    setting: { azure_responses_version: '2025-03-01-preview' },
  } as const;
  assert.is(path(wished), '/openai/responses?api-version=2025-03-01-preview');
  // Such an address ends at a deployment, which has no undated interface.
  const baseUrl = 'https://gateway.ai.cloudflare.com/v1/a/g/azure-openai/r/d';
  assert.is(path({ baseUrl, other: '' }), '/chat/completions?api-version=2024-12-01-preview');
  assert.is(path({ baseUrl, other: '', model: 'o3' }), '/chat/completions?api-version=2025-04-01-preview');
  assert.is(path({ baseUrl, ...dated }), '/chat/completions?api-version=2024-10-21');
  // Compacting is known to the undated interface alone.
  assert.is(path({ ...later, format: 'openai-responses-compact' }), '/openai/v1/responses/compact');
  assert.equal(azure.auth(callOf()), { kind: 'header', name: 'api-key' });
});

test('Claude deployments on Azure speak their own dialect and no other', () => {
  for (const adapter of [azure, azureFoundry]) {
    assert.equal(adapter.formatsFor?.({}, 'claude-sonnet-5', {}), ['anthropic-messages']);
    assert.not.ok(adapter.formatsFor?.({}, 'gpt-5', {}).includes('anthropic-messages'));
    const call = callOf({ format: 'anthropic-messages', model: 'claude-sonnet-5' });
    assert.is(adapter.path(call), '/anthropic/v1/messages');
    assert.equal(adapter.auth(call), { kind: 'header', name: 'x-api-key' });
    assert.is(adapter.headers?.(call)['anthropic-version'], '2023-06-01');
  }
});

test('Claude takes the headers that an operator adds for it, wherever it is served', () => {
  const options = {
    'claude.model_headers_settings': { alias: { 'Anthropic-Beta': ['context-1m-x', 'odd'], 'X-Own': 'y' } },
  };
  const named = { format: 'anthropic-messages', model: 'claude-sonnet-5', origin: 'alias', options } as const;
  for (const adapter of [anthropic, azure, azureFoundry, vertex]) {
    const headers = adapter.headers?.(callOf(named));
    assert.equal([headers?.['anthropic-beta'], headers?.['x-own']], ['context-1m-x,odd', 'y'], adapter.id);
  }
  const runtime = callOf({ ...named, baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com' });
  assert.equal(bedrock.headers?.(runtime), { 'x-own': 'y' });
  // The host reads them in the body, and refuses those that it does not know.
  const client = { 'anthropic-beta': 'effort-y,context-1m-x' };
  assert.equal(bedrock.bodyOfHeaders?.(client, runtime), { anthropic_beta: ['context-1m-x', 'effort-y'] });
  const mantle = callOf({ ...named, baseUrl: 'https://bedrock-mantle.us-east-1.api.aws' });
  assert.is(bedrock.headers?.(mantle)['anthropic-beta'], 'context-1m-x,odd');
});

test('Foundry has three kinds of addresses', () => {
  assert.is(azureFoundry.path(callOf()), '/openai/v1/chat/completions');
  const dated = callOf({ other: '2024-05-01-preview' });
  assert.is(azureFoundry.path(dated), '/models/chat/completions?api-version=2024-05-01-preview');
  assert.equal(azureFoundry.amendBody?.({ max_completion_tokens: 5 }, dated), { max_tokens: 5 });
  const serverless = callOf({ baseUrl: 'https://d.eastus.models.ai.azure.com' });
  assert.is(azureFoundry.path(serverless), '/v1/chat/completions');
  assert.equal(azureFoundry.auth(serverless), { kind: 'bearer' });
  assert.equal(azureFoundry.amendBody?.({ max_completion_tokens: 5 }, serverless), { max_tokens: 5 });
  const passThrough = { 'extra-parameters': 'pass-through' };
  assert.equal(
    [dated, serverless].map((call) => azureFoundry.headers?.(call)),
    [passThrough, passThrough],
  );
  assert.equal(azureFoundry.headers?.(callOf()), {});
  const managed = callOf({ baseUrl: 'https://e.eastus.inference.ml.azure.com', model: 'blue' });
  assert.equal(azureFoundry.headers?.(managed), { ...passThrough, 'azureml-model-deployment': 'blue' });
});

test('Google is left alone longest where a quota of the day is used up', () => {
  const refused = (quotaId: string) => {
    const details = [{ violations: [{ quotaId }] }, { retryDelay: '34.4s' }];
    const body = JSON.stringify({ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'm', details } });
    return gemini.readFailure({ status: 429, headers: {}, body, call: callOf(), nowMs: 0 }).fields.retryAfterSeconds;
  };
  assert.is(refused('GenerateRequestsPerMinutePerProjectPerModel-FreeTier'), 35);
  // As long as any pause may be.
  assert.is(refused('GenerateRequestsPerDayPerProjectPerModel-FreeTier'), 300);
});

test('a limit of the day rests as long as any may, for the model alone where it is one of models', () => {
  const refused = (id: string, { code, message = 'm' }: { code: string; message?: string }) => {
    const body = JSON.stringify({ error: { code, type: code, message } });
    const call = callOf({ model: 'some-model' });
    return adapterOf(id).readFailure({ status: 429, headers: {}, body, call, nowMs: 0 }).fields;
  };
  const cooling = (...[id, said]: Parameters<typeof refused>) => refused(id, said).cooling;
  const rest = { cause: 'rate-limit', retryAfterMs: 300_000 };
  const daily = { code: 'ThrottlingException', message: 'Too many tokens per day, please wait before trying again.' };
  assert.equal(cooling('bedrock', daily), { scope: 'key-model', ...rest });
  assert.is(refused('bedrock', daily).retryAfterSeconds, 300);
  assert.equal(cooling('xunfei', { code: '11201' }), { scope: 'key-model', ...rest });
  assert.equal(cooling('zhipu-v4', { code: '1304' }), { scope: 'key-model', ...rest });
  assert.equal(cooling('zhipu-v4', { code: '1308' }), { scope: 'key', ...rest });
  assert.equal(cooling('volcengine', { code: 'SetLimitExceeded' }), { scope: 'key-model', ...rest });
  const brief = { code: 'ThrottlingException', message: 'Too many requests, please wait before trying again.' };
  assert.equal(cooling('bedrock', brief), { scope: 'key', cause: 'rate-limit' });
});

test('Gemini takes its version from the channel, else from the settings of the model', () => {
  const options = { 'gemini.version_settings': { default: 'v1beta', m: 'v1' } };
  const path = (rest: Partial<UpstreamCall>) => gemini.path(callOf({ format: 'gemini-generate', options, ...rest }));
  assert.is(path({}), '/v1/models/m:generateContent');
  assert.is(path({ model: 'n', stream: true }), '/v1beta/models/n:streamGenerateContent?alt=sse');
  assert.is(path({ other: 'v1alpha' }), '/v1alpha/models/m:generateContent');
  assert.is(path({ baseUrl: 'https://host/v1beta' }), '/models/m:generateContent');
  assert.is(path({ model: 'a/../b' }), '/v1beta/models/a%2F..%2Fb:generateContent');
  const body = { contents: [], safetySettings: [] };
  assert.is(gemini.amendBody?.(body, callOf({ options: { 'gemini.safety_settings': {} } })), body);
});

test('Anthropic gets a limit and the headers that the operator set for the model', () => {
  const options = {
    'claude.default_max_tokens': { default: 100, m: 200 },
    'claude.model_headers_settings': { m: { 'Anthropic-Beta': ['a', 'b', 'a'] } },
  };
  const call = callOf({ format: 'anthropic-messages', options });
  assert.equal(anthropic.amendBody?.({}, call), { max_tokens: 200 });
  assert.equal(anthropic.amendBody?.({ max_tokens: 7 }, call), { max_tokens: 7 });
  assert.equal(anthropic.amendBody?.({}, { ...call, model: 'n' }), { max_tokens: 100 });
  assert.equal(anthropic.headers?.(call), { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' });
});

test('Ollama reads one limit, and no wish for no tools', () => {
  const body = { max_completion_tokens: 5, tool_choice: 'none', tools: [{ type: 'function' }] };
  assert.equal(ollama.amendBody?.(body, callOf()), { max_tokens: 5 });
  const list = ollama.listModels?.({ baseUrl: 'http://h/v1', other: '', setting: {}, settings: {} });
  assert.is(list?.path, 'http://h/api/tags');
  assert.equal(list?.read({ models: [{ name: 'qwen3:latest' }] }), ['qwen3:latest']);
});

test('Bedrock names a model by its region, and leaves whole ids alone', () => {
  const ids: readonly (readonly [string, string, string])[] = [
    ['claude-sonnet-4-5', 'us-east-1', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['claude-sonnet-4-5-20250929', 'ap-northeast-1', 'jp.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['claude-sonnet-4-5-20250929', 'ap-south-1', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['claude-3-5-sonnet-20241022', 'eu-west-1', 'anthropic.claude-3-5-sonnet-20241022-v2:0'],
    ['claude-3-7-sonnet-20250219', 'ap-south-1', 'apac.anthropic.claude-3-7-sonnet-20250219-v1:0'],
    ['claude-opus-4-1-20250805', 'us-gov-west-1', 'us-gov.anthropic.claude-opus-4-1-20250805-v1:0'],
    ['claude-opus-4-6', 'ap-southeast-2', 'au.anthropic.claude-opus-4-6-v1'],
    ['claude-sonnet-5', 'eu-west-1', 'global.anthropic.claude-sonnet-5'],
    ['claude-opus-5-5', 'us-east-1', 'us.anthropic.claude-opus-5-5'],
    ['eu.anthropic.claude-opus-4-6-v1', 'us-east-1', 'eu.anthropic.claude-opus-4-6-v1'],
    ['arn:aws:bedrock:x', 'us-east-1', 'arn:aws:bedrock:x'],
  ];
  for (const [name, region, id] of ids) assert.is(bedrockModelId(name, region), id);
  const call = callOf({
    format: 'anthropic-messages',
    model: 'claude-opus-4-6',
    baseUrl: '',
    settings: { region: 'eu-west-1' },
  });
  assert.is(
    bedrock.path(call),
    'https://bedrock-runtime.eu-west-1.amazonaws.com/model/eu.anthropic.claude-opus-4-6-v1/invoke',
  );
  // A key is never led to a host that somebody wrote where a region belongs.
  for (const other of ['evil.example/', 'a@evil.example/', 'evil.example:1/?', 'evil.example#', 'evil.example\\'])
    assert.not.ok(URL.canParse(bedrock.path({ ...call, settings: {}, other })), other);
});

test('Bedrock asks in words for JSON of models whose schemas it refuses', () => {
  const format = { type: 'json_schema', schema: { type: 'object' } };
  const body = {
    max_tokens: 5,
    system: 'Be brief.',
    messages: [],
    output_config: { effort: 'low', format },
    tools: [{ name: 'f', input_schema: {}, strict: true }],
  };
  const amend = (model: string) =>
    bedrock.amendBody?.({ ...body }, callOf({ format: 'anthropic-messages', model, baseUrl: '' }));
  const demand = 'Answer with JSON only, without code fences or any other text. It must match this JSON schema:';
  for (const model of ['claude-opus-4-7', 'eu.anthropic.claude-sonnet-5-5', 'claude-opus-5', 'claude-fable-5']) {
    assert.equal(amend(model), {
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 5,
      system: [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: `${demand}\n{"type":"object"}` },
      ],
      messages: [],
      output_config: { effort: 'low' },
      tools: [{ name: 'f', input_schema: {} }],
    });
  }
  assert.equal(amend('claude-sonnet-4-5'), { anthropic_version: 'bedrock-2023-05-31', ...body });
});

test('Vertex finds place, publisher and dialect by the model', () => {
  const path = (rest: Partial<UpstreamCall>) =>
    vertex.path(callOf({ baseUrl: '', settings: { project: 'p1' }, ...rest }));
  assert.is(
    path({ model: 'gemini-2.5-pro', other: 'us-central1', stream: true }),
    'https://us-central1-aiplatform.googleapis.com/v1/projects/p1/locations/us-central1/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
  );
  assert.is(
    path({ model: 'claude-sonnet-4-5-20250929', other: '{"default":"eu","claude-sonnet-4-5-20250929":["global"]}' }),
    'https://aiplatform.googleapis.com/v1/projects/p1/locations/global/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict',
  );
  assert.is(
    path({ model: 'meta/llama-4', other: 'eu' }),
    'https://aiplatform.eu.rep.googleapis.com/v1/projects/p1/locations/eu/endpoints/openapi/chat/completions',
  );
  const several = { model: 'gemini-2.5-pro', other: '{"default":"eu","gemini-2.5-pro":["global","us-central1"]}' };
  assert.match(path({ ...several, lot: 0.4 }), 'https://aiplatform.googleapis.com/v1/projects/p1/locations/global/');
  assert.match(path({ ...several, lot: 0.9 }), 'https://us-central1-aiplatform.googleapis.com/');
  assert.ok(vertex.draws?.(callOf(several)));
  assert.not.ok(vertex.draws?.(callOf({ ...several, model: 'gemini-3.5-flash' })));
  assert.match(path({ model: 'claude-sonnet-4-0' }), /models\/claude-sonnet-4@20250514:/);
  assert.match(path({ model: 'claude-3-7-sonnet-latest' }), /models\/claude-3-7-sonnet@20250219:/);
  const express = { model: 'gemini-2.5-pro', settings: {} };
  assert.is(
    path(express),
    'https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-2.5-pro:generateContent',
  );
  for (const settings of [{}, { project: 'p1' }]) {
    assert.match(path({ ...express, settings, setting: { vertex_project: 'p/2' } }), '/v1/projects/p%2F2/locations/');
  }
  const spoken = (model: string) =>
    vertex.formatsFor?.({ project: 'p1' }, model, {}).filter((format) => vertex.speaks.chat?.includes(format));
  assert.equal(spoken('claude-sonnet-5'), ['anthropic-messages']);
  assert.equal(spoken('gemini-3.5-flash'), ['gemini-generate']);
  assert.equal(spoken('qwen/qwen3'), ['openai-chat']);
  const call = callOf({ format: 'anthropic-messages', model: 'claude-sonnet-5' });
  const body = { model: 'claude-sonnet-5', max_tokens: 5, messages: [], service_tier: 'auto' };
  assert.equal(vertex.amendBody?.(body, call), { max_tokens: 5, messages: [], anthropic_version: 'vertex-2023-10-16' });
});

test('Vertex counts the tokens of Claude for the model that the body names in its own way', () => {
  const counted = callOf({
    capability: 'count-tokens',
    format: 'anthropic-messages',
    model: 'claude-sonnet-4-5-20250929',
    settings: { project: 'p' },
  });
  assert.match(vertex.path(counted), '/publishers/anthropic/models/count-tokens:rawPredict');
  assert.equal(vertex.amendBody?.({ model: counted.model, messages: [] }, counted), {
    model: 'claude-sonnet-4-5@20250929',
    messages: [],
  });
});

test('Vertex pairs calls and results by their order, and wants to know whose a turn is', () => {
  const call = callOf({ format: 'gemini-generate', model: 'gemini-3.5-flash' });
  const turns = [
    { parts: [{ text: 'hi' }] },
    { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'f', args: {} }, thoughtSignature: 'S' }] },
    { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'f', response: {} } }] },
  ];
  const sent = vertex.amendBody?.({ contents: turns }, call);
  assert.equal(sent, {
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} }, thoughtSignature: 'S' }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
    ],
  });
  const plain = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
  assert.is(vertex.amendBody?.(plain, { ...call, capability: 'count-tokens' }), plain);
});

test('Bedrock takes the profile that the operator forces, and serves other vendors by its own chat', () => {
  const call = callOf({ baseUrl: '', model: 'claude-sonnet-4-5', format: 'anthropic-messages', setting: {} });
  const place = { settings: { region: 'eu-west-1' } };
  assert.match(bedrock.path({ ...call, ...place }), '/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke');
  const forced = { ...call, ...place, setting: { bedrock_profile: 'global' } };
  assert.match(bedrock.path(forced), '/model/global.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke');
  const arn = 'arn:aws:bedrock:us-west-2:123456789012:application-inference-profile/a1';
  const owned = { ...call, ...place, setting: { bedrock_arns: { 'claude-sonnet-4-5': arn } } };
  assert.is(
    bedrock.path(owned),
    `https://bedrock-runtime.us-west-2.amazonaws.com/model/${encodeURIComponent(arn)}/invoke`,
  );
  assert.equal(bedrock.auth(owned), {
    kind: 'signed',
    scheme: 'aws',
    settings: { service: 'bedrock', region: 'us-west-2' },
  });
  assert.is(bedrock.path({ ...owned, baseUrl: 'https://bedrock-mantle.eu-west-1.api.aws' }), '/anthropic/v1/messages');
  const formats = (model: string) => bedrock.formatsFor?.({}, model, {});
  assert.equal(formats('nova-pro'), ['bedrock-converse']);
  assert.equal(formats('us.meta.llama4-maverick-17b-instruct-v1:0'), ['bedrock-converse']);
  assert.equal(formats('openai.gpt-5.6-sol'), ['openai-responses', 'openai-chat']);
  assert.equal(formats('eu.anthropic.claude-opus-4-6-v1'), ['anthropic-messages', 'bedrock-count-tokens']);
  assert.equal(formats('titan-embed-text-v2'), ['titan-embeddings']);
  assert.equal(formats('us.cohere.embed-v4:0'), ['cohere-embeddings']);
  assert.equal(formats('arn:aws:bedrock:eu-west-1::foundation-model/amazon.rerank-v1:0'), ['bedrock-rerank']);
  const counting = { ...call, ...place, capability: 'count-tokens', format: 'bedrock-count-tokens' } as const;
  for (const model of ['claude-opus-4-6', 'eu.anthropic.claude-opus-4-6-v1', 'anthropic.claude-opus-4-6-v1']) {
    assert.match(bedrock.path({ ...counting, model }), '/model/anthropic.claude-opus-4-6-v1/count-tokens');
  }
  const mantle = { ...counting, baseUrl: 'https://bedrock-mantle.eu-west-1.api.aws', model: 'claude-opus-4-6' };
  assert.is(bedrock.path(mantle), '/anthropic/v1/messages/count_tokens');
  assert.equal(bedrock.amendBody?.({ messages: [] }, mantle), { messages: [], model: 'anthropic.claude-opus-4-6' });
  const listed = { modelSummaries: [{ modelId: 'anthropic.claude-opus-4-6-v1' }, { modelId: 'amazon.nova-pro-v1:0' }] };
  const list = bedrock.listModels?.({ baseUrl: '', other: '', setting: {}, ...place });
  assert.equal(list?.read(listed), ['claude-opus-4-6', 'amazon.nova-pro-v1:0']);
  const betas = { 'anthropic-beta': 'claude-code-20250219,context-1m-2025-08-07' };
  const claude = { ...call, ...place, format: 'anthropic-messages' } as const;
  assert.equal(bedrock.bodyOfHeaders?.(betas, claude), { anthropic_beta: ['context-1m-2025-08-07'] });
  assert.equal(bedrock.bodyOfHeaders?.(betas, { ...claude, baseUrl: mantle.baseUrl }), {});
  assert.equal(bedrock.bodyOfHeaders?.(betas, { ...claude, format: 'bedrock-converse' }), {});
});

test('kinds of keys are told by their form', () => {
  const entra = keySettings('eyJ0eXAiOiJKV1Qi.e30.c2ln', azure);
  assert.equal(azure.auth(callOf({ settings: entra })), { kind: 'bearer' });
  assert.equal(azureFoundry.auth(callOf({ settings: entra, format: 'anthropic-messages' })), { kind: 'bearer' });
  assert.equal(azure.auth(callOf({ settings: keySettings('0123456789abcdef', azure) })), {
    kind: 'header',
    name: 'api-key',
  });
  const settings = keySettings('sk-ant-oat01-x', anthropic);
  assert.equal(anthropic.auth(callOf({ settings })), { kind: 'bearer' });
  assert.is(anthropic.headers?.(callOf({ settings }))['anthropic-beta'], 'oauth-2025-04-20');
  assert.equal(keySettings('sk-ant-api03-x', anthropic), {});
});

test('the group of a MiniMax key is told beside it, or by the key itself', () => {
  const jwt = (payload: string) => `eyJhbGciOiJSUzI1NiJ9.${Buffer.from(payload).toString('base64url')}.c2ln`;
  const group = '1747179187841536150';
  const minimax = adapterOf('minimax');
  const path = (key: string) =>
    minimax.path(callOf({ format: 'minimax-speech', settings: keySettings(key, minimax), baseUrl: minimax.baseUrl }));
  assert.is(path(jwt(`{"UserName":"a","GroupID":"${group}","iss":"minimax"}`)), `/v1/t2a_v2?GroupId=${group}`);
  assert.is(path(jwt(`{"GroupID":${group}}`)), `/v1/t2a_v2?GroupId=${group}`);
  assert.is(path(`${jwt('{"GroupID":"1"}')}|${group}`), `/v1/t2a_v2?GroupId=${group}`);
  for (const key of ['sk-api-x', jwt('{}'), jwt('{"GroupID":"1&x=2"}'), jwt('no JSON')])
    assert.is(path(key), '/v1/t2a_v2');
});

test('Azure knows old names and old versions', () => {
  const call = callOf({ model: 'gpt-3.5-turbo', other: '2024-06-01', setting: { azure_strip_dots: true } });
  assert.match(azure.path(call), '/openai/deployments/gpt-35-turbo/');
  assert.equal(azure.amendBody?.({ stream: true, stream_options: { include_usage: true } }, call), { stream: true });
  const later = callOf({ other: '2024-10-21' });
  const body = { stream: true, stream_options: { include_usage: true } };
  assert.equal(azure.amendBody?.(body, later), body);
  // Where no path names the deployment, the body does.
  const undated = { ...call, other: '' };
  assert.ok(azure.amends?.(undated));
  assert.equal(azure.amendBody?.({ model: 'gpt-3.5-turbo' }, undated), { model: 'gpt-35-turbo' });
  assert.match(azure.path({ ...undated, format: 'openai-realtime' }), /realtime\?model=gpt-35-turbo$/);
});

test("Vertex serves Mistral's models at their publisher, and lists Google's", () => {
  const call = callOf({ baseUrl: '', model: 'mistral-medium-3', settings: { project: 'p' }, other: 'us-central1' });
  assert.is(
    vertex.path(call),
    'https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/publishers/mistralai/models/mistral-medium-3:rawPredict',
  );
  assert.equal(vertex.formatsFor?.({ project: 'p' }, 'codestral-2501', {}), ['openai-chat']);
  const list = vertex.listModels?.({ baseUrl: '', other: '', setting: {}, settings: {} });
  assert.equal(list?.read({ publisherModels: [{ name: 'publishers/google/models/gemini-3.5-flash' }] }), [
    'gemini-3.5-flash',
  ]);
});

test.run();
