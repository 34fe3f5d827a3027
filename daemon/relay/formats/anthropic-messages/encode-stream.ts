/**
 * Canonical events as Messages events (relay.md 13.3): blocks follow each other without overlap, so what arrives for
 * a call while another block is open waits for its turn.
 */
import type { TollgateError, UpstreamFailure } from '../../../errors.ts';
import { argumentsObject } from '../../canonical/arguments.ts';
import type { ChatEvent, ChatRequest, Finish, Seal } from '../../canonical/chat.ts';
import { wrapSeal } from '../../canonical/seal.ts';
import { anthropicCallId, ToolNames } from '../../canonical/tool-names.ts';
import { emptyUsage, mergeUsage, type Usage } from '../../canonical/usage.ts';
import { renderError } from '../../error-body.ts';
import type { Machine, Scope, WireEvent } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { asObject, asWord } from '../fields.ts';
import { brokenOff, type ShownFailure, showFailure, showReportedError } from '../shown-failure.ts';
import { encodeCitation, encodeFinish, isHidden, redactedBlock, servedBy } from './encode-response.ts';
import { encodeAnthropicUsage } from './usage.ts';

export function encodeStream(request: ChatRequest, scope: Scope): Machine<ChatEvent, WireEvent> {
  return new MessagesStreamEncoder(request, scope);
}

/** A block whose turn has not come: its `content_block`, what it has received, and whether it is complete. */
interface Waiting {
  readonly opening: JsonObject;
  readonly deltas: JsonObject[];
  isOver: boolean;
}

/** Arguments in the pieces in which they came, and whether they have begun as something else than an object. */
interface Shapeless {
  readonly pieces: string[];
  isOther: boolean;
}

/** Stands for the text block in which refusals, pictures and sound transcripts are written. */
const besides = -1;

class MessagesStreamEncoder implements Machine<ChatEvent, WireEvent> {
  readonly #scope: Scope;
  readonly #names: ToolNames;
  /** By block, in the order in which they came: among thousands of calls at once none is looked for one by one. */
  readonly #waiting = new Map<number, Waiting>();
  /** What came so far of arguments that have not begun as an object, by block. */
  readonly #shapeless = new Map<number, Shapeless>();
  #index = 0;
  #open: { block: number; kind: 'text' | 'thinking' | 'tool_use' } | undefined;
  #isStarted = false;
  #isOver = false;
  #refused = false;
  #summary = 0;
  /** Citations that came while no text did: they stand on what is said next. */
  #early: JsonObject[] = [];
  #usage: Usage | undefined;
  #finish: Finish | undefined;

  constructor(request: ChatRequest, scope: Scope) {
    this.#scope = scope;
    this.#names = new ToolNames(request.tools);
  }

  push(event: ChatEvent): WireEvent[] {
    const out: WireEvent[] = [];
    if (this.#isOver || ('choice' in event && event.choice !== 0)) return out;
    switch (event.type) {
      case 'message-start':
        this.#start(out, event);
        break;
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage);
        break;
      case 'tools-used':
        break;
      case 'error':
        return this.#break(showReportedError(event.error));
      case 'logprobs':
        break;
      case 'finish':
        this.#start(out);
        this.#settle(out);
        this.#finish = event.finish;
        break;
      default:
        this.#start(out);
        this.#content(out, event);
    }
    return out;
  }

