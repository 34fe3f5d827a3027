import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UpstreamFailure } from '../../../daemon/errors.ts';
import { readAs, readFailure } from '../../../daemon/relay/failure.ts';
import { keyRemover } from '../../../daemon/relay/failure-mask.ts';
import type { FailedReply, UpstreamCall } from '../../../daemon/relay/provider.ts';
import { providers } from '../../../daemon/relay/providers/index.ts';
import { assertQuick } from '../../support/processor-time.ts';

const call: UpstreamCall = {
  capability: 'chat',
  format: 'openai-chat',
  model: 'gpt-x',
  stream: false,
  baseUrl: 'https://canary-host.example.com/v1',
  other: '',
  organization: 'org-canary',
  setting: {},
  settings: {},
  options: {},
};

const nowMs = Date.UTC(2026, 10, 21);
const reply = (status: number, body: unknown, headers: FailedReply['headers'] = {}): FailedReply => ({
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  call,
  nowMs,
});
const judge = (...parts: Parameters<typeof reply>) => readFailure(reply(...parts), 'test').fields;

const test = suite('readFailure');

test('finds the message wherever vendors write it', () => {
  for (const body of [
    { error: { message: 'it broke' } },
    { error: 'it broke' },
    { message: 'it broke' },
    { msg: 'it broke' },
    { err: 'it broke' },
    { error_msg: 'it broke' },
    { detail: 'it broke' },
    { detail: [{ type: 'x', loc: ['body'], msg: 'it broke' }] },
    { message: { detail: [{ msg: 'it broke' }] } },
    { header: { message: 'it broke' } },
    { response: { error: { message: 'it broke' } } },
    { errors: [{ message: 'it broke' }] },
    { Message: 'it broke' },
    { base_resp: { status_code: 1001, status_msg: 'it broke' } },
    { x_groq: { id: 'req_1', error: 'it broke' } },
    [{ error: { message: 'it broke' } }],
    '"it broke"',
  ]) {
    assert.is(judge(400, body).clientText, 'it broke', JSON.stringify(body));
  }
});

test('holds no refusal that names a model or region against the key, whatever its type', () => {
  const health = (status: number, type: string, message: string) => judge(status, { error: { type, message } }).health;
  assert.is(health(403, 'permission_error', 'Your account has no access to model claude-x'), 'none');
  assert.is(health(403, 'forbidden', 'not available in your region'), 'none');
  assert.is(health(401, 'authentication_error', 'this key may not use the model gpt-x'), 'none');
  assert.is(health(403, 'permission_error', 'Your account may not do this'), 'hard');
  assert.is(health(401, 'authentication_error', 'invalid key'), 'hard');
});

test('keeps type, code and parameter, and fills what is missing', () => {
  const full = judge(400, { error: { message: 'm', type: 't', code: 7, param: 'p' } });
  assert.equal([full.type, full.code, full.param], ['t', '7', 'p']);
  assert.is(judge(500, { code: 514, statusText: 'unAuthApiKey', message: 'm', data: null }).type, 'unAuthApiKey');
  const bare = judge(418, { error: { message: 'm' } });
  assert.equal([bare.type, bare.code, bare.param], ['upstream_error', 'bad_response_status_code', '418']);
});

test('shows nothing of a body that is no JSON', () => {
  const { clientText, operatorText } = judge(502, '<html>canary</html>');
  assert.is(clientText, 'bad response status code 502');
  assert.match(operatorText, 'canary');
});

test('keeps for operators the first 500 characters of a body that is no JSON', () => {
  const { operatorText } = judge(502, `<p>${'page '.repeat(200)}`);
  assert.is(operatorText, `bad response status code 502: <p>${'page '.repeat(200)}`.slice(0, 30 + 500));
});

test('reads the status of an error inside a success from its body', () => {
  assert.is(judge(200, { error: { message: 'm', code: 429 } }).status, 429);
  assert.is(judge(200, { error: { message: 'm', code: 'x' } }).status, 502);
  assert.is(judge(200, { error: { message: 'm' } }).health, 'soft');
  assert.is(judge(99, 'x').status, 502);
});

