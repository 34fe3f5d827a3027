/** A gateway before a scripted Midjourney proxy, and what its clients and operators ask of it. */
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../daemon/relay/json.ts';
import type { MidjourneyRecord } from '../../daemon/store/midjourneys.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import type { GatewayHarness } from '../support/gateway-harness.ts';
import { drawingSecret } from '../support/task-parts.ts';
import type { CheckedWorld } from './checked-books.ts';
import { tasksInWorlds } from './task-world.ts';

export const drawingModels =
  'mj_imagine,mj_upscale,mj_variation,mj_reroll,mj_blend,mj_describe,mj_upload,mj_modal,mj_inpaint,mj_shorten,swap_face,mj_pan';
/** The task that the upstream makes, unless a script says otherwise. */
export const taskId = '1768480200123456';
/** Of a drawing, in quota. */
export const PRICE = 50_000;

export function drawsInWorlds(test: Test<CheckedWorld>): void {
  tasksInWorlds(test, { type: 5, models: drawingModels, price: PRICE, accepts: () => accepted() });
}

/** An upstream's answer to an order. */
export function accepted(over: Record<string, Json> = {}) {
  return jsonAnswer({ code: 1, description: 'ok', result: taskId, properties: { a: 1 }, ...over });
}

/** What a poll is told of the task. */
export function told(task: Record<string, Json>) {
  return jsonAnswer([{ id: taskId, ...task }]);
}

export async function imagine(harness: GatewayHarness, over: Record<string, Json> = {}) {
  const answer = await harness.post('/mj/submit/imagine', { prompt: 'a cat', ...over });
  return { status: answer.status, body: await answer.json() };
}

/** The newest row. */
export async function newestRow(harness: GatewayHarness): Promise<MidjourneyRecord> {
  const { items } = await harness.database.stores.midjourneys.list({}, { offset: 0, limit: 1 });
  assert.ok(items[0], 'a row');
  return items[0];
}

/** A read with the key in the place of drawing clients. */
export function read(harness: GatewayHarness, path: string, key = harness.key): Promise<Response> {
  return fetch(harness.url + path, { headers: { 'mj-api-secret': key } });
}

/** Status of the answer to a callback. */
export async function callBack(
  harness: GatewayHarness,
  task: Record<string, Json>,
  query = `c=1&s=${drawingSecret(1)}`,
): Promise<number> {
  const answer = await fetch(`${harness.url}/mj/notify?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: taskId, ...task }),
  });
  await answer.text();
  return answer.status;
}
