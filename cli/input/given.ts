/** Texts and secrets that a command is given: as they stand, or from where they say. Standard input is read once. */
import { usageError } from '../errors.ts';
import { type Bilingual, both } from '../language.ts';
import { readSecret, readValue, type TextSources } from './text.ts';

export interface GivenTextsDeps {
  sources: TextSources;
  /** Whether standard input is a terminal, at which somebody has to type. */
  isTyped: boolean;
  note(text: Bilingual): void;
}

export class GivenTexts {
  readonly #deps: GivenTextsDeps;
  /** What standard input was read for. */
  #stdinReader: string | undefined;

  constructor(deps: GivenTextsDeps) {
    this.#deps = deps;
  }

  /** A text, list or JSON argument from wherever it stands. Throws exit 3 and 12. */
  async value(text: string, field: string): Promise<string> {
    if (text === '-') this.#beforeStdin(field);
    return readValue(text, field, this.#deps.sources);
  }

  /** A secret; one written on the command line works with a warning. Throws exit 3 and 12. */
  async secret(text: string, field: string): Promise<string> {
    if (text === '-') this.#beforeStdin(field);
    const { secret, literal } = await readSecret(text, field, this.#deps.sources);
    if (literal) {
      this.#deps.note(
        both(
          `${field}: the process list shows this secret; use env:NAME, @file or -`,
          `${field}：进程列表会暴露该密钥；请使用 env:NAME、@file 或 -`,
        ),
      );
    }
    return secret;
  }

  /** Throws exit 3 where standard input is wanted twice: what was read is gone. */
  #beforeStdin(field: string): void {
    const before = this.#stdinReader;
    if (before !== undefined) {
      throw usageError(both(`- is read once, here for ${before}`, `- 只能读取一次，此处已用于 ${before}`), { field });
    }
    this.#stdinReader = field;
    if (this.#deps.isTyped) {
      this.#deps.note(both(`${field}: type it, and end with Ctrl-D`, `${field}：请输入，按 Ctrl-D 结束`));
    }
  }
}