test('calls an exhausted account by its name', () => {
  const gone = judge(429, { error: { message: 'm', type: 'insufficient_quota', code: 'insufficient_quota' } });
  assert.equal([gone.status, gone.health, gone.aboutCredential, gone.cooling], [402, 'hard', true, undefined]);
  const limited = judge(429, { error: { message: 'm', code: 'insufficient_quota' } }, { 'retry-after': '20' });
  assert.equal([limited.status, limited.health, limited.retryAfterSeconds], [429, 'none', 20]);
});

test('tells a bad key from a bare refusal and from one that names a model', () => {
  const bad = judge(401, { error: { message: 'm', code: 'invalid_api_key' } });
  assert.equal([bad.status, bad.health, bad.aboutCredential], [401, 'hard', true]);
  const bare = judge(403, { error: { message: 'no' } });
  assert.equal([bare.health, bare.aboutCredential], ['soft', true]);
  const narrow = judge(403, { error: { message: 'You may not use this model' } });
  assert.equal([narrow.health, narrow.aboutCredential], ['none', true]);
});

test('knows a model that an upstream does not have from anything else that it does not find', () => {
  const of = (id: string, error: unknown, status = 404) => {
    return providers.find((provider) => provider.id === id)?.readFailure(reply(status, { error })).fields;
  };
  const missing: readonly [provider: string, error: unknown][] = [
    ['openai', { message: 'The model `gpt-x` does not exist', code: 'model_not_found' }],
    // Its own rule for all 404s does not hide the code.
    ['groq', { message: 'The model `gpt-x` does not exist', code: 'model_not_found' }],
    ['azure', { message: 'The API deployment does not exist', code: 'DeploymentNotFound' }],
    ['anthropic', { type: 'not_found_error', message: 'model: claude-x' }],
    ['gemini', { code: 404, message: 'models/gemini-x is not found for API version v1beta', status: 'NOT_FOUND' }],
    ['vertex', { code: 404, message: 'Publisher Model `projects/p-1/x` was not found', status: 'NOT_FOUND' }],
  ];
  for (const [provider, error] of missing) {
    const read = of(provider, error);
    assert.equal([read?.lacksModel, read?.health, read?.retry], [true, 'none', 'next-channel'], provider);
  }
  const others: readonly [provider: string, error: unknown][] = [
    ['openai', { message: 'No such File object: file-x', type: 'invalid_request_error' }],
    ['groq', { message: 'not found' }],
    ['anthropic', { type: 'not_found_error', message: 'File not found' }],
    ['gemini', { code: 404, message: 'File files/abc not found: the model cannot read it', status: 'NOT_FOUND' }],
  ];
  for (const [provider, error] of others) assert.is(of(provider, error)?.lacksModel, undefined, provider);
  assert.is(of('openai', { message: 'm', code: 'invalid_api_key' }, 401)?.lacksModel, undefined);
});

test('cools what the refusal is about', () => {
  assert.equal(judge(429, { error: { message: 'slow' } }, { 'retry-after': '7' }).cooling, {
    scope: 'key',
    cause: 'rate-limit',
    retryAfterMs: 7000,
  });
  assert.equal(judge(429, { error: { message: 'limit of gpt-x reached' } }).cooling, {
    scope: 'key-model',
    cause: 'rate-limit',
  });
  assert.is(judge(429, { error: { message: 'slow' } }, { 'x-limited-model': 'gpt-x' }).cooling?.scope, 'key-model');
  assert.equal(judge(529, { error: { message: 'busy' } }).cooling, { scope: 'key', cause: 'overload' });
  // OpenAI tells its limits with every answer: the end of one is not the end of the overload.
  const limits = { 'x-ratelimit-reset-requests': '1m26s', 'x-ratelimit-remaining-requests': '199' };
  assert.equal(judge(503, { error: { message: 'busy' } }, limits).cooling, { scope: 'key', cause: 'overload' });
  const told = judge(503, { error: { message: 'busy' } }, { ...limits, 'retry-after': '3' }).cooling;
  assert.equal(told, { scope: 'key', cause: 'overload', retryAfterMs: 3000 });
  assert.equal(judge(500, { error: { message: 'x' } }).cooling, { scope: 'channel', cause: 'failure' });
  assert.is(judge(400, { error: { message: 'x' } }).cooling, undefined);
});

