/**
 * What the process says about itself: structured log lines and metrics. This room knows neither Koa nor SQL. Lines are
 * JSON, one each, on standard error, and pass the redactor before they are written.
 */
import { pino } from 'pino';
import { redact } from './redact.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Facts of a line. An error belongs under `err` or `cause`; what caused it is followed. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes one line. */
export interface LogMethod {
  (fields: LogFields, message: string): void;
  (message: string): void;
}

export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  /** A logger whose every line carries these fields as well. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Where finished lines go, each with its line end; standard error when absent. */
  readonly write?: (line: string) => void;
  /** Fields of every line, e.g. the node. */
  readonly fields?: LogFields;
}

/** Makes the logger of the process; there is one, handed down. */
export function createLogger(options: LoggerOptions): Logger {
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  return pino(
    {
      level: options.level,
      base: options.fields ?? {},
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeFailure, cause: describeFailure },
    },
    { write: (line: string) => write(redact(line)) },
  );
}

function describeFailure(failure: unknown): unknown {
  return describeError(failure, 0);
}

/** How many causes of an error are followed. */
const deepest = 5;

/** An error as plain data: name, code, message, stack and causes. Other members are left out, they may hold anything. */
function describeError(error: unknown, depth: number): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' ? '[object]' : error;
  const { name, message, stack, cause } = error;
  const code =
    'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? error.code : undefined;
  return {
    name,
    ...(code === undefined ? {} : { code }),
    message,
    stack,
    ...(cause === undefined || depth >= deepest ? {} : { cause: describeError(cause, depth + 1) }),
  };
}
