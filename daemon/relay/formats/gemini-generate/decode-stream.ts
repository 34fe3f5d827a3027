/**
 * Pieces of a generateContent stream as canonical events.
 */
import type { ChatEvent, ReportedError, Seal } from '../../canonical/chat.ts';
import { MarkedNumbers, restoreNumbers } from '../../canonical/exact-numbers.ts';
import type { AnswerDecoder, Scope, WireEvent } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { BlockTrack } from '../block-track.ts';
import { asIndex, asObject, asObjects, asText, asWord, isEmptyPayload, parseJson, present } from '../fields.ts';
import { decodeHosted, decodePart, decodeSeal, textOf, typeOfAddress } from './decode-contents.ts';
import { blockReason, decodeFinish, partsOf, readLogprobs, readReportedError } from './decode-response.ts';
import { decodeGrounding, StreamPlaces } from './grounding.ts';
import { PartialArguments } from './partial-arguments.ts';
import { sealToolRun } from './tool-runs.ts';
import { findSearches, geminiUsageReader } from './usage.ts';
import { camelKeys } from './wire.ts';

export function decodeStream(scope: Scope): AnswerDecoder {
  return new GeminiStreamDecoder(scope);
}

class Candidate {
  readonly index: number;
  readonly track: BlockTrack<number>;
  calls = 0;
  readonly places = new StreamPlaces();
  /** Sources that were told: a host may list them again with every piece. */
  readonly told = new Set<string>();
  /** The call whose arguments are still arriving. */
  partial: { key: number; args: PartialArguments; isMarked: boolean } | undefined;
  /** The last `finishReason`: some hosts send one with every piece. */
  finish: Json | undefined;
  /** Pieces that brought one, and those of the answer since. */
  endings = 0;
  piecesSince = 0;

  constructor(index: number) {
    this.index = index;
    this.track = new BlockTrack(index);
  }
}

class GeminiStreamDecoder implements AnswerDecoder {
  readonly #scope: Scope;
  readonly #candidates = new Map<number, Candidate>();
  readonly #readUsage = geminiUsageReader();
  #isStarted = false;
  /** Of the piece that is read: numbers that a double would change. */
  #numbers: MarkedNumbers | undefined;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  push(input: WireEvent): ChatEvent[] {
    if (isEmptyPayload(input.data)) return [];
    this.#numbers = input.data.includes('"functionCall"') ? MarkedNumbers.in(input.data) : undefined;
    const value = this.#numbers?.json ?? parseJson(input.data);
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
    const usage = this.#readUsage(piece);
    if (usage !== undefined) out.push({ type: 'usage', usage });
    const tools = findSearches(piece);
    if (tools !== undefined) out.push({ type: 'tools-used', tools });
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

