/**
 * What a conversation is made of: parts of content, and the ordered items that carry them.
 * Knows no dialect's field names; a dialect appears only as the owner of something opaque.
 */
import type { Json, JsonObject } from '../json.ts';

/** The four dialects that clients speak; they own opaque data (seals, hosted items, extensions). */
export const dialects = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const;
export type Dialect = (typeof dialects)[number];

/** Fields that only one dialect knows, verbatim by their wire names. Only that dialect's encoder reads them. */
export type Extensions = Readonly<Partial<Record<Dialect, JsonObject>>>;

/**
 * Opaque proof of earlier reasoning: Anthropic's thinking signature or redacted data, Gemini's thought signature,
 * the encrypted content of a Responses reasoning item. Only its origin can read it. Other dialects carry it
 * wrapped (`seal.ts`) so that the next turn of a tool loop can return it; it is never sent to another vendor.
 */
export interface Seal {
  readonly origin: Dialect;
  readonly data: string;
  /** It is the whole thought, hidden by the vendor (Anthropic) or a step of its own tools (Gemini), and not the signature of a shown one. */
  readonly redacted?: boolean;
}

/** Ask to cache the prompt up to and including the part, tool or item that carries the mark. */
export interface CacheMark {
  /** Undefined: the vendor's default of five minutes. */
  readonly ttl?: '5m' | '1h';
}

/** What any part but a refusal may carry beside what it says. */
interface PartMarks {
  readonly cache?: CacheMark;
  /** Members that one dialect knows beside these (OpenAI `prompt_cache_breakpoint`, Gemini `mediaResolution`, ...). */
  readonly extensions?: Extensions;
}

/** Where the bytes of a medium are. */
export type MediaSource =
  /** Base64 without the `data:` prefix. `mediaType` as declared, `application/octet-stream` when it was not. */
  | { readonly kind: 'inline'; readonly mediaType: string; readonly data: string }
  /** http(s), `gs://` or a vendor's file address. */
  | { readonly kind: 'url'; readonly url: string; readonly mediaType?: string }
  /** Identifier in the file store of one vendor: meaningless anywhere else. */
  | { readonly kind: 'file-id'; readonly id: string; readonly owner: Dialect; readonly mediaType?: string };

/** A statement about where text came from. */
export type Annotation =
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly title?: string;
      /** Offsets into the text of the same answer, in UTF-16 units; undefined when the vendor gives none. */
      readonly start?: number;
      readonly end?: number;
      /** The words quoted from the source. */
      readonly citedText?: string;
      /** The citation as its own dialect spells it, so that the same dialect returns all of it. */
      readonly raw?: { readonly dialect: Dialect; readonly value: Json };
    }
  /** Anything else (file citations, page ranges of documents): only its own dialect can say it again. */
  | { readonly kind: 'other'; readonly raw: { readonly dialect: Dialect; readonly value: Json } };

export interface TextPart extends PartMarks {
  readonly type: 'text';
  readonly text: string;
  readonly annotations?: readonly Annotation[];
  /** Gemini may sign a text part. */
  readonly seal?: Seal;
  /** What the dialect has in place of these words, verbatim (Anthropic `tool_reference`, `search_result`). */
  readonly raw?: { readonly dialect: Dialect; readonly value: JsonObject };
}

/** The model's own words of refusal. */
export interface RefusalPart {
  readonly type: 'refusal';
  readonly text: string;
}

export interface ImagePart extends PartMarks {
  readonly type: 'image';
  readonly source: MediaSource;
  /** OpenAI's `low`, `high`, `auto`, `original`. */
  readonly detail?: string;
  /** Gemini may sign an image that it made. */
  readonly seal?: Seal;
}

/** A PDF, a text document or any other file given to read. */
export interface DocumentPart extends PartMarks {
  readonly type: 'document';
  readonly source: MediaSource | { readonly kind: 'text'; readonly text: string; readonly mediaType?: string };
  /** File name or title. */
  readonly title?: string;
  /** Anthropic's remark that accompanies a document but cannot be cited. */
  readonly context?: string;
  /** The answer may cite it (Anthropic). */
  readonly citations?: boolean;
  /** OpenAI's `detail` of a file. */
  readonly detail?: string;
  /** What the dialect has in place of this text, verbatim (a document of blocks). */
  readonly raw?: { readonly dialect: Dialect; readonly value: JsonObject };
}

export interface AudioPart extends PartMarks {
  readonly type: 'audio';
  readonly source: MediaSource;
  /** Short name such as `wav` or `mp3`; undefined when only the media type is known. */
  readonly format?: string;
  /** What was said, when the vendor tells. */
  readonly transcript?: string;
  /** Identifier under which OpenAI keeps an audio answer for a while, and when that ends (Unix seconds). */
  readonly id?: string;
  readonly expiresAt?: number;
}

