/** The state of the site on the wire. */
import type { Language } from '../../contract/error-codes.ts';
import { formatSelfTest, type SelfTestName, type SelfTestView } from '../../contract/self-tests.ts';
import type { LatencyView, NodeView, ReachedAddressView, SystemView } from '../../contract/system.ts';
import { formatSystemWarning } from '../../contract/system-warnings.ts';
import type { SelfTestOutcome } from '../../domain/self-tests.ts';
import type { ChannelTimes, NodeState, ReachedAddress, SystemState } from '../../domain/system-state.ts';

export function presentNodes(nodes: readonly NodeState[]): NodeView[] {
  const newest = Math.max(0, ...nodes.map(({ revision }) => revision));
  return nodes.map((node) => ({
    id: node.id,
    address: node.address,
    version: node.version,
    started_at: node.startedAt,
    heartbeat_at: node.heartbeatAt,
    alive: node.isAlive,
    role: node.role,
    revision: node.revision,
    lag: newest - node.revision,
    running: node.running,
    calls_per_second: node.callsPerSecond,
    open_holds: node.openHolds,
    lost_texts: node.lostTexts,
    redis: node.redis,
    memory_bytes: node.memoryBytes,
    cpu_percent: node.cpuPercent,
    loop_delay_ms: node.loopDelayMs,
    jobs: node.jobs.map((job) => ({
      name: job.name,
      scope: job.scope,
      last_at: job.lastAt,
      last_ms: job.lastMs,
      outcome: job.outcome,
      next_at: job.nextAt,
    })),
  }));
}

/** What does not change while the daemon runs. */
export interface SystemFacts {
  readonly version: string;
  readonly trustedProxies: readonly string[];
  readonly egressAllow: readonly string[];
}

export function presentSystem(state: SystemState, facts: SystemFacts, language: Language): SystemView {
  const { database, channels, firstToken } = state;
  return {
    version: facts.version,
    database: { engine: database.engine, reachable: database.isReachable, ms: database.ms },
    mail: state.hasMail,
    nodes: presentNodes(state.nodes),
    channels: channels.map((channel) => ({
      id: channel.id,
      name: channel.name,
      status: channel.status,
      cooling: channel.cooling,
      reason: channel.reason,
      models: channel.models,
      keys: { usable: channel.keys.usable, all: channel.keys.all },
      response_time: channel.responseTime,
      balance: channel.balance ?? null,
      last_hour: { requests: channel.lastHour.requests, failures: channel.lastHour.failures },
      last_day: { requests: channel.lastDay.requests, failures: channel.lastDay.failures },
    })),
    first_token: firstToken ? { p50: firstToken.p50, p95: firstToken.p95 } : null,
    network: { trusted_proxies: [...facts.trustedProxies], egress_allow: [...facts.egressAllow] },
    warnings: state.warnings.map((warning) => ({
      code: warning.code,
      message: formatSystemWarning(warning, language),
    })),
  };
}

export function presentLatency(row: ChannelTimes): LatencyView {
  const { duration, firstToken } = row;
  return {
    channel: row.channelId,
    name: row.name,
    model: row.model ?? null,
    answered: row.answered,
    failed: row.failed,
    duration: duration ? { p50: duration.p50, p95: duration.p95 } : null,
    first_token: firstToken ? { p50: firstToken.p50, p95: firstToken.p95 } : null,
    errors: row.errors.map(({ name, count }) => ({ class: name, count })),
  };
}

export function presentReached(reached: ReachedAddress): ReachedAddressView {
  return {
    address: reached.address,
    channels: [...reached.channelIds],
    reachable: reached.isReachable,
    status: reached.status,
    ms: reached.ms,
    reason: reached.reason,
  };
}

export function presentSelfTest(check: SelfTestName, found: SelfTestOutcome, language: Language): SelfTestView {
  const { result, code, params } = found;
  const { request = '', account = '' } = params;
  const message = formatSelfTest(found, language);
  return { check, result, code, message, request_id: String(request), account: String(account) };
}
