/** What the ledger has to say to operators. The composition root turns it into log lines, metrics and audit rows. */
export type LedgerEvent =
  /** An amount that is no whole number of quota, or rows that do not add up: a bug, and an alert (S1). */
  | { readonly kind: 'invalid-amount'; readonly requestId: string; readonly detail: string }
  /** A call came to more than one request may cost, and was charged the most: prices that cannot be meant. */
  | { readonly kind: 'charge-cut'; readonly requestId: string }
  /** The database did not answer; settlements are tried again, holds refused. */
  | { readonly kind: 'database-away'; readonly cause: unknown }
  /** A hold failed for a reason that is neither the balance nor a missing database: a bug. */
  | { readonly kind: 'hold-failed'; readonly requestId: string; readonly cause: unknown }
  | { readonly kind: 'journalled'; readonly count: number }
  | { readonly kind: 'replayed'; readonly count: number }
  /** Lines of the journal that could not be read; they stand in `ledger-rejected.ndjson` once the others are in the books. */
  | { readonly kind: 'journal-damaged'; readonly path: string; readonly lines: number }
  /** The data folder cannot be written: settlements live in memory only until it can. */
  | { readonly kind: 'journal-failed'; readonly cause: unknown }
  /** The database refused a settlement for good; it stands in `ledger-rejected.ndjson`. */
  | { readonly kind: 'rejected'; readonly requestId: string; readonly cause: unknown }
  /** Holds that no running request owned were given back. */
  | { readonly kind: 'swept'; readonly count: number };
