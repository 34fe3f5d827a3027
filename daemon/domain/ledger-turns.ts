/**
 * Charges sessions while they run (relay.md 5.13): a turn uses up a part of the open hold, and the row of the session
 * grows with it. What was charged stands in the hold, so that a session whose node dies has paid for its turns.
 */
import type { ClosedHold, HoldEnd, HoldSpending, OpenHold, RowAmendment } from '../store/ledger-rows.ts';
import type { Stores } from '../store/stores.ts';
import type { Settlement } from './settlement.ts';

/** What a settlement of a session changes beyond those before it. */
export interface Turn {
  /** As given, but with the difference as its charge and only the row that is to be inserted. */
  readonly settlement: Settlement;
  /** The part of the hold that pays, or is given back. */
  readonly hold: ClosedHold;
  /** True from the second on: the request is counted already. */
  readonly isContinued: boolean;
}

/** Changes holds and rows of sessions inside the caller's transaction; accounts are the caller's. Turns by what was given. */
export async function takeTurns(stores: Stores, settlements: readonly Settlement[]): Promise<Map<Settlement, Turn>> {
  const newest = lastWords(settlements);
  const open = await stores.ledger.lockOpen([...newest.keys()]);
  const turns = new Map<Settlement, Turn>();
  const spendings: HoldSpending[] = [];
  const ends: HoldEnd[] = [];
  const grown: Settlement[] = [];
  for (const [requestId, settlement] of newest) {
    const hold = open.get(requestId);
    if (hold === undefined || isLate(settlement, hold)) continue;
    const turn = turnOf(settlement, hold);
    turns.set(settlement, turn);
    const charged = (hold.charged ?? 0) + turn.settlement.charge;
    if (settlement.session === 'ends') ends.push(endOf(settlement, charged));
    else spendings.push({ ...turn.hold, charged });
    if (turn.isContinued && settlement.charge === charged) grown.push(settlement);
  }
  await stores.ledger.spendHolds(spendings);
  await stores.ledger.closeHolds(ends);
  await amendRows(stores, grown);
  return turns;
}

/** By request id. As all are sums, the last word of a session in a group says those before it, and its end says all. */
function lastWords(settlements: readonly Settlement[]): Map<string, Settlement> {
  const newest = new Map<string, Settlement>();
  for (const settlement of settlements) {
    const { requestId } = settlement;
    if (newest.get(requestId)?.session !== 'ends') newest.set(requestId, settlement);
  }
  return newest;
}

/** A turn that comes after later ones, from the journal: they have said all of it. */
function isLate({ session, charge }: Settlement, { charged }: OpenHold): boolean {
  return session === 'goes-on' && charge < (charged ?? 0);
}

function turnOf(settlement: Settlement, { amount, tokenAmount, charged }: OpenHold): Turn {
  const { requestId, session, rows } = settlement;
  const isContinued = charged !== null;
  const charge = Math.max(0, settlement.charge - (charged ?? 0));
  const isEnd = session === 'ends';
  return {
    settlement: { ...settlement, charge, rows: isContinued ? [] : rows },
    hold: {
      requestId,
      amount: isEnd ? amount : Math.min(charge, amount),
      tokenAmount: isEnd ? tokenAmount : Math.min(charge, tokenAmount),
    },
    isContinued,
  };
}

function endOf({ requestId, outcome, reason, nowSeconds }: Settlement, charged: number): HoldEnd {
  const state = charged > 0 ? 'settled' : outcome;
  return { requestId, state, charged, reason, closedAt: nowSeconds };
}

/** Rows of one request become those of its sums; none where consume rows are switched off. */
async function amendRows({ ledger, logSums }: Stores, settlements: readonly Settlement[]): Promise<void> {
  const rows = settlements.flatMap(({ rows }) => rows);
  if (rows.length === 0) return;
  const ids = await ledger.rowIds(rows.map(({ requestId }) => requestId));
  const amendments: RowAmendment[] = [];
  for (const row of rows) {
    const id = ids.get(row.requestId);
    if (id !== undefined) amendments.push({ ...row, id });
  }
  await logSums.amend([...ids.values()], () => ledger.amendRows(amendments));
}
