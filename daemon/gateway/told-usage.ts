/** The usage that clients of translated answers are told: what is charged, also where their upstream leaves it out. */
import type { ChatRequest, ChatResponse } from '../relay/canonical/chat.ts';
import type { ChatEvent } from '../relay/canonical/event.ts';
import { emptyUsage } from '../relay/canonical/usage.ts';
import type { AnswerMeter } from './lane.ts';
import { leavesWordsOut } from './received-usage.ts';

interface Asked {
  readonly request: Pick<ChatRequest, 'streamUsage'>;
  /** Estimate of the prompt. */
  readonly promptTokens: number;
}

/** The usage that the client of a stream asked for, where the upstream reported none, or none of its words. */
export function missingUsage({ request, promptTokens }: Asked, meter: AnswerMeter): ChatEvent[] {
  const reported = meter.usage();
  if (!request.streamUsage || (reported !== undefined && !leavesWordsOut(reported, meter))) return [];
  const known = reported ?? { ...emptyUsage('estimated'), prompt: promptTokens };
  return [{ type: 'usage', usage: { ...known, completion: meter.outputTokens() } }];
}

/** The whole answer with its words counted, where the upstream reported none of them. */
export function withWordsCounted(response: ChatResponse, meter: AnswerMeter): ChatResponse {
  const { usage } = response;
  if (usage === undefined || !leavesWordsOut(usage, meter)) return response;
  return { ...response, usage: { ...usage, completion: meter.outputTokens() } };
}
