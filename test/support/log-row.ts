/** The log row of one request, which is written behind its answer. */
import { isObject, type JsonObject } from '../../daemon/relay/json.ts';
import type { TestDaemon } from './daemon.ts';
import { untilThere } from './until.ts';

/** The main row of the request that this answer belongs to, its `other` parsed. Throws when there is none in time. */
export async function logRowOf(daemon: TestDaemon, answer: Response) {
  const request_id = answer.headers.get('x-request-id') ?? '';
  const row = await untilThere(async () => (await daemon.root.logs.list({ request_id, type: 2 })).items[0], 20);
  return { ...row, facts: parse(row.other) };
}

function parse(other: string): JsonObject {
  const value: unknown = JSON.parse(other);
  return isObject(value) ? value : {};
}
