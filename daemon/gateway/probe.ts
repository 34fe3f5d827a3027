/** Channel tests, model lists and balances: what the domain asks about one upstream, on the way live requests take. */
import { Readable } from 'node:stream';
import { sideReasons } from '../contract/side-reasons.ts';
import { attemptCost, costShareOf } from '../domain/attempt-cost.ts';
import type { ChannelProbe, DraftUpstream, KeyBalance, ProbeCall, ProbeResult } from '../domain/channel-probe.ts';
import type { ChannelPick } from '../domain/channel-selection.ts';
import type { Ledger } from '../domain/ledger.ts';
import { computeCharge, priceBookOf } from '../domain/pricing.ts';
import type { UsageLog } from '../domain/usage-log.ts';
import { TollgateError, type UpstreamFailure } from '../errors.ts';
import { emptyUsage } from '../relay/canonical/usage.ts';
import { maskText } from '../relay/failure-mask.ts';
import type { ProviderAdapter } from '../relay/provider.ts';
import { providerOf } from '../relay/providers/index.ts';
import type { ChannelView } from '../snapshots/channel-view.ts';
import type { Snapshot } from '../snapshots/snapshots.ts';
import type { Credentials } from '../upstream/auth/index.ts';
import { type Transport, TransportError } from '../upstream/transport.ts';
import { Attempt } from './attempt.ts';
import {
  brokenTransport,
  type FailedAttempt,
  maskedFor,
  retired,
  underStatus,
  unusableReply,
} from './attempt-failure.ts';
import { namesOn } from './call-template.ts';
import { Canary } from './canary.ts';
import type { ClientRequest } from './exchange.ts';
import { inspect } from './inspect.ts';
import type { AnswerMeter } from './lane.ts';
import { chooseLane } from './lane-choice.ts';
import { parseBody } from './parse-body.ts';
import type { Plan, Planner, PlanRequest } from './plan.ts';
import { type ProbeRequest, probeRequest } from './probe-request.ts';
import type { AttemptResult, Reply } from './reply.ts';
import { noDownloads, RequestMedia } from './request-media.ts';
import type { RoutedPick } from './route.ts';
import { SideRequests, type SideTarget, sideTarget } from './side-request.ts';

export interface ProbeDeps {
  readonly view: () => Snapshot;
  readonly planner: Planner;
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly ledger: Pick<Ledger, 'settle'>;
  readonly usageLog: UsageLog;
  /** Unix milliseconds. */
  readonly now: () => number;
}

const TEST_TIMEOUT_MS = 60_000;
const LIST_BYTES = 4 * 1024 * 1024;
const BALANCE_BYTES = 1024 * 1024;
const LAST_RESORT_MODEL = 'gpt-4o-mini';

/** What one test found out, before it is told. */
interface Finding {
  readonly meter: AnswerMeter | undefined;
  readonly failure: UpstreamFailure | undefined;
  readonly streamed: boolean;
  readonly firstTokenMs: number | undefined;
}

/** Answers the domain's questions about channels. */
export class GatewayProbe implements ChannelProbe {
  readonly #deps: ProbeDeps;

  constructor(deps: ProbeDeps) {
    this.#deps = deps;
  }

  async test(target: number | ChannelView, call: ProbeCall): Promise<ProbeResult> {
    const view = this.#deps.view();
    const channel = typeof target === 'number' ? view.channels.get(target) : target;
    const adapter = channel && providerOf(channel.record.type);
    if (channel === undefined || adapter === undefined) throw unsupported();
    const key = channel.keys.find(({ id }) => id === call.keyId) ?? enabledKey(channel);
    const canary = call.canary ? new Canary() : undefined;
    const ask = (model: string) => questionTo(adapter, channel, { model, wish: call, canary });
    const model = call.model || usualModel(channel, (name) => ask(name) !== undefined);
    if (adapter.retired !== undefined && key !== undefined) return retiredResult(adapter, { channel, key, model });
    const probe = ask(model);
    if (key === undefined || probe === undefined) throw unsupported();
    const pick = { channel, key, group: channel.groups[0] ?? 'default' };
    const startedAtMs = this.#deps.now();
    const startedMs = performance.now();
    const finding = await this.#try(planRequest(view, probe, { requestId: call.requestId, model, pick }), pick, canary);
    const timeMs = Math.round(performance.now() - startedMs);
    this.#log(view, { call, model, pick, finding, startedAtMs });
    const masked = (text: string) => maskText(text, { baseUrl: '', secrets: [key.secret] });
    const failure = finding.failure ?? canary?.judge(probe.endpoint.format, masked);
    const { prompt, completion } = (failure === undefined && finding.meter?.usage()) || emptyUsage();
    return {
      ok: failure === undefined,
      model,
      timeMs,
      tokens: prompt + completion,
      status: failure === undefined ? 200 : (failure.fields.upstreamStatus ?? 0),
      message: failure?.fields.clientText ?? '',
      pick,
      failure,
    };
  }

