/** The calls of the relay by dialect, in the form of the management API's own, so that one view shows both. Pure. */
import type { Operation } from '../../../daemon/contract/openapi-reader.ts';

export type RelayDialect = 'openai' | 'anthropic' | 'gemini' | 'midjourney' | 'suno';

/** Proper names; the same in every language. */
export const dialectNames: Readonly<Record<RelayDialect, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
  midjourney: 'Midjourney',
  suno: 'Suno',
};

/** Where the clients of a dialect are pointed: those of OpenAI want the version in the address. */
export function baseUrlOf(dialect: RelayDialect, origin: string): string {
  return dialect === 'openai' ? `${origin}/v1` : origin;
}

export interface RelayCall extends Operation {
  readonly dialect: RelayDialect;
  /** Key of its summary in the catalogue, under `relay`. */
  readonly title: string;
  /** Members that are files: the body is then a form. */
  readonly files: readonly string[];
  /** Name for an answer that is a file. */
  readonly savedAs: string | undefined;
}

interface RelayEntry {
  readonly dialect: RelayDialect;
  readonly title: string;
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  /** Members of the body that a call needs, with examples. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly files?: readonly string[];
  readonly savedAs?: string;
}

const hello = [{ role: 'user', content: 'Hello' }];
const contents = [{ parts: [{ text: 'Hello' }] }];
const gemini = '/v1beta/models/{model}';
/** As upstreams name tasks and buttons. */
const drawing = '1768480200123456';
const button = 'MJ::JOB::upsample::1::3dbbd469-36af-4a0f-8f02-df6c579e7011';

const entries: readonly RelayEntry[] = [
  { dialect: 'openai', title: 'models', method: 'GET', path: '/v1/models' },
  { dialect: 'openai', title: 'chat', path: '/v1/chat/completions', body: { model: 'gpt-4o-mini', messages: hello } },
  { dialect: 'openai', title: 'responses', path: '/v1/responses', body: { model: 'gpt-4o-mini', input: 'Hello' } },
  {
    dialect: 'openai',
    title: 'completions',
    path: '/v1/completions',
    body: { model: 'gpt-3.5-turbo-instruct', prompt: 'Hello' },
  },
  {
    dialect: 'openai',
    title: 'embeddings',
    path: '/v1/embeddings',
    body: { model: 'text-embedding-3-small', input: 'Hello' },
  },
  {
    dialect: 'openai',
    title: 'moderations',
    path: '/v1/moderations',
    body: { model: 'omni-moderation-latest', input: 'Hello' },
  },
  {
    dialect: 'openai',
    title: 'images',
    path: '/v1/images/generations',
    body: { model: 'gpt-image-1', prompt: 'A lighthouse at dawn' },
  },
  {
    dialect: 'openai',
    title: 'imageEdits',
    path: '/v1/images/edits',
    body: { model: 'gpt-image-1', prompt: 'Add a boat', image: 'picture.png' },
    files: ['image'],
  },
  {
    dialect: 'openai',
    title: 'imageVariations',
    path: '/v1/images/variations',
    body: { model: 'dall-e-2', image: 'picture.png' },
    files: ['image'],
  },
  {
    dialect: 'openai',
    title: 'speech',
    path: '/v1/audio/speech',
    body: { model: 'tts-1', voice: 'alloy', input: 'Hello' },
    savedAs: 'speech.mp3',
  },
  {
    dialect: 'openai',
    title: 'transcriptions',
    path: '/v1/audio/transcriptions',
    body: { model: 'whisper-1', file: 'speech.mp3' },
    files: ['file'],
  },
  {
    dialect: 'openai',
    title: 'translations',
    path: '/v1/audio/translations',
    body: { model: 'whisper-1', file: 'speech.mp3' },
    files: ['file'],
  },
  {
    dialect: 'openai',
    title: 'rerank',
    path: '/v1/rerank',
    body: { model: 'jina-reranker-v2-base-multilingual', query: 'Hello', documents: ['Good day', 'Good night'] },
  },
  {
    dialect: 'anthropic',
    title: 'messages',
    path: '/v1/messages',
    body: { model: 'claude-sonnet-4-5', max_tokens: 1024, messages: hello },
  },
  {
    dialect: 'anthropic',
    title: 'countTokens',
    path: '/v1/messages/count_tokens',
    body: { model: 'claude-sonnet-4-5', messages: hello },
  },
  { dialect: 'gemini', title: 'generate', path: `${gemini}:generateContent`, body: { contents } },
  { dialect: 'gemini', title: 'streamGenerate', path: `${gemini}:streamGenerateContent`, body: { contents } },
  {
    dialect: 'gemini',
    title: 'embedContent',
    path: `${gemini}:embedContent`,
    body: { content: { parts: [{ text: 'Hello' }] } },
  },
  { dialect: 'gemini', title: 'countTokens', path: `${gemini}:countTokens`, body: { contents } },
  { dialect: 'midjourney', title: 'imagine', path: '/mj/submit/imagine', body: { prompt: 'a fox in the snow' } },
  {
    dialect: 'midjourney',
    title: 'pressButton',
    path: '/mj/submit/action',
    body: { taskId: drawing, customId: button },
  },
  { dialect: 'midjourney', title: 'drawing', method: 'GET', path: '/mj/task/{id}/fetch' },
  { dialect: 'midjourney', title: 'drawings', path: '/mj/task/list-by-condition', body: { ids: [drawing] } },
  { dialect: 'suno', title: 'song', path: '/suno/submit/music', body: { gpt_description_prompt: 'a song of the sea' } },
  { dialect: 'suno', title: 'lyrics', path: '/suno/submit/lyrics', body: { prompt: 'the sea' } },
  { dialect: 'suno', title: 'task', method: 'GET', path: '/suno/fetch/{id}' },
];

const pathParameter = /\{(\w+)\}/g;

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return `${typeOf(value[0])}[]`;
  return typeof value;
}

/** @param summaryOf the text of a title in the language of the page */
export function relayCalls(summaryOf: (title: string) => string): readonly RelayCall[] {
  return entries.map(({ dialect, title, method = 'POST', path, body, files = [], savedAs }) => {
    const summary = summaryOf(title);
    return {
      id: `${dialect}:${title}`,
      tag: dialectNames[dialect],
      dialect,
      title,
      method,
      path,
      summary: { en: summary, zh: summary },
      access: 'key',
      changes: true,
      parameters: [...path.matchAll(pathParameter)].map(([, name = '']) => ({
        name,
        place: 'path',
        type: 'string',
        required: true,
      })),
      body: Object.entries(body ?? {}).map(([name, value]) => ({
        name,
        place: 'body',
        type: files.includes(name) ? 'file' : typeOf(value),
        required: true,
      })),
      bodyExample: body,
      files,
      savedAs,
      answer: undefined,
      answerType: '',
      errorCodes: [],
    };
  });
}
