/** Tests of channels, their upstreams' models and balances, and what follows from them (relay.md 12.8 to 12.10). */
import type { Lease, Leases } from '../cluster/leases.ts';
import { formatError, type Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { roles } from '../contract/roles.ts';
import { TollgateError, type UpstreamFailureFields } from '../errors.ts';
import type { ChannelView } from '../snapshots/channel-view.ts';
import type { ChannelTestRecord } from '../store/channel-tests.ts';
import type { ChannelRecord } from '../store/channels.ts';
import type { Database } from '../store/database.ts';
import type { ChannelHealth } from './channel-health.ts';
import { baseAddress, knownType } from './channel-input.ts';
import { findKey } from './channel-key-rows.ts';
import { firstKeys } from './channel-keys.ts';
import type { ChannelProbe, ProbeCall, ProbeResult, ProbeWish } from './channel-probe.ts';
import { disabledByHand, disabledBySystem } from './channel-statuses.ts';
import type { ChannelSwitch } from './channel-switch.ts';

/** Who asked for a test; a scheduled run belongs to root. */
export interface CheckOwner {
  readonly userId: number;
  readonly username: string;
}

export interface ChannelCheckDeps {
  readonly database: Database;
  readonly probe: ChannelProbe;
  readonly channelSwitch: ChannelSwitch;
  readonly health: Pick<ChannelHealth, 'failed' | 'succeeded'>;
  readonly leases: Leases;
  readonly options: () => OptionsView;
  /** The egress guard's answer for the base address of a channel. */
  readonly acceptsBaseUrl: (url: string) => boolean;
  /** Of what is kept about a test, where the words are Tollgate's own. */
  readonly language: Language;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
  readonly newRequestId: () => string;
  /** Waits between two channels of a run; ends early, without an error, when the signal says so. */
  readonly pause: (signal?: AbortSignal) => Promise<void>;
  /** Told when a run ended, and of errors that nobody waits for. */
  readonly report: (event: ChannelRunEvent) => void;
}

export type ChannelRunEvent =
  | {
      readonly kind: 'run-ended';
      readonly tested: number;
      readonly failed: number;
      /** So many could not be reached that the fault is taken for this side's: nothing was disabled. */
      readonly outage: boolean;
    }
  | { readonly kind: 'channel-failed'; readonly channelId: number; readonly cause: unknown }
  | { readonly kind: 'run-failed'; readonly cause: unknown };

/** The answer to a person's test; `code` is undefined after a success. */
export interface TestOutcome {
  readonly code: 'channel_test_failed' | 'channel_test_unsupported' | undefined;
  /** Masked; "" unless the test failed. */
  readonly reason: string;
  /** Where Tollgate says it, not the upstream: what `reason` says in English. */
  readonly own?: UpstreamFailureFields['own'];
  readonly timeMs: number;
  readonly tokens: number;
}

/** What a run has found, to be judged at its end (relay.md 12.8); a person's test only tells. */
interface RunFindings {
  readonly failures: { readonly result: ProbeResult; readonly call: ProbeCall }[];
  readonly answers: { readonly channel: ChannelRecord; readonly result: ProbeResult; readonly call: ProbeCall }[];
}

/** Which test results are wanted; absent members mean all. */
export interface TestFilter {
  readonly model: string | undefined;
  /** Unix seconds. */
  readonly since: number | undefined;
  readonly limit: number | undefined;
}

interface TestRequest extends ProbeWish {
  readonly owner: CheckOwner;
  /** Undefined for a person's test. */
  readonly findings?: RunFindings;
}

const runLease = 'channel-test';
const balanceLease = 'channel-balance';
/** A crashed run frees its lease after this long; a living one renews it. */
const runLeaseMs = 180_000;
/** Tests that one answer holds. */
const mostTests = 1000;
/** Codes of failures by which no answer came at all. */
const transportCodes: ReadonlySet<string> = new Set([
  'do_request_failed',
  'read_response_body_failed',
  'upstream_timeout',
]);
/** Where more of a run's channels than this share cannot be reached, it is not the channels that are at fault. */
const outageShare = 0.8;

export class ChannelCheckService {
  readonly #deps: ChannelCheckDeps;
  readonly #stopping = new AbortController();
  #runByHand: Promise<void> = Promise.resolve();

  constructor(deps: ChannelCheckDeps) {
    this.#deps = deps;
  }

  /** Tests one channel and stores what it found. Throws `channel_not_found`. */
  async test(owner: CheckOwner, id: number, wish: ProbeWish): Promise<TestOutcome> {
    const channel = await this.#require(id);
    const request = { ...wish, owner };
    return outcomeOf(await unlessUnsupported(() => this.#testChannel(channel, request)));
  }

  /** Tests one key of a channel, also a disabled one. Throws `channel_not_found`, `channel_key_not_found`. */
  async testKey(owner: CheckOwner, id: number, wish: ProbeWish & { readonly keyHash: string }): Promise<TestOutcome> {
    const channel = await this.#require(id);
    const { keyHash, ...how } = wish;
    const key = findKey(await this.#deps.database.stores.channelKeys.all([id]), keyHash);
    const request = { ...how, owner };
    return outcomeOf(await unlessUnsupported(() => this.#testKey(channel, request, key.id)));
  }

  /** Tests what is not saved; nothing about it is stored but the log row of the call. */
  async testDraft(owner: CheckOwner, draft: ChannelView, wish: ProbeWish): Promise<TestOutcome> {
    const call = { ...wish, owner, requestId: this.#deps.newRequestId() };
    return outcomeOf(await unlessUnsupported(() => this.#deps.probe.test(draft, call)));
  }

  /** What tests have found, newest first; of all models, or of one. Throws `channel_not_found`. */
  async history(id: number, of: TestFilter): Promise<ChannelTestRecord[]> {
    await this.#require(id);
    const { channelTests } = this.#deps.database.stores;
    const tests = await channelTests.list({ channelId: id, model: of.model, limit: mostTests });
    const since = of.since ?? 0;
    return tests.filter((test) => test.createdAt >= since).slice(0, Math.max(0, of.limit ?? mostTests));
  }

  /** Starts a run over all channels in the background. Throws `channel_test_running`. */
  async startRun(owner: CheckOwner): Promise<void> {
    const lease = await this.#deps.leases.acquire(runLease, runLeaseMs);
    if (!lease) throw new TollgateError('channel_test_running');
    this.#runByHand = this.#runUnder(lease, owner, this.#stopping.signal);
  }

  /** Ends a run that was started by hand, between two channels; resolves when its lease is free again. */
  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#runByHand;
  }

  /** Whether a run over all channels is under way, on whatever node. */
  isRunning(): Promise<boolean> {
    return this.#deps.leases.isHeld(runLease);
  }

  /** One scheduled run, on behalf of root; false when another one is under way. The signal ends it between channels. */
  async run(signal: AbortSignal): Promise<boolean> {
    const root = await this.#deps.database.stores.users.findFirstOfRole(roles.root);
    const lease = root && (await this.#deps.leases.acquire(runLease, runLeaseMs));
    if (!lease) return false;
    await this.#runUnder(lease, { userId: root.id, username: root.username }, signal);
    return true;
  }

  /** Throws `channel_not_found`, `channel_fetch_failed`. */
  async fetchModels(id: number): Promise<readonly string[]> {
    await this.#require(id);
    return this.#deps.probe.listModels(id);
  }

  /** Models of an upstream that is not saved yet. Throws `channel_type_unknown`, `channel_base_url_refused`. */
  async fetchDraftModels(draft: {
    readonly type: number | string | null | undefined;
    readonly baseUrl: string;
    readonly key: string;
  }): Promise<readonly string[]> {
    const type = knownType(draft.type);
    const baseUrl = baseAddress(draft.baseUrl);
    if (baseUrl !== '' && !this.#deps.acceptsBaseUrl(baseUrl)) {
      throw new TollgateError('channel_base_url_refused', {}, { field: 'base_url' });
    }
    const [key = ''] = firstKeys(draft.key, type);
    return this.#deps.probe.listModels({ type: type.type, baseUrl, key });
  }

  /** The balance in USD, stored; an empty one may disable the key or channel. Throws `channel_not_found` and the probe's. */
  async updateBalance(id: number): Promise<number> {
    await this.#require(id);
    const { keyId, usd } = await this.#deps.probe.balance(id);
    await this.#deps.database.stores.channels.setBalance(id, usd, this.#deps.nowSeconds());
    if (usd <= 0) {
      const requestId = this.#deps.newRequestId();
      await this.#deps.channelSwitch.disable({ channelId: id, keyId, reason: 'balance exhausted', requestId });
    }
    return usd;
  }

  /** Asks every enabled channel that has a balance query; one that fails does not stop the others. */
  async updateBalances(): Promise<void> {
    const { items } = await this.#deps.database.stores.channels.list({ status: 'enabled' }, 'id', everyRow);
    for (const { id } of items) await this.#tryBalance(id);
  }

  /** The scheduled form of it, with a pause behind every answer; false when another one is under way. */
  async runBalances(signal: AbortSignal): Promise<boolean> {
    const lease = await this.#deps.leases.acquire(balanceLease, runLeaseMs);
    if (!lease) return false;
    const renewal = keepRenewing(lease);
    try {
      const { items } = await this.#deps.database.stores.channels.list({ status: 'enabled' }, 'id', everyRow);
      for (const { id } of items) {
        if (signal.aborted || !(await lease.renew(runLeaseMs))) break;
        if (await this.#tryBalance(id)) await this.#deps.pause(signal);
      }
    } finally {
      clearInterval(renewal);
      await lease.release();
    }
    return true;
  }

  /** False when the channel told no balance. */
  async #tryBalance(id: number): Promise<boolean> {
    try {
      await this.updateBalance(id);
      return true;
    } catch (error) {
      // Most types have no balance query; what one upstream answers is no reason to skip the next.
      if (error instanceof TollgateError) return false;
      throw error;
    }
  }

  async #runUnder(lease: Lease, owner: CheckOwner, signal: AbortSignal): Promise<void> {
    const findings: RunFindings = { failures: [], answers: [] };
    const results: ProbeResult[] = [];
    const renewal = keepRenewing(lease);
    try {
      for (const channel of await this.#deps.database.stores.channels.all()) {
        if (channel.status === disabledByHand) continue;
        // A run that lost its lease ends, because another one may have begun.
        if (signal.aborted || !(await lease.renew(runLeaseMs))) break;
        const result = await this.#testInRun(channel, owner, findings);
        if (result !== undefined) results.push(result);
        await this.#deps.pause(signal);
      }
      const outage = results.filter(isUnreachable).length > results.length * outageShare;
      if (!outage) await this.#judge(findings);
      const failed = results.filter(({ ok }) => !ok).length;
      this.#deps.report({ kind: 'run-ended', tested: results.length, failed, outage });
    } catch (cause) {
      this.#deps.report({ kind: 'run-failed', cause });
    } finally {
      clearInterval(renewal);
      await lease.release();
    }
  }

  /** undefined for a channel that cannot be tested; what goes wrong with one is no reason to skip all that follow. */
  async #testInRun(channel: ChannelRecord, owner: CheckOwner, findings: RunFindings): Promise<ProbeResult | undefined> {
    const request = { owner, model: undefined, stream: 'auto', endpoint: 'auto', canary: false, findings } as const;
    try {
      return await unlessUnsupported(() => this.#testChannel(channel, request));
    } catch (cause) {
      this.#deps.report({ kind: 'channel-failed', channelId: channel.id, cause });
      return undefined;
    }
  }

  async #judge({ failures, answers }: RunFindings): Promise<void> {
    for (const { result, call } of failures) this.#failed(result, call);
    for (const { channel, call, result } of answers) await this.#judgeTime(channel, call, result);
  }

  /** Tests the channel, then each automatically disabled key of it; a key that answers is enabled again. */
  async #testChannel(channel: ChannelRecord, request: TestRequest): Promise<ProbeResult> {
    const first = await this.#testKey(channel, request, undefined);
    const keys = await this.#deps.database.stores.channelKeys.all([channel.id]);
    for (const key of keys) {
      if (key.status === disabledBySystem && key.id !== first.pick.key.id)
        await this.#testKey(channel, request, key.id);
    }
    return first;
  }

  async #testKey(channel: ChannelRecord, request: TestRequest, keyId: number | undefined): Promise<ProbeResult> {
    const { findings, ...how } = request;
    const call: ProbeCall = { ...how, keyId, requestId: this.#deps.newRequestId() };
    const result = await this.#deps.probe.test(channel.id, call);
    await this.#store(channel.id, call.owner, result);
    if (result.ok) this.#deps.health.succeeded(result.pick);
    // A run takes what answers too slowly out of routing: it does not put it in before.
    if (result.ok && !(findings !== undefined && this.#isSlow(channel, result)))
      await this.#wake(channel, call, result);
    if (result.ok) findings?.answers.push({ channel, call, result });
    else findings?.failures.push({ call, result });
    return result;
  }

  async #store(channelId: number, owner: CheckOwner, result: ProbeResult): Promise<void> {
    const testTime = this.#deps.nowSeconds();
    const { ok, model, timeMs, status } = result;
    const own = result.failure?.fields.own;
    const message = own === undefined ? result.message : formatError(own.code, own.params, this.#deps.language);
    await this.#deps.database.transaction(async (stores) => {
      await stores.channels.setTested(channelId, { responseTime: Math.round(timeMs), testTime });
      const test = { channelId, model, createdAt: testTime, ok, timeMs: Math.round(timeMs), status, message };
      await stores.channelTests.append({ ...test, actorId: owner.userId });
    });
  }

  async #wake(channel: ChannelRecord, call: ProbeCall, { pick }: ProbeResult): Promise<void> {
    const isAsleep = channel.status === disabledBySystem || pick.key.status === disabledBySystem;
    if (!isAsleep) return;
    await this.#deps.channelSwitch.enable({ channelId: channel.id, keyId: pick.key.id, requestId: call.requestId });
  }

  #failed({ pick, failure, model }: ProbeResult, call: ProbeCall): void {
    if (failure) this.#deps.health.failed(pick, failure, { requestId: call.requestId, model, disabling: 'allowed' });
  }

  /** Would a run disable the channel for it, while a threshold is set. */
  #isSlow({ autoBan }: ChannelRecord, { timeMs }: ProbeResult): boolean {
    const options = this.#deps.options();
    const threshold = options.get('ChannelDisableThreshold');
    if (autoBan === 0 || !options.get('AutomaticDisableChannelEnabled')) return false;
    return threshold > 0 && timeMs > threshold * 1000;
  }

  async #judgeTime(channel: ChannelRecord, call: ProbeCall, result: ProbeResult): Promise<void> {
    if (!this.#isSlow(channel, result)) return;
    const threshold = this.#deps.options().get('ChannelDisableThreshold');
    const seconds = (result.timeMs / 1000).toFixed(1);
    const reason = formatError('channel:response_time_exceeded', { seconds, threshold }, this.#deps.language);
    await this.#deps.channelSwitch.disable({ channelId: channel.id, reason, requestId: call.requestId });
  }

  async #require(id: number): Promise<ChannelRecord> {
    const record = await this.#deps.database.stores.channels.find(id);
    if (!record) throw new TollgateError('channel_not_found');
    return record;
  }
}

/** The upstream could not be reached, or said nothing. */
function isUnreachable({ failure }: ProbeResult): boolean {
  return failure?.fields.upstreamStatus === undefined && transportCodes.has(failure?.fields.code ?? '');
}

/** Undefined for what cannot be tested. */
async function unlessUnsupported(test: () => Promise<ProbeResult>): Promise<ProbeResult | undefined> {
  try {
    return await test();
  } catch (error) {
    if (error instanceof TollgateError && error.code === 'channel_test_unsupported') return undefined;
    throw error;
  }
}

function outcomeOf(result: ProbeResult | undefined): TestOutcome {
  if (!result) return { code: 'channel_test_unsupported', reason: '', timeMs: 0, tokens: 0 };
  const { ok, message: reason, failure, timeMs, tokens } = result;
  const own = failure?.fields.own;
  const code = ok ? undefined : 'channel_test_failed';
  return { code, reason, ...(own === undefined ? {} : { own }), timeMs, tokens };
}

/** One channel and the pause behind it may take longer than the lease lasts. */
function keepRenewing(lease: Lease): NodeJS.Timeout {
  // A renewal that fails shows when the run asks before its next channel.
  return setInterval(() => lease.renew(runLeaseMs).catch(() => undefined), runLeaseMs / 3).unref();
}

const everyRow = { offset: 0, limit: 1_000_000 } as const;
