/** What is kept of an upstream's refusal: its words without those that it quotes of the prompt (relay.md 19.3, 22). */
import { UpstreamFailure } from '../errors.ts';
import { withoutQuotes } from '../relay/prompt-quotes.ts';

/** @param prompt what the request says; undefined: nothing that an upstream could quote */
export function withoutPrompt(
  failure: UpstreamFailure,
  prompt: (() => readonly string[]) | undefined,
): UpstreamFailure {
  if (prompt === undefined) return failure;
  const { fields } = failure;
  const texts = prompt();
  const keptText = withoutQuotes(fields.clientText, texts);
  // Both are the same where nothing was masked, and a long prompt takes a while to look through.
  const isSame = fields.operatorText === fields.clientText;
  const operatorText = isSame ? keptText : withoutQuotes(fields.operatorText, texts);
  return new UpstreamFailure({ ...fields, keptText, operatorText });
}
