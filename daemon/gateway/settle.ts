/** Step 11: what a request comes to (relay.md 15.7, 15.8, 16), put into the books without making the client wait. */
import type { BudgetBook, BudgetPlace } from '../domain/budget-book.ts';
import type { Ledger } from '../domain/ledger.ts';
import { type Charge, computeCharge, type GroupRatio, type Price } from '../domain/pricing.ts';
import type { Settlement, SettleReason } from '../domain/settlement.ts';
import type { UsageLog } from '../domain/usage-log.ts';
import type { AnswerFacts, CallFacts, FailureFacts, LogNote } from '../domain/usage-log-facts.ts';
import { askedEffort } from '../relay/asked-effort.ts';
import { emptyUsage, type Usage } from '../relay/canonical/usage.ts';
import type { Admission } from './admit.ts';
import { isTokenLimited, ratioIn } from './admit.ts';
import { answerCost, priceFailures } from './attempt-costs.ts';
import type { Spent } from './attempt-failure.ts';
import type { Caller } from './authenticate.ts';
import { budgetUses } from './budget-uses.ts';
import { isFreeBecauseEmpty } from './empty-answer.ts';
import { type Exchange, isFreeOfCharge } from './exchange.ts';
import type { ShownError } from './failure-answer.ts';
import type { Inspection } from './inspect.ts';
import type { AnswerMeter } from './lane.ts';
import type { Plan } from './plan.ts';
import type { PromptCounter } from './prompt-counter.ts';
import { promptUsage } from './prompt-usage.ts';
import { isText, leavesPromptOut, underAskedTools, withReceived } from './received-usage.ts';
import { clientRequestIdOf } from './request-id.ts';
import type { RequestMedia } from './request-media.ts';
import type { RoutedPick } from './route.ts';
import type { Trail } from './trail.ts';

/** How the attempt that is billed was made. */
export type BilledPlan = Pick<Plan, 'names' | 'droppedFields'> & {
  readonly call: Pick<Plan['call'], 'format'>;
  readonly lane: Pick<Plan['lane'], 'conversion'>;
};

/** How a request that reached an upstream ended. */
export interface Outcome {
  readonly reason: SettleReason;
  /** The attempt that answered; undefined when none did. */
  readonly served: { readonly pick: RoutedPick; readonly plan: BilledPlan } | undefined;
  /** What was said; undefined when nothing was received. */
  readonly meter: AnswerMeter | undefined;
  /** The upstream had accepted the request, so that the prompt was read (15.8). */
  readonly accepted: boolean;
  /** What an upstream did for a client that left before it had answered; undefined where that is not known. */
  readonly spent?: Spent | undefined;
  readonly streamed: boolean;
  /** Milliseconds from the request's start to its first output. */
  readonly firstTokenMs: number | undefined;
  /** What the client was told, if it was not an answer. */
  readonly error: ShownError | undefined;
  /** Set when a request failed for an upstream reason; undefined for Tollgate's own refusals. */
  readonly failure: FailureFacts | undefined;
  /** Costs nothing though it was done: a step that is free, or paid before. */
  readonly isWaived?: boolean;
  /** Quota of a session so far, and its cost: its turns are charged one by one; undefined: by the usage as a whole. */
  readonly session?: {
    readonly part: NonNullable<Settlement['session']>;
    readonly charge: number;
    readonly cost: number;
  };
}

/** Everything about the request that its settlement needs. */
export interface Account {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly inspection: Inspection;
  readonly admission: Admission;
  readonly trail: Trail;
  /** What it keeps of its caller's budgets; undefined where none is set. */
  readonly budgets?: BudgetPlace | undefined;
  /** Files that the request names by address. */
  readonly media?: Pick<RequestMedia, 'sizesOf'>;
  /** All that is held, extensions included. */
  readonly held: number;
}

export interface SettleDeps {
  /** Remote images are fetched to count their tokens when an upstream reports no usage. */
  readonly countsMedia: { readonly streamed: boolean; readonly whole: boolean };
  readonly ledger: Pick<Ledger, 'settle'>;
  readonly usageLog: UsageLog;
  /** Of channels. */
  readonly budgets: Pick<BudgetBook, 'spentOn'>;
  readonly prompts: PromptCounter;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Rows for requests that failed for an upstream reason (`ERROR_LOG_ENABLED`). */
  readonly errorLogEnabled: boolean;
}

/** What a request is charged, and why. */
export interface Bill {
  readonly settlement: Settlement;
  readonly usage: Usage;
}

