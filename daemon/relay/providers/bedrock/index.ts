/** Claude and the models of others on Amazon Bedrock: the host's ids, bodies and refusals. Source: providers/bedrock.md, read 2026-11. */
import type { UpstreamFailure } from '../../../errors.ts';
import type { FormatId } from '../../format.ts';
import { amazonImagesAtOnce } from '../../formats/amazon-images/index.ts';
import { runsOnServers } from '../../formats/anthropic-messages/wire.ts';
import { familyOf } from '../../formats/bedrock-converse/families.ts';
import { asList, asObject, asObjects, asTexts, asWord } from '../../formats/fields.ts';
import { schemaInstruction } from '../../formats/json-instruction.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import type { AuthScheme, Lesson, OtherQuestion, ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { fillMaxTokens, modelHeaders } from '../anthropic/options.ts';
import { readModelIds } from '../openai-compatible.ts';
import { readBedrockFailure } from './failures.ts';
import { type ArnQuestion, arnOf, regionOfArn } from './model-arns.ts';
import { bedrockModelId, continentOf, foundationModelId, isBareId, mantleModelId, publicName } from './model-ids.ts';

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

/** Where a call goes, or where an account's models are listed. */
type Place = Pick<UpstreamCall, 'baseUrl' | 'settings' | 'other'> & ArnQuestion;

/** The host that is asked knows its own region alone, whatever key and channel say. */
function regionOf(call: Place): string {
  const named = regionOfHost.exec(call.baseUrl)?.[1];
  return named || regionOfArn(ownArn(call)) || call.settings.region || call.other.trim() || defaultRegion;
}

const regionForm = '[a-z]{2}(?:-[a-z]+)+-\\d';
const ownRegion = new RegExp(`^${regionForm}$`);
const regionOfHost = new RegExp(`^https://(?:[\\w-]+\\.)?bedrock(?:-runtime|-mantle)?(?:-fips)?\\.(${regionForm})\\.`);

/** It becomes part of the name of a host. */
function regionProblem({ other }: OtherQuestion): string | undefined {
  return other === '' || ownRegion.test(other) ? undefined : 'must be a region such as us-east-1';
}

/** Mantle knows no ARNs. */
function ownArn(call: Place): string | undefined {
  return isMantle(call.baseUrl) ? undefined : arnOf(call);
}

