/** What an upstream is asked and told once its answer is over, or no longer wanted: beside the attempt, on its address. */
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeSse } from '../relay/framing/sse.ts';
import type { ClosingQuestion } from '../relay/further-question.ts';
import { isObject } from '../relay/json.ts';
import type { Transport } from '../upstream/transport.ts';
import { followUpOf } from './follow-up.ts';
import type { Plan } from './plan.ts';
import { callJson, type SideCall } from './side-call.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Looks at an answer that may be a moment behind its stream, and the pauses between them. */
const LOOKS = 4;
const PAUSE_MS = 400;

/** The closing event; undefined where the upstream does not answer in time, since its stream has said what matters. */
export async function askClosing(
  transport: Transport,
  plan: Plan,
  { path, isThere }: ClosingQuestion,
): Promise<Buffer | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    if (look > 0) await sleep(PAUSE_MS);
    const answer = await callJson(transport, sideCall(plan, 'GET', path)).catch(() => undefined);
    if (!isObject(answer)) return undefined;
    if (isThere(answer)) return encodeSse({ event: 'closing', data: JSON.stringify(answer) });
  }
  return undefined;
}

/** Tells the upstream that nobody waits for what it makes. Whether it hears is its own affair. */
export function tellToStop(transport: Transport, plan: Plan, path: string): void {
  callJson(transport, sideCall(plan, 'POST', path)).catch(() => undefined);
}

function sideCall(plan: Plan, method: SideCall['method'], path: string): SideCall {
  const { destination, headers } = followUpOf(plan, { path, afterMs: 0 });
  const { url, proxy } = destination;
  return { method, url, headers, body: undefined, proxy, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
}
