/** One thing found beside the daemon, as `doctor --local` tells it. */
import { stat } from 'node:fs/promises';
import { reasonOf } from '../contract/error-reason.ts';

export interface LocalFinding {
  check: string;
  /** `skip` where it could not be looked at, or does not apply here. */
  result: 'ok' | 'warn' | 'fail' | 'skip';
  found: string;
  expected: string;
  /** A command where there is one; "" otherwise. */
  remedy: string;
  ms: number;
}

export type Finding = Omit<LocalFinding, 'ms' | 'check'> & { readonly check?: string };

export const ok = (found: string, more: Partial<Finding> = {}): Finding => ({
  ...more,
  ...finding('ok', found, '', ''),
});
export const skip = (found: string, more: Partial<Finding> = {}): Finding => ({
  ...more,
  ...finding('skip', found, '', ''),
});

export function finding(result: LocalFinding['result'], found: string, expected: string, remedy: string): Finding {
  return { result, found, expected, remedy };
}

export function whyNot(error: unknown): string {
  return reasonOf(error) ?? String(error);
}

/** Throws where nobody can tell: a folder that this user may not enter holds its files all the same. */
export async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
