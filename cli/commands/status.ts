/** `status`: is the server there, ready and what does it say of itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { NodeView, SystemView } from '../../daemon/contract/system.ts';
import { leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { noteFailure } from '../failure-note.ts';
import { fetchFor } from '../fetch.ts';
import { collect, givenFor } from '../flags.ts';
import { dateText, parseDuration } from '../input/time.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { notReached } from '../unreached.ts';
import { writtenTime } from '../written-time.ts';
import { allChannels } from './channel-reference.ts';

/** How long the first question may go without an answer. */
const answerTimeoutMs = 30_000;

/** What anybody may know of a server. */
interface PlainFacts {
  url: string;
  version: string;
  ready: boolean;
  setup: boolean;
  /** Null for nobody. */
  user: string | null;
}

/** How many channels are in each state; those that cool are enabled ones. */
type ChannelCounts = Record<'enabled' | 'disabled' | 'auto_disabled' | 'cooling', number>;

/** Members that the caller may not know are null. */
interface StatusRow extends PlainFacts {
  database: SystemView['database'] | null;
  /** `lost` where one running node has lost it. */
  redis: NodeView['redis'] | null;
  nodes: SystemView['nodes'] | null;
  channels: ChannelCounts | null;
  /** Calls and tokens of the last minute: of everybody for administrators, else the own ones. */
  rpm: number | null;
  tpm: number | null;
  /** When the token in use expires, RFC 3339; null for nobody. */
  token_expires: string | null;
  /** Requirements that do not hold. */
  failed: string[];
}

const statusView = (context: CommandContext): View<StatusRow> => ({
  columns: [
    { heading: 'URL', value: (row) => row.url },
    { heading: 'VERSION', value: (row) => row.version },
    { heading: 'READY', unit: 'word', value: (row) => (row.ready ? 'yes' : 'no') },
    { heading: 'SETUP', unit: 'word', value: (row) => (row.setup ? 'done' : 'open') },
    { heading: 'DATABASE', unit: 'word', value: ({ database }) => database && databaseText(database) },
    { heading: 'REDIS', unit: 'word', value: (row) => row.redis },
    {
      heading: 'NODES',
      unit: 'word',
      value: ({ nodes }) => nodes && `${running(nodes).length} of ${nodes.length} running`,
    },
    { heading: 'CHANNELS', unit: 'word', value: ({ channels }) => channels && channelsText(channels) },
    { heading: 'RPM', value: (row) => row.rpm, align: 'right' },
    { heading: 'TPM', value: (row) => row.tpm, align: 'right' },
    { heading: 'USER', value: (row) => row.user },
    { heading: 'TOKEN EXPIRES', unit: 'time', value: (row) => writtenTime(context, row.token_expires) },
    { heading: 'FAILED', value: (row) => row.failed.join(' '), goesWhenEmpty: true },
  ],
  fields: [
    'url',
    'version',
    'ready',
    'setup',
    'database',
    'redis',
    'nodes',
    'channels',
    'rpm',
    'tpm',
    'user',
    'token_expires',
    'failed',
  ],
  id: (row) => row.url,
});

function databaseText({ engine, reachable, ms }: SystemView['database']): string {
  return reachable ? `${engine}, ${ms} ms` : `${engine}, not reached`;
}

function channelsText({ enabled, disabled, auto_disabled, cooling }: ChannelCounts): string {
  return `${enabled} enabled (${cooling} cooling), ${disabled} disabled, ${auto_disabled} auto`;
}

/** What requirements are held against; `system` only where something of it is required and was to be had. */
interface Facts extends PlainFacts {
  system: Pick<SystemView, 'database' | 'nodes' | 'channels'> | undefined;
}

/** How many are asked for: `channels=5`, and one without a number. */
const least = (value: string | undefined): number => (value === undefined ? 1 : Number(value));