/** Works the bill out and hands it to the ledger. A promise only where a prompt must be counted; the books close behind it. */
export function settle(deps: SettleDeps, account: Account, outcome: Outcome): Bill | Promise<Bill> {
  if (outcome.served === undefined) return handIn(deps, released(deps, account, outcome));
  const consumed = consumption(deps, account, outcome);
  if (!(consumed instanceof Promise)) return handIn(deps, charged(deps, account, { outcome, consumed }));
  return consumed.then((counted) => handIn(deps, charged(deps, account, { outcome, consumed: counted })));
}

/** Charges what a session has come to so far; resolves when that is in the books, or safe in the journal. */
export function settleTurn(deps: SettleDeps, account: Account, outcome: Outcome & { usage: Usage }): Promise<void> {
  const { usage } = outcome;
  const consumed = { usage, notes: notesOn(account, outcome, usage) };
  return deps.ledger.settle(charged(deps, account, { outcome, consumed }).settlement);
}

function handIn(deps: SettleDeps, bill: Bill): Bill {
  // The ledger retries and journals by itself: its promise only tells when the books are closed.
  deps.ledger.settle(bill.settlement).catch(ignore);
  return bill;
}

function ignore(): void {}

/** Gives the hold back for a request whose bill could not be made. Does nothing to one that is settled already. */
export function abandon(deps: SettleDeps, account: Account): void {
  const reason = 'upstream_error';
  handIn(
    deps,
    released(deps, account, { ...NOBODY_ANSWERED, reason, streamed: false, error: undefined, failure: undefined }),
  );
}

/** The part of an outcome that is the same for all requests that nobody answered. */
export const NOBODY_ANSWERED = {
  served: undefined,
  meter: undefined,
  accepted: false,
  firstTokenMs: undefined,
} as const;

/** Nobody answered: the hold goes back; upstream failures leave a row, Tollgate's own refusals do not (16.4). */
function released(deps: SettleDeps, account: Account, outcome: Outcome): Bill {
  const { exchange, caller, held } = account;
  const costly = exchange.view.options.get('LogConsumeEnabled') ? priceFailures(account) : [];
  const failure = deps.errorLogEnabled ? outcome.failure : undefined;
  const facts = failure === undefined && costly.length === 0 ? undefined : callFacts(deps, account, outcome);
  const rows = facts === undefined ? [] : costly.map((attempt) => deps.usageLog.attempted(facts, attempt));
  const askedLast = account.trail.lastPick?.channel.record.id ?? 0;
  if (facts !== undefined && failure !== undefined) rows.unshift(deps.usageLog.failed(facts, failure, askedLast));
  const settlement: Settlement = {
    requestId: exchange.id,
    userId: caller.user.id,
    tokenId: caller.token?.id ?? 0,
    tokenLimited: isTokenLimited(caller),
    held,
    charge: 0,
    outcome: 'released',
    reason: outcome.reason,
    channelId: 0,
    counted: false,
    rows,
    nowSeconds: Math.floor(deps.now() / 1000),
  };
  return { usage: emptyUsage(), settlement };
}

function charged(deps: SettleDeps, account: Account, what: { outcome: Outcome; consumed: Consumed }): Bill {
  const { outcome, consumed } = what;
  const { usage, notes } = consumed;
  const { price, group } = billingOf(account, outcome);
  const isUndue = isFreeOfCharge(account.exchange.endpoint) || outcome.isWaived === true || isNothing(price, outcome);
  const isFree = isUndue || notes.includes('empty-answer');
  const image = outcome.meter?.media?.image;
  const charge = isFree
    ? chargeOfNothing(price, group)
    : chargeOf(outcome, computeCharge({ price, group, usage, ...(image === undefined ? {} : { image }) }));
  const isCostless = outcome.spent === undefined ? isUndue : isFreeOfCharge(account.exchange.endpoint);
  const cost = isCostless ? 0 : costOf(outcome, { price, group, usage, image, charge: isFree ? undefined : charge });
  account.trail.answerCosts(cost);
  const answer: AnswerFacts = {
    price,
    groupRatio: group,
    usage,
    charge,
    cost,
    ...mediaFacts(outcome),
    promptColumn: outcome.served?.plan.call.format === 'anthropic-messages' ? 'exclusive' : 'inclusive',
    notes,
  };
  const isLogged = account.exchange.view.options.get('LogConsumeEnabled');
  const settlement = settlementOf(deps, account, { outcome, answer, isLogged });
  return { usage, settlement: outcome.session === undefined ? settlement : ofSession(settlement, outcome.session) };
}

/** A free session holds nothing that its turns could be charged to. The hourly figures count a session once. */
function ofSession({ hourly, ...settlement }: Settlement, { part }: NonNullable<Outcome['session']>): Settlement {
  return {
    ...settlement,
    ...(settlement.held === 0 ? {} : { session: part }),
    ...(part === 'goes-on' || hourly === undefined ? {} : { hourly }),
  };
}

