/** How the site is: nodes, dependencies, queues, jobs, channels, and what deserves attention (console.md 6.25). */

import type { OptionsView } from '../contract/options.ts';
import { statusReasonOf } from '../contract/status-reason.ts';
import type { SystemWarning } from '../contract/system-warnings.ts';
import type { ChannelView } from '../snapshots/channel-view.ts';
import type { Database } from '../store/database.ts';
import {
  type CallTimes,
  type CallTimesRow,
  type CountedTimes,
  firstTokenOf,
  type Percentiles,
  timesOf,
} from './call-times.ts';
import { addedTries, type FailedTries } from './failed-tries.ts';
import { factsOf, type NodeFacts } from './node-figures.ts';
import type { NodePresence } from './node-presence.ts';

export interface NodeState extends NodeFacts {
  readonly id: string;
  readonly address: string;
  readonly version: string;
  /** Unix seconds. */
  readonly startedAt: number;
  readonly heartbeatAt: number;
  readonly isAlive: boolean;
}

/** A channel with its calls. */
export interface ChannelState {
  readonly id: number;
  readonly name: string;
  readonly status: number;
  /** Seconds until this node may ask it again; 0 = now. */
  readonly cooling: number;
  /** Why it was disabled; "" where nothing was noted. */
  readonly reason: string;
  /** How many it offers. */
  readonly models: number;
  /** Those that calls may use, and all. */
  readonly keys: { readonly usable: number; readonly all: number };
  /** Milliseconds of the last test; 0 = not yet. */
  readonly responseTime: number;
  /** USD as the upstream reported it; undefined where it was not asked yet. */
  readonly balance: number | undefined;
  readonly lastHour: CallFigures;
  readonly lastDay: CallFigures;
}

export interface CallFigures {
  readonly requests: number;
  readonly failures: number;
}

/** A channel, or one model of it, with its times. */
export interface ChannelTimes extends CallTimesRow {
  readonly name: string;
}

export interface SystemState {
  readonly database: { readonly engine: 'sqlite' | 'postgres'; readonly isReachable: boolean; readonly ms: number };
  readonly hasMail: boolean;
  readonly nodes: readonly NodeState[];
  readonly channels: readonly ChannelState[];
  /** Of all channels in the last hour; undefined where nothing was timed. */
  readonly firstToken: Percentiles | undefined;
  readonly warnings: readonly SystemWarning[];
}

/** An upstream address, and whether it answers from here. */
export interface ReachedAddress {
  readonly address: string;
  readonly channelIds: readonly number[];
  readonly isReachable: boolean;
  /** 0 without an answer. */
  readonly status: number;
  readonly ms: number;
  /** Why it was not reached; "" when it was. */
  readonly reason: string;
}

/** Asks an address without any key. */
export type Reach = (address: string) => Promise<{ readonly status: number } | { readonly reason: string }>;

export interface SystemStateDeps {
  readonly database: Database;
  readonly options: () => OptionsView;
  readonly channels: () => Iterable<ChannelView>;
  readonly coolingSeconds: (channel: ChannelView) => number;
  /** The address a channel calls when it names none; undefined for vendors without a common one. */
  readonly defaultAddress: (channelType: number) => string | undefined;
  readonly reach: Reach;
  /** The mail server, as `host:port`, while the egress guard keeps mail from it. */
  readonly mailKeptAwayFrom: () => Promise<string | undefined>;
  /** This node, whose figures need no heartbeat. */
  readonly own: {
    readonly nodeId: string;
    readonly times: Pick<CallTimes, 'read'>;
    readonly failedTries: Pick<FailedTries, 'read'>;
  };
  readonly presence: Pick<NodePresence, 'isAlive'>;
  readonly nowSeconds: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

const daySeconds = 86_400;
const hourSeconds = 3600;
const asked = 8;

export class SystemStateService {
  readonly #deps: SystemStateDeps;

  constructor(deps: SystemStateDeps) {
    this.#deps = deps;
  }

  /** All nodes that have not been forgotten, by id. */
  async nodes(): Promise<NodeState[]> {
    const now = this.#deps.nowSeconds();
    const records = await this.#deps.database.stores.nodes.all();
    return records.map(({ facts, ...node }) => ({
      ...factsOf(facts),
      ...node,
      isAlive: this.#deps.presence.isAlive(node, now),
    }));
  }