  /** One reason, in the last piece, is the end; of a host that sends it with every piece nobody knows. */
  get hasSaidItsEnd(): boolean {
    const all = [...this.#candidates.values()];
    return all.length > 0 && all.every(({ endings, piecesSince }) => endings === 1 && piecesSince === 0);
  }

  /** Only the end of the body ends an answer. One that comes without `finishReason` broke off. */
  end(): ChatEvent[] {
    const out: ChatEvent[] = [];
    for (const { index, track, finish } of this.#candidates.values()) {
      if (finish === undefined) continue;
      track.settle(out);
      out.push({ type: 'finish', choice: index, finish: decodeFinish(finish, track.hasCalls) });
    }
    return out;
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
    const index = asIndex(wire.index) ?? 0;
    let candidate = this.#candidates.get(index);
    if (candidate === undefined) {
      candidate = new Candidate(index);
      this.#candidates.set(index, candidate);
    }
    const parts = partsOf(wire);
    if (parts.length > 0) candidate.piecesSince += 1;
    for (const part of parts) this.#part(out, candidate, part);
    if (wire.groundingMetadata !== undefined) {
      for (const annotation of decodeGrounding(wire, candidate.places.known)) {
        const said = JSON.stringify(annotation);
        if (candidate.told.has(said)) continue;
        candidate.told.add(said);
        out.push({ type: 'annotation', choice: index, annotation });
      }
    }
    const tokens = readLogprobs(wire.logprobsResult);
    if (tokens.length > 0) out.push({ type: 'logprobs', choice: index, tokens });
    if (wire.finishReason === undefined || wire.finishReason === null) return;
    candidate.finish = wire.finishReason;
    candidate.endings += 1;
    candidate.piecesSince = 0;
  }

  #part(out: ChatEvent[], candidate: Candidate, part: JsonObject): void {
    const { track, index } = candidate;
    const seal = decodeSeal(part);
    const text = textOf(part);
    if (part.thought === true) {
      if (text !== undefined && text !== '') track.reason(out, text);
      if (seal !== undefined) track.sign(out, seal);
      return;
    }
    const call = asObject(part.functionCall);
    if (call !== undefined) {
      this.#call(out, candidate, call, seal);
      return;
    }
    const run = sealToolRun(part);
    if (run !== undefined) {
      track.redact(out, run);
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
      candidate.places.add(text);
      if (seal !== undefined) track.signText(out, seal);
      return;
    }
    this.#media(out, index, part);
  }

  /** A call in one piece, or one whose arguments follow until a piece no longer says that more will come. */
  #call(out: ChatEvent[], candidate: Candidate, call: JsonObject, seal: Seal | undefined): void {
    const { track } = candidate;
    const name = asWord(call.name);
    if (name !== undefined) {
      const key = candidate.calls++;
      const callId = asWord(call.id) ?? this.#scope.newId('call_');
      const isWhole = call.willContinue === true ? undefined : true;
      track.startCall(out, key, present({ kind: 'function', callId, name, seal, isWhole }));
      if (isWhole) {
        const input = JSON.stringify(call.args ?? {});
        track.feedCall(out, key, this.#numbers?.restored(input) ?? input);
        track.endCall(out, key);
        return;
      }
      candidate.partial = { key, args: new PartialArguments(), isMarked: false };
    }
    const { partial } = candidate;
    partial?.args.push(call.partialArgs);
    if (partial !== undefined && this.#numbers !== undefined) partial.isMarked = true;
    if (partial === undefined || call.willContinue === true) return;
    candidate.partial = undefined;
    const { text } = partial.args;
    track.feedCall(out, partial.key, partial.isMarked ? restoreNumbers(text) : text);
    track.endCall(out, partial.key);
  }

  #media(out: ChatEvent[], choice: number, part: JsonObject): void {
    if (part.fileData !== undefined) this.#file(out, choice, part);
    if (part.inlineData === undefined) {
      const decoded = part.fileData === undefined ? decodePart(part, 'parts') : undefined;
      if (decoded?.type === 'foreign') this.#scope.lose(`answer.${decoded.name}`);
      return;
    }
    const inline = camelKeys(part.inlineData);
    const mediaType = asWord(inline.mimeType) ?? 'application/octet-stream';
    const data = asText(inline.data) ?? '';
    const seal = decodeSeal(part);
    if (mediaType.startsWith('audio/')) out.push({ type: 'audio-delta', choice, data, mediaType });
    else if (mediaType.startsWith('image/')) out.push(present({ type: 'image', choice, mediaType, data, seal }));
    else this.#scope.lose('answer.inlineData');
  }

  /** A medium that lies at an address; no other dialect has a word for one that is no picture. */
  #file(out: ChatEvent[], choice: number, part: JsonObject): void {
    const file = camelKeys(part.fileData);
    const url = asWord(file.fileUri);
    const mediaType = asWord(file.mimeType) ?? typeOfAddress(url ?? '');
    if (url === undefined || !mediaType.startsWith('image/')) this.#scope.lose('answer.fileData');
    else out.push(present({ type: 'image', choice, mediaType, url, seal: decodeSeal(part) }));
  }
}
