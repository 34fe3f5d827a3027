/** Metrics: fed by the relay's records, read from a port of their own. Nothing is counted while nobody can read it. */
import type { Config } from '../config/schema.ts';
import { isErrorCode } from '../contract/error-codes.ts';
import type { FinishedRequest, FinishListener } from '../gateway/record.ts';
import type { RefusalListener } from '../gateway/refused-call.ts';
import type { Database } from '../store/database.ts';
import type { RelayObservation } from '../telemetry/metrics.ts';
import type { NoticeParts } from './notices.ts';
import type { RelayParts } from './relay.ts';
import { metricsLine, type StartLine } from './start-lines.ts';

export interface MetricsParts {
  readonly listeners: readonly FinishListener[];
  /** Told of calls that were refused before they were served. */
  readonly refused: RefusalListener;
  /** Told of each call that met a bug. */
  readonly metBug: () => void;
  /** What the start says of them. */
  readonly line: StartLine;
  /** Shows figures that the relay keeps. */
  watch(
    parts: Pick<RelayParts, 'gateway' | 'logContent' | 'transport'> & {
      readonly notices: Pick<NoticeParts, 'lost'>;
      readonly database: Pick<Database, 'pool'>;
    },
  ): void;
  stop(): Promise<void>;
}

/** Opens the port of the metrics, if one is configured. Rejects when it cannot be had. */
export async function openMetrics(listen: Config['metrics']['listen']): Promise<MetricsParts> {
  if (listen === null) {
    const line = metricsLine(undefined);
    const nobody = () => undefined;
    return { listeners: [], refused: nobody, metBug: nobody, line, watch: nobody, stop: async () => undefined };
  }
  // Loaded only where they are wanted, to keep the start short.
  const { Metrics } = await import('../telemetry/metrics.ts');
  const { serveMetrics } = await import('../telemetry/metrics-server.ts');
  const metrics = new Metrics();
  const server = await serveMetrics(metrics, listen);
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return {
    listeners: [(finished) => metrics.relayFinished(observation(finished))],
    refused: ({ capability, code }) => metrics.relayRefused(capability, code),
    metBug: () => metrics.metBug(),
    line: metricsLine(`http://${host}:${server.port}/metrics`),
    watch({ gateway, logContent, transport, notices, database }) {
      metrics.watch('relay_running', 'Relay requests in progress', () => gateway.running);
      metrics.watch('relay_body_bytes', 'Bytes of request bodies that lie in memory', () => gateway.heldBytes);
      metrics.watchTotal('log_texts_lost', 'Calls whose prompt and answer were not stored', () => logContent.lost);
      metrics.watchTotal('notices_lost', 'Notices that did not arrive', notices.lost);
      metrics.watch('upstream_connections', 'Connections to upstreams in use', () => transport.pool.used);
      metrics.watch(
        'upstream_waiting',
        'Calls that wait for a connection to an upstream',
        () => transport.pool.waiting,
      );
      metrics.watch('database_connections', 'Connections to the database in use', () => database.pool.used);
      metrics.watch(
        'database_waiting',
        'Statements and transactions that wait for a connection to the database',
        () => database.pool.waiting,
      );
    },
    stop: server.stop,
  };
}

function observation({ account, outcome, bill }: FinishedRequest): RelayObservation {
  return {
    capability: account.exchange.endpoint.capability,
    outcome: outcomeLabel(outcome),
    channelId: outcome.served?.pick.channel.record.id ?? 0,
    attempts: account.trail.attempts.length,
    durationMs: account.exchange.ageMs,
    firstTokenMs: outcome.firstTokenMs,
    promptTokens: bill.usage.prompt,
    completionTokens: bill.usage.completion,
    quota: bill.settlement.charge,
  };
}

/** A code of an upstream's own would be one of any number of labels: nobody bounds what they are called. */
function outcomeLabel({ error, reason }: FinishedRequest['outcome']): string {
  const code = String(error?.code ?? '');
  return isErrorCode(code) ? code : reason;
}
