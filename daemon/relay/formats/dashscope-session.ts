/**
 * Sessions on Alibaba DashScope's socket that speak or listen: events go and come as text, in the manner of OpenAI's
 * realtime sessions, sound inside them. Source: providers/ali.md and the vendor's references of the client and server
 * events of Qwen-TTS-Realtime and Qwen-ASR-Realtime, read 2026-11.
 */
import type { Json, JsonObject } from '../json.ts';
import { refusalOf } from './dashscope-socket-task.ts';
import { asObject, asWord, parseJson } from './fields.ts';

/** What the other end says. */
export interface SessionEvent {
  readonly type: string;
  readonly members: JsonObject;
  /** What went wrong, as the vendor's HTTP interface words it; undefined for events that tell of no failure. */
  readonly refusal: JsonObject | undefined;
}

/** The first frame: what the session is to be like. */
export function openSession(session: JsonObject): JsonObject {
  return { event_id: 'event_0', type: 'session.update', session };
}

/** Further frames; every event must have an id of its own within its session. */
export function* sessionFrames(events: Iterable<JsonObject>): Generator<string> {
  let count = 0;
  for (const event of events) {
    count += 1;
    yield JSON.stringify({ event_id: `event_${count}`, ...event });
  }
}

/** A text frame; undefined for one that means nothing here. */
export function readSessionEvent(frame: Buffer | string): SessionEvent | undefined {
  const members = asObject(parseJson(frame.toString('utf8')));
  const type = asWord(members?.type);
  if (members === undefined || type === undefined) return undefined;
  const isFailure = type === 'error' || type.endsWith('.failed');
  return { type, members, refusal: isFailure ? refusalIn(members.error) : undefined };
}

/** Errors have a code, or only a type. */
export function refusalIn(value: Json | undefined): JsonObject {
  const error = asObject(value);
  return refusalOf(asWord(error?.code) ?? asWord(error?.type), error?.message);
}
