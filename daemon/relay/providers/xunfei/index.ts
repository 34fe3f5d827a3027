/** iFlytek Spark: over a socket for keys of three parts, over HTTP for the others and for what has no socket. Source: providers/xunfei.md, read 2026-11. */
import { readFailure } from '../../failure.ts';
import type { Json, JsonObject } from '../../json.ts';
import { isObject } from '../../json.ts';
import type { ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { pathBeside } from '../openai-compatible.ts';
import { clampField, schemaAsInstruction } from '../wire-edits.ts';
import { domainOf, isHttpOnly, mostTokensOf, versionProblem } from './domains.ts';
import { fitFrame, socketUrl } from './socket-frame.ts';

const http = 'https://spark-api-open.xf-yun.com';

/** The vendor shows each family's address with its version. */
const pasted = /\/(?:v1|v2|x2)$/;

function pathOf(call: UpstreamCall): string {
  const { baseUrl, format } = call;
  if (format === 'xunfei-socket') return socketUrl({ ...call, baseUrl: baseUrl.replace(pasted, '') }, http);
  return pathBeside(baseUrl, pasted, `/${versionOf(call)}/chat/completions`);
}

/** The newest family has addresses of its own. */
function versionOf({ model, other }: Pick<UpstreamCall, 'model' | 'other'>): string {
  if (/^spark-x2/i.test(model) || model.toLowerCase() === 'spark-x') return 'x2';
  return domainOf(model, other) === 'spark-x' ? 'v2' : 'v1';
}

function amendBody(body: Json, call: UpstreamCall): Json {
  if (!isObject(body)) return body;
  if (call.format === 'xunfei-socket') return fitFrame(body, call);
  const domain = domainOf(call.model, call.other);
  const fitted: JsonObject = { ...body, model: domain };
  schemaAsInstruction(fitted);
  clampField(fitted, 'top_k', { min: 1, max: 6 });
  // Zero of it is refused, and a limit above the version's own.
  clampField(fitted, 'top_p', { min: 0.001, max: 1 });
  const most = versionOf(call) === 'x2' ? undefined : mostTokensOf(domain);
  if (most !== undefined) clampField(fitted, 'max_tokens', { min: 1, max: most });
  return fitted;
}

export const xunfei: ProviderAdapter = {
  id: 'xunfei',
  owner: 'xunfei',
  label: { en: 'iFlytek Spark', zh: '讯飞星火认知' },
  channelType: 18,
  baseUrl: http,
  speaks: { chat: ['xunfei-spark', 'xunfei-socket'] },
  keyParts: ['application', undefined, undefined],
  formatsFor: ({ application }, model) =>
    application === undefined || isHttpOnly(model) ? ['xunfei-spark'] : ['xunfei-socket'],
  streamUsage: false,
  traits: { topK: true },
  otherProblem: versionProblem,
  models: [
    'spark-x2.5',
    'spark-x2.5-4b',
    'spark-x2.5-1.7b',
    'spark-x',
    'Spark-4.0-Ultra',
    'Spark-Max',
    'Spark-Max-32K',
    'Spark-Pro',
    'Spark-Pro-128K',
    'Spark-Lite',
    'SparkDesk-v4.0',
    'SparkDesk-v3.5',
    'SparkDesk-v3.1',
    'SparkDesk-v1.1',
    'SparkDesk',
  ],
  path: pathOf,
  // `application|secret|key` is sent as `key:secret`, a password as it is.
  auth: ({ format }) =>
    format === 'xunfei-socket' ? { kind: 'signed', scheme: 'xunfei-url' } : { kind: 'bearer', parts: [2, 1] },
  amendBody,
  readFailure: (reply) =>
    readFailure(reply, 'xunfei', [
      { code: '10015', means: 'bad-key' },
      // The clock of this machine is wrong, or theirs.
      { status: 403, text: /a valid date/i, means: 'overload' },
      { status: [401, 403], means: 'bad-key' },
      // No code of its own: the licence and its volume share one.
      { code: '10016', text: /token/i, means: 'no-credit' },
      { code: '11200', means: 'no-credit' },
      { code: '10016', means: 'not-allowed' },
      { code: '11201', means: 'rate-limit', exhausts: 'model' },
      { code: ['10007', '11202', '11203'], means: 'rate-limit' },
      { code: ['10003', '10004', '10005', '10163'], means: 'bad-request' },
      { code: ['10013', '10014', '10019', '10021'], means: 'bad-request', tells: 'content_filter' },
      { code: '10907', means: 'bad-request', tells: 'context_length_exceeded' },
      { code: ['10000', '10001', '10002', '10006', '10008', '10009', '10010'], means: 'overload' },
      { code: ['10011', '10012', '10017', '10110', '10222'], means: 'overload' },
    ]),
};
