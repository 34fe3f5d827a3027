/** The answers that cost nothing because there is nothing in them (relay.md 15.7). */
import { toolNames, type Usage } from '../relay/canonical/usage.ts';
import type { Exchange } from './exchange.ts';
import type { AnswerMeter } from './lane.ts';

const SHORT_ANSWER_TOKENS = 10;

/** True for a complete answer of a few tokens of white space, where the operator gives such answers away. */
export function isFreeBecauseEmpty({ endpoint, view }: Exchange, meter: AnswerMeter, usage: Usage): boolean {
  if (usage.completion > SHORT_ANSWER_TOKENS) return false;
  // Thoughts that are counted and not told, and what the vendor's own tools did, were an answer all the same.
  if (usage.reasoning > 0 || toolNames.some((name) => (usage.tools[name] ?? 0) > 0)) return false;
  if (endpoint.capability !== 'chat' && endpoint.capability !== 'completions') return false;
  return view.options.get('EmptyAnswerFree') && meter.isBlank();
}
