/** Volcengine Ark (Doubao) and BytePlus ModelArk. Source: providers/volcengine.md, read 2026-11. */
import type { FormatId } from '../../format.ts';
import { asObjects } from '../../formats/fields.ts';
import type { JsonObject } from '../../json.ts';
import type { ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { modelList, openaiCompatible } from '../openai-compatible.ts';
import { developerToSystem, effortUpToHigh, removeFields } from '../wire-edits.ts';

const paths: Partial<Record<FormatId, string>> = {
  'openai-chat': '/chat/completions',
  'openai-embeddings': '/embeddings',
  'openai-responses': '/responses',
  'volcengine-embeddings': '/embeddings/multimodal',
  'volcengine-images': '/images/generations',
};

/** These know nothing but the interface for words and media. */
const seesMedia = /embedding-vision/;

/** The API's root, unless the operator gave one that names it already (coding plans have another). */
function rootOf(baseUrl: string): string {
  // What the vendor shows for Anthropic's dialect of these plans.
  if (/\/api\/coding$/.test(baseUrl)) return '/v3';
  return /\/api\/.*v3\/?$/.test(baseUrl) ? '' : '/api/v3';
}

function fitArk(body: JsonObject, { format }: UpstreamCall): void {
  if (format !== 'openai-chat') return;
  developerToSystem(body);
  removeFields(body, ['n', 'seed', 'user']);
  // One limit excludes the other.
  if (typeof body.max_completion_tokens === 'number') delete body.max_tokens;
  if (body.reasoning_effort === 'none') {
    delete body.reasoning_effort;
    body.thinking ??= { type: 'disabled' };
  }
  effortUpToHigh(body);
}

/** What offends, which the vendor also says of single images and of pieces of an answer, under status 200. */
const offences = ['SensitiveContentDetected', 'RiskDetection'].flatMap((word) => [
  word,
  ...['', '.SevereViolation', '.Violence'].flatMap((degree) =>
    ['InputText', 'InputImage', 'InputVideo', 'OutputText', 'OutputImage', 'OutputVideo'].map(
      (place) => place + word + degree,
    ),
  ),
  `${word}.SevereViolation`,
  `${word}.Violence`,
]);

/** Applications that an account put together: they are asked in chats alone. */
function isBot(model: string): boolean {
  return model.startsWith('bot');
}

const speaks = {
  chat: ['openai-chat', 'openai-responses'],
  embeddings: ['openai-embeddings', 'volcengine-embeddings'],
  images: ['volcengine-images'],
  'image-edits': ['volcengine-images'],
} as const satisfies ProviderAdapter['speaks'];
const spoken: readonly FormatId[] = Object.values<readonly FormatId[]>(speaks).flat();
const ofBots: readonly FormatId[] = ['openai-chat'];

export const volcengine = openaiCompatible({
  id: 'volcengine',
  owner: 'volcengine',
  label: { en: 'Volcengine Ark', zh: '字节火山方舟' },
  channelType: 45,
  baseUrl: 'https://ark.cn-beijing.volces.com',
  speaks,
  formatsFor: (_, model) => (isBot(model) ? ofBots : spoken),
  // Endpoints have names of their own, so of those the request tells.
  avoids: ({ format, model }, { input }) =>
    format === 'openai-embeddings' && (seesMedia.test(model) || asObjects(input).length > 0),
  // Its answer is one vector, whatever stands in the request.
  atOnce: ({ format }) => (format === 'volcengine-embeddings' ? 1 : undefined),
  path: ({ baseUrl, format, model }) => {
    const isBots = format === 'openai-chat' && isBot(model);
    return `${rootOf(baseUrl)}${isBots ? '/bots' : ''}${paths[format] ?? ''}`;
  },
  listModels: ({ baseUrl }) => modelList(`${rootOf(baseUrl)}/models`),
  failures: [
    { status: 400, code: 'InvalidEndpoint.ClosedEndpoint', means: 'no-model' },
    { code: offences, means: 'bad-request', tells: 'content_filter' },
    { code: ['AuthenticationError', 'InvalidAccountStatus'], means: 'bad-key' },
    { code: 'AccountOverdueError', means: 'no-credit' },
    { status: 403, means: 'not-allowed' },
    { status: 404, means: 'no-model' },
    { code: ['ServerOverloaded', 'InflightBatchsizeExceeded'], means: 'overload' },
    { status: 429, code: ['QuotaExceeded', 'SetLimitExceeded'], means: 'rate-limit', exhausts: 'model' },
    { status: 429, means: 'rate-limit' },
  ],
  amend: fitArk,
  // They count what they used, and name what they read, in words of their own.
  foreignAnswers: isBot,
  models: [
    'doubao-seed-2.1-pro',
    'doubao-seed-2.1-turbo',
    'doubao-seed-1-6-250615',
    'doubao-seed-1-6-flash-250615',
    'doubao-seed-1-6-thinking-250615',
    'doubao-seed-1.6-vision',
    'doubao-seed-1.6-lite',
    'doubao-1-5-pro-32k-250115',
    'doubao-1-5-lite-32k-250115',
    'doubao-embedding-large-text-250515',
    'doubao-embedding-vision-250615',
    'doubao-seedream-5-0-lite',
    'doubao-seedream-4-5',
    'doubao-seedream-4-0',
    'Doubao-pro-128k',
    'Doubao-pro-32k',
    'Doubao-pro-4k',
    'Doubao-lite-128k',
    'Doubao-lite-32k',
    'Doubao-lite-4k',
    'Doubao-embedding',
  ],
});
