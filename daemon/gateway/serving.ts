/** Steps 5 to 10 of one admitted request: picks are tried until one answers, and its answer is delivered. */
import type { ResponseAffinity } from '../domain/affinity.ts';
import type { BudgetPlace } from '../domain/budget-book.ts';
import type { KeyPlace } from '../domain/key-limits.ts';
import type { Ledger } from '../domain/ledger.ts';
import type { TollgateError } from '../errors.ts';
import { answerHeaders, asHeaderText } from '../relay/header-rules.ts';
import { estimatePrompt } from '../relay/tokens/prompt.ts';
import type { Deadlines } from '../upstream/deadlines.ts';
import { type Admission, type AdmitDeps, balanceOf, holdOf, outputOf } from './admit.ts';
import { withFiles } from './answer-files.ts';
import { maskedFor } from './attempt-failure.ts';
import { type Authenticator, type Caller, triesOut } from './authenticate.ts';
import { ClientStream } from './client-stream.ts';
import { type DeliveryEnd, deliverStream, deliverWhole } from './deliver.ts';
import type { Exchange, StreamFraming } from './exchange.ts';
import { type FailoverDeps, type FailoverEnd, type FailoverRequest, failover, type Served } from './failover.ts';
import { answerWithError, type ShownError } from './failure-answer.ts';
import { missingIn, takeMore } from './group-hold.ts';
import type { Inspection } from './inspect.ts';
import { keepsAnything, noteKept } from './kept-references.ts';
import type { AnswerMeter, KeptOfAnswer, WholeAnswer } from './lane.ts';
import type { Plan, PlanRequest } from './plan.ts';
import { failureFacts, refusalReason } from './refusal.ts';
import type { LiveStream } from './reply.ts';
import { type MediaDownloadPort, RequestMedia } from './request-media.ts';
import { type Route, type RoutedPick, targetOf } from './route.ts';
import type { Account, Outcome } from './settle.ts';
import { billingOf, NOBODY_ANSWERED } from './settle.ts';
import { Spending } from './spending.ts';
import { streamFailure } from './stream-failure.ts';
import type { TakenRates } from './taken-rates.ts';
import { Trail } from './trail.ts';

export interface ServingDeps extends Pick<AdmitDeps, 'groupWithoutRatio'> {
  readonly failover: FailoverDeps;
  readonly ledger: Pick<Ledger, 'extend' | 'hold'>;
  readonly authenticator: Pick<Authenticator, 'mayContinue'>;
  readonly responseAffinity: ResponseAffinity;
  readonly downloads: MediaDownloadPort;
  readonly deadlines: Deadlines;
  readonly streamWriteTimeoutMs: number;
  /** Words for the client about any failure. */
  readonly explain: (exchange: Exchange, failure: unknown, pick: RoutedPick | undefined) => ShownError;
  /** The same for the log, in the site's language. */
  readonly logged: (exchange: Exchange, failure: unknown, pick: RoutedPick | undefined) => ShownError;
  /** Answers a call that is not served, and tells of it. */
  readonly refuse: (exchange: Exchange, failure: unknown) => void;
}

export interface ServingFacts {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly inspection: Inspection;
  readonly admission: Admission;
  readonly rates: Pick<TakenRates, 'enterGroup'> | undefined;
  readonly budgets: BudgetPlace | undefined;
  /** Why the ledger did not let the hold of the first group be taken; that group is passed over. */
  readonly shortage?: TollgateError | undefined;
  /** Answers where nobody upstream did, instead of an error; undefined where only the error can be told. */
  readonly standIn?: ((error: unknown) => Promise<void> | undefined) | undefined;
}

/**
 * One admitted request. It is itself what failover, planner and settlement ask for: a request that is answered at once
 * makes no second object of the same facts.
 */
export class Serving implements FailoverRequest, PlanRequest, Account {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly inspection: Inspection;
  readonly admission: Admission;
  readonly budgets: BudgetPlace | undefined;
  readonly shortage: TollgateError | undefined;
  readonly trail = new Trail();
  keyPlace: KeyPlace | undefined;
  channelPlace: FailoverRequest['channelPlace'];
  leavesOutTools = false;
  #media: RequestMedia | undefined;
  readonly #deps: ServingDeps;
  readonly #rates: ServingFacts['rates'];
  readonly #standIn: ServingFacts['standIn'];
  #client: ClientStream | undefined;
  #held: number;
  #promptTokens: number | undefined;
  #spending: Spending | undefined;

  constructor(deps: ServingDeps, facts: ServingFacts) {
    this.#deps = deps;
    this.exchange = facts.exchange;
    this.caller = facts.caller;
    this.inspection = facts.inspection;
    this.admission = facts.admission;
    this.budgets = facts.budgets;
    this.shortage = facts.shortage;
    this.#held = facts.shortage === undefined ? facts.admission.held : 0;
    this.#rates = facts.rates;
    this.#standIn = facts.standIn;
  }

  get route(): Route {
    return this.admission.route;
  }

  get plan(): PlanRequest {
    return this;
  }

  get model(): string {
    return this.admission.model;
  }

  get userGroup(): string {
    return this.caller.user.group;
  }

