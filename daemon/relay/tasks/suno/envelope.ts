/** The envelope of everything that is said about music tasks, on both sides (relay.md 9). */
import { asObject, asText, asWord, parseJson } from '../../formats/fields.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';

export interface SongEnvelope {
  /** `success`, or what is wrong. */
  readonly code: string;
  readonly message: string;
  readonly data: Json;
}

/** Ids are uuids; no longer one can be kept. */
const LONGEST_ID = 50;

/** Undefined for what is no envelope. */
export function readEnvelope(body: Json | undefined): SongEnvelope | undefined {
  if (!isObject(body)) return undefined;
  const code = asWord(body.code);
  return code === undefined ? undefined : { code, message: asText(body.message) ?? '', data: body.data ?? null };
}

/** As `readEnvelope`, of a text. */
export function parseEnvelope(text: string): SongEnvelope | undefined {
  return readEnvelope(parseJson(text));
}

export function isSuccess({ code }: SongEnvelope): boolean {
  return code === 'success';
}

/** The id of the task that was made; undefined where the answer names none that can be kept. */
export function madeTaskId({ data }: SongEnvelope): string | undefined {
  const id = asWord(data) ?? asWord(asObject(data)?.task_id);
  return id === undefined || id.length > LONGEST_ID ? undefined : id;
}

/** An answer to a client. */
export function success(data: Json): JsonObject {
  return { code: 'success', message: '', data };
}