const running = (nodes: SystemView['nodes'] = []) => nodes.filter(({ alive }) => alive);

function redisOf(nodes: SystemView['nodes']): NodeView['redis'] {
  const states = new Set(running(nodes).map(({ redis }) => redis));
  return states.has('lost') ? 'lost' : states.has('connected') ? 'connected' : 'off';
}

/** Whether each requirement holds; those of the second table only administrators may look at. */
const plainChecks: Readonly<Record<string, (facts: Facts, value: string | undefined) => boolean>> = {
  ready: ({ ready }) => ready,
  setup: ({ setup }) => setup,
  'signed-in': ({ user }) => user !== null,
  version: ({ version }, value) => value === undefined || version.localeCompare(value, 'en', { numeric: true }) >= 0,
};
const systemChecks: typeof plainChecks = {
  db: ({ system }) => system?.database.reachable === true,
  redis: ({ system }) =>
    running(system?.nodes).length > 0 && running(system?.nodes).every(({ redis }) => redis === 'connected'),
  channels: ({ system }, value) =>
    system !== undefined && system.channels.filter(({ status }) => status === 1).length >= least(value),
  nodes: ({ system }, value) => system !== undefined && running(system?.nodes).length >= least(value),
};
const checks: typeof plainChecks = { ...plainChecks, ...systemChecks };

/** What may stand behind the sign; nothing where none stands here. */
const valueForms: Readonly<Record<string, RegExp>> = { channels: /^\d+$/, nodes: /^\d+$/, version: /^\d[^=]*$/ };

/** A server that is waited for may be unable to tell for a time; what it refuses it refuses for good. */
function unlessPassing(error: unknown): undefined {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : Number.NaN;
  if (status !== 0 && !(status >= 500)) throw error;
}

/** The requirements of `--require`. Throws exit 3. */
function requirementsOf(wishes: readonly string[]): { wish: string; name: string; value: string | undefined }[] {
  const refuse = () => {
    const known = ['ready', 'setup', 'signed-in', 'version=1.4', 'db', 'redis', 'channels=5', 'nodes=2'];
    const words = both(`--require knows ${known.join(', ')}`, `--require 支持 ${known.join('、')}`);
    return usageError(words, { field: '--require' });
  };
  // None of them may be nothing, neither name nor value: what is forgotten would be taken for what holds.
  return wishes
    .flatMap((text) => text.split(','))
    .map((wish) => {
      const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(wish) ?? [];
      if (!Object.hasOwn(checks, name)) throw refuse();
      if (value !== undefined && valueForms[name]?.test(value) !== true) throw refuse();
      return { wish, name, value };
    });
}

/** What the signed-in may know beyond the plain facts; what the server does not tell now is null. */
async function detailsOf(context: CommandContext, role: number | undefined) {
  const unknown = { database: null, redis: null, nodes: null, channels: null, rpm: null, tpm: null };
  if (role === undefined) return unknown;
  const client = await context.client();
  const lastMinute = { start_timestamp: Math.floor(Date.now() / 1000) - 60 };
  const orNull = () => null;
  if (role < administrator) {
    const rates = await client.logs.statOwn(lastMinute).catch(orNull);
    return { ...unknown, rpm: rates?.rpm ?? null, tpm: rates?.tpm ?? null };
  }
  const [system, channels, rates] = await Promise.all([
    client.system.get().catch(orNull),
    countChannels(context).catch(orNull),
    client.logs.stat(lastMinute).catch(orNull),
  ]);
  return {
    database: system?.database ?? null,
    redis: system && redisOf(system.nodes),
    nodes: system?.nodes ?? null,
    channels,
    rpm: rates?.rpm ?? null,
    tpm: rates?.tpm ?? null,
  };
}

const administrator = 10;

