/**
 * One realtime call from admission to settlement: the client's upgrade is accepted only when everything before it
 * succeeded, an upstream's handshake included (relay.md 5.13).
 */
import { costShareOf } from '../domain/attempt-cost.ts';
import type { Ledger } from '../domain/ledger.ts';
import type { SettleReason } from '../domain/settlement.ts';
import { TollgateError } from '../errors.ts';
import type { CountedOutput, Usage } from '../relay/canonical/usage.ts';
import { emptyUsage, reportedOutput } from '../relay/canonical/usage.ts';
import type { JpegMaker } from '../relay/pictures/jpeg-maker.ts';
import { mannerOf } from '../relay/realtime/realtime-dialect.ts';
import type { Deadlines } from '../upstream/deadlines.ts';
import { admit, holdOf, outputOf, refuseBrowserExtensions } from './admit.ts';
import { type Caller, triesOut } from './authenticate.ts';
import { checkUpgrade } from './check-upgrade.ts';
import type { Exchange } from './exchange.ts';
import { answerWithError } from './failure-answer.ts';
import type { FramePeer } from './frame-socket.ts';
import { missingIn } from './group-hold.ts';
import type { HeldCall } from './held-call.ts';
import { type Inspection, readModel } from './inspect.ts';
import type { AnswerMeter } from './lane.ts';
import { modelBehind } from './model-aliases.ts';
import type { PipelineDeps } from './pipeline.ts';
import { runSession, type SessionFacts } from './realtime.ts';
import { SessionBill, type SessionSums } from './realtime-bill.ts';
import type { OpenedSession, RealtimeHandshakes } from './realtime-handshake.ts';
import { failureFacts, refusalReason } from './refusal.ts';
import type { RoutedPick } from './route.ts';
import type { RunningWork } from './running-work.ts';
import { billingOf, NOBODY_ANSWERED, settle, settleTurn } from './settle.ts';
import { Stay } from './stay.ts';

export interface RealtimeDeps {
  readonly pipeline: PipelineDeps;
  readonly handshakes: RealtimeHandshakes;
  readonly ledger: Pick<Ledger, 'extend'>;
  readonly deadlines: Deadlines;
  readonly work: RunningWork;
  readonly jpegs: JpegMaker;
  readonly idleMs: number;
  readonly maxMs: number;
}

/** Completes the client's upgrade; undefined when the client has left. */
export type AcceptUpgrade = () => Promise<FramePeer | undefined>;

/** Runs a session to its end. Never throws: every failure has been answered when it resolves. */
export async function openRealtime(deps: RealtimeDeps, exchange: Exchange, accept: AcceptUpgrade): Promise<void> {
  const { pipeline } = deps;
  const stay = new Stay(pipeline, exchange);
  let succeeded = false;
  try {
    const caller = await stay.enter();
    refuseBrowserExtensions(exchange);
    await stay.count(caller);
    checkUpgrade(exchange.request.headers);
    const inspection = inspectUpgrade(exchange, caller);
    const admission = await admit(pipeline.admit, exchange, { caller, inspection });
    const admitted = { caller, inspection, admission };
    await stay.takeRates(admitted);
    await stay.takeBudgets(admitted);
    succeeded = await new Opening(deps, await stay.hold(admitted), stay).run(accept);
  } catch (error) {
    pipeline.serving.refuse(exchange, error);
  } finally {
    stay.leave(succeeded ? 'success' : 'failure');
  }
}

/** There is no body: the address names the model, and that is all that is asked. */
function inspectUpgrade(exchange: Exchange, { aliases }: Pick<Caller, 'aliases'>): Inspection {
  const askedModel = readModel(exchange, {});
  return {
    body: Buffer.alloc(0),
    repeatsMembers: false,
    json: {},
    askedModel,
    model: modelBehind(askedModel, aliases),
    stream: true,
    includeUsage: true,
    maxTokens: undefined,
    choices: 1,
    stateful: false,
    references: [],
  };
}

/** An admitted session: from here every exit settles. */
class Opening {
  readonly #deps: RealtimeDeps;
  readonly #call: HeldCall;
  readonly #stay: Stay;

  constructor(deps: RealtimeDeps, call: HeldCall, stay: Stay) {
    this.#deps = deps;
    this.#call = call;
    this.#stay = stay;
  }