export interface VideoPart extends PartMarks {
  readonly type: 'video';
  readonly source: MediaSource;
  /** Gemini's `videoMetadata` (offsets, frame rate), verbatim. */
  readonly clip?: JsonObject;
}

/** A part that only one dialect knows (Anthropic `search_result`, `container_upload`, ...), verbatim. */
export interface ForeignPart {
  readonly type: 'foreign';
  readonly dialect: Dialect;
  readonly name: string;
  readonly raw: Json;
}

export type ContentPart = TextPart | RefusalPart | ImagePart | DocumentPart | AudioPart | VideoPart | ForeignPart;

/** Instructions, wherever they stand in the conversation. */
export interface SystemItem {
  readonly type: 'system';
  /** `developer` where the client wrote so; most targets read both alike. */
  readonly role: 'system' | 'developer';
  readonly parts: readonly ContentPart[];
  /** Written in the dialect's own field (`instructions`, `system`) and not among the messages. */
  readonly apart?: boolean;
}

export interface UserItem {
  readonly type: 'user';
  readonly parts: readonly ContentPart[];
  /** Name of the participant (OpenAI chat). */
  readonly name?: string;
}

/** What the model said. One answer may hold several, between its reasoning and its tool calls. */
export interface AssistantItem {
  readonly type: 'assistant';
  readonly parts: readonly ContentPart[];
  readonly name?: string;
  /** The item's own id and phase in the Responses dialect. */
  readonly id?: string;
  readonly phase?: string;
  /** Members that one dialect knows beside these (`prefix` of chat: the answer goes on with these words). */
  readonly extensions?: Extensions;
}

/** How a tool is called: with JSON arguments, or with free text; `shell` and `patch` kinds of Responses. */
export type ToolCallKind = 'function' | 'custom' | 'local-shell' | 'shell' | 'apply-patch' | 'tool-search';

export interface ToolCallItem {
  readonly type: 'tool-call';
  readonly kind: ToolCallKind;
  /** Pairs the call with its result; never empty (decoders invent one where a dialect has none). */
  readonly callId: string;
  readonly name: string;
  /** Responses groups tools by namespace. */
  readonly namespace?: string;
  /**
   * JSON text exactly as the model wrote it, or the free text of a custom tool. May be empty or broken:
   * who needs an object asks `argumentsObject` of `arguments.ts`.
   */
  readonly input: string;
  /** The item's own id in the Responses dialect (`fc_`), distinct from `callId`. */
  readonly id?: string;
  readonly seal?: Seal;
  readonly cache?: CacheMark;
  /** Members that one dialect knows beside these (who called: `caller`). */
  readonly extensions?: Extensions;
}

export interface ToolResultItem {
  readonly type: 'tool-result';
  readonly kind: ToolCallKind;
  readonly callId: string;
  /** Name of the tool, where the dialect tells it with the result. */
  readonly name?: string;
  /** Text, images, documents. Empty is legal. */
  readonly parts: readonly ContentPart[];
  /** The structured result where the dialect has one (Gemini's `response`); `parts` then holds its JSON text. */
  readonly value?: Json;
  readonly isError?: boolean;
  readonly id?: string;
  readonly cache?: CacheMark;
  /** Members that one dialect knows beside these (Gemini `scheduling`, ...). */
  readonly extensions?: Extensions;
}

export interface ReasoningItem {
  readonly type: 'reasoning';
  /** Whole thought, or the summaries that a vendor shows instead. Empty when it is withheld or redacted. */
  readonly texts: readonly string[];
  /** `summary`: `texts` are summaries; `full`: the thinking itself. */
  readonly form: 'full' | 'summary';
  readonly seal?: Seal;
  readonly id?: string;
}

/** Something a hosted tool did (web search, code run, image made): verbatim, only its dialect can say it again. */
export interface HostedItem {
  readonly type: 'hosted';
  readonly dialect: Dialect;
  /** The dialect's own item or block type, such as `web_search_call` or `server_tool_use`. */
  readonly name: string;
  readonly raw: Json;
  /** What a reader of another dialect is shown of it (a code run as fenced blocks); undefined: nothing. */
  readonly text?: string;
}

/** What a model can answer with. */
export type OutputItem = AssistantItem | ReasoningItem | ToolCallItem | HostedItem;

/** One step of a conversation, in the order in which it happened. */
export type ChatItem = SystemItem | UserItem | ToolResultItem | OutputItem;
