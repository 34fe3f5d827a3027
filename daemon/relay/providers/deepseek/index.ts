/** DeepSeek. Knows only its own dialect. */
import { asObjects } from '../../formats/fields.ts';
import { isObject, type Json } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { modelList, openaiCompatible, openaiFormats, pathOn } from '../openai-compatible.ts';
import { fitDeepSeek } from './quirks.ts';

/** The amount in CNY where the account has one, else the first (management-api.md 3.10). */
function readBalance(body: Json): number | undefined {
  const infos = asObjects(isObject(body) ? body.balance_infos : undefined);
  const chosen = infos.find((info) => info.currency === 'CNY') ?? infos[0];
  const amount = Number(chosen?.total_balance);
  return typeof chosen?.total_balance === 'string' && Number.isFinite(amount) ? amount : undefined;
}

/** Addresses of single interfaces, which the vendor shows too; only the first knows paths without a version. */
const rootOf = (baseUrl: string) => baseUrl.replace(/\/(?:v1|beta|anthropic)$/, '');
const isRoot = (baseUrl: string) => !/\/(?:beta|anthropic)$/.test(baseUrl);
const isBeta = (baseUrl: string) => baseUrl.endsWith('/beta');

function pathOf({ baseUrl, format }: UpstreamCall): string {
  const root = rootOf(baseUrl);
  if (format === 'anthropic-messages') return `${root}/anthropic/v1/messages`;
  // Fill-in-the-middle lives beside the main address.
  if (format === 'openai-completions') return isBeta(baseUrl) ? '/completions' : `${root}/beta/completions`;
  if (format === 'openai-chat' && isBeta(baseUrl)) return '/chat/completions';
  const path = format === 'openai-responses' ? '/v1/responses' : '/v1/chat/completions';
  return isRoot(baseUrl) ? pathOn(baseUrl, path) : root + path;
}

export const deepseek = openaiCompatible({
  id: 'deepseek',
  owner: 'deepseek',
  label: { en: 'DeepSeek', zh: 'DeepSeek' },
  channelType: 43,
  baseUrl: 'https://api.deepseek.com',
  speaks: { ...openaiFormats('completions'), chat: ['openai-chat', 'openai-responses', 'anthropic-messages'] },
  traits: { replayReasoning: true, ownStops: true },
  endWords: { insufficient_system_resource: 'stop' },
  auth: ({ format }) => (format === 'anthropic-messages' ? { kind: 'header', name: 'x-api-key' } : { kind: 'bearer' }),
  path: pathOf,
  listModels: ({ baseUrl }) =>
    modelList(isRoot(baseUrl) ? pathOn(baseUrl, '/v1/models') : `${rootOf(baseUrl)}/v1/models`),
  failures: [
    { status: 401, means: 'bad-key' },
    { status: 402, means: 'no-credit' },
    // No code of its own: it shares `invalid_request_error` with every other mistake.
    { status: [400, 404, 422], text: /Model Not Exist/i, means: 'no-model' },
  ],
  amend: fitDeepSeek,
  balance: ({ baseUrl }) => [
    {
      method: 'GET',
      path: `${rootOf(baseUrl)}/user/balance`,
      auth: { kind: 'bearer' },
      read: readBalance,
    },
  ],
  models: ['deepseek-flash', 'deepseek-v4-pro', 'deepseek-v4-flash', 'deepseek-v4-flash-vision-exp'],
});
