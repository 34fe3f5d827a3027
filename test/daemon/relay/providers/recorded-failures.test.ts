/**
 * Refusals as the vendors sent them, read by their adapters.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { providers } from '../../../../daemon/relay/providers/index.ts';
import { readResponse, recordedCases } from '../../../conformance/cases.ts';
import { adapterOf, callOf } from '../../../support/adapter-calls.ts';

const test = suite('recorded refusals');

/** What a refusal leads to: health, aboutCredential, retry. */
const meanings = {
  key: ['hard', true, 'next-key'],
  limit: ['none', false, 'next-key'],
  forbidden: ['none', true, 'next-channel'],
  elsewhere: ['none', false, 'next-channel'],
  trouble: ['soft', false, 'next-channel'],
  request: ['none', false, 'never'],
} as const;

/** Recorded case -> status, and what it leads to. */
const expected: Readonly<Record<string, readonly [status: number, meaning: keyof typeof meanings]>> = {
  'openai/models--model-listing-auth-failure-keeps-api-error-context': [401, 'key'],
  'openai/oa-chat--openai-gpt-4o-completions': [404, 'elsewhere'],
  'openai/oa-chat--text-embedding-3-small-basic': [403, 'forbidden'],
  'openai/oa-completions--completion-bad-request': [400, 'elsewhere'],
  'deepseek/oa-chat--chat-error-handling-with-deepseek-deepseek-chat-raises-a': [401, 'key'],
  'deepseek/oa-chat--blocking-audio-part-reaches-the-wire': [400, 'elsewhere'],
  'mistral/models--list-models-rejected-key-reports-api-error-with-context': [401, 'key'],
  'mistral/mistral-chat--blocking-error-carries-the-correlation-id': [404, 'elsewhere'],
  'mistral/mistral-embeddings--error-preserves-provider-body': [404, 'elsewhere'],
  'mistral/mistral-chat--blocking-ministral-3b': [400, 'elsewhere'],
  'openrouter/oa-chat--chat-error-handling-with-openrouter-claude-haiku-4-5-rai': [401, 'key'],
  'openrouter/oa-chat--openrouter-errors-raised': [429, 'limit'],
  'openrouter/oa-chat--qwen-qwen3-8b-free-multi-tool': [404, 'elsewhere'],
  'openrouter/oa-chat--x-ai-grok-code-fast-1-reasoning-basic': [403, 'request'],
  'openrouter/oa-chat--tool-round-trip-2': [502, 'trouble'],
  'anthropic/anthropic-messages--anthropic-completion-error': [400, 'elsewhere'],
  'gemini/gemini-generatecontent--google-429-retry-info': [429, 'limit'],
  'gemini/gemini-generatecontent--google-gemini-2-5-flash': [404, 'elsewhere'],
  'gemini/gemini-generatecontent--google-gemini-2-5-flash-v2': [401, 'key'],
  'gemini/gemini-generatecontent--unary-failure-generativelanguage-api-not-enabled': [403, 'key'],
  'azure/oa-chat--chat-error-handling-with-azure-grok-4-1-fast-non-reasoni': [401, 'key'],
  'azure/oa-chat--chat-real-error-scenarios-azure-grok-4-1-fast-non-reason': [429, 'limit'],
  'ollama/oa-chat--chat-error-handling-with-ollama-cloud-gpt-oss-120b-raise': [401, 'key'],
  'xai/oa-chat--grok-beta-basic': [404, 'elsewhere'],
  'xai/oa-chat--grok-code-fast-1-reasoning-basic': [400, 'elsewhere'],
  'xai/oa-responses--provider-error-classifies-with-contract-but-reports-no-i': [404, 'elsewhere'],
  'ali/dashscope-rerank--text-rerank-error-handling': [404, 'elsewhere'],
  'anthropic/anthropic-messages--anthropic-beta-claude-sonnet-4-0': [404, 'elsewhere'],
  'anthropic/anthropic-messages--anthropic-v1-messages-beta-true-post-1913e018': [401, 'key'],
  'anthropic/anthropic-messages--auth-rejection-carries-identity': [401, 'key'],
  'anthropic/anthropic-messages--chat-real-error-scenarios-anthropic-claude-haiku-4-5-han': [400, 'elsewhere'],
  'anthropic/anthropic-messages--claude-3-sonnet-20240229-basic': [404, 'elsewhere'],
  'anthropic/anthropic-messages--model-name-suggestion-anthropic': [404, 'elsewhere'],
  'bedrock/bedrock-converse--bedrock-converse-error': [403, 'key'],
  'bedrock/bedrock-converse--chat-error-handling-with-bedrock-amazon-nova-2-lite-v1-0': [403, 'key'],
  'bedrock/bedrock-converse--multimodal-tool-return-matrix-direct-uploaded-file-image-1': [400, 'elsewhere'],
  'bedrock/bedrock-converse--multimodal-tool-return-matrix-direct-uploaded-file-video-1': [400, 'elsewhere'],
  'bedrock/bedrock-converse--retired-model-id-preserves-provider-error': [404, 'elsewhere'],
  'bedrock/bedrock-invoke--amazon-bedrock-basic': [503, 'elsewhere'],
  'bedrock/bedrock-counttokens--bedrock-count-tokens-error': [404, 'elsewhere'],
  'cohere/cohere-embed--error-preserves-provider-body': [404, 'elsewhere'],
  'cohere/cohere-embed--cohere-test-embed-error': [404, 'elsewhere'],
  'cohere/cohere-v2chat--chat-error-handling-with-cohere-command-a-03-2025-raises': [401, 'key'],
  'cohere/cohere-v2chat--completion-error-preserves-status-and-body': [404, 'elsewhere'],
  'deepseek/oa-chat--blocking-image-base64-part-reaches-the-wire': [400, 'elsewhere'],
  'deepseek/oa-chat--blocking-image-only-message-reaches-the-wire': [400, 'elsewhere'],
  'deepseek/oa-chat--chat-real-error-scenarios-deepseek-deepseek-chat-handles': [400, 'elsewhere'],
  'deepseek/oa-responses--deepseek-responses-rejects-interleaved-function-calls': [400, 'elsewhere'],
  'gemini/gemini-batchembedcontents--error-preserves-provider-body': [404, 'elsewhere'],
  'gemini/gemini-cachedcontents--edge-below-minimum': [400, 'elsewhere'],
  'gemini/gemini-generatecontent--gemini-live-2-5-flash-preview-native-audio-basic': [404, 'elsewhere'],
  'gemini/gemini-generatecontent--wraps-api-errors-on-stream-call': [404, 'elsewhere'],
  'groq/models--list-models-rejected-key-reports-api-error-with-context': [401, 'key'],
  'groq/oa-chat--model-name-suggestion-groq': [404, 'elsewhere'],
  'groq/oa-chat--qwen-qwq-32b-basic': [404, 'elsewhere'],
  'groq/oa-chat--tool-regular-error': [404, 'elsewhere'],
  'groq/oa-chat--tool-use-failed-error-with-text': [400, 'elsewhere'],
  'ollama/ollama-chat--chat-error-records-model-name': [404, 'elsewhere'],
  'openai/oa-audio-transcriptions--rejected-request-surfaces-the-provider-body': [400, 'elsewhere'],
  'openai/oa-chat--vision-test-vision-2': [400, 'elsewhere'],
  'openai/oa-completions--completion-stream-wrong-api-key': [401, 'key'],
  'openai/oa-embeddings--async-embeddings-error-handling': [404, 'elsewhere'],
  'openai/oa-embeddings--embeddings-bad-request': [400, 'elsewhere'],
  'openai/oa-embeddings--openai-test-embed-error': [404, 'elsewhere'],
  'openai/oa-images-edits--image-edit-functionality-with-remote-urls-rejects-edits': [400, 'elsewhere'],
  'openai/oa-images-generations--image-gen-metrics-1': [400, 'elsewhere'],
  'openai/oa-responses--encodes-thoughts-as-text-for-model-consumption': [400, 'elsewhere'],
  'openai/oa-responses--multimodal-tool-return-matrix-direct-url-audio-openai-re-1': [400, 'elsewhere'],
  'openai/oa-responses--response-error': [401, 'key'],
  'openai/oa-responses--tool-round-trip-2': [400, 'elsewhere'],
  'openrouter/oa-chat--chat-real-error-scenarios-openrouter-claude-haiku-4-5-ha': [400, 'elsewhere'],
  'openrouter/oa-chat--qwen-qwen3-8b-free-basic': [429, 'limit'],
  'openrouter/oa-chat--rekaai-reka-flash-3-basic': [404, 'elsewhere'],
  'openrouter/oa-chat--x-ai-grok-code-fast-1-object-basic': [400, 'elsewhere'],
  'perplexity/oa-chat--chat-real-error-scenarios-perplexity-sonar-handles-conte': [400, 'elsewhere'],
  'together/oa-chat--makes-successful-api-call': [401, 'key'],
  'vertex/gemini-generatecontent--generate-content-invalid-role': [400, 'elsewhere'],
  'vertex/gemini-generatecontent--generate-content-missing-model': [404, 'elsewhere'],
  'vertex/gemini-generatecontent--streaming-failure-unknown-model': [404, 'elsewhere'],
  'vertex/gemini-generatecontent--unary-failure-firebasevertexai-api-not-enabled': [403, 'key'],
  'vertex/gemini-generatecontent--unary-failure-iam-permission-denied': [403, 'key'],
  'vertex/gemini-generatecontent--unary-failure-quota-exceeded': [429, 'limit'],
  'ali/dashscope-generation--agenterror-test-agent-with-invalid-model': [401, 'key'],
};

