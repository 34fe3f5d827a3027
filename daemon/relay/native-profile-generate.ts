/**
 * Gemini's generateContent on the native lane: every piece is an answer of its own with what is new, usage grows from
 * piece to piece, and only the end of the body ends the stream.
 */
import { withTools } from './canonical/usage.ts';
import { type ClientError, geminiStreamError } from './error-body.ts';
import { asIndex, asObject, asObjects, asText, asWord } from './formats/fields.ts';
import { findSearches, geminiUsageReader } from './formats/gemini-generate/usage.ts';
import { finishReasons } from './formats/gemini-generate/wire.ts';
import { encodeSse } from './framing/sse.ts';
import type { Json, JsonObject } from './json.ts';
import type { StreamEvent } from './native-events.ts';
import { type BreakRecord, type EventFacts, type StreamProfile, silentEvent, withSounds } from './native-profile.ts';
import type { SoundPiece } from './tokens/sound-meter.ts';

function readPart(part: JsonObject): EventFacts {
  const text = asText(part.text);
  if (text !== undefined) return { ...silentEvent, text, isSubstantial: part.thought === true && text !== '' };
  const call = asObject(part.functionCall) ?? asObject(part.function_call);
  if (call !== undefined) {
    const given = call.args === undefined ? '' : JSON.stringify(call.args);
    return { ...silentEvent, text: (asText(call.name) ?? '') + given, toolCalls: 1, isSubstantial: true };
  }
  const inline = asObject(part.inlineData);
  if (inline !== undefined || asObject(part.fileData) !== undefined) {
    const mediaType = asText(inline?.mimeType) ?? '';
    const data = mediaType.startsWith('audio/') ? asText(inline?.data) : undefined;
    const sounds = data === undefined ? undefined : [{ data, mediaType }];
    return { ...silentEvent, hasMedia: true, images: mediaType.startsWith('image/') ? 1 : 0, sounds };
  }
  const ran = asText(asObject(part.executableCode)?.code) ?? asText(asObject(part.codeExecutionResult)?.output);
  return { ...silentEvent, text: ran ?? '', isSubstantial: ran !== undefined };
}

/** How a candidate ended, by its `finishReason`. */
function readFinish(reason: Json | undefined): EventFacts['finish'] {
  const meaning = finishReasons[typeof reason === 'number' ? String(reason) : (asWord(reason) ?? '')];
  if (meaning === undefined) return asWord(reason) === undefined ? 'none' : 'natural';
  return meaning === 'length' || meaning === 'content-filter' ? 'cut' : 'natural';
}

/** All candidates of a piece or answer taken together; a prompt that was blocked is an answer too (relay.md 7.2). */
export function readCandidates(body: JsonObject): EventFacts {
  const isBlocked = asWord(asObject(body.promptFeedback)?.blockReason) !== undefined;
  let facts: EventFacts = isBlocked ? { ...silentEvent, isSubstantial: true, finish: 'cut' } : silentEvent;
  const sounds: SoundPiece[] = [];
  for (const candidate of asObjects(body.candidates)) {
    for (const part of asObjects(asObject(candidate.content)?.parts)) {
      const read = readPart(part);
      facts = {
        text: facts.text + read.text,
        toolCalls: facts.toolCalls + read.toolCalls,
        hasMedia: facts.hasMedia || read.hasMedia,
        images: (facts.images ?? 0) + (read.images ?? 0),
        isSubstantial: facts.isSubstantial || read.isSubstantial,
        finish: facts.finish,
      };
      sounds.push(...(read.sounds ?? []));
    }
    const finish = readFinish(candidate.finishReason);
    if (finish !== 'none' && facts.finish !== 'cut') facts = { ...facts, finish };
  }
  return withSounds(facts, sounds);
}

/** True for the error object that may stand where an answer or a piece was due. */
export function isGenerateError(body: JsonObject): boolean {
  return asObject(body.error) !== undefined;
}

/** The stream ends with the error object, whatever came before; noted is only whether it had ended by itself. */
class GenerateBreak implements BreakRecord {
  #candidates = 0;
  #endings = 0;
  /** Something came that no reason to end has followed. */
  #goesOn = false;

  add({ json }: StreamEvent): void {
    for (const candidate of asObjects(json?.candidates)) {
      this.#candidates = Math.max(this.#candidates, (asIndex(candidate.index) ?? 0) + 1);
      const ends = readFinish(candidate.finishReason) !== 'none';
      if (ends) this.#endings += 1;
      if (ends || asObjects(asObject(candidate.content)?.parts).length > 0) this.#goesOn = !ends;
    }
  }

  addLarge(event: StreamEvent): void {
    this.add(event);
  }

  /** One reason of each candidate is the end; of a host that sends it with every piece nobody knows. */
  get saidItsEnd(): boolean {
    return !this.#goesOn && this.#endings > 0 && this.#endings === this.#candidates;
  }

  end(error: ClientError): Buffer {
    return encodeSse({ data: JSON.stringify(geminiStreamError(error)) });
  }
}

export const generateProfile: StreamProfile = {
  format: 'gemini-generate',
  modelMember: 'modelVersion',
  endMark: undefined,
  usageOnRequest: false,
  usageMark: Buffer.from('TokenC'),
  usageMember: /(?:^|[^\\])"(prompt|candidates|total)$/,
  finishMarks: ['"finishReason":"', '"finishReason": "'],
  usageReader() {
    const read = geminiUsageReader();
    return (piece) => withTools(read(piece), findSearches(piece));
  },
  tools: { mark: Buffer.from('Querie'), before: '"webSearch', read: findSearches },
  hideUsage: () => [],
  readEvent: ({ json }) => json && readCandidates(json),
  isError: ({ json }) => json !== undefined && isGenerateError(json),
  usageEvent: () => undefined,
  record: () => new GenerateBreak(),
};