/** RFC 3986: what is not unreserved is written as `%XX`, once. */
function segment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Always one of Amazon's: encoded, a sign that would end the name, and lead a key elsewhere, makes it no host. */
function hostOf(service: 'bedrock' | 'bedrock-runtime', region: string): string {
  return `https://${service}.${encodeURIComponent(region)}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** The address that the host's own manual shows. */
const ownRuntime = /^https:\/\/bedrock-runtime\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/;

/** The host's other front, which speaks its guests' dialects as their vendors do. */
function isMantle(baseUrl: string): boolean {
  return /^https?:\/\/bedrock-mantle\./.test(baseUrl);
}

/** `setting.bedrock_profile`, e.g. `global`. */
function forcedPrefix({ setting }: UpstreamCall): string | undefined {
  const wished = setting.bedrock_profile;
  return typeof wished === 'string' && /^[a-z-]+$/.test(wished) ? wished : undefined;
}

/** The id that the path names, with the prefix that the host has taught where it takes the bare one no longer. */
function idOf(call: UpstreamCall): string {
  const arn = ownArn(call);
  if (arn !== undefined) return arn;
  const id = bedrockModelId(call.model, regionOf(call), forcedPrefix(call));
  return call.learnt === undefined ? id : `${call.learnt}.${id}`;
}

/** A model that is served by profiles of several regions alone: the whole world's first, then the continent's. */
function learnsFrom({ fields }: UpstreamFailure, call: UpstreamCall): Lesson | undefined {
  if (forcedPrefix(call) !== undefined) return undefined;
  if (call.learnt === worldwide) {
    const near = continentOf(regionOf(call));
    return near !== undefined && wantsOther.test(fields.operatorText) ? { learnt: near } : undefined;
  }
  const isBare = call.learnt === undefined && isBareId(idOf(call));
  return isBare && wantsProfile.test(fields.operatorText) ? { learnt: worldwide } : undefined;
}

const worldwide = 'global';
/** Words, for the host has no kind of its own for either. */
const wantsProfile = /on-demand throughput/i;
const wantsOther = /on-demand throughput|model identifier is invalid/i;

function pathOf(call: UpstreamCall): string {
  const region = regionOf(call);
  const root = call.baseUrl === '' ? hostOf('bedrock-runtime', region) : '';
  if (isMantle(call.baseUrl)) return mantlePaths[call.format] ?? '/v1/chat/completions';
  const openai = openaiPaths[call.format];
  if (openai !== undefined) return root + openai;
  if (call.format === 'bedrock-count-tokens')
    return `${root}/model/${segment(foundationModelId(call.model))}/count-tokens`;
  const [whole, streamed] =
    call.format === 'bedrock-converse'
      ? (['converse', 'converse-stream'] as const)
      : (['invoke', 'invoke-with-response-stream'] as const);
  return `${root}/model/${segment(idOf(call))}/${call.stream ? streamed : whole}`;
}

const openaiPaths: Partial<Record<FormatId, string>> = {
  'openai-chat': '/openai/v1/chat/completions',
  'openai-responses': '/openai/v1/responses',
};
const mantlePaths: Partial<Record<FormatId, string>> = {
  'anthropic-messages': '/anthropic/v1/messages',
  'bedrock-count-tokens': '/anthropic/v1/messages/count_tokens',
  'openai-responses': '/v1/responses',
};

/** What a model speaks, by its id: the first that matches. */
const families: readonly (readonly [id: RegExp, formats: readonly FormatId[]])[] = [
  [/(?:^|[./])anthropic\./, ['anthropic-messages', 'bedrock-count-tokens']],
  [/(?:^|\.)openai\./, ['openai-responses', 'openai-chat']],
  [/(?:^|[./])amazon\.titan-embed-text/, ['titan-embeddings']],
  [/(?:^|[./])cohere\.embed-/, ['cohere-embeddings']],
  [/(?:^|[./])(?:amazon|cohere)\.rerank-/, ['bedrock-rerank']],
  [/(?:^|[./])amazon\.(?:nova-canvas|titan-image)/, ['amazon-images']],
  [/(?:^|[./])stability\./, ['stability-images']],
];

/** Claude and OpenAI's models answer in their own dialects; every other by the host's form of chat. */
function formatsFor(_: UpstreamCall['settings'], model: string): readonly FormatId[] {
  const id = bedrockModelId(model, defaultRegion);
  return families.find(([pattern]) => pattern.test(id))?.[1] ?? ['bedrock-converse'];
}

/** Texts, or images, that one request may ask for, by what a model speaks. */
const limits: Partial<Record<FormatId, number>> = {
  'titan-embeddings': 1,
  'cohere-embeddings': 96,
  'amazon-images': amazonImagesAtOnce,
  'stability-images': 1,
};

function amend(body: Json, call: UpstreamCall): Json {
  switch (call.format) {
    case 'bedrock-converse':
    case 'titan-embeddings':
    case 'amazon-images':
    case 'stability-images':
      return body;
    case 'cohere-embeddings':
      return isObject(body) ? withoutModel(body) : body;
    case 'bedrock-rerank':
      return isObject(body) && isCohere(call) ? { ...body, api_version: 2 } : body;
    case 'anthropic-messages':
      return isMantle(call.baseUrl)
        ? named(fillMaxTokens(body, call), mantleModelId(call.model))
        : fitClaude(body, call);
    case 'bedrock-count-tokens':
      return isMantle(call.baseUrl) ? named(body, mantleModelId(call.model)) : packed(fitClaude(body, call));
    default:
      return named(body, idOf(call));
  }
}

function isCohere({ model }: UpstreamCall): boolean {
  return /(?:^|[./])cohere\./.test(bedrockModelId(model, defaultRegion));
}

/** The path names it, and nothing else may. */
function withoutModel({ model: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** A request as the counter takes it: the bytes that would be sent. */
function packed(body: Json): Json {
  return { input: { invokeModel: { body: Buffer.from(JSON.stringify(body)).toString('base64') } } };
}

/** A request with the members that the host knows, and those that it demands. */
function fitClaude(body: Json, call: UpstreamCall): Json {
  const filled = fillMaxTokens(body, call);
  if (!isObject(filled)) return filled;
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(filled)) if (known.has(name)) kept[name] = value;
  leaveOutServerTools(kept);
  const { context_management: management, anthropic_beta: trials } = filled;
  // Refused without the name of its trial.
  const isTried = asTexts(trials).some((name) => name.startsWith('context-management-'));
  if (management !== undefined && isTried) kept.context_management = management;
  if (refusesSchemas.test(bedrockModelId(call.model, defaultRegion))) askInWords(kept);
  // Whatever version a client names: the host knows this one.
  return { ...kept, anthropic_version: 'bedrock-2023-05-31' };
}

/** The host refuses tools that its vendor's servers would run. Changes members of `body`. */
function leaveOutServerTools(body: JsonObject): void {
  const tools = asObjects(body.tools);
  const own = tools.filter(({ type }) => !runsOnServers(asWord(type) ?? ''));
  if (own.length === tools.length) return;
  const forced = asWord(asObject(body.tool_choice)?.name);
  if (own.length > 0) body.tools = own;
  else delete body.tools;
  const isGone = forced !== undefined && !own.some(({ name }) => name === forced);
  if (own.length === 0 || isGone) delete body.tool_choice;
}

/** Their vendor's own interface holds these to a schema; this host's refuses to be asked. */
const refusesSchemas = /claude-(?:opus-4-[78]|opus-5|sonnet-5|fable-5)/;

/** The schema of the answer becomes an instruction, that of a tool a promise. Changes members of `body`. */
function askInWords(body: JsonObject): void {
  const { format, ...config } = asObject(body.output_config) ?? {};
  const schema = asObject(format)?.schema;
  if (format !== undefined) {
    delete body.output_config;
    if (Object.keys(config).length > 0) body.output_config = config;
  }
  if (schema !== undefined) {
    const own = typeof body.system === 'string' ? [{ type: 'text', text: body.system }] : asList(body.system);
    body.system = [...own, { type: 'text', text: schemaInstruction(schema) }];
  }
  if (!asObjects(body.tools).some((tool) => tool.strict !== undefined)) return;
  body.tools = asObjects(body.tools).map(({ strict: _, ...tool }) => tool);
}

/** Trial features that the host knows; it refuses a request that names any other. */
const betas: readonly RegExp[] = [
  /^(?:interleaved-thinking|dev-full-thinking|output-128k|token-efficient-tools|fine-grained-tool-streaming)-/,
  /^(?:computer-use|context-1m|context-management|tool-search-tool|tool-examples|effort)-/,
];

/** The client's, and those that an operator adds for the model. */
function betasOf(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  call: UpstreamCall,
): JsonObject {
  if (call.format !== 'anthropic-messages' || isMantle(call.baseUrl)) return {};
  const told = [modelHeaders(call)['anthropic-beta'] ?? [], headers['anthropic-beta'] ?? []].flat();
  const names = told.flatMap((text) => text.split(',')).map((name) => name.trim());
  const known = [...new Set(names)].filter((name) => betas.some((pattern) => pattern.test(name)));
  return known.length === 0 ? {} : { anthropic_beta: known };
}

function headersOf(call: UpstreamCall): Record<string, string> {
  if (call.format !== 'anthropic-messages') return {};
  if (isMantle(call.baseUrl)) return { 'anthropic-version': '2023-06-01', ...modelHeaders(call) };
  const { 'anthropic-beta': _, ...others } = modelHeaders(call);
  return others;
}

function named(body: Json, model: string): Json {
  return isObject(body) && body.model !== model ? { ...body, model } : body;
}

/** Names of models, for Claude without what the region adds to them. */
function readSummaries(body: Json): string[] | undefined {
  if (!isObject(body) || !Array.isArray(body.modelSummaries)) return readModelIds(body);
  return [
    ...new Set(
      asObjects(body.modelSummaries)
        .flatMap((entry) => asWord(entry.modelId) ?? [])
        .map(publicName),
    ),
  ];
}

function signedFor(call: Place): AuthScheme {
  const service = isMantle(call.baseUrl) ? 'bedrock-mantle' : 'bedrock';
  return { kind: 'signed', scheme: 'aws', settings: { service, region: regionOf(call) } };
}

export const bedrock: ProviderAdapter = {
  id: 'bedrock',
  owner: 'aws',
  label: { en: 'AWS Bedrock Claude', zh: 'AWS Bedrock Claude' },
  channelType: 33,
  baseUrl: '',
  speaks: {
    chat: ['anthropic-messages', 'openai-responses', 'openai-chat', 'bedrock-converse'],
    'count-tokens': ['bedrock-count-tokens'],
    embeddings: ['titan-embeddings', 'cohere-embeddings'],
    rerank: ['bedrock-rerank'],
    images: ['amazon-images', 'stability-images'],
    'image-edits': ['amazon-images', 'stability-images'],
  },
  atOnce: ({ model }) => limits[formatsFor({}, model)[0] ?? 'bedrock-converse'],
  keyForm: 'aws',
  otherProblem: regionProblem,
  traitsFor: ({ baseUrl }) => ({ withoutServerTools: !isMantle(baseUrl) }),
  formatsFor,
  inlines: ({ baseUrl, format, model }) => {
    if (format === 'bedrock-converse' && familyOf(model) === 'nova') return ['video'];
    return format === 'anthropic-messages' && !isMantle(baseUrl) ? ['image', 'document'] : [];
  },
  streamUsage: true,
  path: pathOf,
  auth: signedFor,
  headers: headersOf,
  amendBody: amend,
  bodyOfHeaders: betasOf,
  readFailure: readBedrockFailure,
  learnsFrom,
  listModels: (call) => {
    const region = regionOf(call);
    const path = isMantle(call.baseUrl) ? '/v1/models' : '/foundation-models?byOutputModality=TEXT';
    return {
      method: 'GET',
      // The runtime of the host lists nothing: its lists stand beside it.
      path: call.baseUrl === '' || ownRuntime.test(call.baseUrl) ? hostOf('bedrock', region) + path : path,
      auth: signedFor(call),
      read: readSummaries,
    };
  },
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
    'claude-opus-4-20250514',
    'claude-3-7-sonnet-20250219',
    'claude-3-5-sonnet-20241022',
    'claude-3-5-haiku-20241022',
    'claude-3-haiku-20240307',
    'nova-premier',
    'nova-pro',
    'nova-lite',
    'nova-micro',
    'nova-2-lite',
    'deepseek-r1',
    'llama4-maverick-17b-instruct',
    'llama4-scout-17b-instruct',
    'llama3-3-70b-instruct',
    'openai.gpt-oss-120b-1:0',
    'openai.gpt-oss-20b-1:0',
    'amazon.titan-embed-text-v2:0',
    'embed-v4.0',
    'embed-english-v3.0',
    'embed-multilingual-v3.0',
    'rerank-v3.5',
    'amazon.rerank-v1:0',
    // Amazon's own image models are not offered: the host ends them (Nova Canvas on 2026-09-30). Who has them names them.
    'stability.stable-image-core-v1:1',
    'stability.stable-image-ultra-v1:1',
    'stability.sd3-5-large-v1:0',
    'stability.stable-image-inpaint-v1:0',
    'stability.stable-image-erase-object-v1:0',
    'stability.stable-image-search-replace-v1:0',
    'stability.stable-image-search-recolor-v1:0',
    'stability.stable-image-remove-background-v1:0',
    'stability.stable-image-control-sketch-v1:0',
    'stability.stable-image-control-structure-v1:0',
    'stability.stable-image-style-guide-v1:0',
    'stability.stable-style-transfer-v1:0',
    'stability.stable-outpaint-v1:0',
    'stability.stable-conservative-upscale-v1:0',
    'stability.stable-creative-upscale-v1:0',
    'stability.stable-fast-upscale-v1:0',
  ],
};
