/** What OpenAI's models speak. Source: relay.md 13.1, read 2026-11. */

const responsesOnly = /^(?:o[13]-pro|gpt-5(?:\.\d+)?-pro|computer-use)|-codex|deep-research/;

/** These answer in the Responses dialect alone; a request of any other is translated into it. */
export function isResponsesOnly(model: string): boolean {
  return responsesOnly.test(model);
}
