/** What readers of complete answers share. */
import type { AudioFacts } from '../audio/length.ts';
import type { CallAnswer } from '../call-format.ts';
import type { Scope } from '../format.ts';
import { asObject, parseJson } from '../formats/fields.ts';
import type { JsonObject } from '../json.ts';
import type { UnusableAnswer } from '../native-answer.ts';

/** What the reader of an answer knows of its request. */
export interface NativeCallRequest {
  readonly json: JsonObject;
  readonly scope: Scope;
  /** Length of the audio that the request brings. */
  readonly audio: AudioFacts | undefined;
}

/** Reads the complete body of a success. */
export type NativeCallReader = (
  body: Buffer,
  contentType: string,
  asked: NativeCallRequest,
) => CallAnswer | UnusableAnswer;

/** A body that passes as it is. */
export function passed(body: Buffer, facts: Omit<CallAnswer, 'body' | 'contentType'>): CallAnswer {
  return { ...facts, body, contentType: 'application/json' };
}

/** The members of a JSON body; what is no object means nothing. */
export function membersOf(body: Buffer): JsonObject | undefined {
  return asObject(parseJson(body.toString('utf8')));
}
