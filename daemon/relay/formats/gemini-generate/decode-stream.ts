/**
 * Pieces of a generateContent stream as canonical events.
 */
import type { ChatEvent, ReportedError } from '../../canonical/chat.ts';
import type { Machine, Scope, WireEvent } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { BlockTrack } from '../block-track.ts';
import { asNumber, asObject, asObjects, asText, asWord, parseJson, present } from '../fields.ts';
import { decodeGrounding, decodeHosted, decodeSeal } from './decode-contents.ts';
import { blockReason, decodeFinish, partsOf, readLogprobs, readReportedError } from './decode-response.ts';
import { findGeminiUsage } from './usage.ts';
import { camelKeys } from './wire.ts';

export function decodeStream(scope: Scope): Machine<WireEvent, ChatEvent> {
  return new GeminiStreamDecoder(scope);
}

class Candidate {
  readonly index: number;
  readonly track: BlockTrack<number>;
  calls = 0;
  isFinished = false;

  constructor(index: number) {
    this.index = index;
    this.track = new BlockTrack(index);
  }
}

class GeminiStreamDecoder implements Machine<WireEvent, ChatEvent> {
  readonly #scope: Scope;
  readonly #candidates = new Map<number, Candidate>();
  #isStarted = false;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  push(input: WireEvent): ChatEvent[] {
    if (input.data.trim() === '') return [];
    const value = parseJson(input.data);
    const reported = readReportedError(value);
    if (reported !== undefined) return [{ type: 'error', error: reported }];
    const piece = asObject(value);
    if (piece === undefined) {
      const error: ReportedError = { code: 'bad_response_body', message: 'a piece is not JSON', raw: {} };
      return [{ type: 'error', error }];
    }
    const out: ChatEvent[] = [];
    this.#start(out, piece);
    for (const candidate of asObjects(piece.candidates)) this.#candidate(out, candidate);
    const usage = findGeminiUsage(piece);
    if (usage !== undefined) out.push({ type: 'usage', usage });
    const blocked = blockReason(piece);
    if (blocked !== undefined && this.#candidates.size === 0) {
      const message = `the prompt was blocked: ${blocked}`;
      out.push({
        type: 'error',
        error: { status: 400, type: 'prompt_blocked', code: 'prompt_blocked', message, raw: piece },
      });
    }
    return out;
  }

  /** A body that ends without `finishReason` broke off. */
  end(): ChatEvent[] {
    return [];
  }

  fail(): ChatEvent[] {
    return [];
  }

  #start(out: ChatEvent[], piece: JsonObject): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    out.push(present({ type: 'message-start', id: asWord(piece.responseId), model: asWord(piece.modelVersion) }));
  }

  #candidate(out: ChatEvent[], wire: JsonObject): void {
    const index = asNumber(wire.index) ?? 0;
    let candidate = this.#candidates.get(index);
    if (candidate === undefined) {
      candidate = new Candidate(index);
      this.#candidates.set(index, candidate);
    }
    if (candidate.isFinished) return;
    for (const part of partsOf(wire)) this.#part(out, candidate, part);
    for (const annotation of decodeGrounding(wire)) out.push({ type: 'annotation', choice: index, annotation });
    const tokens = readLogprobs(wire.logprobsResult);
    if (tokens.length > 0) out.push({ type: 'logprobs', choice: index, tokens });
    if (wire.finishReason === undefined || wire.finishReason === null) return;
    candidate.isFinished = true;
    candidate.track.settle(out);
    out.push({ type: 'finish', choice: index, finish: decodeFinish(wire.finishReason, candidate.track.hasCalls) });
  }

  #part(out: ChatEvent[], candidate: Candidate, part: JsonObject): void {
    const { track, index } = candidate;
    const seal = decodeSeal(part);
    const text = asText(part.text);
    if (part.thought === true) {
      if (text !== undefined && text !== '') track.reason(out, text);
      if (seal !== undefined) track.sign(out, seal);
      return;
    }
    const call = asObject(part.functionCall);
    if (call !== undefined) {
      const key = candidate.calls++;
      const callId = asWord(call.id) ?? this.#scope.newId('call_');
      track.startCall(out, key, present({ kind: 'function', callId, name: asText(call.name) ?? '', seal }));
      track.feedCall(out, key, JSON.stringify(call.args ?? {}));
      track.endCall(out, key);
      return;
    }
    const item = decodeHosted(part);
    if (item !== undefined) {
      track.settle(out);
      out.push({ type: 'hosted', choice: index, item });
      return;
    }
    if (text !== undefined) {
      if (text !== '') track.text(out, text);
      if (seal !== undefined) track.signText(out, seal);
      return;
    }
    this.#media(out, index, part);
  }

  #media(out: ChatEvent[], choice: number, part: JsonObject): void {
    if (part.inlineData === undefined) return;
    const inline = camelKeys(part.inlineData);
    const mediaType = asWord(inline.mimeType) ?? 'application/octet-stream';
    const data = asText(inline.data) ?? '';
    const seal = decodeSeal(part);
    if (mediaType.startsWith('audio/')) out.push({ type: 'audio-delta', choice, data, mediaType });
    else out.push(present({ type: 'image', choice, mediaType, data, seal }));
  }
}
