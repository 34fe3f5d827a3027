/**
 * Finds holds that nobody will ever settle and says how they end: released, once, with a row that tells why. A session
 * that was charged while it ran keeps its charge and its row, and takes that from the budgets of its caller; what is left
 * of its hold goes back.
 */
import type { ErrorCode, Language } from '../contract/error-codes.ts';
import type { BudgetOwner } from '../store/budgets.ts';
import type { Stores } from '../store/database.ts';
import type { NewLogRow } from '../store/logs.ts';
import type { ReservationRecord } from '../store/reservations.ts';
import type { BudgetPeriods } from './budget-periods.ts';
import { DEAD_AFTER_SECONDS } from './node-presence.ts';
import type { Settlement, SettleReason } from './settlement.ts';
import { readBudgets } from './subject-budgets.ts';
import { CONSUME_ROW } from './usage-log.ts';

/** Holds of dead nodes are left alone for so long. */
const ORPHAN_AFTER_SECONDS = 10 * 60;
/** Holds of this process that no request owns: the commit of a refused hold may have gone through after all. */
const DOUBTFUL_AFTER_SECONDS = 30;
/** Why nobody settled a hold, as its row tells it. */
interface Story {
  readonly content: Readonly<Record<Language, string>>;
  readonly reason: SettleReason;
  readonly code: ErrorCode;
}

const STOPPED: Story = {
  content: {
    zh: '网关在该请求结束前停止，未扣费',
    en: 'The gateway stopped before this request ended; nothing is charged',
  },
  reason: 'shutdown',
  code: 'shutting_down',
};
/** The caller was told that the books could not be reached; the hold came into them after all. */
const REFUSED: Story = {
  content: {
    zh: '计费系统未及时响应，该请求已被拒绝，未扣费',
    en: 'Accounting did not answer in time, so this request was refused; nothing is charged',
  },
  reason: 'timeout',
  code: 'accounting_unavailable',
};
/** Counts for no node, so that all of them read it. */
const SWEPT = 'swept';
/** Holds given back in one sweep; the rest waits for the next. */
const MAX_SWEPT = 1000;

export interface SweepFacts {
  readonly node: string;
  readonly nowMs: number;
  /** When this process began, in Unix seconds. */
  readonly sinceSeconds: number;
  /** Requests of this process. */
  readonly active: ReadonlySet<string>;
  /** False while another process may hold quota under the name of this node. */
  readonly ownsName: boolean;
  /** What the sweep before this one found; empty for the first. */
  readonly heartbeats: ReadonlyMap<string, number>;
  /** The site's. */
  readonly language: Language;
  readonly periods: BudgetPeriods;
}

export interface Sweep {
  readonly releases: readonly Settlement[];
  /** When each node was last alive by its own clock. */
  readonly heartbeats: ReadonlyMap<string, number>;
}

export async function sweepHolds(stores: Stores, facts: SweepFacts): Promise<Sweep> {
  const { node, active, ownsName } = facts;
  const nowSeconds = Math.floor(facts.nowMs / 1000);
  const own = ownsName ? await stores.reservations.listOpenOfNode(node, nowSeconds - DOUBTFUL_AFTER_SECONDS) : [];
  const heartbeats = await stores.nodes.heartbeats();
  const orphans = await stores.reservations.listAbandoned({
    createdBefore: nowSeconds - ORPHAN_AFTER_SECONDS,
    liveNodes: [...liveNodes(heartbeats, facts.heartbeats, nowSeconds), node],
    limit: MAX_SWEPT,
  });
  const holds = [...own.filter(({ requestId }) => !active.has(requestId)), ...orphans].slice(0, MAX_SWEPT);
  const names = await namesOf(stores, holds);
  const told = { names, nowSeconds, language: facts.language, periods: facts.periods };
  const storyOf = (hold: ReservationRecord) =>
    hold.node === node && hold.createdAt > facts.sinceSeconds ? REFUSED : STOPPED;
  return { releases: holds.map((hold) => releaseOf(hold, storyOf(hold), told)), heartbeats };
}

