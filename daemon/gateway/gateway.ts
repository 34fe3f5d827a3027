/** The gateway as the HTTP room and the jobs see it, put together from its parts. */
import type { Language } from '../contract/error-codes.ts';
import type { CacheAffinity, ResponseAffinity } from '../domain/affinity.ts';
import type { BudgetBook } from '../domain/budget-book.ts';
import type { ChannelHealth } from '../domain/channel-health.ts';
import type { ChannelProbe } from '../domain/channel-probe.ts';
import { ProcessTurns } from '../domain/channel-selection.ts';
import type { Drawings } from '../domain/drawings.ts';
import type { KeyLimits } from '../domain/key-limits.ts';
import type { Ledger } from '../domain/ledger.ts';
import type { RateLimits } from '../domain/rate-limits.ts';
import type { Songs } from '../domain/songs.ts';
import type { UsageLog } from '../domain/usage-log.ts';
import { TollgateError } from '../errors.ts';
import { ImageLibrary } from '../relay/pictures/image-library.ts';
import { JpegMaker } from '../relay/pictures/jpeg-maker.ts';
import type { TokenCounter } from '../relay/tokens/token-counter.ts';
import type { Identities } from '../snapshots/identities.ts';
import type { Snapshot } from '../snapshots/snapshots.ts';
import type { Credentials } from '../upstream/auth/index.ts';
import { Deadlines } from '../upstream/deadlines.ts';
import type { Transport } from '../upstream/transport.ts';
import { type AdmitDeps, type RequestLimits, refuseBrowserExtensions, type WordFilter } from './admit.ts';
import { AnswerCopy } from './answer-copy.ts';
import { Authenticator } from './authenticate.ts';
import type { ChannelLoad } from './channel-load.ts';
import { Exchange, type ExchangeFacts } from './exchange.ts';
import { answerWithError, errorLanguage, type ShownError, shownError } from './failure-answer.ts';
import { Gates } from './gates.ts';
import type { FormConfig } from './inspect-form.ts';
import { LargeBodies } from './large-bodies.ts';
import { getModel, type ListPage, type ListShape } from './model-list.ts';
import { type PipelineDeps, relay } from './pipeline.ts';
import { Planner } from './plan.ts';
import { GatewayProbe } from './probe.ts';
import { PromptCounter } from './prompt-counter.ts';
import { RealtimeHandshakes } from './realtime-handshake.ts';
import { type AcceptUpgrade, openRealtime, type RealtimeDeps } from './realtime-opening.ts';
import { type FinishListener, Recorder } from './record.ts';
import { type RefusalListener, refusedCall } from './refused-call.ts';
import type { MediaDownloadPort } from './request-media.ts';
import { type RoutedPick, Router } from './route.ts';
import { RunningWork } from './running-work.ts';
import { type DrawingCall, DrawingCalls, type DrawingHooks } from './tasks/drawing-calls.ts';
import { type AskedImage, type DrawingImagesDeps, serveImage } from './tasks/drawing-image.ts';
import { type SongCall, SongCalls } from './tasks/song-calls.ts';
import type { TaskRunDeps } from './tasks/task-run.ts';
import type { UpstreamTimeouts } from './upstream-request.ts';
import { WrittenModels } from './written-models.ts';

export interface GatewayConfig {
  readonly maxRequestBodyBytes: number;
  /** Bodies of all running requests together, in memory. */
  readonly maxHeldBytes: number;
  /** Of these, what large bodies of one user may take. */
  readonly maxHeldBytesPerUser: number;
  readonly forms: FormConfig;
  /** Longest realtime session. */
  readonly realtimeMaxMs: number;
  readonly maxConcurrent: number;
  /** Default 200. */
  readonly maxConcurrentPerUser?: number;
  readonly retryMaxMs: number;
  readonly streamWriteTimeoutMs: number;
  readonly errorLogEnabled: boolean;
  /** Language of log rows, which are read later by others. */
  readonly logLanguage: Language;
  readonly timeouts: UpstreamTimeouts;
  /** Ask for usage on every stream that can report it (`FORCE_STREAM_OPTION`). */
  readonly forceStreamUsage: boolean;
  /** Images that one message to Gemini may carry; -1 for any number. */
  readonly maxImages: number;
  /** Remote images are fetched to count their tokens when an upstream reports no usage. */
  readonly countsMedia: { readonly streamed: boolean; readonly whole: boolean };
  /** Product version, for the `User-Agent` of upstream calls. */
  readonly version: string;
}

