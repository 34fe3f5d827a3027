/** What vendors answer to a wrong key, an unknown model, too many requests and a wrong request, by their sheets. */
import type { Json } from '../../daemon/relay/json.ts';

type Refusal = readonly [status: number, body: Json];

export interface Refusals {
  readonly key: Refusal;
  readonly model: Refusal;
  readonly limit: Refusal;
  readonly request: Refusal;
}

const openai = (message: string, code: string | null): Json => ({
  error: { message, type: 'invalid_request_error', param: null, code },
});
const anthropic = (type: string): Json => ({ type: 'error', error: { type, message: 'm' } });
const google = (code: number, status: string, reason?: string): Json => ({
  error: { code, message: 'm', status, ...(reason === undefined ? {} : { details: [{ reason }] }) },
});
const tc = (Code: string): Json => ({ Response: { Error: { Code, Message: 'm' }, RequestId: 'r' } });

/** OpenAI's own, which most vendors took over. */
export const usualRefusals: Refusals = {
  key: [401, openai('Incorrect API key provided', 'invalid_api_key')],
  model: [404, openai('The model `m` does not exist', 'model_not_found')],
  limit: [429, openai('Rate limit reached', 'rate_limit_exceeded')],
  request: [400, openai('Invalid value', 'invalid_value')],
};

const claude: Partial<Refusals> = {
  key: [401, anthropic('authentication_error')],
  model: [404, anthropic('not_found_error')],
  limit: [429, anthropic('rate_limit_error')],
  request: [400, anthropic('invalid_request_error')],
};

