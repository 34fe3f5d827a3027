/** What is kept of an upstream's refusal: its words without those that it quotes of the prompt (relay.md 19.3, 22). */
import { UpstreamFailure } from '../errors.ts';
import { withoutQuotes } from '../relay/prompt-quotes.ts';
import type { ReplyHeaders } from '../upstream/transport.ts';
import type { Plan } from './plan.ts';

/** What an upstream answered that is no success, or whose body says so. */
interface Refusal {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: string;
  readonly nowMs: number;
}

/** The refusal as the channel's adapter reads it. */
export function failureOf({ adapter, call, prompt }: Plan, { headers: said, ...refusal }: Refusal): UpstreamFailure {
  const headers = Object.fromEntries(Object.entries(said).map(([name, value]) => [name, value?.toString()]));
  return withoutPrompt(adapter.readFailure({ ...refusal, headers, call }), prompt);
}

/** @param prompt what the request says; undefined: nothing that an upstream could quote */
function withoutPrompt(failure: UpstreamFailure, prompt: (() => readonly string[]) | undefined): UpstreamFailure {
  if (prompt === undefined) return failure;
  const { fields } = failure;
  const texts = prompt();
  const keptText = withoutQuotes(fields.clientText, texts);
  // Both are the same where nothing was masked, and a long prompt takes a while to look through.
  const isSame = fields.operatorText === fields.clientText;
  const operatorText = isSame ? keptText : withoutQuotes(fields.operatorText, texts);
  return new UpstreamFailure({ ...fields, keptText, operatorText });
}
