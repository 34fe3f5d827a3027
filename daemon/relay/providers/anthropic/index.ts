/** Anthropic itself. Knows only its own dialect. Source: providers/anthropic.md and the vendor's reference, read 2026-11. */

import { readFailure } from '../../failure.ts';
import { asObject } from '../../formats/fields.ts';
import type { AuthScheme, ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { pageAfter } from '../list-pages.ts';
import { pathOn, readModelIds } from '../openai-compatible.ts';
import { anthropicFailures } from './failures.ts';
import { fillMaxTokens, modelHeaders } from './options.ts';

/** The only version in use; a client's own header takes its place. */
const version = { 'anthropic-version': '2023-06-01' };

/** Tokens of a subscription are borne, and named as such. */
function authOf({ settings }: Pick<UpstreamCall, 'settings'>): AuthScheme {
  return settings.oauth === undefined ? { kind: 'header', name: 'x-api-key' } : { kind: 'bearer' };
}

function withOauth(
  headers: Record<string, string>,
  { settings }: Pick<UpstreamCall, 'settings'>,
): Record<string, string> {
  if (settings.oauth === undefined) return headers;
  const betas = [headers['anthropic-beta'], 'oauth-2025-04-20'].filter((name) => name !== undefined);
  return { ...headers, 'anthropic-beta': betas.join(',') };
}

export const anthropic: ProviderAdapter = {
  id: 'anthropic',
  owner: 'anthropic',
  label: { en: 'Anthropic Claude', zh: 'Anthropic Claude' },
  channelType: 14,
  baseUrl: 'https://api.anthropic.com',
  speaks: { chat: ['anthropic-messages'], 'count-tokens': ['anthropic-messages'] },
  streamUsage: false,
  traits: { threads: true },
  path: (call) => {
    const path = call.capability === 'count-tokens' ? '/v1/messages/count_tokens' : '/v1/messages';
    return pathOn(call.baseUrl, path) + (call.setting.claude_beta_query === true ? '?beta=true' : '');
  },
  keyMarks: { oauth: /^sk-ant-oat/ },
  auth: authOf,
  headers: (call) => ({ ...version, ...withOauth(modelHeaders(call), call) }),
  amends: (call) => call.capability === 'chat',
  amendBody: fillMaxTokens,
  readFailure: (reply) => readFailure(reply, 'anthropic', anthropicFailures),
  listModels: (call) => ({
    method: 'GET',
    path: pathOn(call.baseUrl, '/v1/models?limit=1000'),
    headers: { ...version, ...withOauth({}, call) },
    auth: authOf(call),
    read: readModelIds,
    next: (body) => {
      const page = asObject(body);
      return page?.has_more === true
        ? pageAfter(pathOn(call.baseUrl, '/v1/models?limit=1000'), 'after_id', page.last_id)
        : undefined;
    },
  }),
  models: [
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-fable-5-1',
    'claude-opus-5',
    'claude-sonnet-5',
    'claude-fable-5',
    'claude-mythos-5',
    'claude-opus-4-8',
    'claude-opus-4-7',
    'claude-opus-4-6',
    'claude-sonnet-4-6',
    'claude-opus-4-5',
    'claude-opus-4-5-20251101',
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-20250929',
    'claude-haiku-4-5',
    'claude-haiku-4-5-20251001',
  ],
};
