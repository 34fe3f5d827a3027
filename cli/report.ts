/**
 * How a failure is told (cli.md 1.6): three parts on standard error, the last line is what to do;
 * one JSON line instead when the result would have been JSON. Returns the exit code.
 */
import { CliError } from './errors.ts';
import { type ExitCode, exitCodeOf, exitCodeOfStatus, exitCodes } from './exit-codes.ts';
import { filled, type Named, signInAgain } from './hint-words.ts';
import { type Bilingual, both, type Language } from './language.ts';
import { localFailureOf } from './local-failures.ts';
import { hints } from './output/hints.ts';
import { disarm, disarmJson, paint } from './terminal.ts';
import { ownFailureIn, reasonOf, unreachedHint, unreachedText } from './unreached.ts';
import { version } from './version.ts';

/** What the typed client throws; read by shape, so that help and completion need not load the client. */
interface ServerFailure extends Error {
  code: string;
  status: number;
  requestId: string | undefined;
  field: string | undefined;
  retryAfter: number | undefined;
}

/** The client's own codes: no answer came, or none that keeps the contract. */
const clientCodes: Readonly<Record<string, ExitCode>> = {
  network_error: exitCodes.unavailable,
  timeout: exitCodes.unavailable,
  aborted: exitCodes.interrupted,
  invalid_answer: exitCodes.bug,
};

/** Codes that mean "not signed in", whose reports name the token in use. */
const tokenCodes: ReadonlySet<string> = new Set([
  'auth_required',
  'access_token_invalid',
  'machine_token_expired',
  'machine_token_invalid',
  'session_expired',
  'user_gone',
]);

const tokenFrom: Readonly<Record<Language, (source: string) => string>> = {
  en: (source) => `token from ${source}`,
  zh: (source) => `令牌来源：${source}`,
};

/** What is said of an answer that the contract does not know. */
const foreign: Readonly<Record<Language, (error: ServerFailure) => string>> = {
  en: ({ message }) => `this is no answer of Tollgate: ${message}`,
  zh: ({ message }) => `返回的不是 Tollgate 的响应：${message}`,
};

/** What to do about a bug here, or an answer that breaks the contract. */
const bugHint = both(
  'report it: open an issue of the project (README.md, Help) with the lines above and what you ran',
  '请报告此问题：在项目中提交 issue（见 README.md 的 Help），附上以上内容与所执行的命令',
);

/** Kind of a server code; undefined for codes of a newer server. */
async function exitCodeFor(failure: ServerFailure): Promise<ExitCode> {
  const own = clientCodes[failure.code];
  // What stands before the server may refuse a call or not reach it, but does not know what there is.
  const isTold = own === exitCodes.bug && failure.status !== 404;
  if (own !== undefined) return (isTold ? exitCodeOfStatus(failure.status) : undefined) ?? own;
  const { errorKind, isErrorCode } = await import('../daemon/contract/error-codes.ts');
  if (isErrorCode(failure.code)) return exitCodeOf(failure.code, errorKind(failure.code));
  return exitCodeOfStatus(failure.status) ?? exitCodeOf(failure.code, undefined);
}

export function isServerFailure(error: unknown): error is ServerFailure {
  return error instanceof Error && error.name === 'ApiError' && 'code' in error && 'status' in error;
}

export interface Report {
  code: string;
  message: string;
  exitCode: number;
  status?: number;
  requestId?: string;
  field?: string;
  /** Where the token came from that the server did not take. */
  source?: string;
  hint?: string;
  retryAfter?: number;
  stack?: string;
}

export interface ReportContext {
  language: Language;
  /** What hints leave open. */
  named?: Named;
  /** Words of the command, e.g. `channel test`. */
  command: string;
  /** Address of the server, for "not reached". */
  url: string | undefined;
  /** Where the token in use came from, for "not signed in". */
  tokenSource?: Bilingual | undefined;
  /** The profile that `--profile` names where its token is the one in use: to sign in again it must be named again. */
  namedProfile?: string | undefined;
  /** How the command is run again without taking effect twice, where it sent what a key makes safe to repeat. */
  again?: Bilingual | undefined;
  debug: boolean;
}

