/** `wallet`: the own balance, codes and top-ups. */
import type { Command } from 'commander';
import { openInBrowser } from '../browser.ts';
import { group, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { expectAmong, textOf, wordFlag } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { limitOf, told, walk, withLimit } from '../paging.ts';
import { orderStates, orderView } from './order-rows.ts';
import { servePaymentPage } from './payment-page.ts';

interface WalletRow {
  quota: number;
  used_quota: number;
  aff_quota: number;
}

function walletView(context: CommandContext): View<WalletRow> {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'BALANCE', unit: 'money', value: (row) => money(row.quota), align: 'right', priority: 1 },
      { heading: 'USED', unit: 'money', value: (row) => money(row.used_quota), align: 'right', priority: 2 },
      { heading: 'INVITES', unit: 'money', value: (row) => money(row.aff_quota), align: 'right', priority: 3 },
    ],
    fields: ['quota', 'used_quota', 'aff_quota'],
    id: (row) => row.quota,
  };
}

interface RedeemRow {
  quota: number;
  is_gift: boolean;
}

function redeemView(context: CommandContext): View<RedeemRow> {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'CREDITED', unit: 'money', value: (row) => money(row.quota), align: 'right' },
      { heading: 'GIFT', value: (row) => row.is_gift },
    ],
    fields: ['quota', 'is_gift'],
    id: (row) => row.quota,
  };
}

interface PriceRow {
  amount: number;
  price: string;
}

const priceView: View<PriceRow> = {
  columns: [
    { heading: 'AMOUNT', value: (row) => row.amount, align: 'right' },
    { heading: 'PRICE', value: (row) => row.price, align: 'right' },
  ],
  fields: ['amount', 'price'],
  id: (row) => row.price,
};

interface FormRow {
  url: string;
  fields: Readonly<Record<string, string>>;
}

const formView: View<FormRow> = {
  columns: [
    { heading: 'URL', value: (row) => row.url },
    { heading: 'FIELDS', value: (row) => new URLSearchParams({ ...row.fields }).toString() },
  ],
  fields: ['url', 'fields'],
  id: (row) => row.fields.out_trade_no ?? '',
};

/** How long a browser has to fetch the form. */
const waitMs = 300_000;

/**
 * An amount as the site counts them: whole dollars, or units where amounts are not shown in currency; one that names its
 * unit is converted. Throws exit 3.
 */
async function amountOf(context: CommandContext, text: string): Promise<number> {
  const amount = /^\d+$/.test(text) ? Number(text) : await countedHere(context, text);
  if (Number.isSafeInteger(amount) && amount > 0) return amount;
  throw usageError(both(`${text} is no whole amount`, `${text} 不是整数金额`), { field: 'AMOUNT' });
}

async function countedHere(context: CommandContext, text: string): Promise<number> {
  const units = await context.money(text, 'AMOUNT');
  const { inCurrency, quotaPerUnit } = await context.site();
  return inCurrency ? units / quotaPerUnit : units;
}

export function registerWalletCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const wallet = group(program, runtime, 'wallet', both('The own balance and top-ups', '钱包'));

  leaf(
    wallet.command('get').alias('show'),
    runtime,
    {
      summary: both('Show the own balance', '查看余额'),
      examples: ['wallet get'],
      prints: walletView,
      calls: ['account.get'],
    },
    async (context) => {
      const { quota, used_quota, aff_quota } = await (await context.client()).account.get();
      await context.printer.one({ quota, used_quota, aff_quota }, walletView(context));
    },
  );

  leaf(
    wallet.command('redeem').argument('<code>'),
    runtime,
    {
      summary: both('Redeem a code; - reads it from standard input', '使用兑换码；- 表示从标准输入读取'),
      examples: ['wallet redeem 3f2a0c…', 'wallet redeem - < code.txt'],
      prints: redeemView,
      calls: ['redemptions.redeem'],
    },
    async (context, [code]) => {
      const key = (await context.value(String(code), 'CODE')).trim();
      const row = await (await context.client()).redemptions.redeem({ key });
      const credited = (await context.moneyText())(row.quota);
      context.done(both(`${credited} credited`, `已到账 ${credited}`));
      await context.printer.one(row, redeemView(context));
    },
  );

  leaf(
    wallet.command('price').argument('<amount>'),
    runtime,
    {
      summary: both('Show what a top-up costs', '查询充值价格'),
      examples: ['wallet price 10'],
      prints: () => priceView,
      calls: ['wallet.price', 'status.get'],
    },
    async (context, [text]) => {
      const amount = await amountOf(context, String(text));
      const { data: price } = await (await context.client()).wallet.price({ amount });
      await context.printer.one({ amount, price }, priceView);
    },
  );

  leaf(
    wallet
      .command('pay')
      .argument('<amount>')
      .addOption(
        wordFlag('--method <method>', say(both('Alipay or WeChat Pay', '支付宝或微信')), [
          'zfb',
          'wx',
        ]).makeOptionMandatory(),
      )
      .option('--print', say(both('print the form instead of opening it', '输出表单而不打开浏览器'))),
    runtime,
    {
      summary: both('Order a top-up and open its payment page', '下单充值并打开支付页面'),
      examples: ['wallet pay 10 --method zfb', 'wallet pay 10 --method wx --print --json'],
      prints: (context, flags) => (flags.print === true ? formView : orderView(context, 'own')),
      rows: 'wallet.orders',
      calls: ['wallet.pay', 'wallet.orders', 'status.get'],
    },
    async (context, [text], flags) => {
      const method = textOf(flags.method);
      if (method !== 'zfb' && method !== 'wx') {
        throw usageError(both('--method is zfb or wx', '--method 只能是 zfb 或 wx'), { field: '--method' });
      }
      const client = await context.client();
      const amount = await amountOf(context, String(text));
      const { data: fields, url } = await client.wallet.pay({ amount, payment_method: method });
      if (flags.print === true) return context.printer.one({ url, fields }, formView);
      const page = await servePaymentPage({ url, fields }, waitMs);
      try {
        context.note(context.say(both(`payment page: ${page.address}`, `支付页面：${page.address}`)));
        openInBrowser(page.address);
        const stopped = new Promise<'stopped'>((resolve) => {
          context.signal.addEventListener('abort', () => resolve('stopped'), { once: true });
        });
        await Promise.race([page.fetched, stopped]);
      } finally {
        page.close();
      }
      const { items } = await client.wallet.orders({ page_size: 100 });
      const order = items.find(({ trade_no }) => trade_no === fields.out_trade_no);
      if (order) await context.printer.one(order, orderView(context, 'own'));
    },
  );

  leaf(
    withLimit(
      wallet
        .command('orders')
        .addOption(wordFlag('--status <status>', say(both('in this state', '指定状态')), orderStates)),
      say,
    ),
    runtime,
    {
      summary: both('List own orders, newest first', '列出本人订单'),
      examples: ['wallet orders --status pending'],
      prints: (context) => orderView(context, 'own'),
      rows: 'wallet.orders',
      orders: [],
      calls: ['wallet.orders'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const status = textOf(flags.status);
      expectAmong(status, orderStates, '--status');
      const rows = walk({
        page: (page, page_size) => client.wallet.orders({ status, page, page_size }),
        keyOf: (row) => row.id,
        limit: limitOf(flags),
        ...told(context),
      });
      await context.printer.list(rows, orderView(context, 'own'));
    },
  );
}
