/** What ends a hold: the facts of one settlement, checked before they reach the books (relay.md 15.7, S1). */
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
  /** What the hourly figures gain; undefined leaves them alone (failed requests, tests). */
  readonly hourly?: { readonly username: string; readonly modelName: string; readonly tokens: number };
  readonly nowSeconds: number;
}
