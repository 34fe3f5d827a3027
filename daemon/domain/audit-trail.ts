/** The audit trail as administrators read it, and the proof that nobody has touched it. */
import { type AuditFilter, type AuditRecord, auditDigest } from '../store/audits.ts';
import type { Database } from '../store/database.ts';
import type { Page, Window } from '../store/paging.ts';

/** What a reader asks for; empty and absent members do not filter. */
export interface AuditQuestion {
  /** Id or name. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly start_timestamp?: number | undefined;
  readonly end_timestamp?: number | undefined;
}

export interface ChainFinding {
  readonly intact: boolean;
  readonly rows: number;
  /** Id of the first row that does not fit; undefined when all do. */
  readonly firstBroken: number | undefined;
  /** Rows that are missing at the end. */
  readonly missing: number;
  /** Digest at the end of the chain. */
  readonly head: string;
}

/** Rows that are read at once. */
const portion = 1000;

export class AuditTrail {
  readonly #database: Database;

  constructor(deps: { readonly database: Database }) {
    this.#database = deps.database;
  }

  /** Newest first. */
  list(question: AuditQuestion, window: Window): Promise<Page<AuditRecord>> {
    return this.#database.stores.audits.list(filterOf(question), window);
  }

  /** All rows of the filter, newest first, portion by portion. */
  async *export(question: AuditQuestion): AsyncGenerator<AuditRecord[]> {
    const filter = filterOf(question);
    let beforeId: number | undefined;
    for (;;) {
      const rows = await this.#database.stores.audits.listBefore(filter, { beforeId, limit: portion });
      if (rows.length > 0) yield rows;
      beforeId = rows.at(-1)?.id;
      if (rows.length < portion) return;
    }
  }

  /** Walks the chain from its first row; rows that are written meanwhile belong to it, if they fit. */
  async verify(): Promise<ChainFinding> {
    const { audits } = this.#database.stores;
    const { chained, hash: head } = await audits.head();
    let rows = 0;
    let last = '';
    let afterId = 0;
    let reachesHead = chained === 0;
    for (;;) {
      const some = await audits.listChained({ afterId, limit: portion });
      for (const row of some) {
        rows += 1;
        if (row.prevHash !== last || row.hash !== auditDigest(row)) {
          return { intact: false, rows, firstBroken: row.id, missing: 0, head };
        }
        last = row.hash;
        afterId = row.id;
        if (rows === chained) reachesHead = last === head;
      }
      if (some.length < portion) break;
    }
    return { intact: reachesHead, rows, firstBroken: undefined, missing: Math.max(0, chained - rows), head };
  }
}

function filterOf({ actor, action, target, start_timestamp: from, end_timestamp: until }: AuditQuestion): AuditFilter {
  const id = actor !== undefined && /^\d{1,9}$/.test(actor) ? Number(actor) : undefined;
  return { actorId: id, actorName: id === undefined ? actor : undefined, action, target, from, until };
}