  end(): WireEvent[] {
    if (this.#isOver) return [];
    if (this.#finish === undefined) return this.#break(brokenOff);
    const out: WireEvent[] = [];
    this.#isOver = true;
    if (this.#index === 0) {
      this.#begin(out, besides, { type: 'text', text: '' });
      this.#stop(out);
    }
    if (this.#early.length > 0) this.#scope.lose('answer.annotations');
    const refused = this.#refused && this.#finish.reason === 'stop';
    const finish: Finish = refused ? { ...this.#finish, reason: 'refusal' } : this.#finish;
    const usage = encodeAnthropicUsage(this.#usage ?? this.#estimate());
    write(out, { type: 'message_delta', delta: encodeFinish(finish), usage });
    write(out, { type: 'message_stop' });
    return out;
  }

  fail(error: TollgateError | UpstreamFailure): WireEvent[] {
    return this.#isOver ? [] : this.#break(showFailure(error));
  }

  #break(failure: ShownFailure): WireEvent[] {
    this.#isOver = true;
    const told = renderError('anthropic', { ...failure, param: null }, this.#scope.requestId ?? '');
    return [{ event: 'error', data: JSON.stringify(told) }];
  }

  #estimate(): Usage {
    return { ...emptyUsage('estimated'), prompt: this.#scope.promptTokens ?? 0 };
  }

  #start(out: WireEvent[], told: Omit<Extract<ChatEvent, { type: 'message-start' }>, 'type'> = {}): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const message: JsonObject = {
      id: told.id ?? this.#scope.newId('msg_'),
      type: 'message',
      role: 'assistant',
      model: this.#scope.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...encodeAnthropicUsage(told.usage ?? this.#estimate()), ...servedBy(told.serviceTier) },
    };
    write(out, { type: 'message_start', message });
    write(out, { type: 'ping' });
  }

  #content(
    out: WireEvent[],
    event: Exclude<ChatEvent, { type: 'message-start' | 'usage' | 'error' | 'finish' | 'logprobs' }>,
  ): void {
    switch (event.type) {
      case 'text-start':
        // Opened by its first words: empty blocks are not worth a client's attention.
        break;
      case 'text-delta':
        this.#text(out, event.block, event.text);
        break;
      case 'text-end':
      case 'reasoning-end':
        this.#end(out, event.block);
        break;
      case 'reasoning-start':
        this.#summary = 0;
        break;
      case 'reasoning-delta': {
        const thinking = event.part > this.#summary ? `\n\n${event.text}` : event.text;
        this.#summary = event.part;
        this.#enter(out, event.block, { type: 'thinking', thinking: '', signature: '' });
        this.#delta(out, event.block, { type: 'thinking_delta', thinking });
        break;
      }
      case 'reasoning-signature':
        this.#sign(out, event.block, event.seal);
        break;
      case 'tool-call-start': {
        if (event.seal !== undefined) this.#whole(out, redactedBlock(wrapSeal(event.seal, 'anthropic-messages')));
        const { name } = this.#names.find(event.name);
        this.#shapeless.set(event.block, { pieces: [], isOther: false });
        this.#enter(out, event.block, { type: 'tool_use', id: anthropicCallId(event.callId), name, input: {} });
        break;
      }
      case 'tool-call-delta':
        this.#input(out, event.block, event.text);
        break;
      case 'tool-call-end':
        this.#endCall(out, event.block);
        break;
      case 'refusal-delta':
        this.#refused = true;
        this.#beside(out, event.text);
        break;
      case 'image':
        this.#beside(out, `![image](${event.url ?? `data:${event.mediaType};base64,${event.data ?? ''}`})`);
        break;
      case 'audio-delta':
        if (event.transcript !== undefined) this.#beside(out, event.transcript);
        break;
      case 'annotation': {
        const citation = encodeCitation(event.annotation);
        if (citation === undefined) break;
        if (this.#open?.kind === 'text') this.#delta(out, this.#open.block, { type: 'citations_delta', citation });
        else this.#early.push(citation);
        break;
      }
      case 'hosted': {
        const raw = asObject(event.item.raw);
        if (event.item.dialect === 'anthropic-messages' && raw !== undefined) this.#hosted(out, raw);
        else if (event.item.text !== undefined) this.#beside(out, event.item.text);
      }
    }
  }

  /** Arguments are an object on this wire: text that begins as none waits until it is whole. */
  #input(out: WireEvent[], block: number, text: string): void {
    const known = this.#shapeless.get(block);
    known?.pieces.push(text);
    // Each piece is looked at once: all of it for each would be a square of its length.
    const begun = known?.isOther === false ? text.trimStart() : '';
    if (known !== undefined && !begun.startsWith('{')) {
      if (begun !== '') known.isOther = true;
      return;
    }
    this.#shapeless.delete(block);
    this.#delta(out, block, { type: 'input_json_delta', partial_json: known?.pieces.join('') ?? text });
  }

  #endCall(out: WireEvent[], block: number): void {
    const input = this.#shapeless.get(block)?.pieces.join('').trim() ?? '';
    this.#shapeless.delete(block);
    if (input !== '') {
      const partial_json = JSON.stringify(argumentsObject(input));
      this.#delta(out, block, { type: 'input_json_delta', partial_json });
    }
    this.#end(out, block);
  }

  #text(out: WireEvent[], block: number, text: string): void {
    this.#enter(out, block, { type: 'text', text: '' });
    this.#delta(out, block, { type: 'text_delta', text });
  }

