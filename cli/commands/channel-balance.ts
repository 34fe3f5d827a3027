/** `channel balance`: what upstream accounts still hold. */
import type { Command } from 'commander';
import { pMapIterable } from 'p-map';
import type { ChannelView } from '../../daemon/contract/channels.ts';
import { leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { counted } from '../counted.ts';
import { NotSent, skipUnsent } from '../dry-run.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { concurrencyOf, textOf, wordsOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { referencesOf } from '../references.ts';
import { allChannels, findCalls, findChannel } from './channel-reference.ts';

interface BalanceRow {
  id: number;
  name: string;
  /** USD as the upstream told; null when it told none. */
  balance: number | null;
  /** Unix seconds. */
  updated: number;
  code: string;
  message: string;
}

function balanceView(context: CommandContext): View<BalanceRow> {
  return {
    columns: [
      { heading: 'ID', value: (row) => row.id, align: 'right', priority: 1 },
      { heading: 'NAME', value: (row) => row.name, priority: 1 },
      { heading: 'BALANCE', value: (row) => row.balance, align: 'right', priority: 1 },
      { heading: 'UPDATED', unit: 'time', value: (row) => context.agoText(row.updated), priority: 3 },
      { heading: 'ERROR', value: (row) => row.message, priority: 4 },
    ],
    fields: ['id', 'name', 'balance', 'updated', 'code', 'message'],
    id: (row) => row.id,
  };
}

async function askedRow(context: CommandContext, { id, name, ...row }: ChannelView): Promise<BalanceRow> {
  const client = await context.client();
  return client.channels.updateBalance({ id }).then(
    ({ balance }) => ({ id, name, balance, updated: Math.floor(Date.now() / 1000), code: '', message: '' }),
    (error: unknown) => {
      if (error instanceof NotSent) throw error;
      return {
        id,
        name,
        balance: null,
        updated: row.balance_updated_time,
        code: error instanceof Error && 'code' in error ? String(error.code) : 'failed',
        message: error instanceof Error ? error.message : String(error),
      };
    },
  );
}

export function registerChannelBalance(channel: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    channel
      .command('balance')
      .argument('[channel...]')
      .option('--all', say(both('every enabled channel that can tell', '所有支持查询的已启用渠道')))
      .option(
        '--below <money>',
        say(both('only those below, e.g. 5usd; exit 2 when there are some', '仅低于该金额，例如 5usd；有则退出码为 2')),
      )
      .option('--concurrency <n>', say(both('at once (4)', '并发数（4）'))),
    runtime,
    {
      summary: both('Ask upstreams for their balance', '查询上游余额'),
      examples: ['channel balance 3', 'channel balance --all --below 5usd'],
      prints: balanceView,
      calls: ['channels.updateBalance', 'status.get', ...findCalls],
      exits: [exitCodes.no],
    },
    async (context, [references], flags) => {
      const names = await referencesOf(context, references);
      if (names.length === 0 && wordsOf(references).length > 0) return;
      if (names.length === 0 && flags.all !== true)
        throw usageError(both('name a channel, or --all', '请指定渠道或使用 --all'));
      const wish = textOf(flags.below);
      const below = wish === undefined ? undefined : await context.money(wish, '--below');
      const { quotaPerUnit } = await context.site();
      const targets: ChannelView[] = [];
      if (flags.all === true) for await (const row of allChannels(context, { status: 'enabled' })) targets.push(row);
      for (const name of names) targets.push(await findChannel(context, name));
      let hits = 0;
      let failed = 0;
      async function* rows(): AsyncGenerator<BalanceRow> {
        const asked = pMapIterable(targets, (target) => askedRow(context, target).catch(skipUnsent), {
          concurrency: concurrencyOf(flags),
        });
        for await (const row of counted(context, asked, targets.length)) {
          // With --all most channels have nothing to tell.
          if (flags.all === true && row.code === 'channel_balance_unsupported') continue;
          if (row.balance === null) failed += 1;
          else if (below !== undefined && row.balance * quotaPerUnit >= below) continue;
          else hits += 1;
          yield row;
        }
      }
      await context.printer.list(rows(), balanceView(context));
      if (failed > 0) {
        const text = both(`${failed} balances could not be read`, `${failed} 个余额查询失败`);
        throw new CliError('partial', targets.length === 1 ? exitCodes.failed : exitCodes.partial, text);
      }
      if (below !== undefined && hits > 0) context.endWith(exitCodes.no);
    },
  );
}
