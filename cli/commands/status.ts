/** `status`: is the server there, ready and what does it say of itself. */
import type { Command } from 'commander';
import { leaf, type Runtime } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { fetchFor } from '../fetch.ts';
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
  id: (row) => row.url,
};

const requirements = ['ready', 'setup', 'signed-in', 'version'] as const;

/** Names of the requirements that do not hold. */
function unmet(row: Omit<StatusRow, 'failed'>, wanted: readonly string[]): string[] {
  return wanted.filter((wish) => {
    const [name = '', value] = wish.split('=');
    if (!requirements.some((known) => known === name)) {
      throw usageError(
        both(`--require knows ${requirements.join(', ')}`, `--require 支持 ${requirements.join('、')}`),
        { field: '--require' },
      );
    }
    if (name === 'ready') return !row.ready;
    if (name === 'setup') return !row.setup;
    if (name === 'signed-in') return row.user === null;
    return value !== undefined && row.version.localeCompare(value, 'en', { numeric: true }) < 0;
  });
}

export function registerStatusCommand(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    program
      .command('status')
      .option(
        '--require <list>',
        say(both('ready, setup, signed-in, version=1.4', '要求：ready、setup、signed-in、version=1.4')),
      )
      .option('--wait', say(both('wait until the requirements hold', '等待直到满足要求')))
      .option('--timeout <duration>', say(both('how long to wait (10m)', '等待时长（10m）'))),
    runtime,
    {
      summary: both('Show the state of the server', '查看服务状态'),
      examples: ['status', 'status --require ready --wait --timeout 60s'],
      calls: ['status.get', 'account.get'],
    },
    async (context, _args, flags) => {
      const target = await context.target();
      const call = await fetchFor({
        environment: context.environment,
        caFile: target.settings.ca_file,
        signal: context.signal,
      });
      const client = await context.client();
      const wanted = typeof flags.require === 'string' ? flags.require.split(',') : [];
      unmet({ url: '', version: '0', ready: true, setup: true, user: '' }, wanted);
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
        const failed = unmet(row, wanted);
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