  /** Words that belong to no text block of the answer join the open one, or get one of their own. */
  #beside(out: WireEvent[], text: string): void {
    this.#text(out, this.#open?.kind === 'text' ? this.#open.block : besides, text);
  }

  /** Signs a thought that was shown; one without words has only its seal, which makes a block of its own. */
  #sign(out: WireEvent[], block: number, seal: Seal): void {
    const shown = wrapSeal(seal, 'anthropic-messages');
    if (this.#open?.block !== block && isHidden(seal, '')) {
      this.#whole(out, redactedBlock(shown));
      return;
    }
    this.#enter(out, block, { type: 'thinking', thinking: '', signature: '' });
    this.#delta(out, block, { type: 'signature_delta', signature: shown });
  }

  /** The input of a server tool is streamed like that of any other, and complete when it is known. */
  #hosted(out: WireEvent[], raw: JsonObject): void {
    const input = asObject(raw.input);
    if (asWord(raw.id) === undefined || input === undefined) {
      this.#whole(out, raw);
      return;
    }
    this.#settle(out);
    this.#begin(out, besides, { ...raw, input: {} });
    this.#delta(out, besides, { type: 'input_json_delta', partial_json: JSON.stringify(input) });
    this.#stop(out);
  }

  /** A block that arrives complete. */
  #whole(out: WireEvent[], block: JsonObject): void {
    this.#settle(out);
    this.#begin(out, besides, block);
    this.#stop(out);
  }

  /** Makes `block` the open one, or lets it wait behind a call that is not over. */
  #enter(out: WireEvent[], block: number, opening: JsonObject): void {
    if (this.#open?.block === block || this.#waiting.has(block)) return;
    if (this.#open?.kind === 'tool_use') {
      this.#waiting.set(block, { opening, deltas: [], isOver: false });
      return;
    }
    this.#stop(out);
    this.#begin(out, block, opening);
  }

  #delta(out: WireEvent[], block: number, delta: JsonObject): void {
    if (this.#open?.block === block) {
      write(out, { type: 'content_block_delta', index: this.#index - 1, delta });
      return;
    }
    this.#waiting.get(block)?.deltas.push(delta);
  }

  #end(out: WireEvent[], block: number): void {
    if (this.#open?.block === block) {
      this.#stop(out);
      this.#advance(out);
      return;
    }
    const waiting = this.#waiting.get(block);
    if (waiting !== undefined) waiting.isOver = true;
  }

  /** Writes out the blocks that waited, up to the first that still goes on. */
  #advance(out: WireEvent[]): void {
    for (const [block, { opening, deltas, isOver }] of this.#waiting) {
      this.#waiting.delete(block);
      this.#begin(out, block, opening);
      for (const delta of deltas) this.#delta(out, block, delta);
      if (!isOver) return;
      this.#stop(out);
    }
  }

  /** Closes everything, the blocks that waited too. */
  #settle(out: WireEvent[]): void {
    this.#stop(out);
    while (this.#waiting.size > 0) {
      this.#advance(out);
      this.#stop(out);
    }
  }

  #begin(out: WireEvent[], block: number, opening: JsonObject): void {
    const kind = opening.type === 'text' || opening.type === 'thinking' ? opening.type : 'tool_use';
    this.#open = { block, kind };
    write(out, { type: 'content_block_start', index: this.#index, content_block: opening });
    this.#index += 1;
    if (kind !== 'text') return;
    for (const citation of this.#early.splice(0)) this.#delta(out, block, { type: 'citations_delta', citation });
  }

  #stop(out: WireEvent[]): void {
    if (this.#open === undefined) return;
    this.#open = undefined;
    write(out, { type: 'content_block_stop', index: this.#index - 1 });
  }
}

function write(out: WireEvent[], event: JsonObject & { type: string }): void {
  out.push({ event: event.type, data: JSON.stringify(event) });
}
