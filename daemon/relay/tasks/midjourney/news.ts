/** Tasks as a Midjourney proxy tells of them, by list or by callback, and what of it is new (relay.md 8.8). */
import { asList, asObject, asText } from '../../formats/fields.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { publicProperties } from './properties.ts';

/** What is kept of a task, JSON as text; times in unix milliseconds. */
export interface DrawingState {
  readonly promptEn: string;
  readonly description: string;
  readonly state: string;
  readonly submitTime: number;
  readonly startTime: number;
  readonly finishTime: number;
  readonly imageUrl: string;
  readonly videoUrl: string;
  readonly videoUrls: string;
  readonly status: string;
  readonly progress: string;
  readonly failReason: string;
  readonly buttons: string;
  readonly properties: string;
}

/** What is told; absent where nothing is. */
export type DrawingNews = { -readonly [Field in Exclude<keyof DrawingState, 'submitTime'>]?: DrawingState[Field] };

export const DONE = '100%';
/** What is this old without progress, or not known any more, is lost. */
const LOST_AFTER_MS = 3_600_000;
/** What stands still for so long will not move any more. */
const STUCK_AFTER_MS = 24 * 3_600_000;
const LOST_REASON = 'upload or task timeout';

/** Some servers write them in lower case. */
const STATUSES: ReadonlySet<string> = new Set(['NOT_START', 'SUBMITTED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE', 'MODAL']);

export function isFinal(status: string): boolean {
  return status === 'SUCCESS' || status === 'FAILURE';
}

/** Tasks by id; undefined for an answer that is no list of tasks. */
export function readTaskList(answer: Json): ReadonlyMap<string, DrawingNews> | undefined {
  if (!Array.isArray(answer)) return undefined;
  const news = new Map<string, DrawingNews>();
  for (const entry of answer) {
    const task = isObject(entry) ? readTask(entry) : undefined;
    if (task !== undefined) news.set(task.id, task.news);
  }
  return news;
}

/** One task; undefined where it has no id. */
export function readTask(task: JsonObject): { readonly id: string; readonly news: DrawingNews } | undefined {
  // A server that numbers its tasks said so when it took them on, too.
  const id = typeof task.id === 'number' ? String(task.id) : (asText(task.id) ?? '');
  if (id === '') return undefined;
  const news: DrawingNews = {};
  for (const field of ['promptEn', 'description', 'state', 'progress', 'failReason'] as const) {
    const value = asText(task[field]);
    if (value !== undefined) news[field] = value;
  }
  for (const field of ['startTime', 'finishTime'] as const) {
    const value = task[field];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) news[field] = value;
  }
  for (const field of ['imageUrl', 'videoUrl'] as const) {
    const value = asText(task[field]);
    // It is shown to browsers: nothing but web addresses.
    if (value !== undefined && /^https?:\/\//i.test(value)) news[field] = value;
  }
  const status = (asText(task.status) ?? '').toUpperCase();
  if (STATUSES.has(status)) news.status = status;
  else if (status === 'CANCEL') news.status = 'FAILURE';
  if (Array.isArray(task.buttons)) news.buttons = JSON.stringify(task.buttons);
  if (asList(task.videoUrls).length > 0) news.videoUrls = JSON.stringify(task.videoUrls);
  const properties = asObject(task.properties);
  if (properties !== undefined) news.properties = JSON.stringify(publicProperties(properties));
  return { id, news };
}

/**
 * What of it changes the task; undefined when nothing does. `told`: `absent` where its upstream does not know the task,
 * undefined where nobody had news of it.
 */
export function changesOf(
  state: DrawingState,
  told: DrawingNews | 'absent' | undefined,
  nowMs: number,
): DrawingNews | undefined {
  const settled = settle(state, told ?? {}, nowMs);
  const changes: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(settled)) {
    if (Reflect.get(state, field) !== value) changes[field] = value;
  }
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/** News as they are kept: an end is an end in every field. */
function settle(state: DrawingState, told: DrawingNews | 'absent', nowMs: number): DrawingNews {
  const news = told === 'absent' ? {} : told;
  const { failReason = '' } = news;
  const ageMs = nowMs - state.submitTime;
  let status = news.status ?? state.status;
  if (failReason !== '' && status !== 'SUCCESS') status = 'FAILURE';
  const progress = news.progress ?? state.progress;
  const isGone = told === 'absent' || progress === '' || progress === '0%';
  const isLost = !isFinal(status) && (ageMs > STUCK_AFTER_MS || (ageMs > LOST_AFTER_MS && isGone));
  if (isLost) return { ...news, status: 'FAILURE', progress: DONE, failReason: LOST_REASON, finishTime: nowMs };
  if (isFinal(status)) {
    return { ...news, status, progress: DONE, finishTime: news.finishTime ?? (state.finishTime || nowMs) };
  }
  // Not done before its status says so: it would never be asked for again.
  return { ...news, status, progress: progress === DONE ? '99%' : progress };
}