/** The charge by the usage as a whole, unless the turns of a session have come to another. */
function chargeOf({ session }: Outcome, whole: Charge): Charge {
  return session === undefined ? whole : { ...whole, quota: session.charge, main: session.charge, tools: [] };
}

/** What the answer costs the operator, also where the client is charged nothing for it. */
function costOf({ session, served, spent }: Outcome, billed: Parameters<typeof answerCost>[1]): number {
  if (session !== undefined) return session.cost;
  if (served === undefined) return 0;
  if (spent === undefined) return answerCost(served.pick.channel, billed);
  return answerCost(served.pick.channel, { ...billed, usage: spent.usage, image: spent.image, charge: undefined });
}

/** What the row tells of an answer that is no text. */
function mediaFacts({ meter, session }: Outcome): Pick<AnswerFacts, 'kind' | 'image' | 'audio' | 'task'> {
  if (session !== undefined) return { kind: 'realtime' };
  if (meter?.task !== undefined) return { kind: 'task', task: meter.task };
  const { image, audio } = meter?.media ?? {};
  if (image !== undefined) return { kind: 'image', image };
  return audio === undefined ? { kind: 'text' } : { kind: 'audio', audio };
}

/** The ratios that would have applied, and no quota. */
function chargeOfNothing(price: Price, group: GroupRatio): Charge {
  return { ...computeCharge({ price, group, usage: emptyUsage() }), quota: 0, main: 0, tools: [] };
}

function settlementOf(
  deps: SettleDeps,
  account: Account,
  end: { outcome: Outcome; answer: AnswerFacts; isLogged: boolean },
): Settlement {
  const { exchange, caller, inspection, held } = account;
  const { outcome, answer } = end;
  const { prompt, completion } = answer.usage;
  return {
    requestId: exchange.id,
    userId: caller.user.id,
    tokenId: caller.token?.id ?? 0,
    tokenLimited: isTokenLimited(caller),
    held,
    charge: answer.charge.quota,
    outcome: 'settled',
    reason: outcome.reason,
    channelId: outcome.served?.pick.channel.record.id ?? 0,
    counted: !isFreeOfCharge(exchange.endpoint),
    rows: end.isLogged ? consumedRows(deps, account, { outcome, answer }) : [],
    hourly: { username: caller.user.username, modelName: inspection.model, tokens: prompt + completion },
    budgets:
      outcome.session?.part === 'goes-on' || isFreeOfCharge(exchange.endpoint)
        ? undefined
        : budgetUses(
            deps.budgets,
            { place: account.budgets, channel: outcome.served?.pick.channel.record },
            { quota: answer.charge.quota, tokens: prompt + completion },
          ),
    nowSeconds: Math.floor(deps.now() / 1000),
  };
}

/** The rows of the answer, and one for each attempt that failed at a cost. */
function consumedRows(
  deps: SettleDeps,
  account: Account,
  end: { outcome: Outcome; answer: AnswerFacts },
): Settlement['rows'] {
  const costly = priceFailures(account);
  const facts = callFacts(deps, account, end.outcome);
  const rows = deps.usageLog.consumed(facts, end.answer);
  for (const attempt of costly) rows.push(deps.usageLog.attempted(facts, attempt));
  return rows;
}

/** The price under the names of the channel that answered, and the ratio of the group that served, or the rate rule's. */
export function billingOf(account: Account, outcome: Pick<Outcome, 'served'>): { price: Price; group: GroupRatio } {
  const { admission, caller, exchange } = account;
  const { served } = outcome;
  if (served === undefined) return { price: admission.price, group: admission.group };
  const { names } = served.plan;
  const price = admission.book.find(
    { client: admission.model, bare: names.bare, upstream: names.upstream, ending: exchange.endpoint.priceEnding },
    { unpriced: false },
  );
  return { price: price ?? admission.price, group: ratioIn(admission, caller, served.pick.group) };
}

/** What a request used, and what the log remarks about it. */
interface Consumed {
  readonly usage: Usage;
  readonly notes: readonly LogNote[];
}

/** What was used: the upstream's word, and a local count of what was read and received where it has none. */
function consumption(deps: SettleDeps, account: Account, outcome: Outcome): Consumed | Promise<Consumed> {
  const { meter } = outcome;
  const { endpoint } = account.exchange;
  const reported = meter?.usage();
  if (reported !== undefined) {
    const used = withReceived(reported, outcome, endpoint);
    if (!isText(endpoint.capability) || !leavesPromptOut(used)) return consumedOf(account, outcome, used);
    return promptOf(deps, account, outcome).then(({ prompt }) =>
      consumedOf(account, outcome, { ...used, prompt, source: 'mixed' }),
    );
  }
  const received = meter?.hasOutput === true;
  if (!received && !outcome.accepted)
    return { usage: emptyUsage('estimated'), notes: notesOn(account, outcome, undefined) };
  const heard = received ? { ...meter.counted(), source: 'estimated' as const } : undefined;
  return promptOf(deps, account, outcome).then((prompt) =>
    consumedOf(account, outcome, { ...prompt, ...heard, tools: meter?.tools?.() ?? {} }),
  );
}

