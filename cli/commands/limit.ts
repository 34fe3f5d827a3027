/** `limit`: requests and tokens a minute and calls at once, whoever they are for. */
import type { Command } from 'commander';
import type { LimitView } from '../../daemon/contract/limits.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { limitFigure } from '../flags.ts';
import { both, type Say, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { findToken, tokenCalls } from '../own-tokens.ts';
import { findCalls, findChannel } from './channel-reference.ts';

const kinds = ['rpm', 'tpm', 'concurrency'] as const;

function limitView(context: CommandContext): View<LimitView> {
  return {
    columns: [
      { heading: 'ON', value: (row) => row.on, priority: 1 },
      { heading: 'KIND', unit: 'word', value: (row) => row.kind, priority: 1 },
      { heading: 'LIMIT', value: (row) => row.limit, align: 'right', priority: 2 },
      { heading: 'USED', value: (row) => row.used, align: 'right', priority: 2 },
      {
        heading: 'RESETS',
        unit: 'time',
        value: (row) => (row.resets_at === null ? '' : context.timeText(row.resets_at)),
        priority: 3,
      },
    ],
    fields: ['on', 'kind', 'limit', 'used', 'resets_at'],
    id: (row) => row.on,
  };
}

/** What `--on` names, as calls name it; own keys and channels may be named by their names. */
async function subjectOf(context: CommandContext, flags: Readonly<Record<string, unknown>>): Promise<string> {
  const on = String(flags.on);
  const [, kind, name = ''] = /^(token|user|group|model|channel-key):(.+)$/.exec(on) ?? [];
  if (kind === undefined) {
    const text = both(
      '--on is token:…, user:…, group:…, model:… or channel-key:CHANNEL/HASH',
      '--on 须为 token:…、user:…、group:…、model:… 或 channel-key:渠道/摘要',
    );
    throw usageError(text, { field: '--on' });
  }
  if (kind === 'channel-key') {
    // Names of channels may hold slashes, keys do not.
    const [, channel = name, key = ''] = /^(.+)(\/[^/]+)$/.exec(name) ?? [];
    return /^\d+$/.test(channel) ? on : `channel-key:${(await findChannel(context, channel)).id}${key}`;
  }
  if (kind !== 'token' || name === '*' || /^\d+$/.test(name)) return on;
  return `token:${(await findToken(context, name)).id}`;
}

/** The limits that were given: numbers, `10k` and `2m`, or `none`. */
function figuresOf(flags: Readonly<Record<string, unknown>>): { [Kind in (typeof kinds)[number]]?: number } {
  const given = kinds.filter((kind) => flags[kind] !== undefined);
  if (given.length === 0) {
    throw usageError(both('give --rpm, --tpm or --concurrency', '须指定 --rpm、--tpm 或 --concurrency'));
  }
  return Object.fromEntries(given.map((kind) => [kind, limitFigure(String(flags[kind]), `--${kind}`)]));
}

function withSubject(command: Command, say: Say): Command {
  return command.requiredOption(
    '--on <subject>',
    say(
      both(
        'token:…, user:NAME, group:NAME, model:NAME or channel-key:CHANNEL/HASH; * for each',
        'token:…、user:名称、group:名称、model:名称或 channel-key:渠道/摘要；* 表示每一个',
      ),
    ),
  );
}

export function registerLimitCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const limit = group(program, runtime, 'limit', both('Limits by the minute and of calls at once', '限流与并发上限'));

  leaf(
    limit.command('list').alias('ls'),
    runtime,
    {
      summary: both('List limits, with what is used of them', '列出限流与已用量'),
      examples: ['limit list'],
      prints: limitView,
      orders: [],
      calls: ['limits.list'],
    },
    async (context) => {
      await context.printer.list(await (await context.client()).limits.list(), limitView(context));
    },
  );

  leaf(
    withSubject(limit.command('set'), say)
      .option('--rpm <number>', say(both('requests a minute, or none', '每分钟请求数，或 none（不限）')))
      .option(
        '--tpm <number>',
        say(both('tokens a minute, as 90k, or none', '每分钟 token 数，如 90k，或 none（不限）')),
      )
      .option('--concurrency <number>', say(both('calls at once, or none', '并发请求数，或 none（不限）'))),
    runtime,
    {
      summary: both('Set limits; what is not named stays', '设置限流，未指定的保持不变'),
      examples: ['limit set --on user:alice --rpm 60 --tpm 90k'],
      prints: limitView,
      calls: ['limits.set', 'limits.list', ...tokenCalls, ...findCalls],
    },
    async (context, _args, flags) => {
      const figures = figuresOf(flags);
      const on = await subjectOf(context, flags);
      const client = await context.client();
      await client.limits.set({ on, ...figures });
      context.done(both(`the limits of ${on} are set`, `已设置 ${on} 的限流`));
      const rows = await client.limits.list();
      await context.printer.list(
        rows.filter((row) => row.on === on),
        limitView(context),
      );
    },
  );

  leaf(
    withSubject(limit.command('delete').alias('rm'), say),
    runtime,
    {
      summary: both('Lift every limit of one', '取消某对象的全部限流'),
      examples: ['limit delete --on group:vip --yes'],
      prints: 'nothing',
      calls: ['limits.delete', ...tokenCalls, ...findCalls],
    },
    async (context, _args, flags) => {
      const on = await subjectOf(context, flags);
      await confirm(context, both(`Lift the limits of ${on}?`, `取消 ${on} 的限流？`));
      await (await context.client()).limits.delete({ on });
      context.done(both(`${on} is not limited any more`, `已取消 ${on} 的限流`));
    },
  );
}
