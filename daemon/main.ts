/**
 * The composition root: configuration -> stores -> snapshots -> services -> gateway -> http -> jobs, and the way back.
 * It knows every room and holds no logic beyond configuration.
 */
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type Closing, closeInTurn, endsWithin, sharedPatience } from './close-in-turn.ts';
import { setEngineFlags } from './composition/engine-flags.ts';
import { type Clock, type Foundation, openFoundation, systemClock } from './composition/foundation.ts';
import { buildJobs, type RunningJobs } from './composition/jobs.ts';
import { buildManagement } from './composition/management.ts';
import { type MetricsParts, openMetrics } from './composition/metrics.ts';
import { buildNode, type NodeParts } from './composition/node.ts';
import { buildNotices, type NoticeParts } from './composition/notices.ts';
import { buildRelay, type RelayParts } from './composition/relay.ts';
import { startFailure } from './composition/start-failure.ts';
import {
  configLine,
  consoleUnbuilt,
  listeningLine,
  ofWorker,
  type StartLine,
  setUpHint,
  setupTokenLine,
  signalLine,
  stoppedLine,
} from './composition/start-lines.ts';
import {
  adoptJournals,
  leaveWorkers,
  onWorkersOrphaned,
  onWorkersStop,
  servingPlace,
  superviseWorkers,
  workerNumber,
} from './composition/workers.ts';
import { type ConfigProblem, type Environment, problemText, readConfig } from './config/load.ts';
import type { Config } from './config/schema.ts';
import type { Language } from './contract/error-codes.ts';
import { expectSharedSecret } from './domain/node-presence.ts';
import { errorLanguage } from './gateway/failure-answer.ts';
import { limitConnections } from './http/connection-limit.ts';
import { type ConsoleFiles, readConsole } from './http/console-files.ts';
import { TrustedProxies } from './http/middleware/client-address.ts';
import { tellQueuedAnswers } from './http/queued-answers.ts';
import { serverOptions } from './http/server-options.ts';
import { limitUnreadAnswers } from './http/unread-answers.ts';
import { answerUnreadable, serveHosted } from './http/unreadable-requests.ts';
import { serveUpgrades } from './http/upgrades.ts';
import { packageVersion } from './package-version.ts';
import { fullCollection, IdleMemory } from './telemetry/idle-memory.ts';
import { createLogger, type Logger } from './telemetry/logger.ts';
import { openFileLimit } from './telemetry/open-files.ts';
import { residentBytes } from './telemetry/process-figures.ts';

export interface Daemon {
  /** Address to open, e.g. `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly foundation: Foundation;
  /** Calls under way. */
  running(): number;
  /**
   * Stops taking calls, lets running ones end within the grace period, by default the configured one, settles, closes.
   * Idempotent; a later call without any grace ends that of an earlier one.
   */
  stop(graceMs?: number): Promise<void>;
}

export interface DaemonOptions {
  readonly log: Logger;
  readonly clock?: Clock;
  /** Told line by line what the start found. */
  readonly say?: (line: StartLine) => void;
  /** This process's own part of the data folder; by default all of it. */
  readonly folder?: string;
  /** Read already; by default what was built. */
  readonly pages?: ConsoleFiles | undefined;
}

/** What parts that can be missed may take in all, when the daemon ends, of a database that may have fallen silent. */
const SILENCE_MS = 5000;

/** Beside the built daemon, or in `dist/` where the daemon runs from its sources. */
export function builtConsole(): ConsoleFiles | undefined {
  const places = ['../console/assets', '../dist/console/assets'];
  return readConsole(places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync));
}

function listen(server: Server, { host, port }: Config['listen']): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      const actual = typeof address === 'object' && address !== null ? address.port : port;
      const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
      resolve(`http://${shown}:${actual}`);
    });
  });
}

/** What a daemon has opened so far. */
interface Parts {
  readonly foundation: Foundation;
  metrics?: MetricsParts;
  notices?: NoticeParts;
  node?: NodeParts;
  relay?: RelayParts;
  jobs?: RunningJobs;
}

/** Starts a whole daemon. Rejects, with everything closed again, when a part cannot start. */
export async function startDaemon(config: Config, options: DaemonOptions): Promise<Daemon> {
  const { log, clock = systemClock, folder = config.data_dir } = options;
  const parts: Parts = { foundation: await openFoundation(config, { log, clock, folder }) };
  try {
    return await startOn(parts, options);
  } catch (error) {
    // What could not be closed is in the log; why the start came to nothing is what the caller is told.
    await closeParts(parts).catch(() => undefined);
    throw error;
  }
}

