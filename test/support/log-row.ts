/** The log row of one request, which is written behind its answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonObject } from '../../daemon/relay/json.ts';
import type { TestDaemon } from './daemon.ts';

const patienceMs = 5000;

/** The main row of the request that this answer belongs to, its `other` parsed. Throws when there is none in time. */
export async function logRowOf(daemon: TestDaemon, answer: Response) {
  const request_id = answer.headers.get('x-request-id') ?? '';
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += 20) {
    const [row] = (await daemon.root.logs.list({ request_id, type: 2 })).items;
    if (row !== undefined) return { ...row, facts: parse(row.other) };
    await sleep(20);
  }
  throw new Error(`no log row of ${request_id}`);
}

function parse(other: string): JsonObject {
  const value: unknown = JSON.parse(other);
  return isObject(value) ? value : {};
}
