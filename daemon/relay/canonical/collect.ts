/** A streamed answer put together again, for a client that did not ask for a stream. */
import type { ChatChoice, ChatEvent, ChatResponse } from './chat.ts';
import type {
  Annotation,
  AssistantItem,
  AudioPart,
  ContentPart,
  OutputItem,
  ReasoningItem,
  TextPart,
  ToolCallItem,
} from './content.ts';
import type { Finish, ReportedError, TokenLogprob } from './event.ts';
import { mergeUsage, type ToolCounts, type Usage } from './usage.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type EventOf<T extends ChatEvent['type']> = Extract<ChatEvent, { type: T }>;

/** The head of an answer, as its first event tells it. */
type Head = Omit<EventOf<'message-start'>, 'type'>;

/** A block that may still grow. */
type OpenBlock =
  | {
      readonly type: 'text';
      text: string;
      readonly annotations: Annotation[];
      readonly start: EventOf<'text-start'>;
      end?: EventOf<'text-end'>;
    }
  /** `texts`: by their part, whose number is the upstream's and may be any. */
  | { readonly type: 'reasoning'; readonly texts: Map<number, string>; item: Writable<ReasoningItem> }
  | { readonly type: 'tool-call'; item: Writable<ToolCallItem> }
  | { readonly type: 'done'; readonly item: OutputItem };

/** Collects one choice. */
class ChoiceCollector {
  readonly #blocks: OpenBlock[] = [];
  readonly #byNumber = new Map<number, OpenBlock>();
  /** Those that were told while no text was: they go to the last. */
  readonly #annotations: Annotation[] = [];
  readonly #logprobs: TokenLogprob[] = [];
  #refusal = '';
  readonly #audio: Omit<Writable<AudioPart>, 'source'> = { type: 'audio' };
  readonly #sound: string[] = [];
  #soundType = 'application/octet-stream';
  #finish: Finish | undefined;