  get media(): RequestMedia {
    this.#media ??= new RequestMedia(this.#deps.downloads);
    return this.#media;
  }

  get conversion(): PlanRequest['conversion'] {
    return this.caller.token?.conversion ?? 'drop';
  }

  /** The hold needs no look at a short prompt; usage that is shown to the client does. */
  promptTokens(): number {
    this.#promptTokens ??= this.admission.promptTokens || estimateOf(this.exchange, this.inspection);
    return this.#promptTokens;
  }

  get held(): number {
    return this.#spending?.held ?? this.#held;
  }

  get contentSent(): boolean {
    return this.#client?.contentSent ?? false;
  }

  get health(): FailoverRequest['health'] {
    const disabling = triesOut(this.caller) ? 'spared' : 'allowed';
    return { requestId: this.exchange.id, model: this.model, disabling };
  }

  /**
   * Tries and delivers. Never throws: what goes wrong is answered here and becomes the outcome; undefined where the
   * stand-in has answered.
   */
  async run(): Promise<Outcome | undefined> {
    if (this.inspection.stream && this.#pingMs() > 0) this.#client = this.#openClient();
    try {
      const end = await failover(this.#deps.failover, this);
      if (end.kind === 'served') {
        try {
          const delivering = this.#deliver(end);
          return delivering instanceof Promise ? await delivering : delivering;
        } finally {
          this.#deps.failover.load.leave(end.pick.channel.record.id);
        }
      }
      return end.kind === 'gone' ? this.#gone(end) : await this.#unanswered(end.error, end.pick);
    } catch (error) {
      return this.#unanswered(error, undefined);
    } finally {
      this.keyPlace?.left();
      this.#client?.close();
      this.exchange.sink.onGone(nobodyCares);
    }
  }

  onPlan(plan: Plan): void {
    if (plan.isPseudoStream) this.#openClient().keepWaiting();
  }

  /** `StreamDrainSeconds` of a channel type, in milliseconds. */
  drainMs(channelType: number): number {
    const seconds = this.exchange.view.options.get('StreamDrainSeconds');
    return (seconds[String(channelType)] ?? seconds.default ?? 0) * 1000;
  }

  coverPick(pick: RoutedPick, maxTokens?: number): Promise<void> | undefined {
    const entering = this.#rates?.enterGroup?.(pick.group);
    return entering === undefined ? this.#payFor(pick, maxTokens) : entering.then(() => this.#payFor(pick, maxTokens));
  }

  /** Another group, or a longer answer, may cost more: only the difference is taken, once. */
  #payFor(pick: RoutedPick, maxTokens = 0): Promise<void> | undefined {
    const { exchange, inspection, route } = this;
    const isLonger = inspection.maxTokens !== undefined && maxTokens > inspection.maxTokens;
    if (pick.group === route.firstGroup && this.shortage === undefined && !isLonger) return undefined;
    const output = outputOf(exchange, isLonger ? { ...inspection, maxTokens } : inspection);
    const missing = missingIn(this.#deps, this, { group: pick.group, output });
    return missing <= 0 ? undefined : this.#take(missing, pick.group);
  }

  async #take(amount: number, group: string): Promise<void> {
    await takeMore(this.#deps.ledger, this, { amount, group });
    this.#held += amount;
  }

  #deliver(served: Served): Outcome | Promise<Outcome> {
    const { reply, plan } = served;
    const { exchange } = this;
    const requestId = plan.call.setting.expose_upstream_request_id === true;
    const disposition = exchange.endpoint.capability === 'speech';
    if (requestId || disposition) passHeaders(exchange, answerHeaders(reply.headers, { disposition, requestId }));
    if (reply.kind === 'stream') {
      this.#announceLosses(plan);
      return this.#deliverStream(reply.live, served).then((end) => this.#delivered(served, reply.live.reader, end));
    }
    const { answer } = reply;
    if (answer.files === undefined || answer.files.length === 0 || exchange.sink.gone) {
      return this.#deliverAnswer(served, answer);
    }
    const { downloads, failover } = this.#deps;
    const loading = withFiles(answer, { downloads, work: failover.work }, exchange.sink);
    return loading.then(() => this.#deliverAnswer(served, answer));
  }

  #deliverAnswer(served: Served, answer: WholeAnswer): Outcome | Promise<Outcome> {
    const { exchange, inspection } = this;
    const { plan } = served;
    if (inspection.stream) {
      if (!exchange.sink.gone) {
        const events = answer.events();
        this.#announceLosses(plan);
        this.#openClient().end(events);
      }
    } else if (!exchange.sink.gone) {
      const body = answer.body();
      this.#announceLosses(plan);
      const writing = deliverWhole(exchange, body, answer.contentType);
      if (writing !== undefined) return writing.then(() => this.#delivered(served, answer, this.#wholeEnd()));
    }
    return this.#delivered(served, answer, this.#wholeEnd());
  }

  /** Names what was dropped, as far as it is known and the headers are not sent: of a stream, the request's part. */
  #announceLosses({ droppedFields }: Plan): void {
    if (droppedFields.length === 0 || this.conversion === 'drop') return;
    this.exchange.sink.setHeader('Tollgate-Dropped-Fields', droppedFields.map(asHeaderText).join(', '));
  }

  #wholeEnd(): DeliveryEnd {
    return { reason: this.exchange.sink.gone ? 'client_gone' : 'complete', error: undefined };
  }

