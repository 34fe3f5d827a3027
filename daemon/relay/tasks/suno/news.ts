/** Music tasks as an upstream tells of them, what of it is new, and how clients are told (relay.md 9). */
import { asObjects, asText, asWord, parseJson } from '../../formats/fields.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { isSuccess, readEnvelope } from './envelope.ts';

/** What is kept of a task; times in unix seconds. */
export interface SongState {
  readonly status: string;
  readonly failReason: string;
  readonly submitTime: number;
  readonly startTime: number;
  readonly finishTime: number;
  readonly progress: string;
  /** JSON text of the upstream's songs or lyrics; "" while there are none. */
  readonly data: string;
}

/** What is told; absent where nothing is. */
export type SongNews = { -readonly [Field in Exclude<keyof SongState, 'submitTime'>]?: SongState[Field] };

/** What is shown of a task beside its state. */
export interface ShownSong extends SongState {
  readonly taskId: string;
  readonly action: string;
}

const DONE = '100%';
const LATEST_SECONDS = 24 * 3600;
const TIMEOUT_REASON = 'task timeout';
/** Larger times are milliseconds. */
const MOST_SECONDS = 1e11;

/** Words of upstreams, in upper case. */
const STATUSES: Readonly<Record<string, string>> = {
  NOT_START: 'NOT_START',
  SUBMITTED: 'SUBMITTED',
  QUEUED: 'QUEUED',
  QUEUEING: 'QUEUED',
  PROCESSING: 'IN_PROGRESS',
  IN_PROGRESS: 'IN_PROGRESS',
  SUCCESS: 'SUCCESS',
  COMPLETE: 'SUCCESS',
  FAILED: 'FAILURE',
  FAILURE: 'FAILURE',
};

function isFinal(status: string): boolean {
  return status === 'SUCCESS' || status === 'FAILURE';
}

/** Tasks by id, from a list with or without its envelope; undefined for an answer that is none. */
export function readSongList(answer: Json): ReadonlyMap<string, SongNews> | undefined {
  const envelope = readEnvelope(answer);
  if (envelope !== undefined && !isSuccess(envelope)) return undefined;
  const list = envelope === undefined ? answer : envelope.data;
  if (!Array.isArray(list) && !isObject(list)) return undefined;
  const tasks = asObjects(Array.isArray(list) ? list : [list]);
  return new Map(tasks.flatMap((task) => readSong(task) ?? []));
}

function readSong(task: JsonObject): [id: string, news: SongNews][] | undefined {
  const id = asWord(task.task_id);
  if (id === undefined) return undefined;
  const news: SongNews = {};
  const status = asWord(task.status)?.toUpperCase();
  if (status !== undefined) news.status = STATUSES[status] ?? 'UNKNOWN';
  const failReason = asText(task.fail_reason) ?? asText(task.failReason);
  if (failReason !== undefined) news.failReason = failReason;
  const startTime = secondsOf(task.start_time);
  if (startTime !== undefined) news.startTime = startTime;
  const finishTime = secondsOf(task.finish_time);
  if (finishTime !== undefined) news.finishTime = finishTime;
  const progress = asWord(task.progress);
  if (progress !== undefined && /^\d{1,3}%$/.test(progress)) news.progress = progress;
  const { data } = task;
  if (data !== undefined && data !== null && data !== '') news.data = JSON.stringify(data);
  return [[id, news]];
}

function secondsOf(value: Json | undefined): number | undefined {
  if (typeof value !== 'number' || value <= 0) return undefined;
  const seconds = Math.floor(value > MOST_SECONDS ? value / 1000 : value);
  // PostgreSQL refuses a row for a larger one.
  return Number.isSafeInteger(seconds) ? seconds : undefined;
}

/** The upstream's songs, with what each says of its failure in other words. */
export function dataRetold(data: string, words: (text: string) => string): string {
  if (!data.includes('"error_message"')) return data;
  return JSON.stringify(parseJson(data), (name, value: unknown) =>
    name === 'error_message' && typeof value === 'string' ? words(value) : value,
  );
}

/** What of it changes the task; undefined when nothing does. `told`: undefined where nobody had news of it. */
export function changesOf(state: SongState, told: SongNews | undefined, nowSeconds: number): SongNews | undefined {
  const changes: SongNews = {};
  for (const [field, value] of Object.entries(settled(state, told ?? {}, nowSeconds))) {
    if (Reflect.get(state, field) !== value) Reflect.set(changes, field, value);
  }
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/** News as they are kept: an end is an end in every field, and comes after a day at the latest. */
function settled(state: SongState, news: SongNews, nowSeconds: number): SongNews {
  let status = news.status ?? state.status;
  let failReason = news.failReason ?? state.failReason;
  if (failReason !== '' && status !== 'SUCCESS') status = 'FAILURE';
  if (!isFinal(status) && nowSeconds - state.submitTime > LATEST_SECONDS) {
    status = 'FAILURE';
    failReason = TIMEOUT_REASON;
  }
  if (isFinal(status)) {
    const finishTime = news.finishTime ?? (state.finishTime || nowSeconds);
    return { ...news, status, failReason, progress: DONE, finishTime };
  }
  // Not done before its status says so.
  const progress = news.progress ?? state.progress;
  return { ...news, status, progress: progress === DONE ? '99%' : progress };
}

/** A task as clients know it. */
export function songView(song: ShownSong): JsonObject {
  return {
    task_id: song.taskId,
    action: song.action,
    status: song.status,
    fail_reason: song.failReason,
    submit_time: song.submitTime,
    start_time: song.startTime,
    finish_time: song.finishTime,
    progress: song.progress,
    data: song.data === '' ? null : (parseJson(song.data) ?? null),
  };
}
