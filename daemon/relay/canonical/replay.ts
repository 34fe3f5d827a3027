/** A whole answer told as a stream, for a client that asked for one (relay.md 5.3, pseudo stream). */
import type { ChatChoice, ChatEvent, ChatResponse } from './chat.ts';
import type { ContentPart, OutputItem } from './content.ts';

/** Characters in one piece of text; cut between code points. */
const PIECE_LENGTH = 1024;

/** The events of an answer, in the order that `event.ts` promises. */
export function replayAnswer(response: ChatResponse): ChatEvent[] {
  const { id, model, created, serviceTier, systemFingerprint } = response;
  const events: ChatEvent[] = [
    {
      type: 'message-start',
      ...(id === undefined ? {} : { id }),
      ...(model === undefined ? {} : { model }),
      ...(created === undefined ? {} : { created }),
      ...(serviceTier === undefined ? {} : { serviceTier }),
      ...(systemFingerprint === undefined ? {} : { systemFingerprint }),
    },
  ];
  for (const choice of response.choices) {
    const replay = new ChoiceReplay(choice, events);
    for (const item of choice.items) replay.item(item);
    replay.tellOdds();
    events.push({ type: 'finish', choice: choice.index, finish: choice.finish });
  }
  if (response.usage !== undefined) events.push({ type: 'usage', usage: response.usage });
  if (response.toolsUsed !== undefined) events.push({ type: 'tools-used', tools: response.toolsUsed });
  return events;
}

/** Text in pieces of at most `PIECE_LENGTH` UTF-16 units that never part a surrogate pair. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (start < text.length) {
    let end = Math.min(text.length, start + PIECE_LENGTH);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end -= 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

class ChoiceReplay {
  readonly #choice: number;
  readonly #events: ChatEvent[];
  #block = 0;
  /** Of the text: they are told with its first block. */
  #odds: ChatChoice['logprobs'];

  constructor({ index, logprobs }: ChatChoice, events: ChatEvent[]) {
    this.#choice = index;
    this.#odds = logprobs;
    this.#events = events;
  }

  /** The log probabilities, unless they were told before. */
  tellOdds(): void {
    const tokens = this.#odds;
    this.#odds = undefined;
    if (tokens !== undefined) this.#events.push({ type: 'logprobs', choice: this.#choice, tokens });
  }

  item(item: OutputItem): void {
    switch (item.type) {
      case 'assistant':
        for (const part of item.parts) this.#part(part, item);
        break;
      case 'reasoning':
        this.#reasoning(item);
        break;
      case 'tool-call':
        this.#toolCall(item);
        break;
      case 'hosted':
        this.#events.push({ type: 'hosted', choice: this.#choice, item });
        break;
    }
  }

  #next(): { choice: number; block: number } {
    const at = { choice: this.#choice, block: this.#block };
    this.#block += 1;
    return at;
  }

  #part(part: ContentPart, item: Extract<OutputItem, { type: 'assistant' }>): void {
    const choice = this.#choice;
    if (part.type === 'text') {
      const at = this.#next();
      const { id, phase } = item;
      this.#events.push({
        type: 'text-start',
        ...at,
        ...(id === undefined ? {} : { id }),
        ...(phase === undefined ? {} : { phase }),
      });
      for (const text of piecesOf(part.text)) this.#events.push({ type: 'text-delta', ...at, text });
      this.tellOdds();
      for (const annotation of part.annotations ?? []) this.#events.push({ type: 'annotation', choice, annotation });
      this.#events.push({ type: 'text-end', ...at, ...(part.seal === undefined ? {} : { seal: part.seal }) });
    } else if (part.type === 'refusal') {
      for (const text of piecesOf(part.text)) this.#events.push({ type: 'refusal-delta', choice, text });
    } else if (part.type === 'image') this.#image(part, item.id);
    else if (part.type === 'audio' && part.source.kind === 'inline') {
      const { id, transcript, expiresAt, source } = part;
      this.#events.push({
        type: 'audio-delta',
        choice,
        data: source.data,
        mediaType: source.mediaType,
        ...(id === undefined ? {} : { id }),
        ...(transcript === undefined ? {} : { transcript }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
    }
  }

  #image(part: Extract<ContentPart, { type: 'image' }>, id: string | undefined): void {
    const { source } = part;
    if (source.kind === 'file-id') return;
    const mediaType = source.mediaType ?? 'image/png';
    const seal = part.seal === undefined ? {} : { seal: part.seal };
    const where = source.kind === 'url' ? { url: source.url } : { data: source.data };
    const named = id === undefined ? {} : { id };
    this.#events.push({ type: 'image', choice: this.#choice, mediaType, ...where, ...seal, ...named });
  }

  #reasoning(item: Extract<OutputItem, { type: 'reasoning' }>): void {
    const at = this.#next();
    const { form, id, seal } = item;
    this.#events.push({
      type: 'reasoning-start',
      ...at,
      form,
      ...(id === undefined ? {} : { id }),
    });
    for (const [part, whole] of item.texts.entries()) {
      for (const text of piecesOf(whole)) this.#events.push({ type: 'reasoning-delta', ...at, text, part });
    }
    if (seal !== undefined) this.#events.push({ type: 'reasoning-signature', ...at, seal });
    this.#events.push({ type: 'reasoning-end', ...at });
  }

  #toolCall(item: Extract<OutputItem, { type: 'tool-call' }>): void {
    const at = this.#next();
    const { kind, callId, name, namespace, id, seal } = item;
    this.#events.push({
      type: 'tool-call-start',
      ...at,
      kind,
      callId,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(id === undefined ? {} : { id }),
      ...(seal === undefined ? {} : { seal }),
    });
    for (const text of piecesOf(item.input)) this.#events.push({ type: 'tool-call-delta', ...at, text });
    this.#events.push({ type: 'tool-call-end', ...at });
  }
}