/** Reads any thrown value. */
export async function describeFailure(
  error: unknown,
  context: Pick<ReportContext, 'language' | 'url' | 'named'>,
): Promise<Report> {
  if (isServerFailure(error)) {
    const own = ownFailureIn(error.cause);
    if (own !== undefined) return describeFailure(own, context);
  }
  const { language, named } = context;
  const hint = (code: string, own?: Named) => {
    const text = hints[code]?.[language];
    return text === undefined ? undefined : filled(text, { ...named, ...own });
  };
  if (error instanceof CliError) {
    const advice = error.hint?.[language] ?? hint(error.code, error.named);
    return {
      code: error.code,
      message: error.text[language],
      exitCode: error.exitCode,
      ...(error.field === undefined ? {} : { field: error.field }),
      ...(advice === undefined ? {} : { hint: advice }),
    };
  }
  if (isServerFailure(error)) {
    const unreached = error.status === 0 && clientCodes[error.code] === exitCodes.unavailable;
    // The field of an option is its key.
    const own = error.code === 'option_invalid' && error.field !== undefined ? { key: error.field } : {};
    const reason = unreached ? reasonOf(error.cause) : '';
    const advice = unreached ? unreachedHint(reason)[language] : hint(error.code, own);
    return {
      code: error.code,
      message: unreached
        ? unreachedText(context.url ?? '', reason)[language]
        : error.code === 'invalid_answer'
          ? foreign[language](error)
          : error.message,
      exitCode: await exitCodeFor(error),
      ...(error.status === 0 ? {} : { status: error.status }),
      ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
      ...(error.field === undefined ? {} : { field: error.field }),
      ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }),
      ...(advice === undefined ? {} : { hint: advice }),
    };
  }
  const local = await localFailureOf(error, language);
  if (local !== undefined) {
    // Beside the daemon it is the database that is asked, not the server: its own, or one that a flag names.
    const away = local.field === undefined ? 'local_db_unavailable' : 'target_db_unavailable';
    const unavailable = local.exitCode === exitCodes.local ? 'db_file_at_fault' : away;
    const advice = hint(local.code === 'db_unavailable' ? unavailable : local.code);
    return { ...local, ...(advice === undefined ? {} : { hint: advice }) };
  }
  const bug = error instanceof Error ? error : new Error(String(error));
  return { code: 'bug', message: bug.message, exitCode: exitCodes.bug, stack: bug.stack ?? '' };
}

/** A failure under the names that JSON has for it. */
export function failureMembers({
  exitCode,
  requestId,
  retryAfter,
  stack: _,
  ...rest
}: Report): Record<string, unknown> {
  return { ...rest, request_id: requestId, exit_code: exitCode, retry_after: retryAfter };
}

/** What only the end of a command adds: the token in use, the help of the command, and where to report a bug. */
function completed(report: Report, { language, tokenSource, namedProfile, command, again }: ReportContext): Report {
  const isWrong = report.exitCode === exitCodes.usage && report.code !== 'declined';
  const help = isWrong ? `tollgate ${command} --help` : undefined;
  const isNotSignedIn = tokenSource !== undefined && tokenCodes.has(report.code);
  const signIn = isNotSignedIn && namedProfile !== undefined ? signInAgain(namedProfile) : undefined;
  // A server that failed may have done what it was asked before it did.
  const repeat = (report.status ?? 0) >= 500 ? again?.[language] : undefined;
  const bug = report.exitCode === exitCodes.bug ? bugHint[language] : undefined;
  const hints = [signIn ?? report.hint ?? help, repeat, bug];
  const hint = hints.filter((part) => part !== undefined).join('; ');
  return {
    ...report,
    ...(isNotSignedIn ? { source: tokenSource[language] } : {}),
    ...(hint === '' ? {} : { hint }),
  };
}

/** Writes the report and returns the exit code. */
export async function reportFailure(
  error: unknown,
  context: ReportContext & { machine: boolean; colour: boolean; stderr: NodeJS.WritableStream },
): Promise<number> {
  const report = completed(await describeFailure(error, context), context);
  if (context.machine) {
    const line = {
      error: {
        ...failureMembers(report),
        command: context.command,
        ...(context.debug ? { stack: report.stack } : {}),
      },
    };
    context.stderr.write(`${disarmJson(JSON.stringify(line))}\n`);
    return report.exitCode;
  }
  const head = paint(context.language === 'zh' ? '错误：' : 'error: ', 'red', context.colour);
  // Code, field and request id are the server's words as well.
  const write = (text: string) => context.stderr.write(`${disarm(text)}\n`);
  context.stderr.write(head);
  write(`${report.message} (${report.code})`);
  const details = [
    report.field === undefined ? undefined : report.field,
    report.source === undefined ? undefined : tokenFrom[context.language](report.source),
    report.status === undefined || report.status === 200 ? undefined : `HTTP ${report.status}`,
    report.requestId === undefined ? undefined : `request ${report.requestId}`,
  ].filter((part) => part !== undefined);
  if (details.length > 0) write(`  ${details.join(', ')}`);
  if (report.exitCode === exitCodes.bug) {
    const program = `tollgate ${version}, node ${process.version}, ${process.platform}-${process.arch}`;
    write(`${report.stack === undefined ? '' : `${report.stack}\n`}${program}`);
  }
  if (report.hint) {
    write(`  ${context.language === 'zh' ? '可尝试：' : 'try: '}${report.hint}`);
  }
  return report.exitCode;
}