  async listModels(upstream: number | DraftUpstream): Promise<readonly string[]> {
    const target = this.#target(upstream);
    const request = target?.adapter.listModels?.(target.facts);
    if (target === undefined || request === undefined) {
      throw new TollgateError('channel_fetch_failed', { reason: sideReasons.untold });
    }
    return new SideRequests(this.#deps, target, 'channel_fetch_failed').askAll(request, LIST_BYTES);
  }

  async balance(channelId: number): Promise<KeyBalance> {
    const target = this.#target(channelId);
    const requests = target?.adapter.balance?.({ ...target.facts, nowMs: this.#deps.now() });
    if (target?.keyId === undefined || requests === undefined) throw new TollgateError('channel_balance_unsupported');
    const asking = new SideRequests(this.#deps, target, 'channel_balance_failed');
    let usd = 0;
    for (const request of requests) usd += await asking.ask(request, BALANCE_BYTES);
    return { keyId: target.keyId, usd };
  }

  /** @param canary hears what the answer says */
  async #try(request: PlanRequest, pick: RoutedPick, canary?: Canary): Promise<Finding> {
    const { stream } = request.inspection;
    const planned = await this.#deps.planner.plan(request, { pick, index: 0 });
    if ('unsayable' in planned) throw unsupported(planned.unsayable);
    if ('pending' in planned) throw new TypeError('a channel test names no files');
    if ('failed' in planned) return finding(pick, { failed: planned.failed, streamed: stream });
    const { plan } = planned;
    const attempt = new Attempt(plan, { wantsStream: stream, nowMs: this.#deps.now });
    const timer = setTimeout(() => attempt.callOff(), TEST_TIMEOUT_MS);
    try {
      const result = await attempt.run(this.#deps.transport);
      if (result.kind === 'failed') {
        const refused = { request, plan, failed: result.failed, pick };
        if (this.#deps.planner.learnsFrom(refused)) return await this.#try(request, pick, canary);
      }
      const failed =
        result.kind === 'reply' ? await endOf(result.reply, attempt, { plan, canary }) : failureOf(result, plan);
      const meter = result.kind === 'reply' ? meterOf(result.reply) : undefined;
      return finding(pick, { failed, streamed: stream, meter, firstTokenMs: attempt.firstOutputAgeMs });
    } finally {
      clearTimeout(timer);
    }
  }

  /** What the test would have cost stands in its row; nobody pays. */
  #log(
    view: Snapshot,
    test: { call: ProbeCall; model: string; pick: RoutedPick; finding: Finding; startedAtMs: number },
  ): void {
    const { call, model, pick, finding: found, startedAtMs } = test;
    const endedAtMs = this.#deps.now();
    const book = priceBookOf(view.options);
    const names = namesOn(pick.channel, model);
    const price = book.find({ client: model, bare: model, upstream: names?.upstream }, { unpriced: true });
    const usage = found.meter?.usage() ?? emptyUsage('estimated');
    if (price === undefined || found.failure !== undefined || !view.options.get('LogConsumeEnabled')) return;
    const groupRatio = book.groupRatio(pick.group, pick.group);
    const row = this.#deps.usageLog.tested(
      {
        requestId: call.requestId,
        userId: call.owner.userId,
        username: call.owner.username,
        tokenId: 0,
        tokenName: 'channel test',
        modelName: model,
        group: pick.group,
        channelId: pick.channel.record.id,
        ip: null,
        isStream: found.streamed,
        startedAtMs,
        endedAtMs,
        firstTokenMs: found.firstTokenMs,
        requestPath: '/api/channel/test',
        reason: 'complete',
        admin: { usedChannels: [pick.channel.record.id], attempts: [] },
      },
      {
        price,
        groupRatio,
        usage,
        charge: computeCharge({ price, group: groupRatio, usage }),
        cost: attemptCost({ price, share: costShareOf(pick.channel), usage }),
        kind: 'text',
        promptColumn: 'inclusive',
      },
    );
    const settling = this.#deps.ledger.settle({
      requestId: call.requestId,
      userId: call.owner.userId,
      tokenId: 0,
      tokenLimited: false,
      held: 0,
      charge: 0,
      outcome: 'settled',
      reason: 'complete',
      channelId: pick.channel.record.id,
      counted: false,
      rows: [row],
      nowSeconds: Math.floor(endedAtMs / 1000),
    });
    // The ledger retries and journals by itself.
    settling.catch(() => undefined);
  }

  #target(upstream: number | DraftUpstream): SideTarget | undefined {
    if (typeof upstream !== 'number') {
      const adapter = providerOf(upstream.type);
      return adapter && sideTarget(adapter, { baseUrl: upstream.baseUrl, other: '', setting: {}, key: upstream.key });
    }
    const channel = this.#deps.view().channels.get(upstream);
    const adapter = channel && providerOf(channel.record.type);
    const key = channel && enabledKey(channel);
    if (channel === undefined || adapter === undefined || key === undefined) return undefined;
    const { baseUrl, other } = channel.record;
    return sideTarget(adapter, {
      baseUrl: baseUrl ?? '',
      other: other ?? '',
      setting: channel.setting,
      key: key.secret,
      keyId: key.id,
    });
  }
}

/** Nothing is sent to a vendor that was switched off. */
function retiredResult(
  adapter: ProviderAdapter,
  target: { channel: ChannelView; key: ChannelPick['key']; model: string },
): ProbeResult {
  const { channel, key, model } = target;
  const { failure } = retired(adapter);
  const pick = { channel, key };
  return { ok: false, model, timeMs: 0, tokens: 0, status: 410, message: failure.fields.clientText, pick, failure };
}

function unsupported(cause?: TollgateError): TollgateError {
  return new TollgateError('channel_test_unsupported', {}, { cause });
}

/** What a test would ask of a model on a channel; undefined where that cannot be tested. */
function questionTo(
  adapter: ProviderAdapter,
  channel: ChannelView,
  { model, wish, canary }: { readonly model: string; readonly wish: ProbeCall; readonly canary: Canary | undefined },
): ProbeRequest | undefined {
  const upstream = namesOn(channel, model)?.upstream ?? model;
  const probe = probeRequest(adapter, { model, upstream }, wish, canary);
  return probe && chooseLane(adapter, channel, probe.endpoint) && probe;
}

/**
 * What is asked where nobody says: the channel's test model, else the first of its models that can be tested, which on a
 * channel that also draws or speaks is not always the first. One that was switched off alone says nothing of the others.
 */
function usualModel({ record, models, disabledModels }: ChannelView, isTestable: (model: string) => boolean): string {
  if (record.testModel && !disabledModels.has(record.testModel)) return record.testModel;
  const enabled = models.filter((model) => !disabledModels.has(model));
  return enabled.find(isTestable) ?? enabled[0] ?? (record.testModel || models[0] || LAST_RESORT_MODEL);
}

/** The first key that may be used, else the first that a test may bring back. */
function enabledKey({ keys }: ChannelView): ChannelPick['key'] | undefined {
  return keys.find(({ status }) => status === 1) ?? keys.find(({ status }) => status === 3) ?? keys[0];
}

function planRequest(
  view: Snapshot,
  probe: ProbeRequest,
  target: { requestId: string; model: string; pick: RoutedPick },
): PlanRequest {
  const request: ClientRequest = {
    method: 'POST',
    path: '/api/channel/test',
    headers: {},
    queryKey: undefined,
    body: Readable.from([]),
    clientAddress: '127.0.0.1',
    pathModel: probe.pathModel,
  };
  const exchange = { id: target.requestId, endpoint: probe.endpoint, request, view };
  return {
    exchange,
    inspection: inspect(exchange, parseBody(Buffer.from(JSON.stringify(probe.body)))),
    model: target.model,
    userGroup: target.pick.group,
    promptTokens: () => 0,
    conversion: 'drop',
    media: new RequestMedia(noDownloads),
  };
}

/** The failure as a live request would judge and show it. */
function finding(
  pick: RoutedPick,
  found: {
    failed: FailedAttempt | undefined;
    streamed: boolean;
    meter?: AnswerMeter | undefined;
    firstTokenMs?: number | undefined;
  },
): Finding {
  const { failed, streamed, meter, firstTokenMs } = found;
  const judged = failed && underStatus(maskedFor(failed, pick), pick.channel.statusCodeMapping);
  return { meter, failure: judged?.failure, streamed, firstTokenMs };
}

function failureOf(result: Exclude<AttemptResult, { kind: 'reply' }>, plan: Plan): FailedAttempt {
  if (result.kind === 'failed') return result.failed;
  return brokenTransport(plan, new TransportError('total-timeout', true), 'before-head');
}

function meterOf(reply: Reply): AnswerMeter {
  return reply.kind === 'whole' ? reply.answer : reply.live.reader;
}

/** Reads an answer to its end; the failure it ends with, if it does. */
function endOf(
  reply: Reply,
  attempt: Attempt,
  { plan, canary }: { readonly plan: Plan; readonly canary: Canary | undefined },
): Promise<FailedAttempt | undefined> {
  if (reply.kind === 'whole') {
    canary?.hear(reply.answer.body());
    return Promise.resolve(undefined);
  }
  const { live } = reply;
  return new Promise((resolve) => {
    live.attach({
      onBytes: (bytes) => canary?.hear(bytes),
      onEnd: () => {
        const reported = attempt.reportedFailure();
        if (reported !== undefined) resolve({ failure: reported, nature: 'unusable' });
        else resolve(live.reader.isComplete ? undefined : unusableReply(plan, 'bad_response_body'));
      },
      onBroken: (error) => resolve(brokenTransport(plan, error, 'in-body')),
    });
  });
}
