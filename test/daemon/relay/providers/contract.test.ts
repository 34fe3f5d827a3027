/**
 * What every adapter owes, vendor by vendor: the address of each surface, its credentials, the class of its refusals,
 * texts without what belongs to the operator, and how its lists and balances are read.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Capability, FormatId } from '../../../../daemon/relay/format.ts';
import type { Json } from '../../../../daemon/relay/json.ts';
import type { ProviderAdapter, UpstreamCall } from '../../../../daemon/relay/provider.ts';
import { providers } from '../../../../daemon/relay/providers/index.ts';
import { AwsSigner } from '../../../../daemon/upstream/auth/aws.ts';
import { BaiduIam, BaiduOauth } from '../../../../daemon/upstream/auth/baidu.ts';
import { GoogleSigner } from '../../../../daemon/upstream/auth/google.ts';
import { Credentials, type Signer } from '../../../../daemon/upstream/auth/index.ts';
import { keySettings } from '../../../../daemon/upstream/auth/key-settings.ts';
import { TencentTc3 } from '../../../../daemon/upstream/auth/tencent-tc3.ts';
import { TokenCache } from '../../../../daemon/upstream/auth/token-cache.ts';
import { XunfeiUrlSigner } from '../../../../daemon/upstream/auth/xunfei-url.ts';
import { ZhipuJwt } from '../../../../daemon/upstream/auth/zhipu-jwt.ts';
import { type Refusals, refusals, usualRefusals } from '../../../support/provider-refusals.ts';
import { vendorSurfaces } from '../../../support/provider-surfaces.ts';
import { usualSurfaces, type VendorSurfaces } from '../../../support/usual-surfaces.ts';

const test = suite('contract of adapters');

const nowMs = Date.UTC(2023, 10, 14, 22, 13, 20);
const now = () => nowMs;
const trade = () => Promise.resolve({ access_token: 'traded', token: 'traded', expires_in: 3600 });
const traded = () => ({ call: trade, tokens: new TokenCache(now), now });
const credentials = new Credentials(
  new Map<string, Signer>([
    ['aws', new AwsSigner(now)],
    ['google', new GoogleSigner(traded())],
    ['baidu-oauth', new BaiduOauth(traded())],
    ['baidu-iam', new BaiduIam(traded())],
    ['tencent-tc3', new TencentTc3(now)],
    ['zhipu-jwt', new ZhipuJwt(now)],
    ['xunfei-url', new XunfeiUrlSigner(now)],
  ]),
);

const plainKey = 'sk-plain';

function callOf(adapter: ProviderAdapter, rest: Partial<UpstreamCall> = {}): UpstreamCall {
  const known = vendorSurfaces[adapter.id];
  return {
    capability: 'chat',
    format: 'openai-chat',
    model: 'm-1',
    stream: false,
    baseUrl: known?.baseUrl ?? adapter.baseUrl,
    other: '',
    organization: undefined,
    setting: {},
    settings: keySettings(known?.key ?? plainKey, adapter),
    options: {},
    ...rest,
  };
}

/** Capability, format and the two paths of every surface in the table. */
function* surfacesOf({ usual = '', surfaces = {} }: VendorSurfaces): Generator<readonly [string, string, string]> {
  for (const word of usual.split(' ').filter((entry) => entry !== '')) {
    const [surface, path] = usualSurfaces[word] ?? [];
    assert.ok(surface !== undefined && path !== undefined, word);
    yield [surface, path, path];
  }
  for (const [surface, path] of Object.entries(surfaces)) {
    if (typeof path === 'string') yield [surface, path, path];
    else yield [surface, path[0], path[1]];
  }
}

function* spokenBy(adapter: ProviderAdapter): Generator<{ surface: string; capability: Capability; format: FormatId }> {
  for (const [capability, formats] of Object.entries(adapter.speaks)) {
    for (const format of formats) {
      const found = capabilities.find((entry) => entry === capability);
      assert.ok(found);
      yield { surface: `${capability} ${format}`, capability: found, format };
    }
  }
}