export interface GatewayDeps {
  readonly config: GatewayConfig;
  /** The world of this moment. */
  readonly view: () => Snapshot;
  readonly identities: Identities;
  readonly tokenHash: (key: string) => string;
  readonly markToken: (tokenId: number, state: 'expired' | 'exhausted') => void;
  readonly ledger: Pick<Ledger, 'hold' | 'extend' | 'settle'>;
  readonly usageLog: UsageLog;
  readonly health: ChannelHealth;
  readonly cacheAffinity: CacheAffinity;
  readonly load: ChannelLoad;
  readonly responseAffinity: ResponseAffinity;
  readonly limits: RequestLimits;
  readonly rates: RateLimits;
  readonly keyLimits: KeyLimits;
  readonly budgets: BudgetBook;
  readonly words: WordFilter;
  readonly transport: Transport;
  readonly credentials: Credentials;
  /** Files that requests name by address. */
  readonly downloads: MediaDownloadPort & DrawingImagesDeps['downloads'];
  readonly drawings: Drawings;
  readonly drawingHooks: DrawingHooks;
  readonly songs: Songs;
  readonly tokens: TokenCounter;
  /** Told of every settled request, behind its answer. */
  readonly listeners?: readonly FinishListener[];
  /** Told of every call that was refused before it was served. */
  readonly refused?: RefusalListener;
  /** Told of tasks that an upstream works on and nobody will follow up. */
  readonly lostTask: TaskRunDeps['lost'];
  /** Told once of a group that calls are made in and that has no ratio. */
  readonly groupWithoutRatio: AdmitDeps['groupWithoutRatio'];
  /** Told of failures that are bugs. */
  readonly report: (error: unknown, requestId: string) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** What the HTTP room hands over. */
export type IncomingExchange = Omit<ExchangeFacts, 'view' | 'startedAtMs'>;

export interface Gateway {
  /** Answers one model call. Never rejects. */
  handle(incoming: IncomingExchange): Promise<void>;
  /** Answers a model list, or one model. Never rejects. */
  listModels(
    incoming: IncomingExchange,
    wanted: { shape: ListShape; model: string | undefined; page: ListPage },
  ): Promise<void>;
  /** Runs a realtime session; the client's upgrade is accepted when everything before it succeeded. Never rejects. */
  realtime(incoming: IncomingExchange, accept: AcceptUpgrade): Promise<void>;
  /** Answers a call of the drawing proxy. Never rejects. */
  drawing(incoming: IncomingExchange, call: DrawingCall): Promise<void>;
  /** Answers a call of the music tasks. Never rejects. */
  song(incoming: IncomingExchange, call: SongCall): Promise<void>;
  /** Shows the picture of a drawing. Never rejects. */
  drawingImage(incoming: IncomingExchange, asked: AskedImage): Promise<void>;
  /** Requests in progress. */
  readonly running: number;
  /** Bytes of the bodies of running requests that lie in memory. */
  readonly heldBytes: number;
  /** Refuses new calls and resolves when the running ones have ended. */
  drain(): Promise<void>;
  /** Ends what still runs when the grace of a shutdown is over; it is billed for what was received. */
  interrupt(): void;
  /** What the domain asks about single upstreams. */
  readonly probe: ChannelProbe;
}

/** Puts the gateway together. */
export function createGateway(deps: GatewayDeps): Gateway {
  const { config } = deps;
  const deadlines = new Deadlines();
  const gates = new Gates({
    maxConcurrent: config.maxConcurrent,
    maxConcurrentPerUser: config.maxConcurrentPerUser ?? 200,
    maxHeldBytes: config.maxHeldBytes,
    maxHeldBytesPerUser: config.maxHeldBytesPerUser,
  });
  const authenticator = new Authenticator(deps);
  const { timeouts, forceStreamUsage, maxImages, version } = config;
  const images = new ImageLibrary();
  const planner = new Planner({
    timeouts,
    forceStreamUsage,
    maxImages,
    maxBodyBytes: config.maxRequestBodyBytes,
    version,
    credentials: deps.credentials,
    images,
    random: deps.random,
  });
  const work = new RunningWork();
  const lists = new WrittenModels();
  const bodies = new LargeBodies((error) => deps.report(error, ''));
  const pipeline = pipelineOf(deps, { deadlines, gates, authenticator, planner, work, bodies });
  const realtime: RealtimeDeps = {
    pipeline,
    handshakes: new RealtimeHandshakes({ ...deps, timeouts, version, retryMaxMs: config.retryMaxMs }),
    ledger: deps.ledger,
    deadlines,
    work,
    jpegs: new JpegMaker(images),
    idleMs: timeouts.idleMs,
    maxMs: config.realtimeMaxMs,
  };
  const maxBodyBytes = config.maxRequestBodyBytes;
  const tasks: TaskRunDeps = { ...deps, pipeline, timeouts, version, maxBodyBytes, lost: deps.lostTask };
  const drawings = new DrawingCalls({ ...deps, ...tasks, hooks: deps.drawingHooks });
  const songs = new SongCalls({ ...deps, ...tasks });
  const open = (incoming: IncomingExchange) => {
    const view = deps.view();
    const sink = view.options.get('LogChatContentEnabled') ? new AnswerCopy(incoming.sink) : incoming.sink;
    const { id, endpoint, request, signIn } = incoming;
    return new Exchange({ id, endpoint, request, sink, signIn, view, startedAtMs: deps.now() });
  };
  return {
    handle: (incoming) => relay(pipeline, open(incoming)),
    realtime: (incoming, accept) => openRealtime(realtime, open(incoming), accept),
    drawing: (incoming, call) => drawings.run(open(incoming), call),
    song: (incoming, call) => songs.run(open(incoming), call),
    drawingImage: (incoming, asked) =>
      serveImage({ ...deps, gates, report: (error) => deps.report(error, incoming.id) }, open(incoming), asked),
    async listModels(incoming, wanted) {
      const exchange = open(incoming);
      exchange.request.body.resume();
      let entered = false;
      try {
        gates.enter(exchange);
        entered = true;
        const caller = await authenticator.authenticate(exchange);
        refuseBrowserExtensions(exchange);
        const { shape, model, page } = wanted;
        const text =
          model === undefined
            ? lists.list(exchange.view, caller, { shape, page })
            : JSON.stringify(getModel(exchange.view, caller, { shape, model }));
        exchange.sink.answer(200, 'application/json', text);
      } catch (error) {
        refuse(deps, exchange, error);
      } finally {
        if (entered) gates.leave(exchange);
      }
    },
    get running() {
      return gates.running;
    },
    get heldBytes() {
      return gates.heldBytes;
    },
    async drain() {
      await gates.drain();
      await Promise.all([bodies.close(), deps.words.close()]);
    },
    interrupt: () => work.interruptAll(),
    probe: new GatewayProbe({ ...deps, planner }),
  };
}

function pipelineOf(
  deps: GatewayDeps,
  parts: {
    deadlines: Deadlines;
    gates: Gates;
    authenticator: Authenticator;
    planner: Planner;
    work: RunningWork;
    bodies: LargeBodies;
  },
): PipelineDeps {
  const { config, ledger, transport, health, keyLimits, responseAffinity, load } = deps;
  const { deadlines, gates, authenticator, planner, work } = parts;
  const prompts = new PromptCounter(deps.tokens);
  const router = new Router({
    coolingMs: (channelId, keyId, model) => health.isCooling(channelId, keyId, model),
    spentMs: (channel) => deps.budgets.spentMs(channel.record),
    cacheAffinity: deps.cacheAffinity,
    responseAffinity,
    turns: new ProcessTurns(),
    fullMs: (key) => keyLimits.fullMs(key),
    running: (channelId) => load.running(channelId),
    random: deps.random,
  });
  return {
    gates,
    authenticator,
    bodies: parts.bodies,
    body: {
      deadlines,
      room: gates,
      limits: { maxBytes: config.maxRequestBodyBytes, idleMs: 30_000, totalMs: 300_000 },
    },
    forms: { ...config.forms, deadlines, room: gates, idleMs: 30_000, totalMs: 300_000 },
    limits: deps.limits,
    rates: deps.rates,
    budgets: deps.budgets,
    admit: { router, words: deps.words, prompts, groupWithoutRatio: deps.groupWithoutRatio },
    ledger,
    serving: {
      groupWithoutRatio: deps.groupWithoutRatio,
      failover: {
        planner,
        transport,
        health,
        load,
        keyLimits,
        budgets: deps.budgets,
        work,
        retryMaxMs: config.retryMaxMs,
        now: deps.now,
      },
      ledger,
      authenticator,
      responseAffinity,
      downloads: deps.downloads,
      deadlines,
      streamWriteTimeoutMs: config.streamWriteTimeoutMs,
      explain: (exchange, error, pick) => explain(deps, exchange, { error, pick }),
      refuse: (exchange, error) => refuse(deps, exchange, error),
      logged: (exchange, error, pick) =>
        failureWords(exchange, { error, pick }, { language: config.logLanguage, isKept: true }),
    },
    settle: {
      ledger,
      usageLog: deps.usageLog,
      budgets: deps.budgets,
      prompts,
      now: deps.now,
      errorLogEnabled: config.errorLogEnabled,
      countsMedia: config.countsMedia,
    },
    recorder: new Recorder({ listeners: deps.listeners ?? [], report: (error) => deps.report(error, '') }),
  };
}

interface FailedCall {
  readonly error: unknown;
  readonly pick: RoutedPick | undefined;
}

/** A failure in the client's words; what is no failure of ours is a bug and reported as one. */
function explain(deps: GatewayDeps, exchange: Exchange, failed: FailedCall): ShownError {
  const language = errorLanguage(exchange.view, exchange.request.headers['accept-language']);
  const shown = failureWords(exchange, failed, { language });
  if (shown.code === 'internal_error') deps.report(failed.error, exchange.id);
  return shown;
}

function refuse(deps: GatewayDeps, exchange: Exchange, error: unknown): void {
  const shown = explain(deps, exchange, { error, pick: undefined });
  answerWithError(exchange, shown);
  // What an upstream or a bug is behind is told elsewhere; the codes are a closed table.
  if (error instanceof TollgateError) deps.refused?.(refusedCall(exchange, shown));
}

function failureWords(
  { view, id }: Exchange,
  { error, pick }: FailedCall,
  words: { readonly language: Language; readonly isKept?: boolean },
): ShownError {
  const hideUpstreamErrors = view.options.get('global.hide_upstream_error_enabled');
  const exposeCredentialErrors = pick?.channel.setting.expose_auth_error === true;
  return shownError(error, { hideUpstreamErrors, exposeCredentialErrors, ...words }, id);
}