  /** True when the session came about. */
  async run(accept: AcceptUpgrade): Promise<boolean> {
    const { exchange, caller, admission, trail, shortage } = this.#call;
    const { explain, logged } = this.#deps.pipeline.serving;
    let opened: OpenedSession | undefined;
    try {
      const { route, model } = admission;
      const disabling = triesOut(caller) ? 'spared' : 'allowed';
      opened = await this.#deps.handshakes.open({
        exchange,
        route,
        trail,
        model,
        disabling,
        shortage,
        leave: () => this.#stay.leaveChannel(),
        enter: (pick) => this.#stay.enterChannel(pick, this.#call),
        cover: (pick) => this.#cover(pick),
      });
      const client = await accept();
      if (client === undefined) throw new TollgateError('read_request_body_failed');
      await this.#serve(opened, client);
      return true;
    } catch (error) {
      opened?.socket.terminate();
      opened?.place?.left();
      const pick = opened?.pick ?? trail.lastPick;
      const shown = explain(exchange, error, pick);
      answerWithError(exchange, shown);
      const failure = failureFacts(error, trail.lastFailure, () => logged(exchange, error, pick));
      const reason = exchange.sink.gone ? 'client_gone' : refusalReason(error);
      const refused = { reason, streamed: false, error: shown, failure };
      await settle(this.#deps.pipeline.settle, this.#call, { ...NOBODY_ANSWERED, ...refused });
      return false;
    }
  }

  /** Another group may cost more: the difference is taken. Resolves to a refusal that another group may not meet. */
  async #cover(pick: RoutedPick): Promise<TollgateError | undefined> {
    const { route } = this.#call.admission;
    const full = await this.#stay.enterGroup(pick, route);
    const { group } = pick;
    if (full !== undefined) return full;
    if (group === route.firstGroup) return undefined;
    const { serving } = this.#deps.pipeline;
    const { exchange, inspection } = this.#call;
    const amount = missingIn(serving, this.#call, { group, output: outputOf(exchange, inspection) });
    return this.#call.cover(serving.ledger, { amount, group });
  }

  async #serve(opened: OpenedSession, client: FramePeer): Promise<void> {
    const { plan, pick, place } = opened;
    const call = this.#call;
    const { exchange, caller, held } = call;
    const { ledger, deadlines, work, jpegs, idleMs, maxMs } = this.#deps;
    const { serving, settle: books } = this.#deps.pipeline;
    const { load } = serving.failover;
    const startedMs = performance.now();
    // Rows tell what was left out until they are written.
    const droppedFields: string[] = [];
    const lose = (member: string) => {
      if (!droppedFields.includes(member)) droppedFields.push(member);
    };
    const served = { pick, plan: { ...plan, droppedFields } };
    let firstTokenMs: number | undefined;
    const outcomeOf = (
      { usage, charge, cost }: SessionSums,
      end: { reason: SettleReason; part: 'goes-on' | 'ends' },
    ) => {
      call.trail.answeredSoFar(pick, performance.now() - startedMs, usage);
      const { reason, part } = end;
      const outcome = { ...NO_ERROR, reason, served, meter: new SessionMeter(usage), firstTokenMs };
      return { ...outcome, session: { part, charge, cost } };
    };
    const bill = new SessionBill({
      ...billingOf(call, { served }),
      share: costShareOf(pick.channel),
      held,
      charge: async (sums) => {
        const { usage } = sums;
        if (usage === undefined) return;
        const tokens = usage.prompt + usage.completion;
        place?.used(tokens);
        this.#stay.soFar({ quota: sums.charge, tokens });
        // A free session leaves its row at the end.
        if (held > 0) {
          await settleTurn(books, call, { ...outcomeOf(sums, { reason: 'complete', part: 'goes-on' }), usage });
        }
        this.#stay.expectMore();
      },
      extend: (amount) => ledger.extend(holdOf(exchange, caller, { amount, group: pick.group })),
      now: () => deadlines.nowMs,
    });
    load.enter(pick.channel.record.id);
    const end = await runSession(
      {
        deadlines,
        work,
        jpegs,
        idleMs,
        maxMs,
        bill,
        mayContinue: () => this.#deps.pipeline.authenticator.mayContinue(this.#call.caller),
        show: (failure) => serving.explain(exchange, failure, pick),
        answers: (ms) => {
          firstTokenMs ??= ms;
        },
      },
      { ...sidesOf(call, opened, lose), client },
    );
    load.leave(pick.channel.record.id);
    place?.left();
    const tokens = end.usage === undefined ? 0 : end.usage.prompt + end.usage.completion;
    place?.used(tokens);
    this.#stay.soFar({ quota: end.charge, tokens });
    await settle(books, call, outcomeOf(end, { reason: end.reason, part: 'ends' }));
  }
}

/** What each side of a session calls things, and what the client must not see. */
function sidesOf(
  { exchange, inspection }: HeldCall,
  { socket, plan, pick }: OpenedSession,
  lose: (member: string) => void,
): Omit<SessionFacts, 'client'> {
  const { adapter, call, names } = plan;
  return {
    requestId: exchange.id,
    upstream: socket,
    model: inspection.askedModel,
    upstreamModel: names.upstream,
    countedAs: inspection.model,
    dialect: adapter.realtimeDialect?.({ model: names.upstream, manner: mannerOf(exchange.request.headers), lose }),
    hidden: {
      baseUrl: call.baseUrl,
      key: pick.key.secret,
      others: [pick.channel.record.name, call.organization ?? ''],
    },
  };
}

/** What is the same for every outcome of a session that came about. */
const NO_ERROR = { accepted: true, streamed: true, error: undefined, failure: undefined } as const;

/** The sums of a session. */
class SessionMeter implements AnswerMeter {
  readonly #usage: Usage | undefined;

  constructor(usage: Usage | undefined) {
    this.#usage = usage;
  }

  get hasOutput(): boolean {
    return this.#usage !== undefined;
  }

  usage(): Usage {
    return this.#usage ?? emptyUsage();
  }

  counted(): CountedOutput {
    return reportedOutput(this.usage());
  }

  isBlank(): boolean {
    return !this.hasOutput;
  }
}
