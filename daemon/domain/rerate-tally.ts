/** What a run over past charges adds up to: by whom or what they were made, and those that are left as they are. */
import { namedRequests } from '../contract/price-rerate.ts';
import type { LogRecord } from '../store/logs.ts';
import type { Uncorrectable } from './ledger-corrections.ts';
import type { RerateRefusal } from './rerated-charge.ts';

/** What the sums are by. */
export type RerateKey = 'user' | 'model' | 'group';

/** Charges with one key; quota. */
export interface RerateSum {
  readonly key: string;
  /** Rows of answers; those of tools within a call add none. */
  requests: number;
  charged: number;
  wouldBe: number;
}

/** Charges that are left as they are for one reason. */
export interface RerateLeft {
  readonly reason: RerateRefusal | Uncorrectable['reason'];
  rows: number;
  charged: number;
  /** The first ones. */
  readonly requestIds: string[];
}

export class RerateTally {
  readonly #by: RerateKey;
  readonly #sums = new Map<string, RerateSum>();
  readonly #left = new Map<RerateLeft['reason'], RerateLeft>();
  /** Rows whose charge is another under the other prices. */
  differing = 0;

  constructor(by: RerateKey) {
    this.#by = by;
  }

  /** By key. */
  get sums(): RerateSum[] {
    return [...this.#sums.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  get left(): RerateLeft[] {
    return [...this.#left.values()];
  }

  add(row: LogRecord, wouldBe: number): void {
    const key = this.#keyOf(row);
    const sum = this.#sums.get(key) ?? { key, requests: 0, charged: 0, wouldBe: 0 };
    this.#sums.set(key, sum);
    sum.requests += row.other.includes('"tool":{') ? 0 : 1;
    sum.charged += row.quota;
    sum.wouldBe += wouldBe;
    if (wouldBe !== row.quota) this.differing += 1;
  }

  leave(row: LogRecord, reason: RerateLeft['reason']): void {
    const left = this.#left.get(reason) ?? { reason, rows: 0, charged: 0, requestIds: [] };
    this.#left.set(reason, left);
    left.rows += 1;
    left.charged += row.quota;
    if (left.requestIds.length < namedRequests) left.requestIds.push(row.requestId);
  }

  #keyOf({ username, modelName, group }: LogRecord): string {
    if (this.#by === 'user') return username;
    return this.#by === 'model' ? modelName : group;
  }
}