const cases = new Map(recordedCases().map((one) => [one.name, one]));

for (const [name, [wantedStatus, meaning]] of Object.entries(expected)) {
  test(`${name} means ${wantedStatus}, ${meaning}`, () => {
    const one = cases.get(name);
    assert.ok(one, 'recorded');
    const adapter = adapterOf(name.split('/')[0] ?? '');
    const { fields } = adapter.readFailure({
      status: one.status,
      headers: {},
      body: JSON.stringify(readResponse(one)),
      call: callOf(adapter),
      nowMs: 0,
    });
    const { status, health, aboutCredential, retry } = fields;
    assert.equal([status, health, aboutCredential, retry], [wantedStatus, ...meanings[meaning]]);
    assert.not.match(fields.clientText, /sk-|\*{4}/);
    if (adapter.baseUrl !== '') assert.not.match(fields.clientText, new URL(adapter.baseUrl).host);
  });
}

test('every recorded refusal of our vendors stands in the table', () => {
  const ours = [...cases.values()].filter(({ name }) => providers.some(({ id }) => name.startsWith(`${id}/`)));
  const missing = ours.filter(({ name, status }) => status >= 400 && expected[name] === undefined);
  assert.equal(
    missing.map(({ name }) => name),
    [],
  );
});

for (const one of cases.values()) {
  const adapter = providers.find((entry) => entry.id === one.name.split('/')[0]);
  if (adapter === undefined || one.status < 400) continue;
  test(`${one.name} has a message of its own`, () => {
    const { fields } = adapter.readFailure({
      status: one.status,
      headers: {},
      body: JSON.stringify(readResponse(one)),
      call: callOf(adapter),
      nowMs: 0,
    });
    assert.not.match(fields.clientText, 'bad response status code');
  });
}

