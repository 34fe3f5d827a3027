/** `price rerate`: past traffic by other prices, and the differences booked where that is wished. */
import type { Command } from 'commander';
import type { RerateReport } from '../../daemon/contract/price-rerate.ts';
import type { PriceRerateView } from '../../daemon/contract/price-work.ts';
import { type Flags, leaf, type Runtime } from '../command.ts';
import { confirmSevere } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { textOf, wordFlag } from '../flags.ts';
import { type Bilingual, both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { closedSpanOf } from '../time-span.ts';
import { type PriceEdit, readNamedPrice } from './price-input.ts';

type RerateRow = PriceRerateView['rows'][number];
type LeftRows = PriceRerateView['left'][number];
type Question = Parameters<Awaited<ReturnType<CommandContext['client']>>['priceWork']['rerate']>[0];

const keys = ['user', 'model', 'group'] as const;

const reasons: Readonly<Record<LeftRows['reason'], Bilingual>> = {
  no_version: both('no version of prices is on record', '日志未记录价格版本'),
  version_forgotten: both('that version of prices is kept no more', '其价格版本已不再保留'),
  session: both('sessions are charged turn by turn', '会话按轮次计费'),
  task: both('the charge of a task goes back as a whole', '任务费用只能整笔退还'),
  waived: both('nothing was charged', '未收取费用'),
  not_reproducible: both('the prices of that time do not explain the charge', '无法由其价格还原费用'),
  unpriced: both('these prices have none for the model', '该版本没有其模型的价格'),
  balance: both('user or token cannot pay the difference', '用户或令牌余额不足以补差额'),
  changed: both('changed meanwhile', '期间已被修改'),
  user_gone: both('the user is gone', '用户已不存在'),
};

function viewOf(context: CommandContext): View<RerateRow> {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'KEY', value: (row) => row.key, priority: 1 },
      { heading: 'REQUESTS', value: (row) => row.requests, align: 'right', priority: 2 },
      { heading: 'CHARGED', unit: 'money', value: (row) => money(row.charged), align: 'right', priority: 1 },
      { heading: 'WOULD BE', unit: 'money', value: (row) => money(row.would_be), align: 'right', priority: 1 },
      { heading: 'CHANGE %', value: changeOf, align: 'right', priority: 1 },
    ],
    fields: ['key', 'requests', 'charged', 'would_be'],
    id: (row) => row.key,
  };
}

