/**
 * Tasks on Alibaba DashScope's socket, whatever they do: commands go as text, sound goes and comes as binary, events
 * say how far the task is. Source: providers/ali.md and the vendor's references of CosyVoice, Sambert, Paraformer,
 * Fun-ASR and Gummy, read 2026-11.
 */
import type { Scope } from '../format.ts';
import type { Json, JsonObject } from '../json.ts';
import { asObject, asWord, parseJson, present } from './fields.ts';

const idLength = 32;

/** An id for a task: so many letters and digits. */
export function taskId(scope: Scope): string {
  return (scope.newId('') + scope.newId('')).slice(0, idLength);
}

/** What a task is told to do. */
export interface SocketTask {
  readonly id: string;
  readonly model: string;
  readonly task: 'tts' | 'asr';
  readonly function: 'SpeechSynthesizer' | 'recognition';
  readonly parameters: JsonObject;
  /** All that is to be spoken, for a task to which nothing more is said. */
  readonly text?: string;
}

/** How far a task is. */
export interface TaskEvent {
  readonly name: 'task-started' | 'result-generated' | 'task-finished' | 'task-failed';
  readonly output: JsonObject | undefined;
  readonly usage: JsonObject | undefined;
  /** Why it failed, as the vendor's HTTP interface words it; undefined for the other events. */
  readonly refusal: JsonObject | undefined;
}

const names: readonly TaskEvent['name'][] = ['task-started', 'result-generated', 'task-finished', 'task-failed'];

/** Beginnings of the vendor's codes, and the status that its HTTP interface answers with them. */
const statuses: readonly (readonly [code: RegExp, status: number])[] = [
  [/^Throttling|^limit_|^TOO_MANY/i, 429],
  [/^InvalidApiKey|^invalid_api_key/i, 401],
  [/AccessDenied|^AllocationQuota/, 403],
  [/^ModelNotFound|^InvalidModel|^model_not_found/, 404],
  [/^InternalError|^SystemError|^server_error/, 500],
  [/^ServiceUnavailable|^ModelServingError|^ModelUnavailable/, 503],
  [/^RequestTimeOut/i, 504],
  [/^Invalid(?:Parameter|URL|File)|^invalid_|^BadRequest|^CLIENT_ERROR|^Arrearage/, 400],
  [/^DataInspection|^UNSUPPORTED|^FILE_TOO/, 400],
];

/** The words of a failure that comes without a status, with the one that the vendor gives it elsewhere. */
export function refusalOf(code: Json | undefined, message: Json | undefined): JsonObject {
  const word = asWord(code) ?? '';
  const status = statuses.find(([pattern]) => pattern.test(word))?.[1];
  return present({ code: word, message: asWord(message) ?? word, status_code: status });
}

/** The first frame of a task. */
export function runTask({ id, parameters, text, ...what }: SocketTask): JsonObject {
  return {
    header: { action: 'run-task', task_id: id, streaming: text === undefined ? 'duplex' : 'out' },
    payload: { task_group: 'audio', ...what, parameters, input: present({ text }) },
  };
}

/** Text for a task that is under way. */
export function continueTask(id: string, text: string): string {
  return command(id, 'continue-task', { text });
}

/** Everything has been sent. */
export function finishTask(id: string): string {
  return command(id, 'finish-task', {});
}

function command(id: string, action: string, input: JsonObject): string {
  return JSON.stringify({ header: { action, task_id: id, streaming: 'duplex' }, payload: { input } });
}

/** A text frame; undefined for one that means nothing here. */
export function readTaskEvent(frame: Buffer | string): TaskEvent | undefined {
  const event = asObject(parseJson(frame.toString('utf8')));
  const header = asObject(event?.header);
  const name = names.find((known) => known === header?.event);
  if (name === undefined) return undefined;
  const payload = asObject(event?.payload);
  return {
    name,
    output: asObject(payload?.output),
    usage: asObject(payload?.usage),
    refusal: name === 'task-failed' ? refusalOf(header?.error_code, header?.error_message) : undefined,
  };
}