test('judges a refusal anew under the status that the operator gives it', () => {
  const as = (status: number, from: number, headers = {}) =>
    readAs(new UpstreamFailure(judge(from, { error: { message: 'x' } }, headers)), status).fields;
  const broken = as(500, 400);
  assert.equal(
    [broken.retry, broken.health, broken.cooling],
    ['next-channel', 'soft', { scope: 'channel', cause: 'failure' }],
  );
  const limited = as(429, 403);
  assert.equal([limited.health, limited.cooling], ['none', { scope: 'key', cause: 'rate-limit' }]);
  assert.equal(as(429, 503, { 'retry-after': '9' }).cooling, { scope: 'key', cause: 'rate-limit', retryAfterMs: 9000 });
  const faulty = as(400, 500);
  assert.equal([faulty.health, faulty.cooling, faulty.upstreamStatus], ['none', undefined, 500]);
});

test('leaves it to the operator whether statuses that say little of a channel count', () => {
  for (const status of [301, 405, 408, 409, 451])
    assert.is(judge(status, { error: { message: 'x' } }).health, 'listed');
  for (const status of [400, 413, 422]) assert.is(judge(status, { error: { message: 'x' } }).health, 'none');
});

test('reads every spelling of a time to wait', () => {
  const wait = (headers: FailedReply['headers']) => judge(429, { error: 'x' }, headers).cooling?.retryAfterMs;
  assert.is(wait({ 'retry-after': '12' }), 12_000);
  assert.is(wait({ 'retry-after': new Date(nowMs + 30_000).toUTCString() }), 30_000);
  assert.is(wait({ 'retry-after-ms': '1500' }), 1500);
  assert.is(wait({ 'x-ratelimit-reset-requests': '1m30s' }), 90_000);
  assert.is(wait({ 'x-ratelimit-reset-tokens': '20ms' }), 1000);
  assert.is(wait({ 'x-ratelimit-reset': String(nowMs + 45_000) }), 45_000);
  assert.is(wait({ 'retry-after': '86400' }), 300_000);
  assert.is(wait({ 'retry-after': 'soon' }), undefined);
  assert.is(
    wait({
      'x-ratelimit-reset-requests': '2s',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-tokens': '6m0s',
      'x-ratelimit-remaining-tokens': '900',
    }),
    2000,
  );
});

test('shows no part of the channel’s key, whatever its form and wherever the text is cut', () => {
  const secret = 'fedcba98765432100123456789abcdef.AbCdEf/987654+zyx';
  const heard = { ...call, withoutKey: keyRemover(secret) };
  for (const body of [
    JSON.stringify({ error: { message: `Wrong key ${secret} given`, type: secret, code: secret, param: secret } }),
    JSON.stringify({ error: `Wrong key ${secret} given` }).replaceAll('/', '\\/'),
    `<html>${'x'.repeat(460)} ${secret} is wrong</html>`,
  ]) {
    const { fields } = readFailure({ ...reply(401, body), call: heard }, 'test');
    for (let at = 0; at + 6 <= secret.length; at += 1) {
      assert.not.match(JSON.stringify(fields), secret.slice(at, at + 6));
    }
  }
});

test('shows the beginning of a very long text, up to the end of a word', () => {
  const { clientText, operatorText } = judge(400, {
    error: { message: `Not read: ${'word sk-abcdefghijkl '.repeat(50_000)}` },
  });
  for (const text of [clientText, operatorText]) {
    assert.ok(text.length < 16_384, `${text.length} characters`);
    assert.match(text, /^Not read: (?:word \*\*\* )+(?:word)?$/);
  }
});

