/** What an upstream answered to a submission (relay.md 8.5). */
import { asObject, asText, parseJson } from '../../formats/fields.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { withoutHook } from './properties.ts';

export interface SubmitAnswer {
  readonly code: number;
  readonly description: string;
  readonly properties: JsonObject;
  readonly result: Json;
  /** As it came. */
  readonly body: JsonObject;
}

/** What its code means for the books. */
export type SubmitMeaning =
  /** A task was made, or is waiting to be. */
  | 'accepted'
  /** The task, or the dialog it waits in, was there before. */
  | 'exists'
  | 'queue-full'
  | 'no-account'
  /** The client's own fault, or the upstream's; nothing was done. */
  | 'refused';

const MEANINGS: Readonly<Record<number, SubmitMeaning>> = {
  1: 'accepted',
  3: 'no-account',
  21: 'exists',
  22: 'accepted',
  23: 'queue-full',
};

/** Actions that only open a dialog: its end is what draws, and what is paid. */
const DIALOGS: ReadonlySet<string> = new Set(['INPAINT', 'CUSTOM_ZOOM']);

export function isDialog(action: string): boolean {
  return DIALOGS.has(action);
}

/** Undefined for what is no such answer. */
export function readSubmitAnswer(text: string): SubmitAnswer | undefined {
  const body = parseJson(text);
  if (!isObject(body)) return undefined;
  const code = typeof body.code === 'string' && body.code !== '' ? Number(body.code) : body.code;
  if (typeof code !== 'number' || !Number.isInteger(code)) return undefined;
  return {
    code,
    description: asText(body.description) ?? asText(body.message) ?? '',
    properties: asObject(body.properties) ?? {},
    result: body.result ?? null,
    body,
  };
}

/** @param status of HTTP: under one that refuses nothing was taken on */
export function meaningOf({ code }: SubmitAnswer, status: number): SubmitMeaning {
  const meaning = MEANINGS[code] ?? 'refused';
  const isTaken = meaning === 'accepted' || meaning === 'exists';
  return isTaken && (status < 200 || status > 299) ? 'refused' : meaning;
}

/** The id of the task; undefined where the answer names none. */
export function taskIdOf({ result }: SubmitAnswer): string | undefined {
  if (typeof result === 'number') return String(result);
  return typeof result === 'string' && result !== '' ? result : undefined;
}

/** A dialog waits for the client: it must see that, and answer it. */
export function opensDialog({ code, properties }: SubmitAnswer, action: string): boolean {
  return code === 21 && (isDialog(action) || properties.remix === true);
}

/** The answer with its description in other words, and without what is between this site and the service. */
export function retold(answer: SubmitAnswer, words: (text: string) => string): SubmitAnswer {
  return withWords(answer, ['description', 'message'], words);
}

/** As `retold`, of a refusal: any of its texts may say why. */
export function refusalRetold(answer: SubmitAnswer, words: (text: string) => string): SubmitAnswer {
  return withWords(answer, Object.keys(answer.body), words);
}

function withWords(answer: SubmitAnswer, members: readonly string[], words: (text: string) => string): SubmitAnswer {
  const body: JsonObject = { ...answer.body };
  for (const member of members) {
    const text = asText(body[member]) ?? '';
    if (text !== '') body[member] = words(text);
  }
  if (isObject(body.properties)) body.properties = withoutHook(body.properties);
  return { ...answer, description: words(answer.description), body };
}

/** The answer for the client: what was taken on reads as accepted, but for dialogs. Only the code changes. */
export function clientAnswer(answer: SubmitAnswer, action: string): JsonObject {
  const { code, body } = answer;
  const isTaken = code === 22 || (code === 21 && !opensDialog(answer, action));
  return isTaken ? { ...body, code: 1 } : body;
}
