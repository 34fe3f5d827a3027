/** Failures that the command line itself finds, with the exit code they lead to and the line that says what to do. */
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type Bilingual, both } from './language.ts';

export interface CliErrorOptions {
  /** What to do next; the last line of the report. */
  hint?: Bilingual;
  /** The flag or argument at fault. */
  field?: string;
  /** Words for what its hint leaves open, as `hint-words.ts` takes them. */
  named?: Readonly<Record<string, string>>;
  cause?: unknown;
}

/** A failure found on this side of the wire. */
export class CliError extends Error {
  readonly code: string;
  readonly text: Bilingual;
  readonly exitCode: ExitCode;
  readonly hint: Bilingual | undefined;
  readonly field: string | undefined;
  readonly named: Readonly<Record<string, string>> | undefined;

  constructor(code: string, exitCode: ExitCode, text: Bilingual, options: CliErrorOptions = {}) {
    super(text.en, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CliError';
    this.code = code;
    this.text = text;
    this.exitCode = exitCode;
    this.hint = options.hint;
    this.field = options.field;
    this.named = options.named;
  }
}

/** A bad or missing flag, argument or answer: exit 3. */
export function usageError(text: Bilingual, options: CliErrorOptions = {}): CliError {
  return new CliError('usage', exitCodes.usage, text, options);
}

/** A local file or disk at fault: exit 12. */
export function localError(text: Bilingual, options: CliErrorOptions = {}): CliError {
  return new CliError('local', exitCodes.local, text, options);
}

const unchanged = both('nothing was changed', '未做任何更改');

/** A question that was answered with no, or with another name than the one asked for: exit 3. */
export function declined(): CliError {
  return new CliError('declined', exitCodes.usage, unchanged);
}

/** A question that was left with Ctrl-C or Escape: exit 130. */
export function questionLeft(text: Bilingual = unchanged, options: CliErrorOptions = {}): CliError {
  return new CliError('interrupted', exitCodes.interrupted, text, options);
}