  async state(): Promise<SystemState> {
    const { database, options } = this.#deps;
    const keptAway = this.#deps.mailKeptAwayFrom();
    const began = this.#deps.now();
    const isReachable = await database.ping().then(
      () => true,
      () => false,
    );
    const ms = Math.round((this.#deps.now() - began) * 10) / 10;
    const nodes = isReachable ? await this.nodes() : [];
    const hasMail = options().get('SMTPServer') !== '';
    return {
      database: { engine: database.engine, isReachable, ms },
      hasMail,
      nodes,
      channels: isReachable ? await this.#channels(nodes) : [],
      firstToken: firstTokenOf(this.#counted(nodes)),
      warnings: this.#warnings(nodes, { isConfigured: hasMail, keptAwayFrom: await keptAway }),
    };
  }

  /** Of the last hour, on all nodes that are alive; channels that were not called, or are gone, have no row. */
  async times(): Promise<ChannelTimes[]> {
    const names = new Map([...this.#deps.channels()].map(({ record: { id, name } }) => [id, name]));
    return timesOf(this.#counted(await this.nodes())).flatMap((row) => {
      const name = names.get(row.channelId);
      return name === undefined ? [] : [{ ...row, name }];
    });
  }

  /** What this node and the others that are alive counted in the last hour. */
  #counted(nodes: readonly NodeState[]): CountedTimes[] {
    return [...this.#deps.own.times.read(), ...this.#others(nodes).flatMap(({ times }) => times)];
  }

  #others(nodes: readonly NodeState[]): NodeState[] {
    return nodes.filter(({ id, isAlive }) => isAlive && id !== this.#deps.own.nodeId);
  }

  /** Asks every address that an enabled channel calls, each once, without a key. */
  async reachAll(): Promise<ReachedAddress[]> {
    const channels = [...this.#deps.channels()].filter(({ record }) => record.status === 1);
    const byOrigin = new Map<string, number[]>();
    for (const { record } of channels) {
      const address = record.baseUrl || this.#deps.defaultAddress(record.type) || '';
      const origin = URL.canParse(address) ? new URL(address).origin : '';
      if (origin !== '' && origin !== 'null') byOrigin.set(origin, [...(byOrigin.get(origin) ?? []), record.id]);
    }
    const waiting = [...byOrigin];
    const found: ReachedAddress[] = [];
    const ask = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) found.push(await this.#reach(...next));
    };
    await Promise.all(Array.from({ length: asked }, ask));
    return found.sort((left, right) => (left.address < right.address ? -1 : 1));
  }

  async #reach(address: string, channelIds: readonly number[]): Promise<ReachedAddress> {
    const began = this.#deps.now();
    const outcome = await this.#deps.reach(address);
    const ms = Math.round(this.#deps.now() - began);
    return 'status' in outcome
      ? { address, channelIds, isReachable: true, status: outcome.status, ms, reason: '' }
      : { address, channelIds, isReachable: false, status: 0, ms, reason: outcome.reason };
  }

  async #channels(nodes: readonly NodeState[]): Promise<ChannelState[]> {
    const hour = await this.#calls(hourSeconds);
    const day = await this.#calls(daySeconds);
    const figures = await this.#deps.database.stores.channels.figures();
    const failed = addedTries([
      ...this.#deps.own.failedTries.read(),
      ...this.#others(nodes).flatMap(({ failedTries }) => failedTries),
    ]);
    return [...this.#deps.channels()].map((channel) => {
      const { id, name, status } = channel.record;
      const found = figures.get(id);
      return {
        id,
        name,
        status,
        cooling: this.#deps.coolingSeconds(channel),
        reason: statusReasonOf(found?.otherInfo ?? null)?.reason ?? '',
        models: channel.models.length,
        keys: { usable: channel.keys.filter((key) => key.status === 1).length, all: channel.keys.length },
        responseTime: found?.responseTime ?? 0,
        balance: found?.isBalanceKnown ? found.balance : undefined,
        lastHour: withFailed(hour.get(id), failed.get(id)?.lastHour),
        lastDay: withFailed(day.get(id), failed.get(id)?.lastDay),
      };
    });
  }

  /** Calls by channel, as logged in the full hours that end with the running one. */
  async #calls(seconds: number): Promise<Map<number, CallFigures>> {
    const now = this.#deps.nowSeconds();
    const until = (Math.floor(now / hourSeconds) + 1) * hourSeconds;
    const from = Math.floor((now - seconds) / hourSeconds) * hourSeconds;
    const question = { filter: {}, range: { from, until }, keys: ['channel'], periods: [], limit: 10_000 } as const;
    const rows = await this.#deps.database.stores.logReports.rows(question);
    return new Map(rows.map(({ channelId, requests, failures }) => [channelId, { requests, failures }]));
  }

  #warnings(
    nodes: readonly NodeState[],
    mail: { readonly isConfigured: boolean; readonly keptAwayFrom: string | undefined },
  ): SystemWarning[] {
    const { database, options, channels } = this.#deps;
    const alive = nodes.filter(({ isAlive }) => isAlive);
    const lost = alive.reduce((sum, { lostTexts }) => sum + lostTexts, 0);
    const failed = failedJobs(alive);
    const disabled = [...channels()].filter(({ record }) => record.status === 3).length;
    const found: (SystemWarning | false)[] = [
      !mail.isConfigured && { code: 'mail_missing' },
      mail.keptAwayFrom !== undefined && { code: 'mail_private', params: { place: mail.keptAwayFrom } },
      options().get('ServerAddress') === '' && { code: 'server_address_missing' },
      ![...channels()].some(({ record }) => record.status === 1) && { code: 'no_channel' },
      disabled > 0 && { code: 'channels_disabled', params: { count: disabled } },
      database.engine === 'sqlite' && alive.length > 1 && { code: 'sqlite_shared', params: { nodes: alive.length } },
      new Set(alive.map(({ version }) => version)).size > 1 && { code: 'versions_differ' },
      alive.some(({ redis }) => redis === 'lost') && { code: 'redis_lost' },
      alive.length < nodes.length && { code: 'nodes_silent', params: { count: nodes.length - alive.length } },
      lost > 0 && { code: 'texts_lost', params: { count: lost } },
      failed.length > 0 && { code: 'jobs_failed', params: { names: failed.join(', ') } },
    ];
    return found.filter((warning) => warning !== false);
  }
}

/**
 * Names of jobs that failed at their last turn, each once whatever the number of nodes. A heartbeat tells of the one
 * before it: a node whose heartbeat came is past that.
 */
function failedJobs(alive: readonly NodeState[]): string[] {
  const failed = alive.flatMap(({ jobs }) => jobs).filter(({ outcome }) => outcome === 'failed');
  return [...new Set(failed.map(({ name }) => name))].filter((name) => name !== 'heartbeat');
}

/** What the log has of a channel, and the tries that failed before it could be logged under it. */
function withFailed({ requests, failures }: CallFigures = { requests: 0, failures: 0 }, tries = 0): CallFigures {
  return { requests, failures: failures + tries };
}
