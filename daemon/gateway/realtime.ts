/**
 * A realtime session between two open sockets (relay.md 5.13): frames go to and fro as they are, each finished answer is
 * put on the bill, and a session whose money ends does so too.
 */
import type { SettleReason } from '../domain/settlement.ts';
import { TollgateError } from '../errors.ts';
import { MAX_DEPTH, MAX_VALUES } from '../relay/body-scan.ts';
import type { Usage } from '../relay/canonical/usage.ts';
import { realtimeError } from '../relay/error-body.ts';
import { asObject, parseJson } from '../relay/formats/fields.ts';
import type { Json, JsonObject } from '../relay/json.ts';
import type { JpegMaker } from '../relay/pictures/jpeg-maker.ts';
import type { RealtimeDialect } from '../relay/realtime/realtime-dialect.ts';
import { eventType, RealtimeMeter, typeOf, withModel } from '../relay/realtime/realtime-meter.ts';
import { showsOthers, withJpegs } from '../relay/realtime/shown-pictures.ts';
import { type HiddenNames, maskedText, withMaskedError } from '../relay/realtime/told-errors.ts';
import { tokenFamilyOf } from '../relay/tokens/estimate.ts';
import type { Deadlines, Watched } from '../upstream/deadlines.ts';
import type { ShownError } from './failure-answer.ts';
import { type FramePeer, FrameSocket, type WebSocketLike } from './frame-socket.ts';
import { overgrownReason, overgrowthOf } from './json-depth.ts';
import type { SessionBill, SessionSums } from './realtime-bill.ts';
import type { Interruptible, RunningWork } from './running-work.ts';
import { sayable } from './sayable.ts';

export interface SessionFacts {
  readonly requestId: string;
  readonly client: FramePeer;
  readonly upstream: WebSocketLike;
  /** Name that the client asked for. */
  readonly model: string;
  /** Name sent upstream. */
  readonly upstreamModel: string;
  /** Decides whose token weights apply. */
  readonly countedAs: string;
  /** How events are told on; undefined: as they are. */
  readonly dialect: RealtimeDialect | undefined;
  readonly hidden: HiddenNames;
}

export interface SessionDeps {
  readonly deadlines: Pick<Deadlines, 'nowMs' | 'watch' | 'forget'>;
  readonly work: RunningWork;
  readonly bill: Pick<SessionBill, 'turn' | 'review' | 'close'>;
  readonly jpegs: Pick<JpegMaker, 'make'>;
  /** False once the caller may no longer call. */
  readonly mayContinue: () => boolean | Promise<boolean>;
  readonly show: (failure: unknown) => ShownError;
  /** Told of every frame of an answer: milliseconds since the opening. */
  readonly answers: (ms: number) => void;
  readonly idleMs: number;
  readonly maxMs: number;
}

/** How a session ended. */
export interface SessionEnd extends SessionSums {
  readonly reason: SettleReason;
}

/** What goes to the upstream: an event, unless it could not be read, and its text. */
interface AskedEvent {
  readonly event: JsonObject | undefined;
  readonly text: string;
  /** The event as the client sent it, by which it is counted. */
  readonly said: JsonObject | undefined;
}

