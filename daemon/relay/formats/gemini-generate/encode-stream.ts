/**
 * Canonical events as pieces of a generateContent stream (relay.md 13.4). Calls are told whole, and the last piece
 * has the reasons and the full usage; this wire has no end marker.
 */
import type { TollgateError, UpstreamFailure } from '../../../errors.ts';
import type { Annotation, ChatEvent, ChatRequest, Finish, TokenLogprob } from '../../canonical/chat.ts';
import { withExactArguments } from '../../canonical/exact-numbers.ts';
import { wrapSeal } from '../../canonical/seal.ts';
import { ToolNames } from '../../canonical/tool-names.ts';
import { emptyUsage, mergeUsage, type Usage } from '../../canonical/usage.ts';
import { geminiStreamError } from '../../error-body.ts';
import type { Machine, Scope, WireEvent } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { asObject } from '../fields.ts';
import { brokenOff, type ShownFailure, showFailure, showReportedError } from '../shown-failure.ts';
import { encodeCall, encodeFinish, encodeGrounding, encodeLogprobs, signed, soundType } from './encode-response.ts';
import { toolRunOf } from './tool-runs.ts';
import { encodeGeminiUsage } from './usage.ts';

export function encodeStream(request: ChatRequest, scope: Scope): Machine<ChatEvent, WireEvent> {
  return new GeminiStreamEncoder(request, scope);
}

interface Call {
  readonly start: Extract<ChatEvent, { type: 'tool-call-start' }>;
  readonly words: string[];
}

class Candidate {
  /** By block, in the order in which they began. */
  readonly calls = new Map<number, Call>();
  readonly annotations: Annotation[] = [];
  readonly logprobs: TokenLogprob[] = [];
  finish: Finish | undefined;
  spoken: 'answer' | 'refusal' = 'answer';
  summary = 0;
  /** Waits for the next event, which may be its signature: clients' libraries drop a signature without text. */
  thought: string | undefined;
}

class GeminiStreamEncoder implements Machine<ChatEvent, WireEvent> {
  readonly #request: ChatRequest;
  readonly #scope: Scope;
  readonly #names: ToolNames;
  readonly #candidates = new Map<number, Candidate>();
  #id: string | undefined;
  #usage: Usage | undefined;
  #isOver = false;

  constructor(request: ChatRequest, scope: Scope) {
    this.#request = request;
    this.#scope = scope;
    this.#names = new ToolNames(request.tools);
  }

  push(event: ChatEvent): WireEvent[] {
    if (this.#isOver) return [];
    const out: WireEvent[] = [];
    switch (event.type) {
      case 'message-start':
        this.#id ??= event.id;
        if (event.usage !== undefined) this.#usage = mergeUsage(this.#usage, event.usage);
        break;
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage);
        break;
      case 'tools-used':
        break;
      case 'error':
        return this.#break(showReportedError(event.error));
      case 'finish':
        this.#candidate(event.choice).finish = event.finish;
        break;
      default:
        this.#content(out, event);
    }
    return out;
  }

