/** Routes of the drawing and task lists (management-api.md 3.18). */

import type { ParsedInputOf } from '../../../contract/endpoint.ts';
import { contract } from '../../../contract/index.ts';
import type { WorkLists } from '../../../domain/works.ts';
import type { MidjourneyFilter } from '../../../store/midjourneys.ts';
import type { TaskFilter } from '../../../store/tasks.ts';
import { implement, type Route } from '../../implement.ts';
import { presentDrawing, presentOwnDrawing, presentOwnTask, presentTask } from '../../present/works.ts';

export const workRoutes = (works: WorkLists): Route[] => [
  implement(contract.works.drawings, async ({ input, page }) => {
    const { channel_id: channelId, user_id: userId } = input;
    const { items, total } = await works.drawings({ ...drawingFilter(input), channelId, userId }, page);
    return { items: items.map(presentDrawing), total };
  }),
  implement(contract.works.ownDrawings, async ({ actor, input, page }) => {
    const { items, total } = await works.ownDrawings(actor, drawingFilter(input), page);
    return { items: items.map(presentOwnDrawing), total };
  }),
  implement(contract.works.tasks, async ({ input, page }) => {
    const { channel_id: channelId, user_id: userId } = input;
    const { items, total } = await works.tasks({ ...taskFilter(input), channelId, userId }, page);
    return { items: items.map(presentTask), total };
  }),
  implement(contract.works.ownTasks, async ({ actor, input, page }) => {
    const { items, total } = await works.ownTasks(actor, taskFilter(input), page);
    return { items: items.map(presentOwnTask), total };
  }),
];

function drawingFilter(input: ParsedInputOf<typeof contract.works.ownDrawings>): MidjourneyFilter {
  const { mj_id: mjId, status, action, start_timestamp: fromMs, end_timestamp: untilMs } = input;
  return { mjId, status, action, fromMs, untilMs };
}

function taskFilter(input: ParsedInputOf<typeof contract.works.ownTasks>): TaskFilter {
  const { task_id: taskId, platform, action, status, start_timestamp: from, end_timestamp: until } = input;
  return { taskId, platform, action, status, from, until };
}
