/**
 * Calls of functions without a signature, in requests that go to the vendor as they came. Its newest models refuse such
 * calls in the turn that goes on; they are there where another vendor made them, and a client dropped the thoughts
 * beside them (Gemini CLI does), so that nothing of the request tells of it.
 */
import type { BodyEdit } from '../../body-edit.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { asList } from '../fields.ts';
import { geminiVersion } from './thinking.ts';
import { missingSignature } from './wire.ts';

/** Oldest generation that asks for signatures. */
const SIGNING = 3;

/** What says of each first call that its signature is lost (source: as `missingSignature`). */
export function lostSignatureEdits({ contents }: JsonObject, model: string): BodyEdit[] {
  if ((geminiVersion(model) ?? 0) < SIGNING) return [];
  const turns = asList(contents);
  const asked = turns.findLastIndex((turn) => isObject(turn) && turn.role !== 'model' && !answersCalls(turn));
  return turns.flatMap((turn, index): BodyEdit[] => {
    if (index <= asked || !isObject(turn)) return [];
    const parts = asList(turn.parts);
    const first = parts.findIndex((part) => isObject(part) && (part.functionCall ?? part.function_call) !== undefined);
    if (first < 0 || isSigned(parts[first])) return [];
    return [{ path: ['contents', String(index), 'parts', String(first), 'thoughtSignature'], set: missingSignature }];
  });
}

function answersCalls({ parts }: JsonObject): boolean {
  return asList(parts).some(
    (part) => isObject(part) && (part.functionResponse ?? part.function_response) !== undefined,
  );
}

function isSigned(part: Json | undefined): boolean {
  return isObject(part) && (part.thoughtSignature ?? part.thought_signature) !== undefined;
}