  end(): WireEvent[] {
    if (this.#isOver) return [];
    const all = [...this.#candidates];
    if (all.length === 0 || all.some(([, { finish }]) => finish === undefined)) return this.#break(brokenOff);
    this.#isOver = true;
    const candidates = all.map(([index, candidate]) => this.#ending(index, candidate));
    const usage = this.#usage ?? { ...emptyUsage('estimated'), prompt: this.#scope.promptTokens ?? 0 };
    const inputs = all.flatMap(([, { calls }]) => [...calls.values()].map(({ words }) => words.join('')));
    const { data } = this.#piece(candidates, encodeGeminiUsage(usage));
    return [...this.#lastThoughts(), { data: withExactArguments(data, inputs) }];
  }

  fail(error: TollgateError | UpstreamFailure): WireEvent[] {
    return this.#isOver ? [] : this.#break(showFailure(error));
  }

  #break(failure: ShownFailure): WireEvent[] {
    this.#isOver = true;
    return [...this.#lastThoughts(), { data: JSON.stringify(geminiStreamError({ ...failure, param: null })) }];
  }

  #lastThoughts(): WireEvent[] {
    const out: WireEvent[] = [];
    for (const [index, candidate] of this.#candidates) this.#tellThought(out, index, candidate);
    return out;
  }

  #candidate(index: number): Candidate {
    const known = this.#candidates.get(index);
    if (known !== undefined) return known;
    const candidate = new Candidate();
    this.#candidates.set(index, candidate);
    return candidate;
  }

  #content(
    out: WireEvent[],
    event: Exclude<ChatEvent, { type: 'message-start' | 'usage' | 'tools-used' | 'error' | 'finish' }>,
  ): void {
    const candidate = this.#candidate(event.choice);
    if (event.type !== 'reasoning-signature') this.#tellThought(out, event.choice, candidate);
    switch (event.type) {
      case 'refusal-delta':
        candidate.spoken = 'refusal';
        this.#say(out, event.choice, { text: event.text });
        break;
      case 'text-delta':
        this.#say(out, event.choice, { text: event.text });
        break;
      case 'text-end':
        if (event.seal !== undefined) {
          this.#say(out, event.choice, signed({ text: '' }, event.seal));
        }
        break;
      case 'reasoning-start':
        candidate.summary = 0;
        break;
      case 'reasoning-delta': {
        const text = event.part > candidate.summary ? `\n\n${event.text}` : event.text;
        candidate.summary = event.part;
        candidate.thought = text;
        break;
      }
      case 'reasoning-signature': {
        const run = toolRunOf(event.seal);
        if (run === undefined) {
          candidate.thought ??= '';
          this.#tellThought(out, event.choice, candidate, wrapSeal(event.seal, 'gemini-generate'));
        } else {
          this.#tellThought(out, event.choice, candidate);
          this.#say(out, event.choice, run);
        }
        break;
      }
      case 'tool-call-start':
        candidate.calls.set(event.block, { start: event, words: [] });
        break;
      case 'tool-call-delta':
        candidate.calls.get(event.block)?.words.push(event.text);
        break;
      case 'hosted': {
        const raw = event.item.dialect === 'gemini-generate' ? asObject(event.item.raw) : undefined;
        if (raw !== undefined) this.#say(out, event.choice, raw);
        else if (event.item.text !== undefined) this.#say(out, event.choice, { text: event.item.text });
        break;
      }
      case 'image':
        if (event.data === undefined) this.#say(out, event.choice, { text: `![image](${event.url ?? ''})` });
        else {
          const inlineData = { mimeType: event.mediaType, data: event.data };
          this.#say(out, event.choice, signed({ inlineData }, event.seal));
        }
        break;
      case 'audio-delta':
        if (event.data !== undefined) {
          const mimeType = soundType(event.mediaType, this.#request);
          this.#say(out, event.choice, { inlineData: { mimeType, data: event.data } });
        }
        break;
      case 'annotation':
        candidate.annotations.push(event.annotation);
        break;
      case 'logprobs':
        for (const token of event.tokens) candidate.logprobs.push(token);
    }
  }

  #ending(index: number, candidate: Candidate): JsonObject {
    const parts = [...candidate.calls.values()].map(({ start, words }) =>
      encodeCall({ ...start, input: words.join('') }, this.#names),
    );
    const ending: JsonObject = {
      content: { role: 'model', parts },
      finishReason: encodeFinish(candidate.finish ?? { reason: 'stop' }, candidate.spoken),
      index,
    };
    const grounding = encodeGrounding(candidate.annotations);
    if (grounding !== undefined) ending.groundingMetadata = grounding;
    if (candidate.logprobs.length > 0) ending.logprobsResult = encodeLogprobs(candidate.logprobs);
    return ending;
  }

  #tellThought(out: WireEvent[], index: number, candidate: Candidate, thoughtSignature?: string): void {
    const { thought: text } = candidate;
    if (text === undefined) return;
    candidate.thought = undefined;
    this.#say(out, index, { text, thought: true, ...(thoughtSignature === undefined ? {} : { thoughtSignature }) });
  }

  /** Before the end only the prompt's size is told. */
  #say(out: WireEvent[], index: number, part: JsonObject): void {
    const prompt = this.#usage?.prompt ?? this.#scope.promptTokens ?? 0;
    const usage = { promptTokenCount: prompt, totalTokenCount: prompt };
    out.push(this.#piece([{ content: { role: 'model', parts: [part] }, index }], usage));
  }

  #piece(candidates: JsonObject[], usageMetadata: JsonObject): WireEvent {
    this.#id ??= this.#scope.newId('resp_');
    const piece = { candidates, usageMetadata, modelVersion: this.#scope.model, responseId: this.#id };
    return { data: JSON.stringify(piece) };
  }
}
