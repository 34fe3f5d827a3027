/**
 * A realtime session between two open sockets (relay.md 5.13): frames go to and fro as they are, each finished answer is
 * put on the bill, and the hold is kept ahead of it.
 */
import type { Ledger } from '../domain/ledger.ts';
import { computeCharge, type GroupRatio, type Price } from '../domain/pricing.ts';
import type { SettleReason } from '../domain/settlement.ts';
import { TollgateError } from '../errors.ts';
import type { Usage } from '../relay/canonical/usage.ts';
import { realtimeError } from '../relay/error-body.ts';
import { maskText } from '../relay/failure-mask.ts';
import { eventType, RealtimeMeter, sum, withModel } from '../relay/realtime/realtime-meter.ts';
import { tokenFamilyOf } from '../relay/tokens/estimate.ts';
import type { Deadlines, Watched } from '../upstream/deadlines.ts';
import type { ShownError } from './failure-answer.ts';
import { FrameSocket, type WebSocketLike } from './frame-socket.ts';
import type { Interruptible, RunningWork } from './running-work.ts';

export interface SessionFacts {
  readonly requestId: string;
  readonly client: WebSocketLike;
  readonly upstream: WebSocketLike;
  /** Name that the client asked for. */
  readonly model: string;
  /** Name sent upstream. */
  readonly upstreamModel: string;
  readonly price: Price;
  readonly group: GroupRatio;
  /** What is held at the opening, and is kept ahead of the bill. */
  readonly held: number;
  /** Texts that nobody outside may read. */
  readonly secrets: readonly string[];
}

export interface SessionDeps {
  readonly deadlines: Deadlines;
  readonly work: RunningWork;
  /** Enlarges the hold by so much. Throws the ledger's refusals. */
  readonly extend: (amount: number) => ReturnType<Ledger['extend']>;
  /** False once the caller may no longer call. */
  readonly mayContinue: () => Promise<boolean>;
  readonly show: (failure: unknown) => ShownError;
  readonly idleMs: number;
  readonly maxMs: number;
}

/** How a session ended. */
export interface SessionEnd {
  readonly reason: SettleReason;
  /** Sum of all turns; undefined when there was none. */
  readonly usage: Usage | undefined;
  /** Quota of all turns together. */
  readonly charge: number;
  readonly held: number;
  /** Milliseconds from the opening to the first frame of an answer. */
  readonly firstOutputMs: number | undefined;
}

const PING_MS = 30_000;
const DEAD_MS = 90_000;
const CLOSE = { ok: 1000, leaving: 1001, binary: 1003, refused: 1008 } as const;

/** Runs a session to its end. */
export function runSession(deps: SessionDeps, facts: SessionFacts): Promise<SessionEnd> {
  return new Promise((resolve) => new RealtimeSession(deps, facts, resolve).begin());
}

class RealtimeSession implements Watched, Interruptible {
  readonly #deps: SessionDeps;
  readonly #facts: SessionFacts;
  readonly #resolve: (end: SessionEnd) => void;
  readonly #client: FrameSocket;
  readonly #upstream: FrameSocket;
  readonly #meter: RealtimeMeter;
  readonly #startedMs: number;
  readonly #watched: number;
  readonly #working: number;
  #pingAtMs: number;
  #frameMs: number;
  #usage: Usage | undefined;
  #charge = 0;
  #held: number;
  #firstOutputMs: number | undefined;
  /** Bills are put one behind the other. */
  #billing: Promise<void> = Promise.resolve();
  #over = false;

  constructor(deps: SessionDeps, facts: SessionFacts, resolve: (end: SessionEnd) => void) {
    this.#deps = deps;
    this.#facts = facts;
    this.#resolve = resolve;
    this.#held = facts.held;
    this.#meter = new RealtimeMeter(tokenFamilyOf(facts.model));
    this.#watched = deps.deadlines.watch(this);
    this.#working = deps.work.add(this);
    this.#startedMs = deps.deadlines.nowMs;
    this.#pingAtMs = this.#startedMs + PING_MS;
    this.#frameMs = this.#startedMs;
    this.#client = new FrameSocket(facts.client, this.#startedMs);
    this.#upstream = new FrameSocket(facts.upstream, this.#startedMs);
  }

