/**
 * How a failure is told (cli.md 1.6): three parts on standard error, the last line is what to do;
 * one JSON line instead when the result would have been JSON. Returns the exit code.
 */
import { CliError } from './errors.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import type { Language } from './language.ts';
import { hints } from './output/hints.ts';
import { ReaderGone } from './streams.ts';
import { disarm, paint } from './terminal.ts';

/** What the typed client throws; read by shape, so that help and completion need not load the client. */
interface ServerFailure {
  code: string;
  kind: Parameters<typeof exitCodeOf>[1];
  message: string;
  status: number;
  requestId: string | undefined;
  field: string | undefined;
  retryAfterSeconds: number | undefined;
}

function isServerFailure(error: unknown): error is ServerFailure {
  return error instanceof Error && error.name === 'ApiError' && 'code' in error && 'status' in error;
}

/** Codes of the operating system that mean "the server was not reached". */
const notReached = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]);

function networkCode(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string' && notReached.has(at.code)) return at.code;
  }
  return undefined;
}

export interface Report {
  code: string;
  message: string;
  exitCode: number;
  status?: number;
  requestId?: string;
  field?: string;
  hint?: string;
  retryAfter?: number;
  stack?: string;
}

export interface ReportContext {
  language: Language;
  /** Words of the command, e.g. `channel test`. */
  command: string;
  /** Address of the server, for "not reached". */
  url: string | undefined;
  debug: boolean;
}

/** Reads any thrown value. */
export function describeFailure(error: unknown, context: ReportContext): Report {
  const { language } = context;
  const hint = (code: string) => hints[code]?.[language];
  if (error instanceof CliError) {
    const advice = error.hint?.[language] ?? hint(error.code);
    return {
      code: error.code,
      message: error.text[language],
      exitCode: error.exitCode,
      ...(error.field === undefined ? {} : { field: error.field }),
      ...(advice === undefined ? {} : { hint: advice }),
    };
  }
  if (isServerFailure(error)) {
    const advice = hint(error.code);
    return {
      code: error.code,
      message: error.message,
      exitCode: exitCodeOf(error.code, error.kind),
      status: error.status,
      ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
      ...(error.field === undefined ? {} : { field: error.field }),
      ...(error.retryAfterSeconds === undefined ? {} : { retryAfter: error.retryAfterSeconds }),
      ...(advice === undefined ? {} : { hint: advice }),
    };
  }
  const network = networkCode(error);
  if (network !== undefined) {
    const where = context.url ?? '';
    return {
      code: 'not_reached',
      message: language === 'zh' ? `无法连接 ${where}（${network}）` : `${where} was not reached (${network})`,
      exitCode: exitCodes.unavailable,
      hint: hint('not_reached') ?? '',
    };
  }
  const bug = error instanceof Error ? error : new Error(String(error));
  return { code: 'bug', message: bug.message, exitCode: exitCodes.bug, stack: bug.stack ?? '' };
}

/** Writes the report and returns the exit code. A reader that went away is no failure. */
export function reportFailure(
  error: unknown,
  context: ReportContext & { machine: boolean; colour: boolean; stderr: NodeJS.WritableStream },
): number {
  if (error instanceof ReaderGone) return exitCodes.done;
  const report = describeFailure(error, context);
  if (context.machine) {
    const { exitCode, requestId, retryAfter, stack, ...rest } = report;
    const line = {
      error: {
        ...rest,
        command: context.command,
        request_id: requestId,
        exit_code: exitCode,
        retry_after: retryAfter,
        ...(context.debug ? { stack } : {}),
      },
    };
    context.stderr.write(`${JSON.stringify(line)}\n`);
    return report.exitCode;
  }
  const head = paint(context.language === 'zh' ? '错误：' : 'error: ', 'red', context.colour);
  context.stderr.write(`${head}${disarm(report.message)} (${report.code})\n`);
  const details = [
    report.field === undefined ? undefined : report.field,
    report.status === undefined || report.status === 200 ? undefined : `HTTP ${report.status}`,
    report.requestId === undefined ? undefined : `request ${report.requestId}`,
  ].filter((part) => part !== undefined);
  if (details.length > 0) context.stderr.write(`  ${details.join(', ')}\n`);
  if (report.stack !== undefined && (context.debug || report.exitCode === exitCodes.bug)) {
    context.stderr.write(`${report.stack}\nnode ${process.version} ${process.platform}-${process.arch}\n`);
  }
  if (report.hint) {
    context.stderr.write(`  ${context.language === 'zh' ? '可尝试：' : 'try: '}${report.hint}\n`);
  }
  return report.exitCode;
}