/** Opens all that stands on the foundation; each part is noted as soon as it is there. */
async function startOn(
  parts: Parts,
  { say = () => undefined, pages = builtConsole() }: DaemonOptions,
): Promise<Daemon> {
  const { foundation } = parts;
  const { config, log, folder } = foundation;
  const version = packageVersion();
  for (const line of foundation.lines) say(line);
  let serving = true;
  const trustedProxies = new TrustedProxies(config.trusted_proxies);
  const metrics = (parts.metrics = await openMetrics(config.metrics.listen));
  say(metrics.line);
  const notices = (parts.notices = buildNotices(foundation));
  const node = (parts.node = buildNode(foundation));
  const listeners = [...metrics.listeners, notices.listener, ...node.listeners];
  const relay = (parts.relay = buildRelay(foundation, {
    version,
    trustedProxies,
    listeners,
    notices,
    refused: metrics.refused,
    metBug: metrics.metBug,
  }));
  metrics.watch({ ...relay, notices, database: foundation.database });
  node.watchRelay(relay);
  await adoptJournals({ config, folder });
  await relay.ledger.start();
  await relay.coolingEnds.start();
  await relay.budgets.learn(foundation.snapshots.current().channels.all());
  const management = buildManagement(foundation, relay, {
    version,
    trustedProxies,
    notices,
    times: node.times,
    failedTries: node.failedTries,
    console: pages,
    isServing: () => serving,
    metBug: metrics.metBug,
  });
  await notices.start();
  const setup = await management.setup.prepare();
  // At once: it is made only once, also where this start comes to nothing.
  if (typeof setup === 'object') say(setupTokenLine(setup.token));
  await foundation.snapshots.reload('setup');
  const jobs = (parts.jobs = buildJobs(foundation, relay, { version, checks: management.checks, notices, node }));
  await jobs.start();
  const server = createServer(serverOptions);
  const siteLanguage = () => errorLanguage(foundation.snapshots.current(), undefined);
  serveHosted(server, management.listener, siteLanguage);
  serveUpgrades(server, relay.upgrades);
  tellQueuedAnswers(server);
  limitUnreadAnswers(server, config.relay.stream_write_timeout_seconds * 1000);
  answerUnreadable(server, siteLanguage);
  server.maxRequestsPerSocket = 0;
  // Their size has a limit. Node drops those beyond a thousand unseen, and proxies put the caller's address behind others.
  server.maxHeadersCount = 0;
  limitConnections(server, { openFiles: openFileLimit(), log });
  const { keyring, nodeId, nowSeconds, database } = foundation;
  await expectSharedSecret(database.stores.nodes, { nodeId, secretMark: keyring.mark, nowSeconds: nowSeconds() });
  const url = await listen(server, config.listen);
  if (pages === undefined) say(consoleUnbuilt);
  if (setup !== 'done') say(setUpHint(url, tokenOf(config, setup)));
  say(listeningLine(url));
  let stopping: Promise<void> | undefined;
  let hurry: () => void = () => undefined;
  const hurried = new Promise<void>((resolve) => {
    hurry = resolve;
  });
  const stop = async (graceMs: number) => {
    serving = false;
    management.endStreams();
    // New calls are told to come back, not left without an answer, until the running ones are over.
    await endsWithin(Promise.race([relay.gateway.drain(), hurried]), graceMs);
    // What still runs is told so in its own protocol, billed, and only then cut off.
    relay.gateway.interrupt();
    await endsWithin(relay.gateway.drain(), 5000);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    await endsWithin(closed, 1000);
    server.closeAllConnections();
    await closed;
    await closeParts(parts);
  };
  return {
    url,
    foundation,
    running: () => relay.gateway.running,
    stop(graceMs = config.relay.shutdown_grace_seconds * 1000) {
      if (graceMs === 0) hurry();
      stopping ??= stop(graceMs);
      return stopping;
    },
  };
}

/**
 * Closes everything once no call runs any more: first who makes work, then who takes it in, what all stand on last. Money
 * goes ahead of what can be missed, and all the rest waits for the database no longer than one of them may.
 */