function consumedOf(account: Account, outcome: Outcome, used: Usage): Consumed {
  const usage = underAskedTools(used, outcome, account.inspection.json);
  return { usage, notes: notesOn(account, outcome, usage) };
}

function promptOf(deps: SettleDeps, { exchange, inspection, media }: Account, outcome: Outcome): Promise<Usage> {
  const sizesOf = looksAtMedia(deps, outcome) ? media?.sizesOf : undefined;
  return promptUsage(deps.prompts, { endpoint: exchange.endpoint, inspection }, sizesOf);
}

/** Remote images are looked at for a bill where the operator wants it, but not for a client that left (14.3). */
function looksAtMedia({ countsMedia }: SettleDeps, { reason, streamed }: Outcome): boolean {
  return reason !== 'client_gone' && (streamed ? countsMedia.streamed : countsMedia.whole);
}

function notesOn(account: Account, outcome: Outcome, usage: Usage | undefined): readonly LogNote[] {
  const { meter, reason } = outcome;
  const isWhole = reason === 'complete' && usage !== undefined && meter !== undefined;
  const isEmpty = isWhole && isFreeBecauseEmpty(account.exchange, meter, usage);
  if (usage?.source === 'upstream' && !isEmpty && outcome.reason !== 'client_gone') return NO_NOTES;
  const notes: LogNote[] = [];
  if (outcome.reason === 'client_gone') notes.push('client-gone');
  if (isEmpty) notes.push('empty-answer');
  else if (usage !== undefined && usage.source !== 'upstream') notes.push('estimated');
  if (usage !== undefined && usage.prompt + usage.completion === 0 && !hasUnits(account, usage)) notes.push('no-usage');
  return notes;
}

/** Something was counted, if no tokens; or nothing is to be counted. */
function hasUnits({ exchange }: Account, { units }: Usage): boolean {
  return isFreeOfCharge(exchange.endpoint) || Object.values(units).some((amount) => amount > 0);
}

const NO_NOTES: readonly LogNote[] = [];

/** A call price is due once any output arrived; tokens are due as counted. */
function isNothing(price: Price, { meter, reason }: Outcome): boolean {
  return price.mode !== 'token' && meter?.hasOutput !== true && reason !== 'complete';
}

function callFacts(deps: SettleDeps, account: Account, outcome: Outcome): CallFacts {
  const { exchange, caller, inspection, trail, admission } = account;
  const { served } = outcome;
  const pick = served?.pick ?? trail.lastPick;
  const isMapped = served?.plan.names.isMapped === true;
  return {
    requestId: exchange.id,
    userId: caller.user.id,
    username: caller.user.username,
    tokenId: caller.token?.id ?? 0,
    tokenName: caller.token?.name ?? 'playground',
    modelName: inspection.model,
    requestedModel: inspection.askedModel === inspection.model ? undefined : inspection.askedModel,
    group: pick?.group ?? caller.group,
    channelId: served?.pick.channel.record.id ?? 0,
    ip: exchange.view.options.get('LogClientIpEnabled') ? exchange.request.clientAddress : null,
    isStream: outcome.streamed,
    startedAtMs: exchange.startedAtMs,
    endedAtMs: deps.now(),
    firstTokenMs: outcome.firstTokenMs,
    requestPath: exchange.request.path,
    clientRequestId: clientRequestIdOf(exchange.request.headers['x-request-id']),
    conversion: served?.plan.lane.conversion,
    droppedFields: served?.plan.droppedFields,
    upstreamModel: isMapped || admission.model !== inspection.askedModel ? served?.plan.names.upstream : undefined,
    reasoningEffort: served?.plan.names.reasoningEffort ?? askedEffort(inspection.json),
    reason: outcome.reason,
    streamStatus: streamStatusOf(outcome),
    admin: {
      usedChannels: trail.usedChannels,
      keyIndex: pick !== undefined && pick.channel.keys.length > 1 ? pick.key.index : undefined,
      affinityRule: admission.route.affinityRule,
      attempts: trail.logged,
    },
  };
}

function streamStatusOf({ streamed, reason, error }: Outcome): CallFacts['streamStatus'] {
  if (!streamed || reason === 'complete') return undefined;
  return { status: 'error', end_reason: reason, ...(error && { end_error: error.code }) };
}