const capabilities: readonly Capability[] = [
  'chat',
  'completions',
  'edits',
  'embeddings',
  'moderations',
  'images',
  'image-edits',
  'image-variations',
  'speech',
  'transcription',
  'translation',
  'rerank',
  'count-tokens',
  'responses-compact',
  'realtime',
  'tasks',
];

for (const adapter of providers) {
  const known = vendorSurfaces[adapter.id];
  if (adapter.retired !== undefined) continue;

  test(`${adapter.id} is asked at the address of each surface`, () => {
    assert.ok(known, 'stands in the table');
    const paths = new Map([...surfacesOf(known)].map(([surface, ...pair]) => [surface, pair]));
    for (const { surface, capability, format } of spokenBy(adapter)) {
      const [whole, streamed] = paths.get(surface) ?? [];
      assert.ok(whole !== undefined, `${surface} stands in the table`);
      const model = known.models?.[format] ?? known.models?.['*'] ?? 'm-1';
      const path = (stream: boolean) => adapter.path(callOf(adapter, { capability, format, model, stream }));
      assert.is(path(false), whole, surface);
      if (capability === 'chat') assert.is(path(true), streamed, `${surface}, streamed`);
      paths.delete(surface);
    }
    assert.equal([...paths.keys()], [], 'nothing else stands there');
  });

  test(`${adapter.id} is shown its key and nobody else's words`, async () => {
    const key = known?.key ?? plainKey;
    for (const { surface, capability, format } of spokenBy(adapter)) {
      const call = callOf(adapter, { capability, format });
      const draft = { method: 'POST', url: 'https://upstream.example/path', headers: [], body: Buffer.from('{}') };
      const content = ['content-type', 'application/json'];
      const signed = await credentials.apply({ ...draft, headers: content }, adapter.auth(call), key);
      const shown = JSON.stringify([signed.url, signed.headers]);
      assert.match(shown, proofs[adapter.id]?.(format) ?? /"authorization","Bearer sk-plain"/, surface);
      // A secret that signs is never sent.
      if (adapter.auth(call).kind === 'signed') assert.not.match(shown, /secret/, surface);
    }
  });

  test(`${adapter.id} is asked for its list and its balance with the same key`, async () => {
    const call = callOf(adapter, { format: Object.values(adapter.speaks)[0]?.[0] ?? 'openai-chat' });
    const sides = [adapter.listModels?.(call) ?? [], adapter.balance?.({ ...call, nowMs }) ?? []].flat();
    for (const { method, path, auth, read } of sides) {
      const draft = { method, url: 'https://upstream.example/path', headers: [], body: undefined };
      const signed = await credentials.apply(draft, auth, known?.key ?? plainKey);
      const shown = JSON.stringify([signed.url, signed.headers]);
      assert.match(shown, proofs[adapter.id]?.(call.format) ?? /"authorization","Bearer sk-plain"/, path);
      for (const wrong of [null, 'x', 7, [], {}, { data: 7 }, { data: [null, { id: 7 }] }]) {
        const answer = read(wrong);
        assert.ok(answer === undefined || (Array.isArray(answer) && answer.length === 0), `${path} ${answer}`);
      }
    }
  });

  test(`${adapter.id} tells its three kinds of refusals apart`, () => {
    const own: Partial<Refusals> = refusals[adapter.id] ?? {};
    const judged = (kind: keyof Refusals) => {
      const [status, body] = own[kind] ?? usualRefusals[kind];
      const call = callOf(adapter, { format: Object.values(adapter.speaks)[0]?.[0] ?? 'openai-chat' });
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return adapter.readFailure({ status, headers: {}, body: text, call, nowMs }).fields;
    };
    const key = judged('key');
    assert.equal([key.retry, key.health, key.aboutCredential], ['next-key', 'hard', true], 'a wrong key');
    const model = judged('model');
    assert.equal([model.retry, model.aboutCredential], ['next-channel', false], 'an unknown model');
    assert.is.not(model.health, 'hard');
    const limit = judged('limit');
    assert.equal([limit.status, limit.retry, limit.health], [429, 'next-key', 'none'], 'a limit');
    assert.is(limit.cooling?.cause, 'rate-limit');
    const request = judged('request');
    assert.ok(request.retry !== 'next-key' && request.health === 'none' && request.status < 500, 'a wrong request');
  });

  test(`${adapter.id} passes on no text that names its operator`, () => {
    const call = callOf(adapter);
    const host = call.baseUrl === '' ? '' : new URL(call.baseUrl).host;
    const canary = `Key sk-CANARYcanary12345678 of org-Canary1234567 (ops@canary.example, 10.11.12.13) at https://${host || '10.9.8.7'}/v1 is wrong`;
    for (const status of [200, 400, 401, 403, 404, 429, 500]) {
      for (const shape of shapes(canary)) {
        const text = typeof shape === 'string' ? shape : JSON.stringify(shape);
        const { fields } = adapter.readFailure({ status, headers: {}, body: text, call, nowMs });
        assert.not.match(fields.clientText, /canary|10\.11\.12|10\.9\.8/i, text);
        if (host !== '') assert.not.match(fields.clientText, new RegExp(host.replaceAll('.', '\\.')), text);
        assert.not.match(fields.operatorText, /sk-CANARY/, text);
      }
    }
  });
}