  push(event: ChatEvent): void {
    switch (event.type) {
      case 'text-start':
        this.#open(event.block, { type: 'text', text: '', annotations: [], start: event });
        break;
      case 'reasoning-start':
        this.#open(event.block, { type: 'reasoning', texts: new Map(), item: reasoningItem(event) });
        break;
      case 'tool-call-start':
        this.#open(event.block, { type: 'tool-call', item: toolCallItem(event) });
        break;
      case 'text-delta':
      case 'text-end':
      case 'reasoning-delta':
      case 'reasoning-signature':
      case 'tool-call-delta':
        extend(this.#byNumber.get(event.block), event);
        break;
      case 'hosted':
        this.#blocks.push({ type: 'done', item: event.item });
        break;
      case 'image':
        this.#blocks.push({ type: 'done', item: imageItem(event) });
        break;
      case 'refusal-delta':
        this.#refusal += event.text;
        break;
      case 'annotation': {
        const last = this.#blocks.at(-1);
        const isOpen = last?.type === 'text' && last.end === undefined;
        (isOpen ? last.annotations : this.#annotations).push(event.annotation);
        break;
      }
      case 'logprobs':
        for (const token of event.tokens) this.#logprobs.push(token);
        break;
      case 'audio-delta':
        this.#hear(event);
        break;
      case 'finish':
        this.#finish = event.finish;
        break;
      default:
        break;
    }
  }

  result(index: number): ChatChoice {
    const last = this.#blocks.findLast((block) => block.type === 'text');
    const items = this.#blocks.map((block) => this.#itemOf(block, last));
    const closing: ContentPart[] = [];
    if (this.#refusal !== '') closing.push({ type: 'refusal', text: this.#refusal });
    if (this.#sound.length > 0 || this.#audio.transcript !== undefined) {
      const source = { kind: 'inline', mediaType: this.#soundType, data: joinedSound(this.#sound) } as const;
      closing.push({ ...this.#audio, source });
    }
    if (closing.length > 0) items.push({ type: 'assistant', parts: closing });
    const choice = { index, items, finish: this.#finish ?? { reason: 'other' as const } };
    return this.#logprobs.length === 0 ? choice : { ...choice, logprobs: this.#logprobs };
  }

  #open(number: number, block: OpenBlock): void {
    this.#blocks.push(block);
    this.#byNumber.set(number, block);
  }

  /** @param last the last text, which takes what belongs to no other */
  #itemOf(block: OpenBlock, last: OpenBlock | undefined): OutputItem {
    if (block.type === 'done') return block.item;
    if (block.type === 'tool-call') return block.item;
    if (block.type === 'reasoning') return { ...block.item, texts: [...block.texts.values()] };
    const { id, phase } = block.start;
    const part: Writable<TextPart> = { type: 'text', text: block.text };
    const annotations = block === last ? [...block.annotations, ...this.#annotations] : block.annotations;
    if (annotations.length > 0) part.annotations = annotations;
    if (block.end?.seal !== undefined) part.seal = block.end.seal;
    const item: Writable<AssistantItem> = { type: 'assistant', parts: [part] };
    if (id !== undefined) item.id = id;
    if (phase !== undefined) item.phase = phase;
    return item;
  }

  #hear(event: EventOf<'audio-delta'>): void {
    if (event.data !== undefined && event.data !== '') this.#sound.push(event.data);
    if (event.mediaType !== undefined) this.#soundType = event.mediaType;
    if (event.transcript !== undefined) this.#audio.transcript = (this.#audio.transcript ?? '') + event.transcript;
    if (event.id !== undefined) this.#audio.id = event.id;
    if (event.expiresAt !== undefined) this.#audio.expiresAt = event.expiresAt;
  }
}

/** One text of base64: a piece that is filled up at its end would end all of it. */
function joinedSound(pieces: readonly string[]): string {
  if (!pieces.slice(0, -1).some((piece) => piece.endsWith('='))) return pieces.join('');
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))).toString('base64');
}

function extend(block: OpenBlock | undefined, event: ChatEvent): void {
  if (block?.type === 'text' && event.type === 'text-delta') block.text += event.text;
  else if (block?.type === 'text' && event.type === 'text-end') block.end = event;
  else if (block?.type === 'tool-call' && event.type === 'tool-call-delta') block.item.input += event.text;
  else if (block?.type === 'reasoning' && event.type === 'reasoning-signature') block.item.seal = event.seal;
  else if (block?.type === 'reasoning' && event.type === 'reasoning-delta')
    block.texts.set(event.part, (block.texts.get(event.part) ?? '') + event.text);
}

function reasoningItem(event: EventOf<'reasoning-start'>): Writable<ReasoningItem> {
  const item: Writable<ReasoningItem> = { type: 'reasoning', texts: [], form: event.form };
  if (event.id !== undefined) item.id = event.id;
  return item;
}

function toolCallItem(event: EventOf<'tool-call-start'>): Writable<ToolCallItem> {
  const { kind, callId, name } = event;
  const item: Writable<ToolCallItem> = { type: 'tool-call', kind, callId, name, input: '' };
  if (event.namespace !== undefined) item.namespace = event.namespace;
  if (event.id !== undefined) item.id = event.id;
  if (event.seal !== undefined) item.seal = event.seal;
  return item;
}

function imageItem(event: EventOf<'image'>): AssistantItem {
  const { mediaType, data, url, seal, id } = event;
  const source =
    url === undefined
      ? ({ kind: 'inline', mediaType, data: data ?? '' } as const)
      : ({ kind: 'url', url, mediaType } as const);
  const item: Writable<AssistantItem> = {
    type: 'assistant',
    parts: [seal === undefined ? { type: 'image', source } : { type: 'image', source, seal }],
  };
  if (id !== undefined) item.id = id;
  return item;
}

/** Takes the events of one answer in order and gives the answer they add up to. */
export class AnswerCollector {
  readonly #choices = new Map<number, ChoiceCollector>();
  #head: Head = {};
  #usage: Usage | undefined;
  #tools: ToolCounts | undefined;
  #error: ReportedError | undefined;

  push(event: ChatEvent): void {
    if (event.type === 'message-start') {
      const { type: _, ...head } = event;
      this.#head = head;
    } else if (event.type === 'usage') this.#usage = mergeUsage(this.#usage, event.usage);
    else if (event.type === 'tools-used') this.#tools = { ...this.#tools, ...event.tools };
    else if (event.type === 'error') this.#error = event.error;
    else {
      let choice = this.#choices.get(event.choice);
      if (choice === undefined) this.#choices.set(event.choice, (choice = new ChoiceCollector()));
      choice.push(event);
    }
  }

  /** What was reported so far. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  result(): ChatResponse {
    const ordered = [...this.#choices].sort(([left], [right]) => left - right);
    const response: Writable<ChatResponse> = {
      ...this.#head,
      choices: ordered.map(([index, choice]) => choice.result(index)),
    };
    if (this.#usage !== undefined) response.usage = this.#usage;
    if (this.#tools !== undefined) response.toolsUsed = this.#tools;
    if (this.#error !== undefined) response.error = this.#error;
    return response;
  }
}