test('reads a text of any length in time that grows with it and not faster', async () => {
  const known = ['a', 'a-', 'a.', '<a', '+a', 'org-', '[a:', 'a@', 'sk-', 'sk-.', 'sk-..'];
  for (const piece of [
    ...known,
    'https://',
    'http://a/',
    'lookup ',
    'host: a.',
    'post "',
    'a. ',
    'remaining credit ',
    '余',
  ]) {
    const text = piece.repeat(Math.floor(1024 * (1024 / piece.length)));
    await assertQuick(5000, () => [judge(401, { error: { message: text } }), judge(401, text)], piece);
  }
});

const canaries = [
  'canary-host.example.com',
  'api.canary-host.example.com',
  'https://docs.example.com/canary',
  'org-canary',
  'org-Abc123Def456',
  'proj_Abc123Def456',
  'sk-canary0123456789abcdef',
  'sk-inval**************-key',
  'ops@canary.example',
  '10.1.2.3:8080',
  '5bfd0532-8fa8-4c1e-9c2d-408850883602',
  '0123456789abcdef0123456789abcdef',
];

for (const adapter of providers) {
  test(`${adapter.id} lets no name of the operator through to a client`, () => {
    for (const canary of canaries) {
      for (const status of [200, 400, 401, 403, 404, 429, 500]) {
        for (const body of [
          { error: { message: `Refused by ${canary}, sorry`, type: 't', code: 'c' } },
          { error: `Refused by ${canary}, sorry` },
          { message: `Refused by ${canary}, sorry`, code: 20012 },
          { detail: [{ msg: `Refused by ${canary}, sorry` }] },
          `Refused by ${canary}, sorry`,
        ]) {
          const { clientText } = adapter.readFailure(reply(status, body)).fields;
          assert.not.match(clientText, canary, `${adapter.id} ${status}`);
        }
      }
    }
  });
}

test('shows nothing of a key that its vendor quotes by beginning and end', () => {
  for (const quoted of ['sk-proj-Ab12...wxyz', 'sk-Ab1…wxyz', 'gsk_....wxyz', 'sk-Ab12****wxyz']) {
    assert.is(judge(400, { error: { message: `Key ${quoted} is no key.` } }).clientText, 'Key *** is no key.');
  }
});

const shown = (message: string) => judge(400, { error: { message } }).clientText;

test('shows no host that an upstream could not reach itself', () => {
  for (const [said, told] of [
    [
      'Post "https://api.canary.net/v1/chat": dial tcp: lookup api.canary.net on 10.0.0.10:53: no such host',
      /^Post "\*\*\*"/,
    ],
    ["HTTPSConnectionPool(host='api.canary.net', port=443): Max retries exceeded", /port=443/],
    ['Cannot connect to host api.canary.net:443 ssl:default', /^Cannot connect to host \*\*\* ssl/],
    ['getaddrinfo ENOTFOUND api.canary.net', /^getaddrinfo ENOTFOUND \*\*\*$/],
    ['Failed to connect to api.canary.net port 443', /^Failed to connect to \*\*\* port 443$/],
    ['Could not resolve host: api.canary.net', /^Could not resolve host: \*\*\*$/],
    ['error of https://eu.canary.net/openai/v1/chat/completions', /^error of \*\*\*$/],
  ] as const) {
    assert.not.match(shown(said), 'canary', said);
    assert.match(shown(said), told);
  }
  const own = 'Could not fetch https://user.example/cat.png; the host field "x" is invalid';
  assert.is(shown(own), own);
});

test('shows no account of the operator’s with a vendor, and no machine of an upstream', () => {
  for (const [said, told] of [
    ['Your account 2105555555 has not activated the model gpt-x', 'Your account *** has not activated the model gpt-x'],
    ["Not found for account 'Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0Lz'", "Not found for account '***'"],
    ['Your account <ak-f2exmwf7abcd1234> reached max RPM: 3', 'Your account *** reached max RPM: 3'],
    ['no permission (uin 100012345678)', 'no permission (uin ***)'],
    ['[address=gpu-node.internal:34567, pid=12] Model not found', '[address=***, pid=12] Model not found'],
  ]) {
    assert.is(shown(said ?? ''), told);
  }
  const own = 'this account may not use 2 accounts; the address=x of account settings';
  assert.is(shown(own), own);
});

