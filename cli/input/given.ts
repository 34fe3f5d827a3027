/** Texts and secrets that a command is given: as they stand, or from where they say. Standard input is read once. */
import type { Writable } from 'node:stream';
import { usageError } from '../errors.ts';
import { type Bilingual, both } from '../language.ts';
import { readSecret, readValue, type TextSources } from './text.ts';

export interface GivenTextsDeps {
  sources: TextSources;
  /** What shows what is typed, where standard input is a terminal. */
  terminal: Writable | undefined;
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
    if (text === '-') {
      this.#takeStdin(field);
      if (this.#deps.terminal !== undefined) this.#askToType(field);
    }
    return readValue(text, field, this.#deps.sources);
  }

  /** A secret, unseen where it is typed; one written on the command line works with a warning. Throws exit 3 and 12. */
  async secret(text: string, field: string): Promise<string> {
    const { sources, terminal, note } = this.#deps;
    if (text === '-') {
      this.#takeStdin(field);
      if (terminal !== undefined) return this.#typed(field, terminal);
    }
    const { secret, literal } = await readSecret(text, field, sources);
    if (literal) {
      note(
        both(
          `${field}: the process list shows this secret; use env:NAME, @file or -`,
          `${field}：进程列表会暴露该密钥；请使用 env:NAME、@file 或 -`,
        ),
      );
    }
    return secret;
  }

  async #typed(field: string, terminal: Writable): Promise<string> {
    const { stdin: input, signal } = this.#deps.sources;
    const { typedUnseen } = await import('./unseen.ts');
    const typing = typedUnseen({ input, output: terminal, signal });
    // Asked for once nothing is shown any more.
    this.#askToType(field);
    return (await typing).replace(/\n$/, '');
  }

  /** Throws exit 3 where standard input is wanted twice: what was read is gone. */
  #takeStdin(field: string): void {
    const before = this.#stdinReader;
    if (before !== undefined) {
      throw usageError(both(`- is read once, here for ${before}`, `- 只能读取一次，此处已用于 ${before}`), { field });
    }
    this.#stdinReader = field;
  }

  #askToType(field: string): void {
    this.#deps.note(both(`${field}: type it, and end with Ctrl-D`, `${field}：请输入，按 Ctrl-D 结束`));
  }
}
