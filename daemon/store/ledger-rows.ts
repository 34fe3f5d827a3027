/** What the ledger's statements take, and the forms in which it reaches them. */
import type { LogRecord, NewLogRow } from './logs.ts';

/** Quota to take from a user or token; negative gives it back. */
export interface Debit {
  readonly id: number;
  readonly amount: number;
}

/** A row of `quota_reservations` to open. */
export interface NewHold {
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly group: string;
  readonly amount: number;
  /** The part of `amount` that the token's remaining quota gave: all of it or 0. */
  readonly tokenAmount: number;
  readonly node: string;
  readonly createdAt: number;
}

export interface HoldExtension {
  readonly requestId: string;
  readonly amount: number;
  readonly tokenAmount: number;
}

/** What an open hold has left. */
export interface OpenHold {
  readonly amount: number;
  readonly tokenAmount: number;
  /** Sum of what was charged to it while open; null before the first charge. */
  readonly charged: number | null;
}

/** A part of an open hold that is used up. */
export interface HoldSpending extends HoldExtension {
  /** Sum of all charges, this one included. */
  readonly charged: number;
}

/** Figures of a row that goes on growing while its session lasts. */
export type RowAmendment = Pick<
  LogRecord,
  'id' | 'content' | 'quota' | 'promptTokens' | 'completionTokens' | 'useTime' | 'other'
> &
  Pick<NewLogRow, 'cost'>;

/** How a hold ends. */
export interface HoldEnd {
  readonly requestId: string;
  readonly state: 'settled' | 'released';
  readonly charged: number;
  readonly reason: string;
  readonly closedAt: number;
}

/** The closed row of a request that had no hold; it makes the request id known. */
export interface ClosedWithoutHold extends HoldEnd {
  readonly userId: number;
  readonly tokenId: number;
  readonly group: string;
  readonly node: string;
}

/** The end of a hold that is open with just these amounts, as far as its owner knows. */
export interface KnownHoldEnd extends HoldEnd {
  readonly amount: number;
  readonly tokenAmount: number;
}

/** A hold that this statement closed, with what it held. */
export interface ClosedHold {
  readonly requestId: string;
  readonly amount: number;
  readonly tokenAmount: number;
}

export interface UserSettlement {
  readonly id: number;
  /** Added to the balance; negative when more was used than held. */
  readonly refund: number;
  readonly used: number;
  readonly requests: number;
}

export interface TokenSettlement {
  readonly id: number;
  /** Added to the remaining quota; 0 for unlimited tokens. */
  readonly refund: number;
  /** Added to the used quota; may be negative. */
  readonly used: number;
  readonly accessedTime: number;
}

export interface ChannelSettlement {
  readonly id: number;
  readonly used: number;
}

/** What is taken from the budget of a subject; negative gives it back. */
export interface BudgetUse {
  readonly subject: 'token' | 'user' | 'channel';
  readonly subjectId: number;
  readonly kind: string;
  readonly per: string;
  /** Unix seconds at which the period began that the request belongs to, whatever is the time by now. */
  readonly startsAt: number;
  /** The node that counted it. */
  readonly node: string;
  readonly amount: number;
}

/** What a group of settlements changes besides its holds; one row an id, log rows in their order. */
export interface Settlements {
  readonly users?: readonly UserSettlement[];
  readonly tokens?: readonly TokenSettlement[];
  readonly channels?: readonly ChannelSettlement[];
  readonly rows?: readonly NewLogRow[];
  /** One row a budget, period and node. */
  readonly budgets?: readonly BudgetUse[];
}

export function holdEndList({ requestId, state, charged, reason, closedAt }: HoldEnd) {
  return [requestId, state, charged, reason, closedAt];
}

export function closedRow(end: ClosedWithoutHold) {
  return {
    request_id: end.requestId,
    state: end.state,
    charged: end.charged,
    reason: end.reason,
    closed_at: end.closedAt,
    user_id: end.userId,
    token_id: end.tokenId,
    group: end.group,
    node: end.node,
  };
}

export function tokenRow({ id, refund, used, accessedTime }: TokenSettlement) {
  return { id, refund, used, accessed_time: accessedTime };
}

/** In the order of the columns in `sqliteSettlements.logs`. */
export function logList(row: NewLogRow) {
  return [
    row.userId,
    row.createdAt,
    row.type,
    row.content,
    row.username,
    row.tokenName,
    row.modelName,
    row.quota,
    row.promptTokens,
    row.completionTokens,
    row.useTime,
    row.isStream,
    row.channelId,
    row.tokenId,
    row.group,
    row.other,
    row.requestId,
    row.failed,
    row.ip,
    // Rows of an older journal have none.
    row.cost ?? 0,
  ];
}

/** In the order of the columns of `budget_uses`. */
export function budgetList({ subject, subjectId, startsAt, kind, per, node, amount }: BudgetUse) {
  return [subject, subjectId, startsAt, kind, per, node, amount];
}

export function holdList(hold: NewHold) {
  const { requestId, userId, tokenId, group, amount, tokenAmount, node, createdAt } = hold;
  return [requestId, userId, tokenId, group, amount, tokenAmount, node, createdAt];
}

/** PostgreSQL locks in this order, so that two groups never wait for each other in a circle. */
export function byId<Row extends { readonly id: number }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((left, right) => left.id - right.id);
}
