/** Measures an answer by its canonical events: the translated lane's meter. */
import type { ChatEvent } from '../relay/canonical/chat.ts';
import { type CountedOutput, mergeUsage, type ToolCounts, type Usage, withTools } from '../relay/canonical/usage.ts';
import { standsBeside } from '../relay/formats/openai-chat/answer-extras.ts';
import type { JsonObject } from '../relay/json.ts';
import { TextMeter, TOKENS_PER_TOOL_CALL, tokenFamilyOf } from '../relay/tokens/estimate.ts';
import { madeImageTokens } from '../relay/tokens/image-tokens.ts';
import { SoundMeter } from '../relay/tokens/sound-meter.ts';
import type { AnswerMeter } from './lane.ts';

/** An answer that a limit or a filter cut is not blank, however little it says. */
const CUT = new Set(['length', 'context-window', 'content-filter', 'refusal']);
/**
 * Characters that wait to be counted: an answer whose upstream reports its usage is never counted at all. Only long
 * pieces wait, which are joined ones of their own; a short one may be a slice that keeps a whole chunk alive.
 */
const MOST_UNCOUNTED = 8192;
const WORTH_WAITING = 512;

export class ChatMeter implements AnswerMeter {
  readonly #model: string;
  readonly #text: TextMeter;
  #uncounted: string[] = [];
  #uncountedLength = 0;
  /** Undefined while nothing is heard. */
  #sound: SoundMeter | undefined;
  #usage: Usage | undefined;
  #tools: ToolCounts | undefined;
  #toolCalls = 0;
  #images = 0;
  #blank = true;
  #hasOutput = false;
  #finished = false;
  /** The model could not write its call: where nothing else came, there is no answer (relay.md 13.2). */
  #isVoid = false;
  #error: JsonObject | undefined;
  #handedOut: string | undefined;

  /** @param model decides whose token weights apply */
  constructor(model: string) {
    this.#model = model;
    this.#text = new TextMeter(tokenFamilyOf(model));
  }

  get hasOutput(): boolean {
    return this.#hasOutput;
  }

  /** A choice has finished. */
  get finished(): boolean {
    return this.#finished;
  }

  /** There is no answer, whatever was used for it. */
  get isVoid(): boolean {
    return this.#isVoid && !this.#hasOutput;
  }

  /** The upstream's own error object. */
  get error(): JsonObject | undefined {
    return this.#error;
  }

  /** The id of what was said aloud, by which its upstream knows it. */
  get handedOut(): string | undefined {
    return this.#handedOut;
  }

  usage(): Usage | undefined {
    return withTools(this.#usage, this.#tools);
  }

  tools(): ToolCounts | undefined {
    return this.#tools;
  }

  counted(): CountedOutput {
    this.#count();
    const said = this.#text.tokens + this.#toolCalls * TOKENS_PER_TOOL_CALL;
    const seen = this.#images === 0 ? 0 : this.#images * madeImageTokens(this.#model);
    const heard = this.#sound?.tokens ?? 0;
    return { completion: said + seen + heard, completionAudio: heard };
  }

  isBlank(): boolean {
    return this.#blank;
  }

  see(event: ChatEvent): void {
    switch (event.type) {
      case 'text-delta':
        this.#say(event.text, this.#blank && event.text.trim() !== '');
        break;
      case 'reasoning-delta':
      case 'refusal-delta':
      case 'tool-call-delta':
        this.#say(event.text, true);
        break;
      case 'tool-call-start':
        this.#toolCalls += 1;
        this.#say(event.name, true);
        break;
      case 'image':
        this.#images += 1;
        this.#say('', true);
        break;
      case 'hosted':
        if (!standsBeside(event.item)) this.#say('', true);
        break;
      case 'reasoning-signature':
        this.#say('', true);
        break;
      case 'audio-delta':
        this.#hear(event);
        this.#say(event.transcript ?? '', true);
        this.#handedOut ??= event.id;
        break;
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage);
        break;
      case 'tools-used':
        this.#tools = { ...this.#tools, ...event.tools };
        break;
      case 'finish':
        this.#finished = true;
        if (event.finish.reason === 'malformed-call') this.#isVoid = true;
        if (CUT.has(event.finish.reason)) this.#blank = false;
        break;
      case 'error':
        this.#error = event.error.raw;
        break;
      default:
        break;
    }
  }

  #hear({ data, mediaType }: Extract<ChatEvent, { type: 'audio-delta' }>): void {
    if (data === undefined) return;
    this.#sound ??= new SoundMeter();
    this.#sound.add({ data, mediaType });
  }

  #say(text: string, isSubstantial: boolean): void {
    this.#hasOutput = true;
    if (isSubstantial) this.#blank = false;
    if (text.length < WORTH_WAITING || this.#uncountedLength + text.length > MOST_UNCOUNTED) {
      this.#count();
      this.#text.add(text);
      return;
    }
    this.#uncounted.push(text);
    this.#uncountedLength += text.length;
  }

  #count(): void {
    if (this.#uncountedLength === 0) return;
    for (const text of this.#uncounted) this.#text.add(text);
    this.#uncounted = [];
    this.#uncountedLength = 0;
  }
}
