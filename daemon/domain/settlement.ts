/** What ends a hold: the facts of one settlement, checked before they reach the books (relay.md 15.7, S1). */
import type { BudgetUse } from '../store/ledger-rows.ts';
import type { NewLogRow } from '../store/logs.ts';

/** Why a request ended; in every log row as `settle_reason`. */
export type SettleReason =
  | 'complete'
  | 'upstream_error'
  | 'upstream_eof'
  | 'client_gone'
  | 'timeout'
  | 'quota_exhausted'
  | 'revoked'
  | 'shutdown';

/** One request's end. Amounts are whole quota units, never negative. */
export interface Settlement {
  readonly requestId: string;
  readonly userId: number;
  /** 0 when no token pays (playground). */
  readonly tokenId: number;
  /** True when the token's own remaining quota was held; false for unlimited tokens and the playground. */
  readonly tokenLimited: boolean;
  /** All that was held, extensions included; 0 when no hold was taken. */
  readonly held: number;
  /** What the request costs; 0 when released. */
  readonly charge: number;
  readonly outcome: 'settled' | 'released';
  readonly reason: SettleReason;
  /** Channel whose `used_quota` grows; 0 for none. */
  readonly channelId: number;
  /** Whether the user's `used_quota` and `request_count` and the channel's `used_quota` move. */
  readonly counted: boolean;
  /** Their quota adds up to `charge`; empty while consume rows are switched off. */
  readonly rows: readonly NewLogRow[];
  /**
   * Set for a session, which is charged while it runs: `goes-on` charges what it has come to so far to its open hold,
   * `ends` charges the rest and closes it. Charge and row are sums since the beginning, so that what is told late or
   * twice changes nothing. Undefined for what is charged at once.
   */
  readonly session?: 'goes-on' | 'ends';
  /** What the hourly figures gain; undefined leaves them alone (failed requests, tests). */
  readonly hourly?: { readonly username: string; readonly modelName: string; readonly tokens: number };
  /** What it takes from budgets by the period; undefined where none is set. Of a session only its end takes. */
  readonly budgets?: readonly BudgetUse[] | undefined;
  readonly nowSeconds: number;
}

/** A settlement that may be applied, and what was wrong with the one given; undefined when nothing was. */
export interface CheckedSettlement {
  readonly sound: Settlement;
  readonly fault: string | undefined;
}

/**
 * Refuses amounts that are negative, fractional or unsafe, and rows that do not add up to the charge (S1): such a
 * request is settled at the amount held instead, so that no hold stays open.
 */
export function checkedSettlement(settlement: Settlement): CheckedSettlement {
  const fault = faultOf(settlement);
  if (fault === undefined) return { sound: settlement, fault };
  const held = isAmount(settlement.held) ? settlement.held : 0;
  const charge = settlement.outcome === 'settled' ? held : 0;
  const rows = settlement.rows.map((row, index) => ({ ...row, quota: index === 0 ? charge : 0 }));
  return { sound: { ...settlement, held, charge, rows, budgets: undefined }, fault };
}

function faultOf({ held, charge, outcome, rows }: Settlement): string | undefined {
  if (!isAmount(held)) return `held ${held}`;
  if (!isAmount(charge)) return `charge ${charge}`;
  if (outcome === 'released' && charge !== 0) return `released with a charge of ${charge}`;
  const bad = rows.find((row) => !isAmount(row.quota));
  if (bad) return `row of ${bad.quota}`;
  const sum = rows.reduce((total, row) => total + row.quota, 0);
  return rows.length > 0 && sum !== charge ? `rows of ${sum} for a charge of ${charge}` : undefined;
}

function isAmount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
