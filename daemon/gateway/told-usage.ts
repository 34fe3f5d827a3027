/** The usage that clients of translated answers are told: what is charged, also where their upstream leaves it out. */
import type { ChatRequest, ChatResponse } from '../relay/canonical/chat.ts';
import type { ChatEvent } from '../relay/canonical/event.ts';
import { emptyUsage, type Usage } from '../relay/canonical/usage.ts';
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
  return [{ type: 'usage', usage: { ...(reported ?? estimated(promptTokens)), completion: meter.outputTokens() } }];
}

/** The whole answer with its usage, where the upstream reported none, or none of its words. */
export function withWholeUsage(
  response: ChatResponse,
  { promptTokens }: Pick<Asked, 'promptTokens'>,
  meter: AnswerMeter,
): ChatResponse {
  const { usage } = response;
  if (usage !== undefined && !leavesWordsOut(usage, meter)) return response;
  return { ...response, usage: { ...(usage ?? estimated(promptTokens)), completion: meter.outputTokens() } };
}

function estimated(prompt: number): Usage {
  return { ...emptyUsage('estimated'), prompt };
}