const PING_MS = 30_000;
const DEAD_MS = 90_000;
/** Between two looks at what a turn costs that is under way (relay.md 15.8). */
const REVIEW_MS = 2000;
/** And so many tokens of its output: what is heard may cost more than ten times as much as words. */
const REVIEW_TOKENS = 32;
/** What the upstream reports outside of answers is charged at the latest after so long. */
const BILL_MS = 60_000;
/** Of a client's event: instructions and tools take some thousand, and sound is one. */
const eventLimits = { deepest: MAX_DEPTH, mostValues: 50_000 };
/** Of an upstream's: a long transcript with the odds of its tokens takes some hundred thousand. */
const answerLimits = { deepest: MAX_DEPTH, mostValues: MAX_VALUES };
const CLOSE = { ok: 1000, leaving: 1001, binary: 1003, refused: 1008, trouble: 1011 } as const;
const NO_BINARY = 'binary frames are not understood';

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
  #billedMs: number;
  #reviewAtMs: number;
  /** Output of the answer under way at the last look. */
  #reviewedTokens = 0;
  /** Turns that are not in the books yet. */
  #turns = 0;
  /** Answers of the books that the upstream waits for. */
  #awaited = 0;
  #refusals = 0;
  #over = false;

  constructor(deps: SessionDeps, facts: SessionFacts, resolve: (end: SessionEnd) => void) {
    this.#deps = deps;
    this.#facts = facts;
    this.#resolve = resolve;
    this.#meter = new RealtimeMeter(tokenFamilyOf(facts.countedAs));
    this.#watched = deps.deadlines.watch(this);
    this.#working = deps.work.add(this);
    this.#startedMs = deps.deadlines.nowMs;
    this.#pingAtMs = this.#startedMs + PING_MS;
    this.#frameMs = this.#startedMs;
    this.#billedMs = this.#startedMs;
    this.#reviewAtMs = this.#startedMs + REVIEW_MS;
    const now = () => deps.deadlines.nowMs;
    this.#client = new FrameSocket(facts.client.socket, now, facts.client.connection);
    this.#upstream = new FrameSocket(facts.upstream, now);
  }

  begin(): void {
    this.#client.listen({
      onText: (text, bytes) => this.#hear(text, bytes),
      onBinary: () => this.#end('client_gone', CLOSE.binary, NO_BINARY),
      onClose: (code) => this.#end(isClean(code) ? 'complete' : 'client_gone', CLOSE.ok, ''),
    });
    this.#upstream.listen({
      onText: (text, bytes) => this.#hearUpstream(text, bytes),
      onBinary: () => this.#refuseUpstream(NO_BINARY),
      onClose: (code, reason) => this.#upstreamClosed(code, reason),
    });
    for (const event of this.#facts.dialect?.opening ?? []) this.#upstream.send(JSON.stringify(event), undefined);
    this.#upstream.resume();
    this.#client.resume();
  }

  check(nowMs: number): void {
    const { idleMs, maxMs } = this.#deps;
    this.#client.hangUp(nowMs);
    this.#upstream.hangUp(nowMs);
    this.#client.missBroken(nowMs);
    this.#client.knock(nowMs);
    this.#upstream.knock(nowMs);
    if (this.#over) return;
    const lastSeenMs = Math.min(this.#client.seenMs, this.#upstream.seenMs);
    if (maxMs > 0 && nowMs - this.#startedMs >= maxMs) this.#end('timeout', CLOSE.leaving, 'the session is over');
    else if (idleMs > 0 && nowMs - this.#frameMs >= idleMs) this.#end('timeout', CLOSE.leaving, 'nothing was said');
    else if (nowMs - lastSeenMs >= DEAD_MS) this.#end('timeout', CLOSE.leaving, 'no sign of life');
    else if (nowMs >= this.#pingAtMs) {
      this.#pingAtMs = nowMs + PING_MS;
      this.#client.ping();
      this.#upstream.ping();
    }
    if (!this.#over && nowMs >= this.#reviewAtMs) this.#review(nowMs);
  }

  /** The node stops and its grace is over. */
  interrupt(): void {
    this.#end('shutdown', CLOSE.leaving, 'the server stops');
  }

  /** What is parsed and written anew here, on the event loop, must not be of millions of values, nor exhaust the stack. */
  #hear(text: string, bytes: Buffer): void {
    const overgrowth = overgrowthOf(bytes, eventLimits);
    if (overgrowth === undefined) this.#fromClient(text);
    else {
      const reason = overgrownReason('event', overgrowth);
      this.#sayNo(new TollgateError('invalid_request', { reason }), undefined);
    }
  }

  #fromClient(text: string): void {
    this.#frameMs = this.#deps.deadlines.nowMs;
    const { dialect } = this.#facts;
    // Once: an event may be of sixteen megabytes.
    const event = asObject(parseJson(text));
    if (dialect === undefined || event === undefined) this.#ask({ event, text, said: event });
    else if (dialect.seesJpegOnly && showsOthers(event)) this.#show(event, dialect);
    else this.#tellOn(event, { dialect, said: event });
  }

  /** @param to `said` is the event as the client sent it */
  #tellOn(event: JsonObject, { dialect, said }: { dialect: RealtimeDialect; said: JsonObject }): void {
    const told = sayable(() => dialect.fromClient(event));
    if (told instanceof TollgateError) {
      this.#sayNo(told, event.event_id);
      return;
    }
    for (const answer of told.client) this.#client.send(JSON.stringify(answer), this.#client);
    for (const asked of told.upstream) this.#ask({ event: asked, text: JSON.stringify(asked), said });
  }

  /** Pictures are made what the upstream sees; what the client says meanwhile waits. */
  #show(event: JsonObject, dialect: RealtimeDialect): void {
    this.#client.hold();
    const { jpegs } = this.#deps;
    withJpegs(event, { make: (file) => jpegs.make(file), goesOn: () => !this.#over })
      .then((shown) => {
        if (this.#over) return;
        if (shown instanceof TollgateError) this.#sayNo(shown, event.event_id);
        else this.#tellOn(shown, { dialect, said: event });
        this.#client.release();
      })
      .catch((error: unknown) => this.#refuse(error));
  }

  /** Nothing came of the client's event; the session goes on. `about` is the id that the client gave it, if it was read. */
  #sayNo(refusal: TollgateError, about: Json | undefined): void {
    this.#refusals += 1;
    const id = `${this.#facts.requestId}-${this.#refusals}`;
    const told = realtimeError(this.#deps.show(refusal), id, about);
    this.#client.send(JSON.stringify(told), this.#client);
  }

  #ask({ event, text, said }: AskedEvent): void {
    const type = typeOf(event);
    this.#meter.fromClient(type, said);
    // Another model may cost more, and the key may not call it: a session keeps the one that it was opened with.
    const told = type === 'session.update' ? withModel(event, text, this.#facts.upstreamModel) : text;
    this.#upstream.send(told, this.#client);
  }

  #hearUpstream(text: string, bytes: Buffer): void {
    const overgrowth = overgrowthOf(bytes, answerLimits);
    if (overgrowth === undefined) this.#fromServer(text);
    else this.#refuseUpstream(overgrownReason('event', overgrowth));
  }

  #fromServer(text: string): void {
    const { dialect } = this.#facts;
    const event = dialect && asObject(parseJson(text));
    if (dialect === undefined || event === undefined) this.#tell(text);
    else for (const told of dialect.fromServer(event)) this.#tell(JSON.stringify(told));
  }

  #tell(text: string): void {
    this.#frameMs = this.#deps.deadlines.nowMs;
    const type = eventType(text);
    if (type.startsWith('response.')) this.#deps.answers(this.#frameMs - this.#startedMs);
    const turn = this.#meter.fromServer(type, text);
    const { model, upstreamModel, hidden } = this.#facts;
    const isNamed = (type === 'session.created' || type === 'session.updated') && model !== upstreamModel;
    const told = isNamed ? withModel(asObject(parseJson(text)), text, model) : withMaskedError(type, text, hidden);
    this.#client.send(told, this.#upstream);
    if (turn !== undefined) this.#bill(turn);
    else if (type.startsWith('response.')) this.#reviewSaid();
  }

  #bill(turn: Usage): void {
    this.#billedMs = this.#deps.deadlines.nowMs;
    const charged = this.#deps.bill.turn(turn);
    this.#permit(charged);
    // One may be written while the next is said; an upstream that ends them faster would have any number wait.
    if (this.#turns > 0) this.#await(charged);
    this.#turns += 1;
    const isWritten = () => {
      this.#turns -= 1;
    };
    charged.then(isWritten, isWritten);
  }

  /** Between turns: what transcripts cost does not wait for an answer for ever, nor does the hold for a long answer's end. */
  #review(nowMs: number): void {
    this.#reviewAtMs = nowMs + REVIEW_MS;
    const reported = nowMs - this.#billedMs >= BILL_MS ? this.#meter.takeReported() : undefined;
    if (reported !== undefined) this.#bill(reported);
    else this.#permit(this.#deps.bill.review(this.#meter.running()));
  }

  /** An upstream that is faster than the books would say far more than the balance pays for (D20). */
  #reviewSaid(): void {
    const running = this.#meter.running();
    const said = running?.completion ?? 0;
    if (said < this.#reviewedTokens) this.#reviewedTokens = 0;
    if (said - this.#reviewedTokens < REVIEW_TOKENS) return;
    this.#reviewedTokens = said;
    this.#await(this.#deps.bill.review(running));
  }

  /** Nothing more is taken of the upstream before the books have answered. */
  #await(books: Promise<void>): void {
    this.#upstream.hold();
    this.#awaited += 1;
    books
      .catch((error: unknown) => this.#refuse(error))
      .finally(() => {
        this.#awaited -= 1;
        if (this.#awaited === 0) this.#upstream.release();
      });
  }

  /** Lets the session go on when its money does and its caller still may call. */
  #permit(money: Promise<void>): void {
    money
      .then(async () => {
        if (!this.#over && !(await this.#deps.mayContinue())) throw new TollgateError('access_denied');
      })
      .catch((error: unknown) => this.#refuse(error));
  }

  #refuse(error: unknown): void {
    if (this.#over) return;
    const shown = this.#deps.show(error);
    this.#client.send(JSON.stringify(realtimeError(shown, this.#facts.requestId)), undefined);
    const code = error instanceof TollgateError ? error.code : 'internal_error';
    if (code === 'access_denied') this.#end('revoked', CLOSE.refused, shown.code);
    else if (code === 'budget_exceeded' || code.startsWith('insufficient_'))
      this.#end('quota_exhausted', CLOSE.refused, shown.code);
    else this.#end('upstream_error', CLOSE.trouble, shown.code);
  }

  /** Both ends are told: what the upstream said is lost to the client. */
  #refuseUpstream(why: string): void {
    this.#upstream.close(why === NO_BINARY ? CLOSE.binary : CLOSE.refused, why);
    this.#refuse(new TollgateError('bad_response_body'));
  }

  #upstreamClosed(code: number, reason: string): void {
    this.#end(isClean(code) ? 'complete' : 'upstream_eof', code, maskedText(reason, this.#facts.hidden));
  }

  #end(reason: SettleReason, code: number, why: string): void {
    if (this.#over) return;
    this.#over = true;
    const { deadlines, work } = this.#deps;
    deadlines.forget(this, this.#watched);
    work.remove(this, this.#working);
    this.#client.close(code, why);
    this.#upstream.close(CLOSE.ok, '');
    void this.#deps.bill.close(this.#meter.takeUnfinished()).then((sums) => this.#resolve({ ...sums, reason }));
  }
}

/** Whoever broke off without a word, or for a fault, did not end the session. */
function isClean(code: number): boolean {
  return code === 1000 || code === 1001 || code === 1005;
}
