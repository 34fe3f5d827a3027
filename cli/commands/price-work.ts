/** `price sync`, `history`, `diff`, `rollback`: prices that others publish, and what prices were. */
import type { Command } from 'commander';
import type { PriceDifferenceView, PriceSyncView, PriceVersionView } from '../../daemon/contract/price-work.ts';
import { leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { collect, textOf } from '../flags.ts';
import { type Bilingual, both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { limitOf, told, walk, withLimit } from '../paging.ts';
import { changeView } from './price-changes.ts';

interface FormatRow {
  format: string;
  source: string;
}

const formats: readonly FormatRow[] = [
  {
    format: 'ratios',
    source: 'model_ratio, completion_ratio, … model_price by model, also under data (/api/ratio_config)',
  },
  { format: 'litellm', source: "LiteLLM's model_prices_and_context_window.json" },
  { format: 'openrouter', source: 'https://openrouter.ai/api/v1/models' },
];

const formatView: View<FormatRow> = {
  columns: [
    { heading: 'FORMAT', value: (row) => row.format, priority: 1 },
    { heading: 'SOURCE', value: (row) => row.source, priority: 2 },
  ],
  id: (row) => row.format,
};

function versionView(context: CommandContext): View<PriceVersionView> {
  return {
    columns: [
      { heading: 'VERSION', value: (row) => row.version, align: 'right', priority: 1 },
      { heading: 'AT', unit: 'time', value: (row) => context.agoText(row.created_at), priority: 2 },
      { heading: 'BY', value: (row) => row.created_by, priority: 3 },
      { heading: 'CAUSE', unit: 'word', value: (row) => row.cause, priority: 4 },
      { heading: 'MODELS', value: modelsText, priority: 2 },
      { heading: 'NOTE', value: (row) => row.note, priority: 5 },
    ],
    fields: ['version', 'before', 'created_at', 'created_by', 'cause', 'note', 'models', 'model_count'],
    id: (row) => row.version,
  };
}

/** The first few names, and how many more there are. */
function modelsText({ models, model_count: count }: PriceVersionView): string {
  const shown = models.slice(0, 3).join(', ');
  return count > 3 ? `${shown} +${count - 3}` : shown;
}

const differenceView: View<PriceDifferenceView> = {
  columns: [
    { heading: 'MODEL', value: (row) => row.name, priority: 1 },
    { heading: 'FIELD', value: (row) => row.option, priority: 1 },
    { heading: 'OLD', value: (row) => row.old, align: 'right', priority: 2 },
    { heading: 'NEW', value: (row) => row.new, align: 'right', priority: 1 },
  ],
  fields: ['option', 'name', 'old', 'new'],
  id: (row) => `${row.option} ${row.name}`,
};

function versionOf(word: unknown, field: string): number {
  const text = String(word);
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageError(both(`${text} is no version`, `${text} 不是版本号`), { field });
}

/** `20` or `20%`, in percent. */
function percentOf(text: string | undefined, field: string): number | undefined {
  if (text === undefined) return undefined;
  const [, number] = /^(\d+(?:\.\d+)?)%?$/.exec(text.trim()) ?? [];
  if (number !== undefined) return Number(number);
  throw usageError(both('such as 20%', '例如 20%'), { field });
}

function namesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Where the list is: an address is fetched by the server, a file is read here. */
async function sourceOf(
  context: CommandContext,
  place: string,
): Promise<{ url: string } | { content: Record<string, unknown> }> {
  if (/^https?:\/\//i.test(place)) return { url: place };
  const text = await context.value(place === '-' ? '-' : `@${place.replace(/^@/, '')}`, 'file');
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw usageError(both(`${place} is no JSON`, `${place} 不是 JSON`), { field: 'file', cause });
  }
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return { content: { ...content } };
  throw usageError(both(`${place} is no price list`, `${place} 不是价格列表`), { field: 'file' });
}

function reportLeftOut(context: CommandContext, { left_out: leftOut, over }: PriceSyncView): void {
  const named = (reason: 'kind' | 'unread', text: Bilingual) => {
    const found = leftOut.filter((one) => one.reason === reason).map(({ model_name }) => model_name);
    if (found.length === 0) return;
    const names = found.slice(0, 5).join(', ') + (found.length > 5 ? ', …' : '');
    context.note(context.say(both(text.en, text.zh, { count: found.length, names })));
  };
  named('kind', {
    en: '{count} left as {count:it is|they are}, by token here and by call there or the reverse: {names}',
    zh: '{count} 个模型保持不变（按量与按次不一致）：{names}',
  });
  named('unread', {
    en: '{count} {count:model|models} with a figure that is no price, which was passed over: {names}',
    zh: '{count} 个模型含有无法识别的价格，已跳过这些数值：{names}',
  });
  const fresh = leftOut.filter(({ reason }) => reason === 'new').length;
  if (fresh > 0)
    context.note(context.say(both('{fresh} new {fresh:model|models} left out', '已跳过 {fresh} 个新模型', { fresh })));
  for (const { model_name: name, rise } of over.slice(0, 20)) {
    context.note(context.say(both(`${name} becomes ${rise} % dearer`, `${name} 涨价 ${rise}%`)));
  }
}

export function registerPriceWork(price: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);

  leaf(
    price
      .command('sync')
      .argument('[source]')
      .option('--only <glob>', say(both('models, repeatable', '仅限这些模型，可重复')), collect)
      .option('--except <glob>', say(both('models left as they are, repeatable', '排除这些模型，可重复')), collect)
      .option('--max-rise <percent>', say(both('refuse if any price rises by more', '涨幅超过该值则拒绝')))
      .option('--no-new', say(both('leave out models that have no entry', '不添加新模型')))
      .option('--note <text>', say(both('stands with the version that this makes', '记入价格版本的说明')))
      .option('--formats', say(both('list the formats', '列出支持的格式')))
      .option('--dry-run', say(both('show what would change; exit 2 if anything', '仅显示变化，有变化时退出码为 2'))),
    runtime,
    {
      summary: both(
        'Take prices over from a file or address, all or none; nothing is removed',
        '从文件或网址同步价格（全部成功或全部不变，不删除）',
      ),
      examples: [
        'price sync prices.json --dry-run',
        "price sync https://example.com/prices.json --only 'gpt-*' --max-rise 20%",
      ],
      prints: (_context, flags) => (flags.formats === true ? formatView : changeView),
      calls: ['priceWork.sync'],
    },
    async (context, [source], flags) => {
      if (flags.formats === true) return context.printer.list(formats, formatView);
      if (!textOf(source)) {
        throw usageError(both('name a file or an address', '请指定文件或网址'), {
          hint: both('tollgate price sync --formats', 'tollgate price sync --formats'),
        });
      }
      const isDry = flags.dryRun === true;
      const answer = await (await context.client()).priceWork.sync({
        ...(await sourceOf(context, String(source))),
        only: namesOf(flags.only),
        except: namesOf(flags.except),
        max_rise: percentOf(textOf(flags.maxRise), '--max-rise'),
        no_new: flags.new === false,
        dry_run: isDry,
        note: textOf(flags.note),
      });
      reportLeftOut(context, answer);
      const { changes, version } = answer;
      if (!isDry) {
        context.done(
          version === null
            ? both('nothing to change', '没有变化')
            : both('{count} {count:figure|figures} changed, version {version}', '已修改 {count} 项，版本 {version}', {
                count: changes.length,
                version,
              }),
        );
      }
      await context.printer.list(changes, changeView);
      if (isDry && changes.length > 0) context.endWith(exitCodes.no);
    },
  );

  leaf(
    withLimit(price.command('history'), say),
    runtime,
    {
      summary: both('List changes of prices, newest first', '列出价格变更记录，最新的在前'),
      examples: ['price history', 'price history --limit 5'],
      prints: versionView,
      orders: [],
      calls: ['priceWork.versions'],
    },
    async (context, _args, flags) => {
      const client = await context.client();
      const rows = walk<PriceVersionView>({
        page: (page, page_size) => client.priceWork.versions({ page, page_size }),
        keyOf: (row) => row.version,
        limit: limitOf(flags),
        ...told(context),
      });
      await context.printer.list(rows, versionView(context));
    },
  );

  leaf(
    price.command('diff').argument('<from>').argument('[to]'),
    runtime,
    {
      summary: both('Compare two versions, or a version with now', '比较两个版本，或某版本与当前价格'),
      examples: ['price diff 3 4', 'price diff 3'],
      prints: () => differenceView,
      calls: ['priceWork.differences'],
    },
    async (context, [from, to], _flags) => {
      const rows = await (await context.client()).priceWork.differences({
        from: versionOf(from, 'from'),
        to: textOf(to) ? versionOf(to, 'to') : undefined,
      });
      await context.printer.list(rows, differenceView);
    },
  );

  leaf(
    price
      .command('rollback')
      .argument('<version>')
      .option('--note <text>', say(both('stands with the version that this makes', '记入价格版本的说明'))),
    runtime,
    {
      summary: both('Put all prices back to what they were at a version', '将全部价格恢复到指定版本'),
      examples: ['price rollback 40 --yes', "price rollback 40 --yes --note 'wrong list'"],
      prints: 'nothing',
      calls: ['priceWork.differences', 'priceWork.rollback'],
    },
    async (context, [word], flags) => {
      const version = versionOf(word, 'version');
      const client = await context.client();
      const changes = await client.priceWork.differences({ from: version });
      await confirm(
        context,
        both('Put {count} {count:figure|figures} back to version {version}?', '将 {count} 项恢复到版本 {version}？', {
          count: changes.length,
          version,
        }),
      );
      const made = await client.priceWork.rollback({ version, note: textOf(flags.note) });
      context.done(
        made.version === null
          ? both('prices were so already', '价格已是该版本')
          : both(
              `prices are as at version ${version}; this is version ${made.version}`,
              `价格已恢复到版本 ${version}，当前为版本 ${made.version}`,
            ),
      );
    },
  );
}
