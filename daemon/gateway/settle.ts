/** Step 11: what a request comes to (relay.md 15.7, 15.8, 16), put into the books without making the client wait. */
import type { Ledger } from '../domain/ledger.ts';
import { computeCharge, type GroupRatio, type Price } from '../domain/pricing.ts';
import type { Settlement, SettleReason } from '../domain/settlement.ts';
import type { UsageLog } from '../domain/usage-log.ts';
import type { AnswerFacts, CallFacts, FailureFacts, LogNote } from '../domain/usage-log-facts.ts';
import { emptyUsage, type Usage } from '../relay/canonical/usage.ts';
import type { Admission } from './admit.ts';
import { isTokenLimited } from './admit.ts';
import type { Caller } from './authenticate.ts';
import type { Exchange } from './exchange.ts';
import type { ShownError } from './failure-answer.ts';
import type { Inspection } from './inspect.ts';
import type { AnswerMeter } from './lane.ts';
import type { Plan } from './plan.ts';
import type { PromptCounter } from './prompt-counter.ts';
import type { RoutedPick } from './route.ts';
import type { Trail } from './trail.ts';

/** How a request that reached an upstream ended. */
export interface Outcome {
  readonly reason: SettleReason;
  /** The attempt that answered; undefined when none did. */
  readonly served: { readonly pick: RoutedPick; readonly plan: Plan } | undefined;
  /** What was said; undefined when nothing was received. */
  readonly meter: AnswerMeter | undefined;
  /** The upstream had accepted the request, so that the prompt was read (15.8). */
  readonly accepted: boolean;
  readonly streamed: boolean;
  /** Milliseconds from the request's start to its first output. */
  readonly firstTokenMs: number | undefined;
  /** What the client was told, if it was not an answer. */
  readonly error: ShownError | undefined;
  /** Set when a request failed for an upstream reason; undefined for Tollgate's own refusals. */
  readonly failure: FailureFacts | undefined;
}

/** Everything about the request that its settlement needs. */
export interface Account {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly inspection: Inspection;
  readonly admission: Admission;
  readonly trail: Trail;
  /** All that is held, extensions included. */
  readonly held: number;
}