const judge = (id: string, status: number, body: unknown) => {
  const adapter = adapterOf(id);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return adapter.readFailure({ status, headers: {}, body: text, call: callOf(adapter), nowMs: 0 }).fields;
};

/** What the sheets say of codes that nobody has recorded: provider, status, body -> status, health. */
const documented: readonly (readonly [string, number, unknown, number, string])[] = [
  ['openai', 400, { error: { message: 'm', code: 'billing_hard_limit_reached' } }, 402, 'hard'],
  ['openai', 403, { error: { message: 'm', code: 'unsupported_country_region_territory' } }, 403, 'none'],
  ['openai', 503, { error: { message: 'overloaded' } }, 503, 'none'],
  ['moonshot', 429, { error: { message: 'm', type: 'exceeded_current_quota_error' } }, 402, 'hard'],
  ['moonshot', 429, { error: { message: 'm', type: 'rate_limit_reached_error' } }, 429, 'none'],
  ['moonshot', 429, { error: { message: 'm', type: 'engine_overloaded_error' } }, 503, 'none'],
  ['moonshot', 401, { error: { message: 'm', type: 'incorrect_api_key_error' } }, 401, 'hard'],
  ['siliconflow', 400, { code: 20_012, message: 'Model does not exist.', data: null }, 404, 'none'],
  ['siliconflow', 403, { code: 30_001, message: 'balance', data: null }, 403, 'hard'],
  ['siliconflow', 401, 'Invalid token', 401, 'hard'],
  ['lingyiwanwu', 401, { error: { message: 'm' } }, 401, 'hard'],
  ['deepseek', 402, { error: { message: 'Insufficient Balance' } }, 402, 'hard'],
  ['deepseek', 400, { error: { message: 'Model Not Exist', code: 'invalid_request_error' } }, 404, 'none'],
  ['mistral', 422, { detail: [{ type: 'extra_forbidden', loc: ['body'], msg: 'Extra inputs' }] }, 422, 'none'],
  ['xinference', 400, { detail: '[address=0.0.0.0:1] Model not found in the model list, uid: x' }, 404, 'none'],
  ['xai', 400, { code: 'c', error: 'Incorrect API key provided: xa***.' }, 401, 'hard'],
  ['xai', 403, { code: 'c', error: 'Your team has used all available credits' }, 403, 'hard'],
  [
    'anthropic',
    400,
    { type: 'error', error: { type: 'invalid_request_error', message: 'Your credit balance is too low' } },
    402,
    'hard',
  ],
  ['anthropic', 402, { type: 'error', error: { type: 'billing_error', message: 'm' } }, 402, 'hard'],
  ['anthropic', 403, { type: 'error', error: { type: 'forbidden', message: 'Request not allowed' } }, 403, 'none'],
  ['anthropic', 200, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 503, 'none'],
  ['anthropic', 413, { type: 'error', error: { type: 'request_too_large', message: 'm' } }, 413, 'none'],
  [
    'gemini',
    400,
    { error: { code: 400, message: 'User location is not supported', status: 'FAILED_PRECONDITION' } },
    400,
    'none',
  ],
  ['gemini', 402, { error: { code: 402, message: 'm', status: 'RESOURCE_EXHAUSTED' } }, 402, 'hard'],
  ['gemini', 503, [{ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }], 503, 'none'],
  ['azure', 404, { error: { code: 'DeploymentNotFound', message: 'm' } }, 404, 'none'],
  ['azure', 401, { statusCode: 401, message: 'Access denied' }, 401, 'hard'],
  ['azure-foundry', 404, { error: { code: 'unknown_model', message: 'm' } }, 404, 'none'],
  ['ollama', 404, { error: "model 'x' not found, try pulling it first" }, 404, 'none'],
  ['zhipu-v4', 429, { error: { code: '1113', message: 'm' } }, 402, 'hard'],
  ['zhipu-v4', 429, { error: { code: '1302', message: 'm' } }, 429, 'none'],
  ['zhipu-v4', 400, { error: { code: '1211', message: 'm' } }, 404, 'none'],
  ['zhipu', 200, { code: 1002, msg: 'm', success: false }, 401, 'hard'],
  ['zhipu', 200, { code: 1301, msg: 'm', success: false }, 400, 'none'],
  ['baidu', 200, { error_code: 17, error_msg: 'Open api daily request limit reached' }, 402, 'hard'],
  ['baidu', 200, { error_code: 110, error_msg: 'Access token invalid' }, 401, 'soft'],
  ['baidu', 200, { error_code: 18, error_msg: 'Open api qps request limit reached' }, 429, 'none'],
  ['baidu-v2', 401, { error: { code: 'invalid_iam_token', message: 'm', type: 'invalid_request_error' } }, 401, 'hard'],
  ['baidu-v2', 401, { error: { code: 'invalid_model', message: 'm', type: 'invalid_request_error' } }, 401, 'none'],
  ['minimax', 200, { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }, 402, 'hard'],
  ['minimax', 200, { base_resp: { status_code: 2049, status_msg: 'invalid api key' } }, 401, 'hard'],
  ['minimax', 200, { base_resp: { status_code: 1002, status_msg: 'rate limit' } }, 429, 'none'],
  ['ali', 429, { error: { code: 'insufficient_quota', message: 'm' } }, 429, 'none'],
  ['ali', 400, { code: 'Arrearage', message: 'm', request_id: 'r' }, 402, 'hard'],
  ['ali', 401, { code: 'InvalidApiKey', message: 'm' }, 401, 'hard'],
  ['tencent', 200, { Response: { Error: { Code: 'AuthFailure.SignatureFailure', Message: 'm' } } }, 401, 'hard'],
  ['tencent', 200, { Response: { Error: { Code: 'RequestLimitExceeded', Message: 'm' } } }, 429, 'none'],
  ['tencent', 402, { error: { message: 'the account is in arrears' } }, 402, 'hard'],
  ['tencent', 402, { error: { message: 'not activated' } }, 402, 'none'],
  ['xunfei', 200, { code: 11_200, message: 'no volume left', sid: 's' }, 402, 'hard'],
  ['xunfei', 200, { header: { code: 10_110, message: 'busy', sid: 's' } }, 503, 'none'],
  ['cloudflare', 403, { success: false, errors: [{ code: 10_000, message: 'Authentication error' }] }, 403, 'hard'],
  [
    'cloudflare',
    400,
    { success: false, errors: [{ code: 5007, message: 'No such model' }], result: null },
    404,
    'none',
  ],
  ['openrouter', 200, { choices: [{ finish_reason: 'error', error: { code: 429, message: 'm' } }] }, 429, 'none'],
  ['openrouter', 200, { choices: [{ finish_reason: 'error', error: { code: 402, message: 'm' } }] }, 402, 'hard'],
  ['cohere', 401, { message: 'invalid api token' }, 401, 'hard'],
  ['cohere', 498, { message: 'invalid token' }, 401, 'hard'],
  ['dify', 400, { code: 'provider_quota_exceeded', message: 'm', status: 400 }, 402, 'hard'],
  ['dify', 401, { code: 'unauthorized', message: 'm', status: 401 }, 401, 'hard'],
  ['fastgpt', 200, { code: 403, statusText: 'unAuthApiKey', message: 'm', data: null }, 403, 'hard'],
  ['fastgpt', 200, { code: 500, statusText: 'aiPointsNotEnough', message: 'm', data: null }, 402, 'hard'],
  ['coze', 200, { code: 4100, msg: 'authentication is invalid' }, 401, 'hard'],
  ['coze', 200, { code: 5000, msg: 'm' }, 503, 'none'],
  ['replicate', 402, { title: 'Insufficient credit', detail: 'm', status: 402 }, 402, 'hard'],
  ['replicate', 422, { title: 'm', detail: 'bad input', status: 422 }, 422, 'none'],
  ['jina', 422, { detail: [{ loc: ['body', 'model'], msg: 'no such choice', type: 'enum' }] }, 404, 'none'],
  ['jina', 422, { detail: [{ loc: ['body', 'input'], msg: 'field required', type: 'missing' }] }, 422, 'none'],
  ['jina', 402, { detail: 'Insufficient balance' }, 402, 'hard'],
  ['perplexity', 401, '<html>401 Authorization Required</html>', 401, 'hard'],
  ['aiproxy-library', 401, { message: 'm' }, 401, 'hard'],
  ['custom', 402, { message: 'pay' }, 402, 'hard'],
];

for (const [id, status, body, wantedStatus, health] of documented) {
  test(`${id} ${status} ${JSON.stringify(body)} means ${wantedStatus}, ${health}`, () => {
    const fields = judge(id, status, body);
    assert.equal([fields.status, fields.health], [wantedStatus, health]);
  });
}

test.run();