async function countChannels(context: CommandContext): Promise<ChannelCounts> {
  const counts: ChannelCounts = { enabled: 0, disabled: 0, auto_disabled: 0, cooling: 0 };
  for await (const { status, cooling } of allChannels(context)) {
    counts[status === 1 ? 'enabled' : status === 3 ? 'auto_disabled' : 'disabled'] += 1;
    if (status === 1 && cooling > 0) counts.cooling += 1;
  }
  return counts;
}

export function registerStatusCommand(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    program
      .command('status')
      .option(
        '--require <list>',
        say(
          both(
            'ready, setup, signed-in, version=1.4; for administrators db, redis, channels=5, nodes=2',
            '要求：ready、setup、signed-in、version=1.4；管理员另有 db、redis、channels=5、nodes=2',
          ),
        ),
        collect,
      )
      .option('--wait', say(both('wait until the requirements hold', '等待直到满足要求')))
      .option('--timeout <duration>', say(both('how long to wait (10m)', '等待时长（10m）'))),
    runtime,
    {
      summary: both('Show the state of the server', '查看服务状态'),
      examples: ['status', 'status --require ready --wait --timeout 60s'],
      prints: statusView,
      calls: ['status.get', 'account.credential', 'system.get', 'channels.list', 'logs.stat', 'logs.statOwn'],
      exits: [exitCodes.no],
    },
    async (context, _args, flags) => {
      const target = await context.target();
      const call = await fetchFor({ ...context.wire, caFile: target.settings.ca_file });
      const client = await context.client();
      const wanted = requirementsOf(givenFor(flags.require));
      const needsSystem = wanted.some(({ name }) => Object.hasOwn(systemChecks, name));
      const deadline =
        Date.now() + parseDuration(typeof flags.timeout === 'string' ? flags.timeout : '10m', '--timeout') * 1000;
      const isWaiting = flags.wait === true;
      for (let pauseMs = 1000; ; pauseMs = Math.min(5000, pauseMs * 1.5)) {
        const mostMs = isWaiting ? Math.min(answerTimeoutMs, Math.max(1, deadline - Date.now())) : answerTimeoutMs;
        const signal = AbortSignal.timeout(mostMs);
        const ready = await call(`${target.url}/readyz`, { method: 'GET', signal }).then(
          (response) => response.ok,
          (cause: unknown) => {
            if (!isWaiting) throw notReached(target.url, cause);
            return undefined;
          },
        );
        const asked = ready === undefined ? undefined : client.status.get();
        const status = await (isWaiting ? asked?.catch(unlessPassing) : asked);
        const isKnown = status !== undefined && target.token !== undefined;
        let untold: unknown;
        const self = isKnown
          ? await client.account.credential().catch((failure: unknown) => {
              untold = failure;
              return undefined;
            })
          : undefined;
        const facts: PlainFacts = {
          url: target.url,
          version: status?.version ?? '',
          ready: ready ?? false,
          setup: status?.setup ?? false,
          user: self?.username ?? null,
        };
        const needed = status === undefined || !needsSystem ? undefined : client.system.get();
        const system = await (isWaiting ? needed?.catch(unlessPassing) : needed);
        const unmet = wanted.filter(({ name, value }) => checks[name]?.({ ...facts, system }, value) === false);
        const failed = unmet.map(({ wish }) => wish);
        const isDone = failed.length === 0 && status !== undefined;
        const leftMs = deadline - Date.now();
        if (isDone || !isWaiting || leftMs <= 0) {
          const token_expires = self === undefined ? null : dateText(self.expires_at);
          const row = { ...facts, ...(await detailsOf(context, self?.role)), token_expires, failed };
          await context.printer.one(row, statusView(context));
          // An empty user would look as if no token had been sent.
          if (untold !== undefined) await noteFailure(context, untold);
          if (!isDone) context.endWith(isWaiting ? exitCodes.waitedTooLong : exitCodes.no);
          return;
        }
        await sleep(Math.min(pauseMs, leftMs), undefined, { signal: context.signal });
      }
    },
  );
}
