/** How many requests and tokens a minute may hold, and how many calls at once, by whom they are asked and for which model (REQ-23). */
import * as z from 'zod/mini';

/** Absent or 0 = as many as come. */
export interface RateLimit {
  /** Requests a minute. */
  readonly rpm?: number;
  /** Tokens a minute. */
  readonly tpm?: number;
  /** Calls that run at once. */
  readonly concurrency?: number;
}

/**
 * Limits by name; `*` holds for each that has no entry, by itself. A group and a model are limited for all their callers
 * together; a model may be named by `prefix*`. `token` knows `*` alone: keys have limits of their own beside it.
 */
export interface RateLimitTable {
  readonly token?: Readonly<Record<string, RateLimit>>;
  readonly user?: Readonly<Record<string, RateLimit>>;
  readonly group?: Readonly<Record<string, RateLimit>>;
  readonly model?: Readonly<Record<string, RateLimit>>;
}

/** The highest limit that can be set. */
export const highestRate = 1_000_000_000;

const figure = z.exactOptional(z.int().check(z.minimum(0), z.maximum(highestRate)));
const limit = z.strictObject({ rpm: figure, tpm: figure, concurrency: figure });
const limits = z.exactOptional(
  z
    .record(z.string().check(z.minLength(1), z.maxLength(255)), limit)
    .check(z.refine((entries) => Object.keys(entries).length <= 1000, { error: 'more than 1000 entries' })),
);

export const rateLimitTable: z.ZodMiniType<RateLimitTable> = z.strictObject({
  token: z.exactOptional(z.strictObject({ '*': z.exactOptional(limit) })),
  user: limits,
  group: limits,
  model: limits,
});
