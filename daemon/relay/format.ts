/**
 * The interfaces of a wire format: a codec that reads itself into the canonical shape and writes itself out of it.
 * Pure: data in, data out. Knows no network, clock, database or vendor.
 */
import type { TollgateError, UpstreamFailure } from '../errors.ts';
import type { ChatEvent, ChatRequest, ChatResponse } from './canonical/chat.ts';
import type { MediaKind } from './canonical/remote-media.ts';
import type { Usage } from './canonical/usage.ts';
import type { FurtherQuestion } from './further-question.ts';
import type { Json, JsonObject } from './json.ts';

/** What a model call asks for. */
export type Capability =
  | 'chat'
  | 'completions'
  | 'edits'
  | 'embeddings'
  | 'moderations'
  | 'images'
  | 'image-edits'
  | 'image-variations'
  | 'speech'
  | 'transcription'
  | 'translation'
  | 'rerank'
  | 'count-tokens'
  | 'responses-compact'
  | 'realtime'
  /** Work that goes on after the answer. */
  | 'tasks';

/** Wire formats. The first four are chat dialects that clients may speak too; the vendors' own follow. */
export type FormatId =
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic-messages'
  | 'gemini-generate'
  | 'openai-completions'
  | 'openai-edits'
  | 'openai-embeddings'
  | 'openai-moderations'
  | 'openai-images'
  | 'openai-image-edits'
  | 'openai-image-variations'
  | 'gemini-images'
  | 'gemini-predict'
  | 'vertex-predict'
  | 'dashscope-images'
  | 'minimax-images'
  | 'siliconflow-images'
  | 'volcengine-images'
  | 'xai-images'
  | 'baidu-images'
  | 'cloudflare-images'
  | 'fireworks-images'
  | 'huggingface-images'
  | 'nvidia-images'
  | 'replicate-images'
  | 'together-images'
  | 'xinference-images'
  | 'amazon-images'
  | 'stability-images'
  | 'qianfan-images'
  | 'openai-speech'
  | 'gemini-speech'
  | 'minimax-speech'
  | 'mistral-speech'
  | 'xai-speech'
  | 'openai-transcription'
  | 'openai-translation'
  | 'openai-responses-compact'
  | 'openai-realtime'
  | 'rerank'
  | 'gemini-embeddings'
  | 'vertex-embeddings'
  | 'minimax-embeddings'
  | 'tencent-embeddings'
  | 'ollama-chat'
  | 'ollama-embeddings'
  | 'huggingface-embeddings'
  | 'huggingface-transcription'
  | 'bedrock-converse'
  | 'bedrock-anthropic'
  | 'bedrock-count-tokens'
  | 'cohere-v1-chat'
  | 'dashscope-speech'
  | 'dashscope-speech-socket'
  | 'dashscope-speech-session'
  | 'dashscope-transcription'
  | 'dashscope-transcription-session'
  | 'dashscope-recognition'
  | 'dashscope-recordings'
  | 'openrouter-images'
  | 'perplexity-embeddings'
  | 'volcengine-embeddings'
  | 'bedrock-rerank'
  | 'titan-embeddings'
  | 'cohere-chat'
  | 'cohere-rerank'
  | 'cloudflare-rerank'
  | 'cloudflare-speech'
  | 'cloudflare-transcription'
  | 'nvidia-rerank'
  | 'cohere-embeddings'
  | 'dashscope-chat'
  | 'dashscope-embeddings'
  | 'dashscope-rerank'
  | 'baidu-wenxin'
  | 'baidu-embeddings'
  | 'zhipu-v3'
  | 'zhipu-moderations'
  | 'xunfei-spark'
  | 'xunfei-socket'
  | 'tencent-hunyuan'
  | 'dify-chat'
  | 'coze-chat'
  | 'replicate-predictions'
  | 'minimax-chat'
  | 'aiproxy-library'
  | 'midjourney'
  | 'suno';

/** One framed event of a stream: SSE fields, one JSON line, or one event-stream message. `data` is the payload text. */
export interface WireEvent {
  /** SSE `event:` name or event-stream type; undefined when the wire has none. */
  event?: string;
  data: string;
  /** A field of that name beside the payload, which one vendor's streams have. */
  meta?: string;
}

/** Texts of payloads that follow one another in a body, joined. */
export interface TextRun {
  readonly text: string;
  /** Index of the first payload that is not among them. */
  readonly next: number;
}

/** What payloads have in common that say a piece of text each. */
export interface TextFrame {
  /**
   * The whole payloads in this frame that follow one another from `start` on; `joint` stands between any two and, where
   * the body has no other line breaks, only there. Undefined for none: those may be read one by one as well.
   */
  run(text: string, start: number, joint: string): TextRun | undefined;
}

/** A push translator with no I/O: feed inputs in order, then `end`, or `fail` if the source broke. */
export interface Machine<In, Out> {
  push(input: In): Out[];
  end(): Out[];
  fail(error: TollgateError | UpstreamFailure): Out[];
}

/** Reads the events of one answer. */
export interface AnswerDecoder extends Machine<WireEvent, ChatEvent> {
  /** The frame of the payload before, where it said a piece of text and nothing else. */
  readonly frame?: TextFrame | undefined;
  /** As `push` for payloads in that frame, whose texts are joined. */
  pushText?(text: string): ChatEvent[];
  /** All of the answer has come, though nothing tells of its end but that of the body. Absent where `finish` does. */
  readonly hasSaidItsEnd?: boolean;
}

