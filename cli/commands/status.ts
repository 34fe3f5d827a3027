/** `status`: is the server there, ready and what does it say of itself. */
import type { Command } from 'commander';
import type { SystemView } from '../../daemon/contract/system.ts';
import { leaf, type Runtime } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { fetchFor } from '../fetch.ts';
import { textOf } from '../flags.ts';
import { parseDuration } from '../input/time.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';

interface StatusRow {
  url: string;
  version: string;
  ready: boolean;
  setup: boolean;
  user: string | null;
  failed: string[];
}

const statusView: View<StatusRow> = {
  columns: [
    { heading: 'URL', value: (row) => row.url },
    { heading: 'VERSION', value: (row) => row.version },
    { heading: 'READY', value: (row) => (row.ready ? 'yes' : 'no') },
    { heading: 'SETUP', value: (row) => (row.setup ? 'done' : 'open') },
    { heading: 'USER', value: (row) => row.user },
    { heading: 'FAILED', value: (row) => row.failed.join(' ') },
  ],
  fields: ['url', 'version', 'ready', 'setup', 'user', 'failed'],
  id: (row) => row.url,
};

/** What is looked at; `system` only where something of it is required, undefined where it was not to be had. */
interface Facts extends Omit<StatusRow, 'failed'> {
  system: Pick<SystemView, 'database' | 'nodes' | 'channels'> | undefined;
}

/** How many are asked for: `channels=5`, and one without a number. */
const least = (value: string | undefined): number => (value === undefined ? 1 : Number(value));

const running = (system: Facts['system']) => system?.nodes.filter(({ alive }) => alive) ?? [];

/** Whether each requirement holds; those of the second table only administrators may look at. */
const plainChecks: Readonly<Record<string, (facts: Facts, value: string | undefined) => boolean>> = {
  ready: ({ ready }) => ready,
  setup: ({ setup }) => setup,
  'signed-in': ({ user }) => user !== null,
  version: ({ version }, value) => value === undefined || version.localeCompare(value, 'en', { numeric: true }) >= 0,
};
const systemChecks: typeof plainChecks = {
  db: ({ system }) => system?.database.reachable === true,
  redis: ({ system }) => running(system).length > 0 && running(system).every(({ redis }) => redis === 'connected'),
  channels: ({ system }, value) =>
    system !== undefined && system.channels.filter(({ status }) => status === 1).length >= least(value),
  nodes: ({ system }, value) => system !== undefined && running(system).length >= least(value),
};
const checks: typeof plainChecks = { ...plainChecks, ...systemChecks };

/** A server that is waited for may be unable to tell for a time; what it refuses it refuses for good. */
function unlessPassing(error: unknown): undefined {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : Number.NaN;
  if (status !== 0 && !(status >= 500)) throw error;
}

/** The requirements of `--require`. Throws exit 3. */
function requirementsOf(text: string | undefined): { wish: string; name: string; value: string | undefined }[] {
  const refuse = () => {
    const known = ['ready', 'setup', 'signed-in', 'version=1.4', 'db', 'redis', 'channels=5', 'nodes=2'];
    const words = both(`--require knows ${known.join(', ')}`, `--require 支持 ${known.join('、')}`);
    return usageError(words, { field: '--require' });
  };
  return (text === undefined ? [] : text.split(',')).map((wish) => {
    const [name = '', value] = wish.split('=');
    const isCount = name === 'channels' || name === 'nodes';
    if (!Object.hasOwn(checks, name) || (isCount && !/^\d+$/.test(value ?? '1'))) throw refuse();
    return { wish, name, value };
  });
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
      )
      .option('--wait', say(both('wait until the requirements hold', '等待直到满足要求')))
      .option('--timeout <duration>', say(both('how long to wait (10m)', '等待时长（10m）'))),
    runtime,
    {
      summary: both('Show the state of the server', '查看服务状态'),
      examples: ['status', 'status --require ready --wait --timeout 60s'],
      prints: () => statusView,
      calls: ['status.get', 'account.get', 'system.get'],
    },
    async (context, _args, flags) => {
      const target = await context.target();
      const call = await fetchFor({
        environment: context.environment,
        caFile: target.settings.ca_file,
        signal: context.signal,
      });
      const client = await context.client();
      const wanted = requirementsOf(textOf(flags.require));
      const needsSystem = wanted.some(({ name }) => Object.hasOwn(systemChecks, name));
      const deadline =
        Date.now() + parseDuration(typeof flags.timeout === 'string' ? flags.timeout : '10m', '--timeout') * 1000;
      for (;;) {
        const ready = await call(`${target.url}/readyz`, { method: 'GET' }).then(
          (response) => response.ok,
          () => undefined,
        );
        if (ready === undefined && flags.wait !== true) {
          throw new CliError(
            'not_reached',
            exitCodes.unavailable,
            both(`${target.url} was not reached`, `无法连接 ${target.url}`),
          );
        }
        const status = ready === undefined ? undefined : await client.status.get();
        const user =
          status === undefined || target.token === undefined
            ? null
            : await client.account.get().then(
                (self) => self.username,
                () => null,
              );
        const row = {
          url: target.url,
          version: status?.version ?? '',
          ready: ready ?? false,
          setup: status?.setup ?? false,
          user,
        };
        const asked = status === undefined || !needsSystem ? undefined : client.system.get();
        const system = await (flags.wait === true ? asked?.catch(unlessPassing) : asked);
        const unmet = wanted.filter(({ name, value }) => checks[name]?.({ ...row, system }, value) === false);
        const failed = unmet.map(({ wish }) => wish);
        const done = failed.length === 0 && ready !== undefined;
        if (done || flags.wait !== true || Date.now() > deadline) {
          await context.printer.one({ ...row, failed }, statusView);
          if (!done) context.endWith(flags.wait === true ? exitCodes.waitedTooLong : exitCodes.no);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    },
  );
}