  begin(): void {
    const now = () => this.#deps.deadlines.nowMs;
    this.#client.listen(
      {
        onText: (text) => this.#fromClient(text),
        onBinary: () => this.#end('client_gone', CLOSE.binary, 'binary frames are not understood'),
        onClose: () => this.#end('client_gone', CLOSE.ok, ''),
      },
      now,
    );
    this.#upstream.listen(
      {
        onText: (text) => this.#fromServer(text),
        onBinary: () => undefined,
        onClose: (code, reason) => this.#upstreamClosed(code, reason),
      },
      now,
    );
    this.#upstream.resume();
    this.#client.resume();
  }

  check(nowMs: number): void {
    const { idleMs, maxMs } = this.#deps;
    const lastSeenMs = Math.min(this.#client.seenMs, this.#upstream.seenMs);
    if (maxMs > 0 && nowMs - this.#startedMs >= maxMs) this.#end('timeout', CLOSE.leaving, 'the session is over');
    else if (idleMs > 0 && nowMs - this.#frameMs >= idleMs) this.#end('timeout', CLOSE.leaving, 'nothing was said');
    else if (nowMs - lastSeenMs >= DEAD_MS) this.#end('timeout', CLOSE.leaving, 'no sign of life');
    else if (nowMs >= this.#pingAtMs) {
      this.#pingAtMs = nowMs + PING_MS;
      this.#client.ping();
      this.#upstream.ping();
    }
  }

  /** The node stops and its grace is over. */
  interrupt(): void {
    this.#end('shutdown', CLOSE.leaving, 'the server stops');
  }

  #fromClient(text: string): void {
    this.#frameMs = this.#deps.deadlines.nowMs;
    const type = eventType(text);
    this.#meter.fromClient(type, text);
    const { model, upstreamModel } = this.#facts;
    const isNamed = type === 'session.update' && model !== upstreamModel;
    this.#upstream.send(isNamed ? withModel(text, upstreamModel) : text, this.#client);
  }

  #fromServer(text: string): void {
    this.#frameMs = this.#deps.deadlines.nowMs;
    const type = eventType(text);
    if (type.startsWith('response.')) this.#firstOutputMs ??= this.#frameMs - this.#startedMs;
    const turn = this.#meter.fromServer(type, text);
    const { model, upstreamModel } = this.#facts;
    const isNamed = (type === 'session.created' || type === 'session.updated') && model !== upstreamModel;
    this.#client.send(isNamed ? withModel(text, model) : text, this.#upstream);
    if (turn !== undefined) this.#bill(turn);
  }

  /** Each turn is rounded for itself; a price by call is due once a session. */
  #bill(turn: Usage): void {
    const { price, group } = this.#facts;
    const isFirst = this.#usage === undefined;
    this.#usage = sum(this.#usage, turn);
    if (price.mode === 'token' || isFirst) this.#charge += computeCharge({ price, group, usage: turn }).quota;
    this.#billing = this.#billing.then(() => this.#cover()).catch((error: unknown) => this.#refuse(error));
  }

  /** Keeps as much held beyond the bill as the opening held. */
  async #cover(): Promise<void> {
    if (this.#over) return;
    const missing = this.#charge + this.#facts.held - this.#held;
    if (missing > 0) {
      await this.#deps.extend(missing);
      this.#held += missing;
    }
    if (!(await this.#deps.mayContinue())) throw new TollgateError('access_denied');
  }

  #refuse(error: unknown): void {
    const isSpent = error instanceof TollgateError && error.code.startsWith('insufficient_');
    const isRevoked = error instanceof TollgateError && error.code === 'access_denied';
    // Accounting trouble does not cut a running session: the next turn asks again.
    if (!isSpent && !isRevoked) return;
    const shown = this.#deps.show(error);
    this.#client.send(JSON.stringify(realtimeError(shown, this.#facts.requestId)), undefined);
    this.#end(isSpent ? 'quota_exhausted' : 'revoked', CLOSE.refused, shown.code);
  }

  #upstreamClosed(code: number, reason: string): void {
    const masked = maskText(reason, { baseUrl: '', secrets: [...this.#facts.secrets] });
    const isClean = code === 1000 || code === 1001 || code === 1005;
    this.#end(isClean ? 'complete' : 'upstream_eof', code, masked);
  }

  #end(reason: SettleReason, code: number, why: string): void {
    if (this.#over) return;
    this.#over = true;
    const { deadlines, work } = this.#deps;
    deadlines.forget(this, this.#watched);
    work.remove(this, this.#working);
    this.#client.close(code, why);
    this.#upstream.close(CLOSE.ok, '');
    // An extension that is under way belongs to the hold that is settled.
    void this.#billing.then(() => {
      this.#resolve({
        reason: reason === 'client_gone' && code === CLOSE.ok ? 'complete' : reason,
        usage: this.#usage,
        charge: this.#charge,
        held: this.#held,
        firstOutputMs: this.#firstOutputMs,
      });
    });
  }
}