export interface SettleDeps {
  readonly ledger: Pick<Ledger, 'settle'>;
  readonly usageLog: UsageLog;
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

/** Works the bill out and hands it to the ledger. Resolves when the bill is made, not when it is in the books. */
export async function settle(deps: SettleDeps, account: Account, outcome: Outcome): Promise<Bill> {
  const bill = outcome.served === undefined ? released(deps, account, outcome) : await charged(deps, account, outcome);
  // The ledger retries and journals by itself: its promise only tells when the books are closed.
  deps.ledger.settle(bill.settlement).catch(() => undefined);
  return bill;
}

/** Nobody answered: the hold goes back; upstream failures leave a row, Tollgate's own refusals do not (16.4). */
function released(deps: SettleDeps, account: Account, outcome: Outcome): Bill {
  const logged = outcome.failure !== undefined && deps.errorLogEnabled;
  const rows =
    logged && outcome.failure !== undefined
      ? [deps.usageLog.failed(callFacts(deps, account, outcome), outcome.failure)]
      : [];
  const usage = emptyUsage();
  return { usage, settlement: { ...settlementBase(deps, account, outcome), charge: 0, outcome: 'released', rows } };
}

async function charged(deps: SettleDeps, account: Account, outcome: Outcome): Promise<Bill> {
  const { price, group } = billingOf(account, outcome);
  const { usage, notes } = await consumption(deps, account, outcome);
  const free = notes.includes('empty-answer') || isNothing(usage, price, outcome);
  const charge = computeCharge({ price, group, usage: free ? emptyUsage(usage.source) : usage });
  const amount = free ? { ...charge, quota: 0, main: 0, tools: [] } : charge;
  const answer: AnswerFacts = {
    price,
    groupRatio: group,
    usage,
    charge: amount,
    kind: 'text',
    promptColumn: outcome.served?.plan.call.format === 'anthropic-messages' ? 'exclusive' : 'inclusive',
    notes,
  };
  const rows = account.exchange.view.options.get('LogConsumeEnabled')
    ? deps.usageLog.consumed(callFacts(deps, account, outcome), answer)
    : [];
  const tokens = usage.prompt + usage.completion;
  const { user } = account.caller;
  const settlement: Settlement = {
    ...settlementBase(deps, account, outcome),
    charge: amount.quota,
    outcome: 'settled',
    rows,
    counted: true,
    hourly: { username: user.username, modelName: account.inspection.model, tokens },
  };
  return { settlement, usage };
}

/** The price under the names of the channel that answered, and the ratio of the group that served. */
export function billingOf(account: Account, outcome: Pick<Outcome, 'served'>): { price: Price; group: GroupRatio } {
  const { admission, caller } = account;
  const { served } = outcome;
  if (served === undefined) return { price: admission.price, group: admission.group };
  const { names } = served.plan;
  const price = admission.book.find(
    { client: admission.model, bare: names.bare, upstream: names.upstream },
    { unpriced: false },
  );
  return { price: price ?? admission.price, group: admission.book.groupRatio(caller.user.group, served.pick.group) };
}

/** What was used: the upstream's word, else a local count of what was read and received. */
async function consumption(
  deps: SettleDeps,
  account: Account,
  outcome: Outcome,
): Promise<{ usage: Usage; notes: LogNote[] }> {
  const { meter, reason } = outcome;
  const notes: LogNote[] = reason === 'client_gone' ? ['client-gone'] : [];
  const reported = meter?.usage();
  if (reported !== undefined) {
    if (isFreeBecauseEmpty(account, outcome, reported)) notes.push('empty-answer');
    return { usage: reported, notes };
  }
  const received = meter?.hasOutput === true;
  if (!received && !outcome.accepted) return { usage: emptyUsage('estimated'), notes };
  const usage = emptyUsage('estimated');
  usage.prompt = await deps.prompts.count(account.exchange.endpoint.format, account.inspection);
  if (received) usage.completion = meter.outputTokens();
  if (isFreeBecauseEmpty(account, outcome, usage)) notes.push('empty-answer');
  else notes.push('estimated');
  return { usage, notes };
}

const SHORT_ANSWER_TOKENS = 10;

function isFreeBecauseEmpty(account: Account, outcome: Outcome, usage: Usage): boolean {
  if (usage.completion > SHORT_ANSWER_TOKENS || outcome.meter === undefined || outcome.reason !== 'complete')
    return false;
  const { capability } = account.exchange.endpoint;
  if (capability !== 'chat' && capability !== 'completions') return false;
  return account.exchange.view.options.get('EmptyAnswerFree') && outcome.meter.isBlank();
}

/** A call price is due once any output arrived; tokens are due as counted. */
function isNothing(usage: Usage, price: Price, outcome: Outcome): boolean {
  if (price.mode === 'token') return false;
  return outcome.meter?.hasOutput !== true && usage.completion === 0 && outcome.reason !== 'complete';
}

function settlementBase(deps: SettleDeps, account: Account, outcome: Outcome) {
  const { exchange, caller, held } = account;
  return {
    requestId: exchange.id,
    userId: caller.user.id,
    tokenId: caller.token?.id ?? 0,
    tokenLimited: isTokenLimited(caller),
    held,
    reason: outcome.reason,
    channelId: outcome.served?.pick.channel.record.id ?? 0,
    counted: false,
    nowSeconds: Math.floor(deps.now() / 1000),
  };
}

function callFacts(deps: SettleDeps, account: Account, outcome: Outcome): CallFacts {
  const { exchange, caller, inspection, trail, admission } = account;
  const { served, error } = outcome;
  const pick = served?.pick ?? trail.lastPick;
  const withIp = exchange.view.options.get('LogClientIpEnabled');
  const isMapped = served !== undefined && served.plan.names.upstream !== served.plan.names.bare;
  return {
    requestId: exchange.id,
    userId: caller.user.id,
    username: caller.user.username,
    tokenId: caller.token?.id ?? 0,
    tokenName: caller.token?.name ?? 'playground',
    modelName: inspection.model,
    group: pick?.group ?? caller.group,
    channelId: served?.pick.channel.record.id ?? 0,
    ip: withIp ? exchange.request.clientAddress : null,
    isStream: outcome.streamed,
    startedAtMs: exchange.startedAtMs,
    endedAtMs: deps.now(),
    firstTokenMs: outcome.firstTokenMs,
    requestPath: exchange.request.path,
    conversion: served?.plan.lane.conversion,
    droppedFields: served?.plan.droppedFields,
    upstreamModel: isMapped || admission.model !== inspection.model ? served?.plan.names.upstream : undefined,
    reasoningEffort: served?.plan.names.reasoningEffort,
    reason: outcome.reason,
    ...(error === undefined || !outcome.streamed
      ? {}
      : { streamStatus: { status: 'error', end_reason: outcome.reason, end_error: error.code } }),
    admin: {
      usedChannels: trail.usedChannels,
      keyIndex: pick !== undefined && pick.channel.keys.length > 1 ? pick.key.index : undefined,
      affinityRule: admission.route.affinityRule,
      attempts: trail.attempts,
    },
  };
}