  #delivered(served: Served, meter: AnswerMeter & KeptOfAnswer, end: DeliveryEnd): Outcome {
    const { pick, plan, attempt } = served;
    this.trail.answered(pick, attempt.ageMs, meter.usage());
    if (keepsAnything(meter, this.inspection, end.reason)) this.#keepState(meter, served);
    const { firstOutputMs } = attempt;
    return {
      reason: end.reason,
      served: { pick, plan },
      meter,
      accepted: true,
      streamed: this.inspection.stream,
      firstTokenMs: firstOutputMs === undefined ? undefined : firstOutputMs - this.exchange.startedMs,
      error: end.error,
      failure: undefined,
    };
  }

  #deliverStream(live: LiveStream, served: Served): Promise<DeliveryEnd> {
    const { exchange, caller, admission } = this;
    const { price, group } = billingOf(this, { served });
    const spending = new Spending({
      price,
      group,
      promptTokens: admission.promptTokens,
      held: this.#held,
      balance: balanceOf(caller),
      extend: (amount) => this.#deps.ledger.extend(holdOf(exchange, caller, { amount, group: served.pick.group })),
    });
    this.#spending = spending;
    return deliverStream({
      exchange,
      live,
      client: this.#openClient(live.contentType),
      spending,
      deadlines: this.#deps.deadlines,
      work: this.#deps.failover.work,
      drainMs: this.drainMs(served.pick.channel.record.type),
      mayContinue: () => this.#deps.authenticator.mayContinue(this.caller),
      show: (failure) => this.#explain(failure, served.pick),
      readError: () => {
        const failure = served.attempt.reportedFailure();
        return failure && maskedFor({ failure, nature: 'unusable' }, served.pick).failure;
      },
    });
  }

  #keepState(answer: KeptOfAnswer, { pick, plan }: Served): void {
    const asked = { inspection: this.inspection, setting: plan.call.setting, userId: this.caller.user.id };
    noteKept(this.#deps.responseAffinity, { ...asked, answer }, targetOf(pick));
  }

  #gone(end: Extract<FailoverEnd, { kind: 'gone' }>): Outcome {
    return {
      reason: 'client_gone',
      served: end.last,
      meter: end.heard,
      accepted: end.accepted,
      spent: end.spent,
      streamed: this.inspection.stream,
      firstTokenMs: undefined,
      error: undefined,
      failure: undefined,
    };
  }

  async #unanswered(error: unknown, pick: RoutedPick | undefined): Promise<Outcome | undefined> {
    const answering = this.#standIn?.(error);
    if (answering === undefined) return this.#refuse(error, pick);
    await answering;
    return undefined;
  }

  /** Nobody answered: the client is told why, as far into its answer as it already is. */
  #refuse(error: unknown, pick: RoutedPick | undefined): Outcome {
    const { exchange, inspection } = this;
    const shown = this.#explain(error, pick);
    if (this.#client !== undefined && exchange.sink.headersSent) {
      this.#client.end(
        streamFailure(exchange.endpoint.format, { error: shown, model: inspection.askedModel, requestId: exchange.id }),
      );
    } else {
      answerWithError(exchange, shown);
    }
    return {
      ...NOBODY_ANSWERED,
      reason: refusalReason(error),
      streamed: false,
      error: shown,
      failure: failureFacts(error, this.trail.lastFailure, () => this.#deps.logged(exchange, error, pick)),
    };
  }

  #explain(failure: unknown, pick: RoutedPick | undefined): ShownError {
    return this.#deps.explain(this.exchange, failure, pick);
  }

  #pingMs(): number {
    const { options } = this.exchange.view;
    if (!options.get('general_setting.ping_interval_enabled')) return 0;
    return options.get('general_setting.ping_interval_seconds') * 1000;
  }

  /** @param contentType set where bytes go on as they come and not as events */
  #openClient(contentType?: string): ClientStream {
    this.#client ??= new ClientStream(
      this.exchange.sink,
      {
        surface: this.exchange.endpoint.surface,
        framing: contentType === undefined ? framingOf(this.exchange) : 'raw',
        contentType,
        pingMs: this.#pingMs(),
        writeTimeoutMs: this.#deps.streamWriteTimeoutMs,
      },
      this.#deps.deadlines,
    );
    return this.#client;
  }
}

/** Said to a client's connection when nothing is left to call off. */
function nobodyCares(): void {}

function estimateOf({ endpoint }: Exchange, { model, json }: Inspection): number {
  return estimatePrompt({ format: endpoint.format, model, body: json });
}

function framingOf({ endpoint }: Exchange): StreamFraming {
  return endpoint.delivery === 'json-array' ? 'json-array' : 'sse';
}

function passHeaders({ sink }: Exchange, headers: readonly (readonly [name: string, value: string])[]): void {
  for (const [name, value] of headers) sink.setHeader(name, value);
}