/** What credentials look like on the wire, for vendors that want more than a bearer token. */
const proofs: Readonly<Record<string, (format: FormatId) => RegExp>> = {
  anthropic: () => /"x-api-key","sk-plain"/,
  gemini: () => /"x-goog-api-key","sk-plain"/,
  azure: (format) => (format === 'anthropic-messages' ? /"x-api-key","sk-plain"/ : /"api-key","sk-plain"/),
  'azure-foundry': (format) => (format === 'anthropic-messages' ? /"x-api-key","sk-plain"/ : /"api-key","sk-plain"/),
  deepseek: (format) =>
    format === 'anthropic-messages' ? /"x-api-key","sk-plain"/ : /"authorization","Bearer sk-plain"/,
  bedrock: () =>
    /AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/20231114\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=/,
  vertex: () => /"x-goog-api-key","AIza-key"/,
  tencent: (format) =>
    format.startsWith('tencent-')
      ? /TC3-HMAC-SHA256 Credential=AKIDEXAMPLE\/2023-11-14\/hunyuan\/tc3_request/
      : /"authorization"/,
  'baidu-v2': () => /"authorization","Bearer traded"/,
  baidu: () => /\?access_token=traded"/,
  xunfei: (format) => (format === 'xunfei-socket' ? /\?authorization=\w+/ : /"authorization","Bearer key:secret"/),
  cloudflare: () => /"authorization","Bearer token"/,
  coze: () => /"authorization","Bearer pat_key"/,
  minimax: () => /"authorization","Bearer jwt"/,
  zhipu: () => /"authorization","eyJ/,
  'midjourney-proxy': () => /"mj-api-secret","sk-plain"/,
  'midjourney-proxy-plus': () => /"mj-api-secret","sk-plain"/,
};

/** The shapes in which vendors write what went wrong. */
function shapes(message: string): readonly Json[] {
  return [
    { error: { message, type: 'invalid_request_error', code: 'x' } },
    { type: 'error', error: { type: 'authentication_error', message } },
    { error: message },
    { message },
    { Message: message, __type: 'AccessDeniedException' },
    { msg: message, code: 1 },
    { detail: message },
    { detail: [{ msg: message, loc: ['body'], type: 'x' }] },
    { errors: [{ code: 1, message }] },
    { error_code: 336_000, error_msg: message },
    { base_resp: { status_code: 1004, status_msg: message } },
    { Response: { Error: { Code: 'AuthFailure', Message: message } } },
    { header: { code: 10_013, message } },
    [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }],
    message,
  ];
}

test.run();
