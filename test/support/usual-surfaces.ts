/** How the table of surfaces is written, and where most vendors' surfaces stand. */

export interface VendorSurfaces {
  /** Default: a plain one. */
  readonly key?: string;
  /** For vendors without an address of their own. */
  readonly baseUrl?: string;
  /** Model by format; `*` for the rest. */
  readonly models?: Readonly<Record<string, string>>;
  /** Surfaces that stand where OpenAI's (and Anthropic's) do, by the words of `usualSurfaces`. */
  readonly usual?: string;
  /** The others: path by capability and format; a pair where a stream stands elsewhere. */
  readonly surfaces?: Readonly<Record<string, string | readonly [whole: string, streamed: string]>>;
}

/** Capability and format, and the path that most vendors took over. */
export const usualSurfaces: Readonly<Record<string, readonly [surface: string, path: string]>> = {
  chat: ['chat openai-chat', '/v1/chat/completions'],
  responses: ['chat openai-responses', '/v1/responses'],
  compaction: ['responses-compact openai-responses-compact', '/v1/responses/compact'],
  messages: ['chat anthropic-messages', '/v1/messages'],
  completions: ['completions openai-completions', '/v1/completions'],
  edits: ['edits openai-edits', '/v1/edits'],
  embeddings: ['embeddings openai-embeddings', '/v1/embeddings'],
  moderations: ['moderations openai-moderations', '/v1/moderations'],
  rerank: ['rerank rerank', '/v1/rerank'],
  images: ['images openai-images', '/v1/images/generations'],
  'image-edits': ['image-edits openai-image-edits', '/v1/images/edits'],
  'image-variations': ['image-variations openai-image-variations', '/v1/images/variations'],
  speech: ['speech openai-speech', '/v1/audio/speech'],
  transcription: ['transcription openai-transcription', '/v1/audio/transcriptions'],
  translation: ['translation openai-translation', '/v1/audio/translations'],
};
