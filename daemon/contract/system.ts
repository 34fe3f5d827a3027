/** How the site is, for whoever runs it (console.md 6.25, cli.md E18). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

/** A job as it went last on a node. */
const JobView = z.object({
  name: z.string(),
  /** `cluster`: runs on one node at a time. */
  scope: z.enum(['node', 'cluster']),
  /** Unix seconds; 0 = not yet. */
  last_at: z.int(),
  last_ms: z.int(),
  /** `elsewhere`: another node had the turn. */
  outcome: z.enum(['never', 'done', 'failed', 'elsewhere']),
  next_at: z.int(),
});

export const NodeView = z.object({
  id: z.string(),
  address: z.string(),
  version: z.string(),
  /** Unix seconds. */
  started_at: z.int(),
  heartbeat_at: z.int(),
  alive: z.boolean(),
  role: z.enum(['master', 'slave']),
  /** Revision of its snapshot, and how far it is behind the newest. */
  revision: z.int(),
  lag: z.int(),
  /** Model calls in progress. */
  running: z.int(),
  calls_per_second: z.number(),
  open_holds: z.int(),
  /** Calls whose prompts and answers could not be stored, since its start. */
  lost_texts: z.int(),
  redis: z.enum(['off', 'connected', 'lost']),
  memory_bytes: z.int(),
  /** Of one core. */
  cpu_percent: z.int(),
  /** How late its timers run, 99th percentile. */
  loop_delay_ms: z.int(),
  jobs: z.array(JobView),
});
export type NodeView = z.infer<typeof NodeView>;

/** What a channel did in the full hours that end with the running one. */
const calls = z.object({
  /** Calls that it answered, by the log. */
  requests: z.int(),
  /**
   * Its answers that broke off, by the log, and its tries that failed before an answer, whoever answered the call then.
   * The latter are counted by the nodes that are alive, since their start; requests that were refused for what they ask
   * (as 400 and 404) are not among them.
   */
  failures: z.int(),
});

/** Milliseconds, right to about an eighth. */
const percentiles = z.nullable(z.object({ p50: z.int(), p95: z.int() }));

export const SystemView = z.object({
  version: z.string(),
  database: z.object({ engine: z.enum(['sqlite', 'postgres']), reachable: z.boolean(), ms: z.number() }),
  mail: z.boolean(),
  nodes: z.array(NodeView),
  channels: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      /** 1 enabled, 2 disabled, 3 disabled automatically. */
      status: z.int(),
      /** Seconds until this node may ask it again; 0 = now. */
      cooling: z.int(),
      /** Why it was disabled; "" where nothing was noted. */
      reason: z.string(),
      /** How many it offers. */
      models: z.int(),
      /** Those that calls may use, and all. */
      keys: z.object({ usable: z.int(), all: z.int() }),
      /** Milliseconds of the last test; 0 = not yet tested. */
      response_time: z.int(),
      /** USD as the upstream reported it; null where it was not asked yet. */
      balance: z.nullable(z.number()),
      last_hour: calls,
      last_day: calls,
    }),
  ),
  /** From the beginning of tries to their first output, of all channels in the last hour; null where nothing was timed. */
  first_token: percentiles,
  /** From the configuration: proxies whose word is taken for a caller's address, private targets that may be reached. */
  network: z.object({ trusted_proxies: z.array(z.string()), egress_allow: z.array(z.string()) }),
  /** What deserves attention, with its remedy, in the language of the caller. */
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
});
export type SystemView = z.infer<typeof SystemView>;

/** Why tries at upstreams failed, by what an operator would do about it. */
export const errorClasses = [
  /** No answer, or no further part of it, in time. */
  'timeout',
  /** No connection. */
  'unreachable',
  /** An answer that broke off, was empty or could not be read. */
  'broken',
  /** Too many requests. */
  'limited',
  /** Key or signature refused. */
  'credential',
  /** The account at the vendor is empty. */
  'balance',
  /** The vendor's own failure. */
  'server',
  /** The request was refused, as a model that there is not or a parameter that is wrong. */
  'refused',
] as const;
export type ErrorClass = (typeof errorClasses)[number];

export const LatencyView = z.object({
  channel: z.int(),
  /** Name of the channel. */
  name: z.string(),
  /** As clients name it; null for all models of the channel together, "" for those beyond what is kept apart. */
  model: z.nullable(z.string()),
  /** Tries that answered, and those that did not. */
  answered: z.int(),
  failed: z.int(),
  /** Of answers, from the beginning of the try to the end; null where nothing was timed. */
  duration: percentiles,
  /** To the first output. */
  first_token: percentiles,
  /** The most frequent first. */
  errors: z.array(z.object({ class: z.enum(errorClasses), count: z.int() })),
});
export type LatencyView = z.infer<typeof LatencyView>;

export const ReachedAddressView = z.object({
  address: z.string(),
  channels: z.array(z.int()),
  reachable: z.boolean(),
  /** HTTP status, whatever it is; 0 without an answer. */
  status: z.int(),
  /** Milliseconds. */
  ms: z.int(),
  /** "" when it was reached. */
  reason: z.string(),
});
export type ReachedAddressView = z.infer<typeof ReachedAddressView>;

export const system = {
  nodes: endpoint({
    method: 'GET',
    path: '/api/node/',
    access: 'admin',
    scope: 'option:read',
    shape: 'list',
    description: {
      en: 'The nodes that share the database, as of their last heartbeat.',
      zh: '共享同一数据库的节点，以最近一次心跳为准。',
    },
    output: NodeView,
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/system/',
    access: 'admin',
    scope: 'option:read',
    shape: 'data',
    description: {
      en: 'How the site is: dependencies, nodes, jobs, calls by channel, and what deserves attention.',
      zh: '站点运行状况：依赖服务、节点、后台任务、各渠道的调用，以及需要关注的问题。',
    },
    output: SystemView,
  }),
  latency: endpoint({
    method: 'GET',
    path: '/api/system/latency',
    access: 'admin',
    scope: 'option:read',
    shape: 'list',
    description: {
      en: 'How long channels and their models took in the last hour, and how they failed; times are right to about an eighth, other nodes as of their last heartbeat, at most half a minute ago.',
      zh: '近一小时各渠道及其模型的耗时与失败分类；耗时精确到约八分之一，其他节点以最近一次心跳为准（最多半分钟前）。',
    },
    output: LatencyView,
  }),
  check: endpoint({
    method: 'GET',
    path: '/api/system/check',
    access: 'admin',
    scope: 'option:read',
    shape: 'list',
    rate: 'search',
    description: {
      en: 'Whether the address of every enabled channel is reached from the server; no key is sent.',
      zh: '检查服务器能否访问每个已启用渠道的地址；不会发送密钥。',
    },
    output: ReachedAddressView,
  }),
};
