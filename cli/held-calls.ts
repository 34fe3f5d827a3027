/** What a dry run needs to know of the contract: which calls change something, what they take, and what is secret in them. */
import * as z from 'zod/mini';
import type { PreparedCall } from '../daemon/contract/client.ts';
import { changesSomething } from '../daemon/contract/endpoint.ts';
import { errorKind, formatError, isErrorCode } from '../daemon/contract/error-codes.ts';
import { isOptionKey, optionTable } from '../daemon/contract/options.ts';
import type { UnsentCall } from './dry-run.ts';
import { CliError } from './errors.ts';
import { exitCodeOf } from './exit-codes.ts';
import { withoutQuerySecrets } from './fetch.ts';
import { both } from './language.ts';

/** A call that changes something, unless the server itself is told to do nothing. */
export function isHeldBack({ endpoint, input }: PreparedCall): boolean {
  return changesSomething(endpoint) && input.dry_run !== true;
}

/** Throws what the server would say of input that the contract does not take. */
export function refuseInput({ endpoint, input }: PreparedCall): void {
  if (endpoint.input === undefined) return;
  const parsed = z.safeParse(endpoint.input, input);
  const issue = parsed.success ? undefined : parsed.error.issues[0];
  if (issue === undefined) return;
  const code = isErrorCode(issue.message) ? issue.message : 'invalid_params';
  const text = both(formatError(code, {}, 'en'), formatError(code, {}, 'zh'));
  throw new CliError(code, exitCodeOf(code, errorKind(code)), text, { field: issue.path.map(String).join('.') });
}

const secretName = /(?:^|[_.-])(?:keys?|token|authorization|cookie|code)$|secret|password/i;

/** A body without what nobody should read over a shoulder: secrets by name, and those within addresses and JSON texts. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value === 'string') return maskedText(value);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const isSecret = secretName.test(name) && member !== '' && member !== null && typeof member !== 'boolean';
    return [name, isSecret ? '***' : masked(member)];
  });
  return Object.fromEntries(members);
}

function maskedText(text: string): string {
  if (/^\s*[{[]/.test(text)) {
    try {
      return JSON.stringify(masked(JSON.parse(text)));
    } catch {
      // A text that only looks like JSON.
    }
  }
  return withoutQuerySecrets(text).replace(/:\/\/[^/@\s]*@/g, '://***@');
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** An option is named by `key`, and its value is secret where the option is. */
function maskedOption(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('key' in body) || !('value' in body)) return masked(body);
  const { key, value } = body;
  const isSecret = typeof key === 'string' && isOptionKey(key) && optionTable[key].secret && value !== '';
  return { ...body, value: isSecret ? '***' : masked(value) };
}

/** The call as it may be shown. */
export function maskedCall({
  method,
  path,
  body,
}: {
  method: string;
  path: string;
  body: string | undefined;
}): UnsentCall {
  const members = body === undefined ? undefined : parsed(body);
  const shown = path.split('?')[0] === '/api/option/' ? maskedOption(members) : masked(members);
  return { method, path: withoutQuerySecrets(path), body: shown };
}
