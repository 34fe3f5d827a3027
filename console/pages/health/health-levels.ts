/** When a figure of the site is good, worth a look, or bad. Pure; the page says the limits in words beside the colour. */
import type { LatencyView, NodeView, SystemView } from '../../../daemon/contract/system.ts';
import { formatDuration } from '../../components/format.ts';
import type { Tone } from '../../components/tones.ts';

export type Level = 'good' | 'fair' | 'bad' | 'none';

export const levelTone: Readonly<Record<Level, Tone>> = { good: 'green', fair: 'yellow', bad: 'red', none: 'grey' };

/** Up to `fair` is good, up to `bad` is worth a look. */
export interface Limits {
  readonly fair: number;
  readonly bad: number;
}

export const limits = {
  databaseMs: { fair: 50, bad: 250 },
  cpuPercent: { fair: 70, bad: 90 },
  loopDelayMs: { fair: 50, bad: 200 },
  lag: { fair: 0, bad: 5 },
} as const satisfies Record<string, Limits>;

/** Parts of the calls that are answered: at least. */
export const successLimits = { good: 0.99, fair: 0.95 } as const;

export function levelOf(value: number, { fair, bad }: Limits): Level {
  if (value <= fair) return 'good';
  return value <= bad ? 'fair' : 'bad';
}

interface Calls {
  readonly requests: number;
  readonly failures: number;
}

/** Undefined without calls; `requests` counts those answered, `failures` those that were not. */
export function successRate({ requests, failures }: Calls): number | undefined {
  const all = requests + failures;
  return all === 0 ? undefined : requests / all;
}

export function successLevel(calls: Calls): Level {
  const rate = successRate(calls);
  if (rate === undefined) return 'none';
  if (rate >= successLimits.good) return 'good';
  return rate >= successLimits.fair ? 'fair' : 'bad';
}

type ChannelHealth = SystemView['channels'][number];

/** What is broken first: disabled automatically, then the lowest part of calls answered, then those without calls. */
export function worstChannelsFirst(channels: readonly ChannelHealth[]): readonly ChannelHealth[] {
  const rank = ({ status, last_hour, last_day }: ChannelHealth): number =>
    status === 3 ? -1 : (successRate(last_hour) ?? successRate(last_day) ?? 2);
  return [...channels].sort((one, other) => rank(one) - rank(other) || one.id - other.id);
}

/** A job with the node that ran it. */
export type JobRow = NodeView['jobs'][number] & { readonly node: string };

const outcomeOrder = ['failed', 'done', 'elsewhere', 'never'];

/** Failed ones first, then by when they ran last. */
export function jobRows(nodes: readonly NodeView[]): readonly JobRow[] {
  return nodes
    .flatMap(({ id, jobs }) => jobs.map((job) => ({ ...job, node: id })))
    .sort(
      (one, other) =>
        outcomeOrder.indexOf(one.outcome) - outcomeOrder.indexOf(other.outcome) ||
        other.last_at - one.last_at ||
        one.name.localeCompare(other.name),
    );
}

/** What all nodes that are alive say of Redis: lost for one is lost. */
export function redisState(nodes: readonly NodeView[]): 'off' | 'connected' | 'lost' {
  const states = nodes.filter(({ alive }) => alive).map(({ redis }) => redis);
  if (states.includes('lost')) return 'lost';
  return states.includes('connected') ? 'connected' : 'off';
}

/** Times of a channel as a whole, and of its models, the busiest first. */
export interface ChannelLatency {
  readonly whole: LatencyView;
  readonly models: readonly LatencyView[];
}

export function latencyByChannel(rows: readonly LatencyView[]): ReadonlyMap<number, ChannelLatency> {
  const wholes = rows.filter(({ model }) => model === null);
  const modelsOf = (id: number) => rows.filter(({ channel, model }) => channel === id && model !== null);
  return new Map(wholes.map((whole) => [whole.channel, { whole, models: modelsOf(whole.channel) }]));
}

/** `820 ms` or `1.8 s`; both of a pair, as what half and nearly all calls stay below. */
export function percentilesText(pair: LatencyView['duration'] | undefined): string {
  if (!pair) return '—';
  const text = (ms: number) => (ms < 1000 ? `${ms} ms` : formatDuration(ms / 1000));
  return `${text(pair.p50)} / ${text(pair.p95)}`;
}