/** What an encoder may know about the upstream of this attempt; absent means the format's plain form. */
export interface UpstreamTraits {
  /** Reasoning text has to go back with the next turn (`reasoning_content` of DeepSeek, Kimi). */
  readonly replayReasoning: boolean;
  /** `top_k` is understood though the format does not name it. */
  readonly topK: boolean;
  /** However many words may end an answer in the chat format: the vendor's own rule chooses among them. */
  readonly ownStops: boolean;
  /** The chat format's `web_search_options` is understood. */
  readonly webSearch: boolean;
  /**
   * The vendor's own fields, and types of tools, that chat clients may say here though the format is another than
   * theirs.
   */
  readonly chatWords: ReadonlySet<string>;
  /** `cache_control` is understood though the format does not name it (OpenRouter with Claude models). */
  readonly cacheMarks: boolean;
  /** Anthropic's own tools that run on its servers are refused: others host its models without them (Bedrock). */
  readonly withoutServerTools: boolean;
  /** Conversations of Messages are kept, so that a turn may tell its own messages alone (Anthropic). */
  readonly threads: boolean;
  /** The end user's identifier may be passed on (`setting.allow_safety_identifier`). */
  readonly identity: boolean;
  /** Output limit where the protocol demands one and the client gave none (`claude.default_max_tokens`). */
  readonly defaultMaxTokens: number;
  /** Category to threshold (`gemini.safety_settings`). */
  readonly safetySettings: Readonly<Record<string, string>>;
  /** The model also answers with images (`gemini.supported_imagine_models`). */
  readonly imageOutput: boolean;
  /** Built-in tools are taken beside functions only where the answer may show what they did (Google's own Gemini API). */
  readonly showsToolRuns: boolean;
  /** One question is all that is read: the last one, with the instructions beside it (Dify's workflows). */
  readonly lastQuestionOnly: boolean;
  /** Documents and sound may stand at an address, as images may: who asks has words of its own for them. */
  readonly filesByAddress: boolean;
  /** Documents may be of any type: who asks tells what it reads. */
  readonly anyDocument: boolean;
  /** Videos may be given, in a form borrowed from images: who asks has words of its own for them. */
  readonly video: boolean;
  /** Images that one message may carry; -1 for no limit (`GEMINI_VISION_MAX_IMAGE_NUM`). */
  readonly maxImages: number;
}

/** The only outside help a codec gets. */
export interface Scope {
  /** A fresh identifier with the given prefix, e.g. `chatcmpl-`. */
  newId(prefix: string): string;
  /** Unix seconds. */
  now(): number;
  /** Model name that the client is shown. */
  readonly model: string;
  /** Records a field (JSON path) that the target cannot say. */
  lose(field: string): void;
  /** Tools that only their own vendor runs are left out, and named to the client, where it was promised a refusal. */
  readonly leavesOutTools?: boolean;
  readonly traits?: Partial<UpstreamTraits>;
  /** Members that the client said in headers and the vendor reads in the body. */
  readonly ofHeaders?: JsonObject;
  /** Local count of the prompt, for a protocol that must state it before the upstream has. */
  readonly promptTokens?: number;
  /** Request id, for protocols that put it into the error that ends a stream. */
  readonly requestId?: string;
  /** Stands for the caller's account, for vendors that keep conversations by end user and whose client names none. */
  readonly endUser?: string;
}

/** Files that a wire takes only under an id of its vendor's: how they are handed in before the request itself. */
export interface FileUploads {
  /** Data URLs in a body as it was encoded, which cannot be sent with them. */
  list(body: JsonObject): readonly string[];
  /** The members of the form that hands in one of them; a data URL among them is a file. */
  form(file: string, body: JsonObject): JsonObject;
  /** The id in the vendor's answer; undefined for an answer that has none. */
  readId(answer: JsonObject): string | undefined;
  /** The body with ids in place of data URLs. */
  place(body: JsonObject, ids: ReadonlyMap<string, string>): JsonObject;
}

/** The half of a chat codec that asks an upstream and reads what it answers: all that a vendor's own format needs. */
export interface UpstreamFormat {
  readonly id: FormatId;
  /**
   * Media that this wire has to be given inline, unless the upstream fetches addresses itself. Whoever may use the
   * network puts them in (`canonical/remote-media.ts`) before a request is encoded. Undefined: none.
   */
  readonly inlines?: readonly MediaKind[];
  /** Arguments of calls are text on this wire, which nobody reads on the way. */
  readonly argumentsAsText?: boolean;
  /** Results of calls that say an object are one on this wire. */
  readonly resultsAsObjects?: boolean;
  /** Undefined: files travel inside the request, or by their address. */
  readonly uploads?: FileUploads;
  encodeRequest(request: ChatRequest, scope: Scope): Json;
  /** Throws `prompt_blocked` or `empty_response` where the upstream answered 200 with nothing. */
  decodeResponse(body: Json, scope: Scope): ChatResponse;
  decodeStream(scope: Scope): AnswerDecoder;
  /**
   * What to ask next for an answer that is still being made; undefined for one that is there. `manner`: how the answer
   * was asked for.
   */
  followUp?(body: Json, manner: 'stream' | 'whole'): FurtherQuestion | undefined;
  /** Usage found in one body or stream event; undefined when it carries none. All that the native lane decodes. */
  readUsage(body: Json): Usage | undefined;
}

/** One wire format of the chat capability, both directions: clients may speak it too. */
export interface ChatFormat extends UpstreamFormat {
  /** Throws `invalid_request` with the field. */
  decodeRequest(body: Json): ChatRequest;
  /** The request tells how the client named its tools and which forms it expects back. */
  encodeResponse(response: ChatResponse, request: ChatRequest, scope: Scope): Json;
  encodeStream(request: ChatRequest, scope: Scope): Machine<ChatEvent, WireEvent>;
}
