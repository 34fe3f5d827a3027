/**
 * What known programs are told to use this gateway with a key. Pure. Names of variables and members as the programs'
 * own documentation has them (read 2026-11); the key stands where a shell or a file wants it.
 */

export const programs = ['claudeCode', 'codex', 'openai', 'gemini', 'cursor', 'curl'] as const;
export type Program = (typeof programs)[number];

/** Proper names; the same in every language. */
export const programNames: Readonly<Record<Program, string>> = {
  claudeCode: 'Claude Code',
  codex: 'Codex',
  openai: 'OpenAI SDK',
  gemini: 'Gemini CLI',
  cursor: 'Cursor',
  curl: 'curl',
};

export interface Connection {
  /** Where the gateway is, without a slash at the end. */
  readonly origin: string;
  /** With `sk-`; what to put in its place while it is not to be shown. */
  readonly key: string;
  /** Models that the key may use. */
  readonly models: readonly string[];
}

export function settingsOf(program: Program, { origin, key, models }: Connection): string {
  const modelLike = (pattern: RegExp) => models.find((name) => pattern.test(name)) ?? models[0] ?? 'MODEL';
  switch (program) {
    case 'claudeCode':
      return lines(
        `export ANTHROPIC_BASE_URL=${origin}`,
        `export ANTHROPIC_AUTH_TOKEN=${key}`,
        `claude --model ${modelLike(/^claude/)}`,
      );
    case 'codex':
      return lines(
        '# ~/.codex/config.toml',
        `model = "${modelLike(/codex|^gpt-[5-9]/)}"`,
        'model_provider = "tollgate"',
        '',
        '[model_providers.tollgate]',
        'name = "Tollgate"',
        `base_url = "${origin}/v1"`,
        'env_key = "TOLLGATE_KEY"',
        'wire_api = "responses"',
        '',
        `# export TOLLGATE_KEY=${key}`,
      );
    case 'openai':
      return lines(`export OPENAI_BASE_URL=${origin}/v1`, `export OPENAI_API_KEY=${key}`);
    case 'gemini':
      return lines(
        `export GOOGLE_GEMINI_BASE_URL=${origin}`,
        `export GEMINI_API_KEY=${key}`,
        `gemini --model ${modelLike(/^gemini/)}`,
      );
    case 'cursor':
      return lines(`Override OpenAI Base URL: ${origin}/v1`, `OpenAI API Key: ${key}`, `Model: ${modelLike(/^gpt/)}`);
    case 'curl':
      return lines(
        `curl ${origin}/v1/chat/completions \\`,
        `  -H "Authorization: Bearer ${key}" \\`,
        '  -H "Content-Type: application/json" \\',
        `  -d '{"model": "${modelLike(/^gpt/)}", "messages": [{"role": "user", "content": "Hello"}]}'`,
      );
  }
}

function lines(...all: readonly string[]): string {
  return all.join('\n');
}
