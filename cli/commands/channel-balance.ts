/** `channel balance`: what upstream accounts still hold. */
import type { Command } from 'commander';
import type { ChannelView } from '../../daemon/contract/channels.ts';
import { type Flags, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { NotSent } from '../dry-run.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf, wordsOf } from '../flags.ts';
import { refuseGeneralFailure, sideBySide } from '../items.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { walk } from '../paging.ts';
import { referencesOf } from '../references.ts';
import { answerOf } from '../server-work.ts';
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

/** Asks for one; what keeps it from being told is a row too, and kept. */
async function askedRow(
  context: CommandContext,
  { id, name, ...row }: ChannelView,
  failures: unknown[],
): Promise<BalanceRow> {
  const client = await context.client();
  return client.channels.updateBalance({ id }).then(
    ({ balance }) => ({ id, name, balance, updated: Math.floor(Date.now() / 1000), code: '', message: '' }),
    (error: unknown) => {
      if (error instanceof NotSent) throw error;
      failures.push(error);
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

/** With --all most channels have nothing to tell. */
function isUnasked(flags: Flags, { code }: BalanceRow): boolean {
  return flags.all === true && code === 'channel_balance_unsupported';
}

/** Balances of all enabled channels that told one, asked by the server itself. */
async function askedByServer(context: CommandContext, flags: Flags): Promise<BalanceRow[]> {
  const client = await context.client();
  const before = new Map<number, number>();
  for await (const { id, balance_updated_time } of allChannels(context, { status: 'enabled' }))
    before.set(id, balance_updated_time);
  const told = async (): Promise<ChannelView[]> => {
    const rows: ChannelView[] = [];
    // Without a word of how far the looking is: what is told is how far the server is.
    const all = walk<ChannelView>({
      page: (page, page_size) => client.channels.list({ id_sort: true, page, page_size }),
      keyOf: ({ id }) => id,
      limit: undefined,
    });
    for await (const row of all) {
      if (before.has(row.id) && row.balance_updated_time !== before.get(row.id)) rows.push(row);
    }
    return rows;
  };
  const ask = async (options: { timeoutMs?: number }) => client.channels.updateBalances({}, options);
  await answerOf(context, flags, { ask, done: async () => (await told()).length, total: before.size });
  return (await told()).map(({ id, name, balance, balance_updated_time: updated }) => {
    return { id, name, balance, updated, code: '', message: '' };
  });
}

export function registerChannelBalance(channel: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    channel
      .command('balance')
      .argument('[channel...]')
      .option('--all', say(both('every enabled channel that can tell', '所有支持查询的已启用渠道')))
      .option(
        '--wait',
        say(both('with --all: let the server ask them, and wait until it has', '配合 --all：由服务端查询并等待完成')),
      )
      .option(
        '--below <money>',
        say(both('only those below, e.g. 5usd; exit 2 when there are some', '仅低于该金额，例如 5usd；有则退出码为 2')),
      )
      .option('--timeout <duration>', say(both('how long to wait (10m)', '等待时长（10m）'))),
    runtime,
    {
      summary: both('Ask upstreams for their balance', '查询上游余额'),
      examples: ['channel balance 3', 'channel balance --all --wait --below 5usd'],
      prints: balanceView,
      calls: ['channels.updateBalance', 'channels.updateBalances', 'status.get', ...findCalls],
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
      if (flags.wait === true && (flags.all !== true || names.length > 0))
        throw usageError(both('--wait goes with --all alone', '--wait 只能与 --all 同用'), { field: '--wait' });
      const targets: ChannelView[] = [];
      const isAsked = flags.all === true && flags.wait !== true;
      if (isAsked) for await (const row of allChannels(context, { status: 'enabled' })) targets.push(row);
      for (const name of names) targets.push(await findChannel(context, name));
      const failures: unknown[] = [];
      const asked =
        flags.wait === true
          ? await askedByServer(context, flags)
          : sideBySide(context, targets, {
              work: (target: ChannelView) => askedRow(context, target, failures),
              hasFailed: (row: BalanceRow) => row.balance === null && !isUnasked(flags, row),
            });
      let hits = 0;
      let failed = 0;
      async function* rows(): AsyncGenerator<BalanceRow> {
        for await (const row of asked) {
          if (isUnasked(flags, row)) continue;
          if (row.balance === null) failed += 1;
          else if (below !== undefined && row.balance * quotaPerUnit >= below) continue;
          else hits += 1;
          yield row;
        }
      }
      await context.printer.list(rows(), balanceView(context));
      context.signal.throwIfAborted();
      if (failed > 0) {
        if (failures.length === targets.length) await refuseGeneralFailure(context, failures);
        const text = both('{failed} {failed:balance|balances} could not be read', '{failed} 个余额查询失败', {
          failed,
        });
        throw new CliError('partial', targets.length === 1 ? exitCodes.failed : exitCodes.partial, text);
      }
      if (below !== undefined && hits > 0) context.endWith(exitCodes.no);
    },
  );
}
