/** Claude on Amazon Bedrock. Knows the host's ids, body and refusals. Source: providers/bedrock.md, read 2026-11. */
import { isObject, type Json, type JsonObject } from '../../json.ts';
import type { ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { fillMaxTokens } from '../anthropic/options.ts';
import { readBedrockFailure } from './failures.ts';
import { bedrockModelId } from './model-ids.ts';

/** Members that the host takes; any other is refused. */
const known: ReadonlySet<string> = new Set([
  'anthropic_version',
  'anthropic_beta',
  'max_tokens',
  'messages',
  'system',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
]);

const defaultRegion = 'us-east-1';

function regionOf(call: Pick<UpstreamCall, 'settings' | 'other'>): string {
  return call.settings.region || call.other.trim() || defaultRegion;
}

/** RFC 3986: what is not unreserved is written as `%XX`, once. */
function segment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function hostOf(region: string): string {
  return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

function amend(body: Json, call: UpstreamCall): Json {
  const filled = fillMaxTokens(body, call);
  if (!isObject(filled)) return filled;
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(filled)) if (known.has(name)) kept[name] = value;
  // Whatever version a client names: the host knows this one.
  return { ...kept, anthropic_version: 'bedrock-2023-05-31' };
}

export const bedrock: ProviderAdapter = {
  id: 'bedrock',
  owner: 'aws',
  label: { en: 'AWS Bedrock Claude', zh: 'AWS Bedrock Claude' },
  channelType: 33,
  baseUrl: '',
  speaks: { chat: ['anthropic-messages'] },
  keyForm: 'aws',
  streamUsage: false,
  path: (call) => {
    const region = regionOf(call);
    const action = call.stream ? 'invoke-with-response-stream' : 'invoke';
    const path = `/model/${segment(bedrockModelId(call.model, region))}/${action}`;
    return call.baseUrl === '' ? hostOf(region) + path : path;
  },
  auth: (call) => ({ kind: 'signed', scheme: 'aws', settings: { service: 'bedrock', region: regionOf(call) } }),
  amendBody: amend,
  readFailure: readBedrockFailure,
  models: [
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-opus-5',
    'claude-sonnet-5',
    'claude-fable-5',
    'claude-opus-4-8',
    'claude-opus-4-7',
    'claude-opus-4-6',
    'claude-sonnet-4-6',
    'claude-opus-4-5-20251101',
    'claude-sonnet-4-5-20250929',
    'claude-haiku-4-5-20251001',
    'claude-opus-4-1-20250805',
    'claude-sonnet-4-20250514',
    'claude-3-7-sonnet-20250219',
    'claude-3-5-haiku-20241022',
  ],
};