export const refusals: Readonly<Record<string, Partial<Refusals>>> = {
  anthropic: claude,
  gemini: {
    key: [400, google(400, 'INVALID_ARGUMENT', 'API_KEY_INVALID')],
    model: [404, google(404, 'NOT_FOUND')],
    limit: [429, google(429, 'RESOURCE_EXHAUSTED')],
    request: [400, google(400, 'INVALID_ARGUMENT')],
  },
  vertex: {
    key: [401, google(401, 'UNAUTHENTICATED')],
    model: [404, google(404, 'NOT_FOUND')],
    limit: [429, google(429, 'RESOURCE_EXHAUSTED')],
    request: [400, google(400, 'INVALID_ARGUMENT')],
  },
  azure: {
    key: [401, { statusCode: 401, message: 'Access denied due to invalid subscription key' }],
    model: [404, openai('m', 'DeploymentNotFound')],
    limit: [429, openai('m', 'RateLimitReached')],
    request: [400, openai('m', 'content_filter')],
  },
  'azure-foundry': { model: [404, openai('m', 'unknown_model')], limit: [429, openai('m', 'too_many_requests')] },
  bedrock: {
    key: [403, { message: 'm', __type: 'UnrecognizedClientException' }],
    model: [404, { message: 'm', __type: 'com.amazon#ResourceNotFoundException' }],
    limit: [429, { message: 'Too many requests', __type: 'ThrottlingException' }],
    request: [400, { message: 'm', __type: 'ValidationException' }],
  },
  ollama: {
    key: [401, { error: 'unauthorized' }],
    model: [404, { error: "model 'm' not found, try pulling it first" }],
    limit: [429, { error: 'too many requests' }],
    request: [400, { error: 'm does not support tools' }],
  },
  custom: { key: [401, { message: 'm' }], model: [404, { message: 'm' }] },
  moonshot: {
    key: [401, { error: { type: 'invalid_authentication_error', message: 'm' } }],
    model: [404, { error: { type: 'resource_not_found_error', message: 'm' } }],
    limit: [429, { error: { type: 'rate_limit_reached_error', message: 'm' } }],
  },
  siliconflow: {
    key: [401, 'Invalid token'],
    model: [400, { code: 20_012, message: 'Model does not exist.', data: null }],
    limit: [429, { code: 30_011, message: 'm' }],
  },
  mistral: {
    key: [401, { detail: 'Unauthorized' }],
    model: [400, { object: 'error', message: 'Invalid model: m', type: 'invalid_model', code: '1500' }],
    limit: [429, { object: 'error', message: 'Requests rate limit exceeded', code: '1300' }],
    request: [422, { detail: [{ type: 'extra_forbidden', loc: ['body'], msg: 'Extra inputs' }] }],
  },
  deepseek: { model: [400, openai('Model Not Exist', 'invalid_request_error')] },
  xinference: {
    model: [400, { detail: '[address=0.0.0.0:1] Model not found in the model list, uid: m' }],
    limit: [429, { detail: 'Rate limit reached' }],
  },
  xai: {
    key: [400, { code: 'c', error: 'Incorrect API key provided: xa***.' }],
    model: [404, { code: 'c', error: 'The model m does not exist' }],
    limit: [429, { code: 'c', error: 'Too many requests' }],
  },
  fastgpt: {
    key: [200, { code: 403, statusText: 'unAuthApiKey', message: 'unAuthApiKey', data: null }],
    request: [400, { code: 400, statusText: 'm', message: 'm', data: null }],
  },
  fireworks: { key: [401, { error: 'unauthorized' }], model: [404, { error: { code: 'NOT_FOUND', message: 'm' } }] },
  cerebras: { key: [401, { message: 'Wrong API Key', code: 'wrong_api_key' }] },
  huggingface: {
    key: [401, { error: 'Invalid username or password.' }],
    model: [400, openai('m', 'model_not_supported')],
  },
  'nvidia-nim': { key: [401, { detail: 'Authentication failed' }], model: [404, { detail: 'Not found for account' }] },
  volcengine: {
    key: [401, openai('m', 'AuthenticationError')],
    model: [404, openai('m', 'InvalidEndpointOrModel.NotFound')],
    limit: [429, openai('m', 'RateLimitExceeded.EndpointRPMExceeded')],
    request: [400, openai('m', 'InvalidParameter')],
  },
  ali: {
    key: [401, { code: 'InvalidApiKey', message: 'm', request_id: 'r' }],
    limit: [429, openai('m', 'insufficient_quota')],
    request: [400, { code: 'DataInspectionFailed', message: 'm', request_id: 'r' }],
  },
  'baidu-v2': {
    key: [401, openai('m', 'invalid_iam_token')],
    model: [400, openai('m', 'invalid_model')],
    limit: [429, openai('m', 'rpm_rate_limit_exceeded')],
  },
  cloudflare: {
    key: [403, { success: false, errors: [{ code: 10_000, message: 'Authentication error' }] }],
    model: [400, { success: false, errors: [{ code: 5007, message: 'No such model' }] }],
    limit: [429, { success: false, errors: [{ code: 3036, message: 'm' }] }],
    request: [400, { success: false, errors: [{ code: 5006, message: 'm' }] }],
  },
  jina: { key: [401, { detail: 'm' }], model: [404, { detail: 'm' }], limit: [429, { detail: 'm' }] },
  minimax: {
    key: [200, { base_resp: { status_code: 1004, status_msg: 'm' } }],
    model: [200, { base_resp: { status_code: 2061, status_msg: 'm' } }],
    limit: [200, { base_resp: { status_code: 1002, status_msg: 'm' } }],
    request: [200, { base_resp: { status_code: 2013, status_msg: 'invalid params' } }],
  },
  perplexity: { key: [401, '<html>401 Authorization Required</html>'] },
  'zhipu-v4': {
    key: [401, { error: { code: '1002', message: 'm' } }],
    model: [400, { error: { code: '1211', message: 'm' } }],
    limit: [429, { error: { code: '1302', message: 'm' } }],
    request: [400, { error: { code: '1261', message: 'm' } }],
  },
  'aiproxy-library': { request: [200, { error: { code: 'x', message: 'm', status: 400 } }] },
  baidu: {
    key: [200, { error_code: 14, error_msg: 'm' }],
    model: [200, { error_code: 336_005, error_msg: 'm' }],
    limit: [200, { error_code: 18, error_msg: 'm' }],
    request: [200, { error_code: 336_003, error_msg: 'm' }],
  },
  cohere: {
    key: [401, { message: 'invalid api token' }],
    model: [404, { message: "model 'm' not found" }],
    limit: [429, { message: 'You are using a Trial key, which is limited to 10 API calls / minute' }],
    request: [422, { message: 'm' }],
  },
  coze: {
    key: [200, { code: 4100, msg: 'authentication is invalid' }],
    model: [200, { code: 4200, msg: 'm' }],
    limit: [200, { code: 4013, msg: 'm' }],
    request: [200, { code: 4000, msg: 'm' }],
  },
  dify: {
    key: [401, { code: 'unauthorized', message: 'm', status: 401 }],
    model: [400, { code: 'model_currently_not_support', message: 'm', status: 400 }],
    limit: [429, { code: 'too_many_requests', message: 'm', status: 429 }],
    request: [400, { code: 'invalid_param', message: 'm', status: 400 }],
  },
  replicate: {
    key: [401, { title: 'Unauthenticated', detail: 'm', status: 401 }],
    model: [404, { title: 'm', detail: 'm', status: 404 }],
    limit: [429, { detail: 'Request was throttled.', retry_after: 3 }],
    request: [422, { title: 'm', detail: 'm', status: 422 }],
  },
  tencent: {
    key: [200, tc('AuthFailure.SignatureFailure')],
    model: [200, tc('ResourceUnavailable.NotExist')],
    limit: [200, tc('RequestLimitExceeded')],
    request: [200, tc('InvalidParameter')],
  },
  xunfei: {
    key: [401, { message: 'HMAC signature cannot be verified' }],
    model: [404, { message: 'm' }],
    limit: [200, { header: { code: 11_202, message: 'm', sid: 's' } }],
    request: [200, { header: { code: 10_013, message: 'm', sid: 's' } }],
  },
  zhipu: {
    key: [200, { code: 1002, msg: 'm', success: false }],
    model: [200, { code: 1211, msg: 'm', success: false }],
    limit: [200, { code: 1302, msg: 'm', success: false }],
    request: [200, { code: 1301, msg: 'm', success: false }],
  },
};
