/** Which vendor's model a name on Bedrock means, as far as requests differ by it. Source: providers/bedrock.md, read 2026-11. */

export type Family = 'claude' | 'nova' | 'openai' | 'other';

export function familyOf(model: string): Family {
  if (/(?:^|[./])anthropic\.|^claude-/.test(model)) return 'claude';
  if (/(?:^|[./])amazon\.nova-|^nova-/.test(model)) return 'nova';
  return /(?:^|[./])openai\.|^gpt-/.test(model) ? 'openai' : 'other';
}

/** From its second generation on Amazon's own model thinks; the first refuses to be told how. */
export function novaThinks(model: string): boolean {
  return /nova-[2-9]/.test(model);
}
