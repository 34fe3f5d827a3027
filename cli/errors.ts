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

/** A file that could not be read: exit 12, with the reason that the system gave. */
export function notRead(path: string, { field, cause }: { field: string; cause: unknown }): CliError {
  const reason = reasonText(cause);
  return localError(both(`cannot read ${path} (${reason})`, `无法读取 ${path}（${reason}）`), {
    field,
    cause,
    hint: both('check the path, and who may read it', '请检查路径与读取权限'),
  });
}

/** A file that could not be written: disk full, no right, no folder; what to do about it differs. Exit 12. */
export function notWritten(path: string, { field, cause }: { field: string; cause: unknown }): CliError {
  const reason = reasonText(cause);
  return localError(both(`cannot write ${path} (${reason})`, `无法写入 ${path}（${reason}）`), {
    field,
    cause,
    hint: both('check the path, who may write there, and the room on the disk', '请检查路径、写入权限与磁盘空间'),
  });
}

/** `ENOENT`, where the system has such a word. */
function reasonText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause ? String(cause.code) : cause.message;
}

const unchanged = both('nothing was changed', '未做任何更改');

/** A question that was answered with no, or with another name than the one asked for: exit 3. */
export function declined(): CliError {
  return new CliError('declined', exitCodes.usage, unchanged);
}

/** A file of the server broke off in the middle; its hint says what to do with what has come. */
export class ExportCut extends CliError {
  constructor(exitCode: ExitCode, options: CliErrorOptions) {
    super('export_cut', exitCode, both('the export was cut off', '导出被中断'), options);
  }
}

/** A question was left with Ctrl-C or Escape, which is no answer that could be corrected: exit 130. */
export class QuestionLeft extends CliError {
  constructor(text: Bilingual = unchanged, options: CliErrorOptions = {}) {
    super('interrupted', exitCodes.interrupted, text, options);
  }
}
