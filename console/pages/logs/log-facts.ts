/** Reads what stands in a row's `other`, which any version of the daemon may have written. */

type Facts = Readonly<Record<string, unknown>>;

export function isFacts(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function numberAt(facts: unknown, name: string): number | undefined {
  const value = isFacts(facts) ? facts[name] : undefined;
  return typeof value === 'number' ? value : undefined;
}

export function textAt(facts: unknown, name: string): string | undefined {
  const value = isFacts(facts) ? facts[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The texts of a list in one; undefined for anything else. */
export function listOf(value: unknown, separator = ', '): string | undefined {
  return Array.isArray(value) && value.length > 0 ? value.map(String).join(separator) : undefined;
}

/** Why a call or its stream ended, as the daemon writes it. */
export const endReasons = [
  'complete',
  'upstream_error',
  'upstream_eof',
  'client_gone',
  'timeout',
  'quota_exhausted',
  'revoked',
  'shutdown',
] as const;

export interface Attempt {
  readonly channel: number;
  readonly key: string;
  /** HTTP status of the upstream; 0 when it never answered. */
  readonly status: number;
  readonly code: string;
  readonly ms: number;
  readonly message: string;
}

export function attemptsOf(facts: Facts): readonly Attempt[] {
  const admin = facts.admin_info;
  const attempts = isFacts(admin) ? admin.attempts : undefined;
  if (!Array.isArray(attempts)) return [];
  return attempts.filter(isFacts).map((attempt) => ({
    channel: numberAt(attempt, 'channel') ?? 0,
    key: String(numberAt(attempt, 'key') ?? 0),
    status: numberAt(attempt, 'status') ?? 0,
    code: textAt(attempt, 'code') ?? '',
    ms: numberAt(attempt, 'ms') ?? 0,
    message: textAt(attempt, 'message') ?? '',
  }));
}

/** Channels tried, in order; empty for those who may not know. */
export function triedChannels(facts: Facts): readonly string[] {
  const admin = facts.admin_info;
  const tried = isFacts(admin) ? admin.use_channel : undefined;
  return Array.isArray(tried) ? tried.map(String) : [];
}