function changeOf({ charged, would_be: wouldBe }: RerateRow): string {
  if (charged === 0) return '';
  const percent = (wouldBe / charged - 1) * 100;
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)}`;
}

/** Prices by model, under the names of the flags of `price set`. */
async function draftOf(context: CommandContext, path: string): Promise<Record<string, PriceEdit>> {
  const { parse } = await import('yaml');
  const text = await context.value(path === '-' ? '-' : `@${path.replace(/^@/, '')}`, '--draft');
  let models: unknown;
  try {
    models = parse(text);
  } catch (cause) {
    throw usageError(both(`${path} is no YAML`, `${path} 不是 YAML`), { field: '--draft', cause });
  }
  if (typeof models !== 'object' || models === null || Array.isArray(models)) {
    throw usageError(both(`${path} names no models`, `${path} 中没有模型`), { field: '--draft' });
  }
  return Object.fromEntries(
    Object.entries(models).map(([model, figures]: [string, unknown]) => [
      model,
      readNamedPrice(figuresOf(figures, path), '--draft'),
    ]),
  );
}

/** Names and texts: `cache-write: 1.25`. Throws exit 3 for what names no figures. */
function figuresOf(figures: unknown, path: string): [string, string][] {
  if (typeof figures === 'object' && figures !== null && !Array.isArray(figures))
    return Object.entries(figures).map(([name, value]) => [name, String(value)]);
  throw usageError(both(`${path} names a model and no figure of it`, `${path} 中有模型未列出价格项`), {
    field: '--draft',
  });
}

async function questionOf(context: CommandContext, flags: Flags): Promise<Question> {
  const by = keys.find((key) => key === (textOf(flags.by) ?? 'user'));
  if (by === undefined) throw usageError(both('user, model or group', '可选 user、model、group'), { field: '--by' });
  const [draft, version] = [textOf(flags.draft), textOf(flags.at)];
  if ((draft === undefined) === (version === undefined)) {
    throw usageError(both('name a --draft, or a version with --at', '请用 --draft 指定草案，或用 --at 指定版本'), {
      field: '--at',
    });
  }
  if (version !== undefined && !/^\d{1,9}$/.test(version)) {
    throw usageError(both(`${version} is no version`, `${version} 不是版本号`), { field: '--at' });
  }
  if (flags.book === true && draft !== undefined) {
    throw usageError(
      both('a draft is never booked: set it, and name its version', '草案不能入账：请先保存价格并指定其版本'),
      {
        field: '--book',
      },
    );
  }
  return {
    by,
    ...(await closedSpanOf(context, flags)),
    ...(draft === undefined ? { version: Number(version) } : { draft: await draftOf(context, draft) }),
  };
}

/** All portions of the rows as one. */
async function rerated(context: CommandContext, question: Question): Promise<RerateReport> {
  const { noCharges, withPortion } = await import('../../daemon/contract/price-rerate.ts');
  const client = await context.client();
  let report = noCharges;
  let after: string | null = null;
  do {
    const portion: PriceRerateView = await client.priceWork.rerate({ ...question, after });
    report = withPortion(report, portion);
    after = portion.next;
  } while (after !== null);
  return report;
}

async function tellLeft(context: CommandContext, left: readonly LeftRows[]): Promise<void> {
  const money = await context.moneyText();
  for (const { reason, rows, charged, request_ids: ids } of left) {
    const named = ids.filter((id) => id !== '').slice(0, 3);
    const some = named.length === 0 ? '' : ` (${named.join(', ')}${rows > named.length ? ', …' : ''})`;
    const { en, zh } = reasons[reason];
    context.note(
      context.say(
        both(
          '{rows} {rows:row|rows} of {charged} {rows:is left as it is|are left as they are}, {en}{some}',
          '{rows} 行（{charged}）保持不变：{zh}{some}',
          { rows, charged: money(charged), en, some, zh },
        ),
      ),
    );
  }
}

export function registerPriceRerate(price: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    price
      .command('rerate')
      .option(
        '--draft <file>',
        say(both('YAML: prices by model, named as in price set', 'YAML：按模型列出价格，名称同 price set')),
      )
      .option('--at <version>', say(both('a version of prices, of price history', '价格版本号，见 price history')))
      .option('--since <time>', say(both('from this time on (24h)', '起始时间（24h）')))
      .option('--until <time>', say(both('until this time', '结束时间')))
      .addOption(wordFlag('--by <key>', say(both('what is added up (user)', '汇总方式（user）')), keys))
      .option(
        '--book',
        say(
          both(
            'book the differences, row by row; asks for their number; costs at upstreams stay as noted',
            '逐行记入差额，需确认行数；上游成本保持原记录',
          ),
        ),
      )
      .option('--confirm <count>', say(both('how many rows are to be booked', '确认要入账的行数')))
      .option('--note <text>', say(both('stands in the audit log', '记入审计日志的说明'))),
    runtime,
    {
      summary: both(
        'What past traffic would have cost by a draft or another version of prices; --book charges and refunds the difference',
        '按草案或其他价格版本重新计算历史费用；--book 补收或退还差额',
      ),
      examples: [
        'price rerate --draft new.yaml --since 30d --by user -o csv',
        'price rerate --at 40 --since yesterday --by model',
        "price rerate --at 41 --since yesterday --book --confirm 120 --note 'wrong list'",
      ],
      prints: viewOf,
      calls: ['priceWork.rerate'],
    },
    async (context, _args, flags) => {
      const question = await questionOf(context, flags);
      const view = viewOf(context);
      const report = await rerated(context, question);
      if (flags.book !== true || report.differing === 0) {
        await tellLeft(context, report.left);
        return context.printer.list(report.rows, view);
      }
      const count = String(report.differing);
      await context.printer.list(report.rows, view);
      await confirmSevere(context, both('Book the differences of so many rows', '要入账差额的行数'), count);
      const booked = await rerated(context, { ...question, book: true, note: textOf(flags.note) });
      await tellLeft(context, booked.left);
      context.done(
        both('{count} {count:row is|rows are} charged by the other prices now', '已按新价格入账 {count} 行', {
          count: booked.differing,
        }),
      );
    },
  );
}
