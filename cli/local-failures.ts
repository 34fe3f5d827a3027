/**
 * Failures of the daemon's own code when it runs beside the daemon (`migrate`, `config`, `doctor --local`): told as a
 * sentence with an exit code. Read by shape, since the command line does not know the daemon's classes.
 */
import { configProblemText, isConfigProblem } from './config-words.ts';
import { type ExitCode, exitCodeOf, exitCodes } from './exit-codes.ts';
import { both, type Language } from './language.ts';

export interface LocalFailure {
  readonly code: string;
  readonly message: string;
  readonly exitCode: ExitCode;
  /** The flag at fault. */
  readonly field?: string;
}

/** The failure of a local command as it is told; undefined for whatever is a bug. */
export async function localFailureOf(error: unknown, language: Language): Promise<LocalFailure | undefined> {
  if (!(error instanceof Error)) return undefined;
  if ('problems' in error && Array.isArray(error.problems)) {
    const problems = error.problems.filter(isConfigProblem).map(configProblemText);
    const english = problems.map(({ en }) => en).join('; ');
    const chinese = problems.map(({ zh }) => zh).join('；');
    const message = both(`the configuration is not valid: ${english}`, `配置无效：${chinese}`)[language];
    return { code: 'config_invalid', message, exitCode: exitCodes.local };
  }
  if (!('code' in error) || typeof error.code !== 'string') return undefined;
  if ('syscall' in error) return { code: 'local', message: error.message, exitCode: exitCodes.local };
  if (!('params' in error)) return undefined;
  const { errorKind, formatError, isErrorCode } = await import('../daemon/contract/error-codes.ts');
  if (!isErrorCode(error.code) || errorKind(error.code) === 'bug') return undefined;
  const isFileAtFault = error.code === 'db_unavailable' && fileFaults.has(codeOf(error.cause) ?? '');
  const { reasonOf } = await import('../daemon/contract/error-reason.ts');
  const reason = reasonOf(error.cause);
  const text = formatError(error.code, paramsOf(error.params), language);
  return {
    code: error.code,
    message: reason === undefined ? text : `${text}: ${reason}`,
    exitCode: isFileAtFault ? exitCodes.local : exitCodeOf(error.code, errorKind(error.code)),
    ...('field' in error && typeof error.field === 'string' ? { field: error.field } : {}),
  };
}

/** What SQLite says of a file or a disk that is at fault, where no waiting helps. */
const fileFaults: ReadonlySet<string> = new Set([
  'SQLITE_CANTOPEN',
  'SQLITE_CORRUPT',
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_NOTADB',
  'SQLITE_READONLY',
]);

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}

function paramsOf(params: unknown): Record<string, string> {
  if (typeof params !== 'object' || params === null) return {};
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
}
