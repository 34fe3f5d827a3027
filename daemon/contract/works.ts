/** Lists of long-running work: drawings, and tasks such as songs (management-api.md 3.18, 4.9, 4.10). */
import * as z from 'zod/mini';
import { endpoint, pagedFromZero } from './endpoint.ts';
import { filterText, optionalColumnNumber, optionalWholeNumber } from './loose.ts';

/** States of a drawing; "" while none is known. */
export const drawingStatuses = ['NOT_START', 'SUBMITTED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE', 'MODAL'] as const;
/** States of a task; likewise. */
export const taskStatuses = [
  'NOT_START',
  'SUBMITTED',
  'QUEUED',
  'IN_PROGRESS',
  'SUCCESS',
  'FAILURE',
  'UNKNOWN',
] as const;

/** A drawing; times of its work in unix milliseconds. */
export const DrawingView = z.object({
  id: z.int(),
  /** Unix seconds. */
  created_at: z.int(),
  /** 1 submitted, 21 waiting, 22 duplicate, 0 not submitted, 4 request error, 5 unknown. */
  code: z.int(),
  user_id: z.int(),
  /** IMAGINE, UPSCALE, VARIATION, ... */
  action: z.string(),
  /** Id at the drawing service. */
  mj_id: z.string(),
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  state: z.string(),
  submit_time: z.int(),
  start_time: z.int(),
  finish_time: z.int(),
  /** "" while there is none. */
  image_url: z.string(),
  /** One of `drawingStatuses` or "". */
  status: z.string(),
  /** "100%" is final. */
  progress: z.string(),
  fail_reason: z.string(),
  /** 0 for users. */
  channel_id: z.int(),
  quota: z.int(),
  bot_type: z.string(),
  custom_id: z.string(),
  video_url: z.string(),
  /** JSON text, as `buttons` and `properties`. */
  video_urls: z.string(),
  buttons: z.string(),
  properties: z.string(),
});
export type DrawingView = z.infer<typeof DrawingView>;

/** A task; times in unix seconds. */
export const TaskView = z.object({
  id: z.int(),
  created_at: z.int(),
  updated_at: z.int(),
  /** Id upstream. */
  task_id: z.string(),
  /** Such as `suno`. */
  platform: z.string(),
  user_id: z.int(),
  /** 0 for users. */
  channel_id: z.int(),
  quota: z.int(),
  /** MUSIC, LYRICS, ... */
  action: z.string(),
  /** One of `taskStatuses` or "". */
  status: z.string(),
  fail_reason: z.string(),
  submit_time: z.int(),
  start_time: z.int(),
  finish_time: z.int(),
  progress: z.string(),
  /** What was asked for: `{input}`. */
  properties: z.unknown(),
  /** The upstream's answer as a JSON value; null while there is none. */
  data: z.unknown(),
});
export type TaskView = z.infer<typeof TaskView>;

const ownDrawings = {
  mj_id: filterText,
  status: filterText,
  action: filterText,
  /** Unix milliseconds, compared with the submit time, both included. */
  start_timestamp: optionalWholeNumber,
  end_timestamp: optionalWholeNumber,
};

const ownTasks = {
  task_id: filterText,
  platform: filterText,
  action: filterText,
  status: filterText,
  /** Unix seconds, compared with the submit time, both included. */
  start_timestamp: optionalWholeNumber,
  end_timestamp: optionalWholeNumber,
};

const ofAnybody = { channel_id: optionalColumnNumber, user_id: optionalColumnNumber };

export const works = {
  drawings: endpoint({
    method: 'GET',
    path: '/api/mj/',
    access: 'admin',
    scope: 'log:read',
    shape: 'list',
    paging: pagedFromZero,
    description: { en: 'Drawings of all users, newest first.', zh: '全部用户的绘图任务，最新的在前。' },
    input: z.object({ ...ownDrawings, ...ofAnybody }),
    output: DrawingView,
  }),
  ownDrawings: endpoint({
    method: 'GET',
    path: '/api/mj/self',
    access: 'user',
    scope: 'log:read',
    shape: 'list',
    paging: pagedFromZero,
    description: { en: "The caller's drawings, newest first.", zh: '调用者的绘图任务，最新的在前。' },
    input: z.object(ownDrawings),
    output: DrawingView,
  }),
  tasks: endpoint({
    method: 'GET',
    path: '/api/task/',
    access: 'admin',
    scope: 'log:read',
    shape: 'list',
    paging: pagedFromZero,
    description: { en: 'Tasks of all users, newest first.', zh: '全部用户的任务，最新的在前。' },
    input: z.object({ ...ownTasks, ...ofAnybody }),
    output: TaskView,
  }),
  ownTasks: endpoint({
    method: 'GET',
    path: '/api/task/self',
    access: 'user',
    scope: 'log:read',
    shape: 'list',
    paging: pagedFromZero,
    description: { en: "The caller's tasks, newest first.", zh: '调用者的任务，最新的在前。' },
    input: z.object(ownTasks),
    output: TaskView,
  }),
};
