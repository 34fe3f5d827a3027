/** The usage that clients of translated answers are told: what is charged, also where their upstream leaves it out. */
import type { ChatRequest, ChatResponse } from '../relay/canonical/chat.ts';
import type { ChatEvent } from '../relay/canonical/event.ts';
import { emptyUsage, type Usage, withCompletion } from '../relay/canonical/usage.ts';
import type { AnswerMeter } from './lane.ts';
import { leavesPromptOut, leavesWordsOut } from './received-usage.ts';

interface Asked {
  readonly request: Pick<ChatRequest, 'streamUsage'>;
  /** Estimate of the prompt. */
  readonly promptTokens: number;
}

/** The usage that the client of a stream asked for, where the upstream's report leaves any of it out. */
export function missingUsage({ request, promptTokens }: Asked, meter: AnswerMeter): ChatEvent[] {
  if (!request.streamUsage) return [];
  const reported = meter.usage();
  const usage = completed(reported, promptTokens, meter);
  return usage === reported ? [] : [{ type: 'usage', usage }];
}

/** The whole answer with its usage, where the upstream's report leaves any of it out. */
export function withWholeUsage(
  response: ChatResponse,
  { promptTokens }: Pick<Asked, 'promptTokens'>,
  meter: AnswerMeter,
): ChatResponse {
  const usage = completed(response.usage, promptTokens, meter);
  return usage === response.usage ? response : { ...response, usage };
}

/** The report with what it leaves out; the same one where that is nothing. */
function completed(reported: Usage | undefined, promptTokens: number, meter: AnswerMeter): Usage {
  if (reported === undefined) return { ...estimated(promptTokens), ...meter.counted() };
  const usage = leavesWordsOut(reported, meter)
    ? { ...reported, ...withCompletion(reported, meter.counted()) }
    : reported;
  return leavesPromptOut(usage) ? { ...usage, prompt: promptTokens } : usage;
}

function estimated(prompt: number): Usage {
  return { ...emptyUsage('estimated'), prompt };
}