function closeParts({ jobs, relay, notices, node, metrics, foundation }: Parts): Promise<void> {
  const { log } = foundation;
  const shared = sharedPatience(SILENCE_MS);
  const cold = (part: string, close: () => Promise<unknown> | undefined, patience = shared): Closing => [
    part,
    async () => {
      if (!(await patience(close()))) log.error({ part }, 'a part was not closed in time: the database may be silent');
    },
  ];
  const unwritten = (what: string) => (error: unknown) => log.error({ err: error }, `${what} were not written`);
  return closeInTurn(
    [
      // What they wait for may be an upstream: nobody's writing gets less time for it.
      cold('the jobs', () => jobs?.stop(), sharedPatience(SILENCE_MS)),
      ['the ledger', () => relay?.ledger.stop()],
      cold('kept responses', () => relay?.storedResponses.flush()),
      cold('texts of calls', () => relay?.logContent.flush()),
      cold('channel states', () => relay?.health.drain().catch(unwritten('channel states'))),
      // Settlements that were still under way count too.
      cold('hourly figures', () => relay?.hourly.flush().catch(unwritten('hourly figures'))),
      cold('notices', () => notices?.stop()),
      ['connections to upstreams', () => relay?.transport.close()],
      ['the counting of tokens', () => relay?.tokens.close()],
      cold('the name of this node', () => jobs?.leave()),
      ['the figures of this node', () => node?.stop()],
      ['metrics', () => metrics?.stop()],
      ['the foundation', () => foundation.stop()],
    ],
    (part, error) => log.error({ part, err: error }, 'a part could not be closed in order'),
  );
}

function tokenOf({ security }: Config, setup: { readonly token: string } | 'open'): Parameters<typeof setUpHint>[1] {
  if (security.setup_token !== '') return 'configured';
  return typeof setup === 'object' ? 'made' : 'made-before';
}

export interface ServeOptions {
  config?: string;
  listen?: string;
  data?: string;
  logLevel?: string;
  /** What the operator reads; by default English. */
  language?: Language;
  /** The same for what is wrong with the configuration. */
  problemText?: (problem: ConfigProblem) => string;
}

/** `tollgate serve`: runs until SIGTERM, SIGINT or SIGHUP, of a terminal that closes; returns the exit code. */
export async function serve(options: ServeOptions, environment: Environment): Promise<number> {
  setEngineFlags();
  const overrides = {
    ...(options.listen === undefined ? {} : { listen: options.listen }),
    ...(options.data === undefined ? {} : { data_dir: options.data }),
    ...(options.logLevel === undefined ? {} : { 'log.level': options.logLevel }),
  };
  const number = workerNumber(environment);
  // What is the same for all workers is said once.
  const { language = 'en', problemText: toldAs = problemText } = options;
  const tell = (line: StartLine) => process.stderr.write(`${line[language]}\n`);
  const say = number === undefined || number === 1 ? tell : () => undefined;
  const { config, problems, idle, unknown } = readConfig({ file: options.config, env: environment, overrides });
  if (number === undefined) {
    for (const problem of [...problems, ...unknown, ...idle]) say(configLine(toldAs(problem)));
  }
  if (config === undefined) return 12;
  const isSupervisor = number === undefined && config.server.workers > 1;
  const stopping = untilTold(number === undefined ? say : () => undefined);
  let leave: () => void = () => undefined;
  try {
    if (isSupervisor) return await superviseWorkers(config, { say, stopping });
    const { config: own, folder } = servingPlace(config, number);
    const log = createLogger({ level: own.log.level });
    // A bug, which must not take with it every other call that runs here.
    const tellBug = (error: unknown) => log.error({ err: error }, 'a step failed that nobody watched');
    process.on('unhandledRejection', tellBug).on('uncaughtException', tellBug);
    const daemon = await startDaemon(own, { log, say, folder });
    const memory = new IdleMemory({
      running: daemon.running,
      memoryBytes: residentBytes,
      collect: fullCollection(),
    });
    memory.start();
    // Nobody hands an orphaned worker connections any more, and a new start waits for its place: also where it stops already.
    const orphaned = new Promise<void>((resolve) => {
      leave = onWorkersOrphaned(resolve);
    });
    const hurried = orphaned.then(() => daemon.stop(0));
    await Promise.race([stopping, orphaned]);
    memory.stop();
    await Promise.race([hurried, daemon.stop()]);
    if (number === undefined) say(stoppedLine);
    return 0;
  } catch (error) {
    const failure = startFailure(error, config);
    tell(number === undefined ? failure : ofWorker(number, failure));
    return 12;
  } finally {
    leave();
    leaveWorkers();
  }
}

/** The first signal drains; a second one within the grace period ends at once. A worker may be told as well. */
function untilTold(say: (line: StartLine) => void): Promise<void> {
  return new Promise((resolve) => {
    let seen = false;
    // Windows has Ctrl-Break where others have SIGTERM.
    for (const name of ['SIGTERM', 'SIGINT', 'SIGBREAK', 'SIGHUP'] as const) {
      process.on(name, () => {
        // A terminal that closes says so more than once: itself, and by its shell.
        if (seen && name === 'SIGHUP') return;
        if (seen) process.exit(name === 'SIGINT' ? 130 : 143);
        seen = true;
        say(signalLine(name));
        resolve();
      });
    }
    onWorkersStop(resolve);
  });
}