test('shows no project of Google’s, whatever it is called', () => {
  const vertex = providers.find(({ id }) => id === 'vertex');
  for (const [said, told] of [
    [
      'Publisher Model `projects/acme-prod/locations/eu/x` was not found',
      'Publisher Model `projects/***/x` was not found',
    ],
    [
      "denied on resource '//aiplatform.googleapis.com/projects/acme-prod/locations/eu/x' (or it may not exist)",
      "denied on resource '***' (or it may not exist)",
    ],
    ['europe-west4-aiplatform.googleapis.com timed out', '*** timed out'],
    ['The file gs://bucket/x.png is no picture', 'The file gs://bucket/x.png is no picture'],
    ["limit for consumer 'project_number:812345678901'.", "limit for consumer 'project_number:***'."],
    ['Project `acme-prod` is not allowed', 'Project `***` is not allowed'],
    ['Enable it in project 12345', 'Enable it in project ***'],
    ['Your project has no access', 'Your project has no access'],
  ] as const) {
    const body = { error: { code: 400, status: 'INVALID_ARGUMENT', message: said } };
    assert.is(vertex?.readFailure(reply(400, body)).fields.clientText, told);
  }
});

test('shows no host and no account of Amazon’s', () => {
  const bedrock = providers.find(({ id }) => id === 'bedrock');
  for (const [said, told] of [
    ['Could not reach bedrock-runtime.eu-west-1.amazonaws.com, try again', 'Could not reach ***, try again'],
    ['https://vpce-1.bedrock-runtime.cn-north-1.amazonaws.com.cn/model/x said 503', '*** said 503'],
    ['bedrock-mantle.eu-west-1.api.aws is busy', '*** is busy'],
    ['Profile arn:aws:bedrock:eu-west-1:123456789012:x is gone', 'Profile *** is gone'],
  ] as const) {
    assert.is(bedrock?.readFailure(reply(503, { message: said })).fields.clientText, told);
  }
});

test('shows nothing of what is left on the operator’s account, and the rest of the refusal', () => {
  for (const [said, told] of [
    [
      'Bad request. Your credit balance is too low: $0.12 left. Try another model.',
      'Bad request. *** Try another model.',
    ],
    ['user quota is not enough, remain quota: $0.123456, need quota: $0.5', '***'],
    ['Insufficient account balance', '***'],
    ['用户额度不足, 剩余额度: ＄0.002。请换一个模型', '***请换一个模型'],
    ['User balance: $0.02, required $0.05', '***'],
    ['Refused. Your balance is 3.20 USD.', 'Refused. ***'],
    ['Current balance 1.25 is below the minimum', '***'],
    ['quota exceeded: used $5.00 of $5.00', '***'],
    ['You have run out of credits. Try later.', '*** Try later.'],
    ['This needs more credits, or fewer max_tokens. You can only afford 1234.', '*** ***'],
    [
      'You have reached your specified API usage limits. You will regain access on 2027-01-01.',
      '*** You will regain access on 2027-01-01.',
    ],
    ['Your team has reached its monthly spending limit.', '***'],
    ['您的账户可用资金为 1.2 元', '***'],
  ]) {
    assert.is(shown(said ?? ''), told);
  }
  for (const own of [
    'tool get_account_balance has no schema. max_tokens is above the hard limit of 4096',
    'no such field: balance. Give price in $: 0.5 is no text',
  ]) {
    assert.is(shown(own), own);
  }
});

test('leaves ordinary words and model names readable', () => {
  const text = 'Model Qwen/Qwen3-235B-A22B-Instruct-2507 needs user_location; see messages[0].content (max 1.5)';
  assert.is(judge(400, { error: { message: text } }).clientText, text);
});

test.run();
