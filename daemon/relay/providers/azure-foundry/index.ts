/** Models of many vendors on Azure AI Foundry. Source: providers/azure-foundry.md, read 2026-11. */
import type { FormatId } from '../../format.ts';
import { isObject, type Json } from '../../json.ts';
import type { AuthScheme, ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { fillMaxTokens } from '../anthropic/options.ts';
import {
  azureAuth,
  azureKeyMarks,
  claudeHeaders,
  claudePath,
  formatsOf,
  isClaude,
  onResource,
  readAzureFailure,
} from '../azure/claude.ts';
import { azureFailures } from '../azure/failures.ts';
import { datedVersion, versionProblem } from '../azure/versions.ts';
import { fitOpenAiModel, takesToolsElsewhere } from '../openai/quirks.ts';
import { pathOn, readModelIds } from '../openai-compatible.ts';
import { renameField } from '../wire-edits.ts';

const operations: Partial<Record<FormatId, string>> = {
  'openai-chat': 'chat/completions',
  'openai-embeddings': 'embeddings',
  'openai-responses': 'responses',
  'openai-responses-compact': 'responses/compact',
  'openai-images': 'images/generations',
};

const spoken: readonly FormatId[] = [
  'openai-chat',
  'openai-responses',
  'openai-responses-compact',
  'openai-embeddings',
  'openai-images',
  'cohere-rerank',
];

/** What the dated interface knows. */
const datedFormats: ReadonlySet<FormatId> = new Set(['openai-chat', 'openai-embeddings']);

type Place = Pick<UpstreamCall, 'baseUrl' | 'other'>;

/** One deployment behind an address of its own: no resource paths, and the key is a bearer token. */
function isServerless({ baseUrl }: Pick<Place, 'baseUrl'>): boolean {
  return /\.(models\.ai|inference\.ml)\.azure\.com/.test(baseUrl);
}

/** The model-inference interface is the dated one. */
function isDated({ other }: Pick<Place, 'other'>): boolean {
  return datedVersion(other) !== undefined;
}

/** The interface of models of any vendor, which has names of its own and refuses what it does not know unless told. */
function isModelInference(place: Place): boolean {
  return isDated(place) || isServerless(place);
}

/** An endpoint of one's own that may have several deployments. */
function isManaged({ baseUrl }: Pick<Place, 'baseUrl'>): boolean {
  return baseUrl.includes('.inference.ml.azure.com');
}

function pathOf(call: UpstreamCall): string {
  if (isClaude(call)) return claudePath;
  if (call.format === 'cohere-rerank') return isServerless(call) ? '/v2/rerank' : '/providers/cohere/v2/rerank';
  const operation = operations[call.format];
  // The planner asks for no format that `speaks` does not list.
  if (operation === undefined) throw new TypeError(`azure-foundry has no path for ${call.format}`);
  if (isServerless(call)) return pathOn(call.baseUrl, `/v1/${operation}`);
  if (isDated(call) && datedFormats.has(call.format))
    return `/models/${operation}?api-version=${datedVersion(call.other)}`;
  return `/openai/v1/${operation}${call.other === 'preview' ? '?api-version=preview' : ''}`;
}

function authOf(place: Pick<Place, 'baseUrl'>): AuthScheme {
  return isServerless(place) ? { kind: 'bearer' } : { kind: 'header', name: 'api-key' };
}

function amend(body: Json, call: UpstreamCall): Json {
  if (isClaude(call)) return fillMaxTokens(body, call);
  if (!isObject(body)) return body;
  const copy = { ...body };
  fitOpenAiModel(copy, call);
  if (call.format === 'openai-chat' && isModelInference(call)) renameField(copy, 'max_completion_tokens', 'max_tokens');
  return copy;
}

export const azureFoundry: ProviderAdapter = {
  id: 'azure-foundry',
  owner: 'azure',
  label: { en: 'Azure AI Foundry', zh: 'Azure AI Foundry' },
  channelType: 101,
  baseUrl: '',
  speaks: {
    chat: ['openai-chat', 'openai-responses', 'anthropic-messages'],
    'responses-compact': ['openai-responses-compact'],
    embeddings: ['openai-embeddings'],
    images: ['openai-images'],
    rerank: ['cohere-rerank'],
  },
  formatsFor: (_, model) => formatsOf(model, spoken),
  avoids: takesToolsElsewhere,
  streamUsage: true,
  otherProblem: versionProblem,
  path: (call) => onResource(call.baseUrl, pathOf(call)),
  keyMarks: azureKeyMarks,
  auth: (call) => azureAuth(call, authOf(call)),
  headers: (call): Record<string, string> => {
    if (isClaude(call)) return claudeHeaders(call);
    return {
      ...(isModelInference(call) ? { 'extra-parameters': 'pass-through' } : {}),
      ...(isManaged(call) ? { 'azureml-model-deployment': call.model } : {}),
    };
  },
  amendBody: amend,
  readFailure: (reply) => readAzureFailure(reply, 'azure-foundry', azureFailures),
  listModels: ({ baseUrl, settings }) => ({
    method: 'GET',
    path: isServerless({ baseUrl }) ? pathOn(baseUrl, '/v1/models') : onResource(baseUrl, '/openai/v1/models'),
    auth: azureAuth({ settings, format: 'openai-chat' }, authOf({ baseUrl })),
    read: readModelIds,
  }),
  models: [
    'DeepSeek-V4-Pro',
    'DeepSeek-V4-Flash',
    'DeepSeek-V3.2',
    'DeepSeek-R1-0528',
    'Llama-3.3-70B-Instruct',
    'Mistral-Large-3',
    'grok-4.3',
    'grok-4',
    'Phi-4',
    'Kimi-K2.6',
    'claude-opus-5',
    'claude-sonnet-5',
    'claude-opus-4-8',
    'claude-sonnet-4-6',
    'claude-haiku-4-5',
    'Cohere-embed-v4',
  ],
};
