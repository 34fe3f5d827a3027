/** Azure OpenAI: OpenAI's dialects under deployment names. Source: providers/azure.md, read 2026-11. */
import type { FormatId } from '../../format.ts';
import { isObject, type Json } from '../../json.ts';
import type { ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { fillMaxTokens } from '../anthropic/options.ts';
import { fitOpenAiModel, isFitted, takesToolsElsewhere } from '../openai/quirks.ts';
import { readModelIds } from '../openai-compatible.ts';
import {
  azureAuth,
  azureKeyMarks,
  claudeHeaders,
  claudePath,
  formatsOf,
  isClaude,
  onResource,
  readAzureFailure,
} from './claude.ts';
import { azureFailures } from './failures.ts';
import { datedVersion, versionProblem } from './versions.ts';

const auth = { kind: 'header', name: 'api-key' } as const;

const operations: Partial<Record<FormatId, string>> = {
  'openai-chat': 'chat/completions',
  'openai-completions': 'completions',
  'openai-embeddings': 'embeddings',
  'openai-responses': 'responses',
  'openai-responses-compact': 'responses/compact',
  'openai-images': 'images/generations',
  'openai-image-edits': 'images/edits',
  'openai-speech': 'audio/speech',
  'openai-transcription': 'audio/transcriptions',
  'openai-translation': 'audio/translations',
  'openai-realtime': 'realtime',
};

const spoken: readonly FormatId[] = [
  'openai-chat',
  'openai-responses',
  'openai-responses-compact',
  'openai-completions',
  'openai-embeddings',
  'openai-images',
  'openai-image-edits',
  'openai-speech',
  'openai-transcription',
  'openai-translation',
  'openai-realtime',
];

/** The dated interface has knowledge of responses from here on. */
const firstResponsesVersion = '2025-03-01';

function responsesVersion(call: UpstreamCall): string | undefined {
  const wished = call.setting.azure_responses_version;
  const version = datedVersion(typeof wished === 'string' && wished !== '' ? wished : call.other);
  return version !== undefined && version >= firstResponsesVersion ? version : undefined;
}

function pathOf(call: UpstreamCall): string {
  if (isClaude(call)) return claudePath;
  const operation = operations[call.format];
  // The planner asks for no format that `speaks` does not list.
  if (operation === undefined) throw new TypeError(`azure has no path for ${call.format}`);
  // The dated interface lost its realtime sockets.
  if (call.format === 'openai-realtime') {
    return `${undated({ ...call, other: '' }, operation)}?model=${encodeURIComponent(deploymentOf(call))}`;
  }
  // Whatever the version, compacting is known to the undated interface alone.
  if (call.format === 'openai-responses-compact') return undated(call, operation);
  const isResponses = call.format === 'openai-responses';
  const isGateway = call.baseUrl.startsWith('https://gateway.ai.cloudflare.com/');
  const version = isResponses
    ? responsesVersion(call)
    : (datedVersion(call.other) ?? (isGateway ? gatewayVersion(call) : undefined));
  if (version === undefined) return undated(call, operation);
  if (isResponses) return `/openai/responses?api-version=${version}`;
  const deployment = `/openai/deployments/${encodeURIComponent(deploymentOf(call))}`;
  return `${isGateway ? '' : deployment}/${operation}?api-version=${version}`;
}

/** Addresses of Cloudflare's gateway end at a deployment, which the dated interface alone has; the usual version for none. */
function gatewayVersion({ model, other }: UpstreamCall): string | undefined {
  if (other !== '') return undefined;
  return /^o\d/.test(model) ? '2025-04-01-preview' : '2024-12-01-preview';
}

/** Resources of the early days have no dots in the names of their deployments. */
function deploymentOf({ model, setting }: UpstreamCall): string {
  return setting.azure_strip_dots === true ? model.replaceAll('.', '') : model;
}

/** Older versions refuse to be asked for usage. */
const firstUsageVersion = '2024-09-01';

function refusesUsage(call: UpstreamCall): boolean {
  return (datedVersion(call.other) ?? firstUsageVersion) < firstUsageVersion;
}

function undated(call: UpstreamCall, operation: string): string {
  return `/openai/v1/${operation}${call.other === 'preview' ? '?api-version=preview' : ''}`;
}

export const azure: ProviderAdapter = {
  id: 'azure',
  owner: 'azure',
  label: { en: 'Azure OpenAI', zh: 'Azure OpenAI' },
  channelType: 3,
  baseUrl: '',
  speaks: {
    chat: ['openai-chat', 'openai-responses', 'anthropic-messages'],
    'responses-compact': ['openai-responses-compact'],
    completions: ['openai-completions'],
    embeddings: ['openai-embeddings'],
    images: ['openai-images'],
    'image-edits': ['openai-image-edits'],
    speech: ['openai-speech'],
    transcription: ['openai-transcription'],
    translation: ['openai-translation'],
    realtime: ['openai-realtime'],
  },
  formatsFor: (_, model) => formatsOf(model, spoken),
  avoids: takesToolsElsewhere,
  streamUsage: true,
  otherProblem: versionProblem,
  otherOf: (version) => (version === 'v1' || version === 'preview' ? version : datedVersion(version)),
  path: (call) => onResource(call.baseUrl, pathOf(call)),
  keyMarks: azureKeyMarks,
  auth: (call) => azureAuth(call, auth),
  headers: (call) => (isClaude(call) ? claudeHeaders(call) : {}),
  amends: (call) => isClaude(call) || isFitted(call) || refusesUsage(call) || deploymentOf(call) !== call.model,
  amendBody: amend,
  readFailure: (reply) => readAzureFailure(reply, 'azure', azureFailures),
  listModels: ({ baseUrl, other, settings }) => {
    const version = datedVersion(other);
    const path = version === undefined ? '/openai/v1/models' : `/openai/models?api-version=${version}`;
    return {
      method: 'GET',
      path: onResource(baseUrl, path),
      auth: azureAuth({ settings, format: 'openai-chat' }, auth),
      read: readModelIds,
    };
  },
  models: [
    'gpt-6-sol',
    'gpt-6-luna',
    'gpt-5.6',
    'gpt-5.5',
    'gpt-5.4',
    'gpt-5.4-mini',
    'gpt-5.2',
    'gpt-5.1',
    'gpt-4.1',
    'gpt-4.1-mini',
    'gpt-4.1-nano',
    'gpt-4o',
    'gpt-4o-mini',
    'o3',
    'o4-mini',
    'gpt-image-2',
    'gpt-image-1.5',
    'gpt-realtime-2.1',
    'gpt-realtime',
    'gpt-audio-1.5',
    'gpt-transcribe',
    'gpt-4o-transcribe',
    'gpt-4o-mini-tts',
    'whisper',
    'tts',
    'tts-hd',
    'claude-opus-5',
    'claude-sonnet-5',
    'claude-haiku-4-5',
    'text-embedding-3-small',
    'text-embedding-3-large',
    'text-embedding-ada-002',
    'model-router',
  ],
};

function amend(body: Json, call: UpstreamCall): Json {
  if (isClaude(call)) return fillMaxTokens(body, call);
  if (!isObject(body)) return body;
  const copy = { ...body };
  fitOpenAiModel(copy, call);
  if (refusesUsage(call)) delete copy.stream_options;
  if (copy.model !== undefined) copy.model = deploymentOf(call);
  return copy;
}
