/** `order`: top-ups of everybody, for administrators. */
import type { Command } from 'commander';
import { group, leaf, type Runtime } from '../command.ts';
import { confirmSevere } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { expectAmong, textOf, wordFlag } from '../flags.ts';
import { both, type Say, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { limitOf, told, walk, withLimit } from '../paging.ts';
import { fileFormatOf, printFile, withFormat } from '../server-file.ts';
import { spanOf } from '../time-span.ts';
import { findUser } from '../users.ts';
import { orderStates, orderView, totalsView } from './order-rows.ts';

interface QueryRow {
  trade_no: string;
  found: boolean;
  paid: boolean;
  provider_trade_no: string;
  money: string;
  money_matches: boolean;
}

const queryView: View<QueryRow> = {
  columns: [
    { heading: 'TRADE', value: (row) => row.trade_no, priority: 1 },
    { heading: 'FOUND', value: (row) => row.found, priority: 2 },
    { heading: 'PAID', value: (row) => row.paid, priority: 1 },
    { heading: 'MONEY', value: (row) => row.money, align: 'right', priority: 3 },
    { heading: 'MATCHES', value: (row) => row.money_matches, priority: 2 },
    { heading: 'PROVIDER TRADE', value: (row) => row.provider_trade_no, priority: 4 },
  ],
  id: (row) => row.trade_no,
};

interface SelfTestRow {
  callback_url: string;
  configured: boolean;
  missing: readonly string[];
  reachable: boolean;
  reason: string;
  status: number;
  time: number;
}

const selfTestView: View<SelfTestRow> = {
  columns: [
    { heading: 'CALLBACK', value: (row) => row.callback_url, priority: 1 },
    { heading: 'REACHABLE', value: (row) => row.reachable, priority: 1 },
    { heading: 'REASON', value: (row) => [row.reason, ...row.missing].join(' '), priority: 2 },
    { heading: 'STATUS', value: (row) => row.status || '', align: 'right', priority: 3 },
    { heading: 'MS', value: (row) => row.time, align: 'right', priority: 4 },
  ],
  id: (row) => row.callback_url,
};

function withFilters(command: Command, say: Say): Command {
  return command
    .option('--search <text>', say(both('part of the order number, or a user id', '订单号中的文字或用户编号')))
    .addOption(wordFlag('--status <status>', say(both('in this state', '指定状态')), orderStates))
    .option('--user <user>', say(both('of this user', '指定用户')))
    .option('--since <time>', say(both('made since', '创建时间起')))
    .option('--until <time>', say(both('made until', '创建时间止')));
}

async function filterOf(context: CommandContext, flags: Readonly<Record<string, unknown>>) {
  const [user, status] = [textOf(flags.user), textOf(flags.status)];
  expectAmong(status, orderStates, '--status');
  return {
    keyword: textOf(flags.search),
    status,
    user_id: user === undefined ? undefined : (await findUser(context, user)).id,
    ...(await spanOf(context, flags)),
  };
}

export function registerOrderCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const order = group(program, runtime, 'order', both('Orders of top-ups', '充值订单'));

  leaf(
    withLimit(withFilters(order.command('list').alias('ls'), say), say),
    runtime,
    {
      summary: both('List orders, newest first', '列出订单'),
      examples: ['order list --status pending', 'order list --user alice --since 7d'],
      prints: (context) => orderView(context, 'all'),
      rows: 'orders.list',
      orders: [],
      calls: ['orders.list', 'users.get', 'users.search'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const filter = await filterOf(context, flags);
      const rows = walk({
        page: (page, page_size) => client.orders.list({ ...filter, page, page_size }),
        keyOf: (row) => row.id,
        limit: limitOf(flags),
        ...told(context, 'order export'),
      });
      await context.printer.list(rows, orderView(context, 'all'));
    },
  );

  leaf(
    withFilters(order.command('totals'), say),
    runtime,
    {
      summary: both(
        'What orders come to, by currency; the credited ones beside them',
        '按货币合计订单，并列出已入账部分',
      ),
      examples: ['order totals --since 30d', 'order totals --user alice -o json'],
      prints: totalsView,
      calls: ['orders.list', 'users.get', 'users.search'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const { totals } = await client.orders.list({ ...(await filterOf(context, flags)), page: 1, page_size: 1 });
      await context.printer.list(totals, totalsView(context));
    },
  );

  leaf(
    withFormat(withFilters(order.command('export'), say), say),
    runtime,
    {
      summary: both('Export all orders of the filter, streamed', '导出筛选出的全部订单'),
      examples: ['order export --status success --since 30d --out orders.csv'],
      prints: 'text',
      calls: ['orders.export', 'users.get', 'users.search'],
    },
    async (context, _args, flags) => {
      const format = fileFormatOf(flags);
      const client = await context.client();
      await printFile(context, await client.orders.export({ ...(await filterOf(context, flags)), format }));
    },
  );

  leaf(
    order.command('get').alias('show').argument('<trade-no>'),
    runtime,
    {
      summary: both('Show an order and what the provider has said about it', '查看订单及其回调记录'),
      examples: ['order get USR12NOabcdef'],
      prints: (context) => orderView(context, 'all'),
      rows: 'orders.get',
      calls: ['orders.get'],
    },
    async (context, [tradeNo]) => {
      const row = await (await context.client()).orders.get({ trade_no: String(tradeNo) });
      await context.clocks.prepareTimes();
      for (const { received_at, remote_ip, verified, reason } of row.callbacks) {
        const outcome = reason === '' ? 'accepted' : reason;
        context.note(
          `${context.timeText(received_at)} ${remote_ip} ${verified ? 'verified' : 'not verified'} ${outcome}`,
        );
      }
      await context.printer.one(row, orderView(context, 'all'));
    },
  );

  leaf(
    order.command('query').argument('<trade-no>'),
    runtime,
    {
      summary: both(
        'Ask the payment provider about an order; exit 2 when it is not paid',
        '向支付平台查询订单，未支付时退出码为 2',
      ),
      examples: ['order query USR12NOabcdef'],
      prints: () => queryView,
      rows: 'orders.query',
      calls: ['orders.query'],
      exits: [exitCodes.no],
    },
    async (context, [tradeNo]) => {
      const row = await (await context.client()).orders.query({ trade_no: String(tradeNo) });
      await context.printer.one(row, queryView);
      if (!row.paid || !row.money_matches) context.endWith(exitCodes.no);
    },
  );

  leaf(
    order
      .command('complete')
      .argument('<trade-no>')
      .option('--confirm <trade-no>', say(both('the order number again, for scripts', '再次输入订单号（用于脚本）')))
      .option('--reason <text>', say(both('why, for the audit trail', '原因，写入审计记录'))),
    runtime,
    {
      summary: both('Credit a paid order by hand, once', '手动补单（仅一次）'),
      examples: ['order complete USR12NOabcdef --reason "paid by bank transfer" --confirm USR12NOabcdef'],
      prints: (context) => orderView(context, 'all'),
      rows: 'orders.get',
      calls: ['orders.get', 'orders.complete'],
    },
    async (context, [reference], flags) => {
      const tradeNo = String(reference);
      const reason = typeof flags.reason === 'string' ? flags.reason : '';
      const client = await context.client();
      const order = await client.orders.get({ trade_no: tradeNo });
      if (order.status === 'success') {
        throw new CliError(
          'order_completed',
          exitCodes.conflict,
          both(`${tradeNo} is complete already`, `订单 ${tradeNo} 已完成`),
        );
      }
      const credit = (await context.moneyText())(order.quota);
      const question = both(
        `Credit ${credit} to ${order.username} for ${order.money} ${order.currency}`,
        `为 ${order.username} 入账 ${credit}（支付 ${order.money} ${order.currency}）`,
      );
      await confirmSevere(context, question, tradeNo);
      const idempotencyKey = context.flags.idempotencyKey ?? `order-complete ${encodeURIComponent(tradeNo)}`;
      const done = await client.orders.complete({ trade_no: tradeNo, reason }, { idempotencyKey });
      context.done(both(`${credit} credited to ${done.username}`, `已为 ${done.username} 入账 ${credit}`));
      await context.printer.one(done, orderView(context, 'all'));
    },
  );

  leaf(
    order.command('self-test'),
    runtime,
    {
      summary: both(
        'Show the address that the provider notifies and whether it can be reached; exit 2 when not',
        '查看支付回调地址及其是否可达，不可达时退出码为 2',
      ),
      examples: ['order self-test'],
      prints: () => selfTestView,
      rows: 'orders.selfTest',
      calls: ['orders.selfTest'],
      exits: [exitCodes.no],
    },
    async (context) => {
      const row = await (await context.client()).orders.selfTest();
      await context.printer.one(row, selfTestView);
      if (!row.reachable) context.endWith(exitCodes.no);
    },
  );
}