/** Clocks may be apart, and the database away for long: a heartbeat that moved since the last look is a living node's. */
function liveNodes(
  heartbeats: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
  nowSeconds: number,
): string[] {
  return [...heartbeats]
    .filter(([id, at]) => at >= nowSeconds - DEAD_AFTER_SECONDS || at !== before.get(id))
    .map(([id]) => id);
}

/** What the rows of a sweep have in common. */
interface Told {
  readonly names: Names;
  readonly nowSeconds: number;
  readonly language: Language;
  readonly periods: BudgetPeriods;
}

/** A caller as its row names it, with its budgets as stored. */
interface Named {
  readonly name: string;
  readonly budgets: string;
}

interface Names {
  readonly users: ReadonlyMap<number, Named>;
  readonly tokens: ReadonlyMap<number, Named>;
}

async function namesOf(stores: Stores, holds: readonly ReservationRecord[]): Promise<Names> {
  const tokens = new Map<number, Named>();
  for (const id of new Set(holds.map(({ tokenId }) => tokenId))) {
    const token = id === 0 ? undefined : await stores.tokens.find(id);
    if (token) tokens.set(id, token);
  }
  const users = await stores.users.findMany([...new Set(holds.map(({ userId }) => userId))]);
  return { users: new Map(users.map(({ id, username, budgets }) => [id, { name: username, budgets }])), tokens };
}

function releaseOf(hold: ReservationRecord, story: Story, told: Told): Settlement {
  const { requestId, userId, tokenId } = hold;
  return {
    requestId,
    userId,
    tokenId,
    tokenLimited: hold.tokenAmount > 0,
    held: hold.amount,
    session: 'ends',
    charge: hold.charged ?? 0,
    outcome: hold.charged === null ? 'released' : 'settled',
    reason: story.reason,
    channelId: 0,
    counted: false,
    nowSeconds: told.nowSeconds,
    rows: hold.charged === null ? [rowOf(hold, story, told)] : [],
    ...(hold.charged === null ? {} : { budgets: usesOf(hold, hold.charged, told) }),
  };
}

/** Of its tokens and its channel the hold knows nothing. */
function usesOf(hold: ReservationRecord, charged: number, { names, periods }: Told): Settlement['budgets'] {
  const { userId, tokenId, createdAt } = hold;
  const take = (owner: BudgetOwner, named: Named | undefined) =>
    readBudgets(named?.budgets ?? '[]').flatMap(({ kind, per }) => {
      const { startsAt } = periods.at(per, createdAt);
      const amount = kind === 'quota' ? charged : 1;
      return kind === 'tokens' ? [] : [{ ...owner, kind, per, startsAt, node: SWEPT, amount }];
    });
  return [
    ...take({ subject: 'user', subjectId: userId }, names.users.get(userId)),
    ...take({ subject: 'token', subjectId: tokenId }, names.tokens.get(tokenId)),
  ];
}

function rowOf(hold: ReservationRecord, story: Story, { names, nowSeconds, language }: Told): NewLogRow {
  const { requestId, userId, tokenId, group } = hold;
  return {
    userId,
    createdAt: nowSeconds,
    type: CONSUME_ROW,
    content: story.content[language],
    username: names.users.get(userId)?.name ?? '',
    tokenName: names.tokens.get(tokenId)?.name ?? '',
    modelName: '',
    quota: 0,
    promptTokens: 0,
    completionTokens: 0,
    useTime: Math.max(0, nowSeconds - hold.createdAt),
    isStream: false,
    channelId: 0,
    tokenId,
    group,
    other: JSON.stringify({
      settle_reason: story.reason,
      group,
      error: { type: 'tollgate_error', code: story.code, status: 503, original_status: 503 },
      admin_info: { use_channel: [], attempts: [], released_hold: hold.amount, node: hold.node },
    }),
    requestId,
    failed: true,
    ip: null,
  };
}
