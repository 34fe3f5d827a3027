/** Moonshot AI (Kimi). Knows only its own dialect. */
import { asNumber, asObject } from '../../formats/fields.ts';
import type { Json } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { modelList, openaiCompatible, pathBeside, pathOn } from '../openai-compatible.ts';
import { fitKimi } from './quirks.ts';

function readBalance(body: Json): number | undefined {
  return asNumber(asObject(asObject(body)?.data)?.available_balance);
}

const messagesPath = '/anthropic/v1/messages';

/** The vendor shows the address of Anthropic's dialect as one of its own. */
const pasted = /\/anthropic$/;

function plainPath(baseUrl: string, path: string): string {
  return pathBeside(baseUrl, pasted, pathOn(baseUrl, path));
}

/** Anthropic's dialect stands beside the version, not below it; Kimi Code, the subscription for agents, has no other root. */
function pathOf({ baseUrl, format }: UpstreamCall): string | undefined {
  if (format !== 'anthropic-messages') return plainPath(baseUrl, '/v1/chat/completions');
  if (pasted.test(baseUrl)) return pathBeside(baseUrl, pasted, messagesPath);
  const root = baseUrl.replace(/\/v1$/, '');
  if (root.endsWith('/coding')) return pathOn(baseUrl, '/v1/messages');
  return root === baseUrl ? undefined : root + messagesPath;
}

export const moonshot = openaiCompatible({
  id: 'moonshot',
  owner: 'moonshot',
  label: { en: 'Moonshot (Kimi)', zh: '月之暗面（Kimi）' },
  channelType: 25,
  baseUrl: 'https://api.moonshot.cn',
  speaks: { chat: ['openai-chat', 'anthropic-messages'] },
  paths: { 'anthropic-messages': messagesPath },
  ownPath: pathOf,
  listModels: ({ baseUrl }) => modelList(plainPath(baseUrl, '/v1/models')),
  traits: { replayReasoning: true, ownStops: true },
  inlines: ({ format }) => (format === 'openai-chat' ? ['image', 'video'] : []),
  failures: [
    { code: ['invalid_authentication_error', 'incorrect_api_key_error'], means: 'bad-key' },
    { code: 'exceeded_current_quota_error', means: 'no-credit' },
    { status: 402, means: 'no-credit' },
    { status: 403, code: 'permission_denied_error', means: 'bad-key' },
    { code: 'resource_not_found_error', means: 'no-model' },
    { code: 'engine_overloaded_error', means: 'overload' },
  ],
  amend: fitKimi,
  // CNY on the Chinese host, USD on the international one.
  balance: ({ baseUrl }) => [
    { method: 'GET', path: plainPath(baseUrl, '/v1/users/me/balance'), auth: { kind: 'bearer' }, read: readBalance },
  ],
  models: [
    'kimi-k3',
    'kimi-k2.7-code',
    'kimi-k2.7-code-highspeed',
    'kimi-k2.6',
    'kimi-k2.5',
    'moonshot-v1-8k',
    'moonshot-v1-32k',
    'moonshot-v1-128k',
    'moonshot-v1-auto',
    'moonshot-v1-8k-vision-preview',
    'moonshot-v1-32k-vision-preview',
    'moonshot-v1-128k-vision-preview',
  ],
});
