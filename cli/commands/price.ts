/** `price`: what models cost, and setting it. */
import type { Command } from 'commander';
import { group, leaf, type Runtime } from '../command.ts';
import { confirmSevere } from '../confirm.ts';
import { usageError } from '../errors.ts';
import { textOf, wordsOf } from '../flags.ts';
import { globTest } from '../input/glob.ts';
import { both, sayIn } from '../language.ts';
import { nothingByName } from '../output/choices.ts';
import type { View } from '../output/columns.ts';
import { referencesOf } from '../references.ts';
import { changeView } from './price-changes.ts';
import { editsOf } from './price-file.ts';
import { inputPrice, type PriceEdit, readPrice, refuseFigures, rounded } from './price-input.ts';
import { registerPriceQuote } from './price-quote.ts';
import { registerPriceRerate } from './price-rerate.ts';
import { registerPriceWork } from './price-work.ts';

interface PriceRow {
  model_name: string;
  quota_type: number;
  model_ratio: number;
  model_price: number;
  completion_ratio: number;
  cache_ratio?: number | undefined;
  create_cache_ratio?: number | undefined;
  enable_groups: readonly string[];
  rate_ratio?: number | undefined;
}

/** @param groupRatio of the group whose price is shown, unless a rate rule stands for it; undefined shows list prices */
function priceView(groupRatio?: number): View<PriceRow> {
  const factorOf = ({ rate_ratio }: PriceRow) => (groupRatio === undefined ? 1 : (rate_ratio ?? groupRatio));
  const shown = (row: PriceRow, value: number) => rounded(value * factorOf(row));
  const input = ({ model_ratio }: PriceRow) => inputPrice(model_ratio);
  const byToken = (row: PriceRow, value: number | undefined) =>
    row.quota_type === 0 && value !== undefined ? shown(row, input(row) * value) : '';
  return {
    columns: [
      { heading: 'MODEL', value: (row) => row.model_name, priority: 1 },
      { heading: 'KIND', unit: 'word', value: (row) => (row.quota_type === 1 ? 'call' : 'token'), priority: 4 },
      { heading: 'IN/M', unit: 'dollars', value: (row) => byToken(row, 1), align: 'right', priority: 2 },
      {
        heading: 'OUT/M',
        unit: 'dollars',
        value: (row) => byToken(row, row.completion_ratio),
        align: 'right',
        priority: 2,
      },
      { heading: 'CACHE', unit: 'dollars', value: (row) => byToken(row, row.cache_ratio), align: 'right', priority: 5 },
      {
        heading: 'PER CALL',
        unit: 'dollars',
        value: (row) => (row.quota_type === 1 ? shown(row, row.model_price) : ''),
        align: 'right',
        priority: 3,
      },
      { heading: 'GROUPS', value: (row) => row.enable_groups.join(','), priority: 6 },
    ],
    fields: [
      'model_name',
      'quota_type',
      'model_ratio',
      'model_price',
      'completion_ratio',
      'owner_by',
      'enable_groups',
      'cache_ratio',
      'create_cache_ratio',
      'audio_ratio',
      'audio_completion_ratio',
      'image_ratio',
      'image_completion_ratio',
      'tiers',
      'endpoints',
      'context_size',
      'health',
      'rate_ratio',
    ],
    id: (row) => row.model_name,
  };
}

interface RatioRow {
  model_name: string;
  model_ratio: number | null;
  completion_ratio: number | null;
  cache_ratio: number | null;
  create_cache_ratio: number | null;
  model_price: number | null;
}

const ratioView: View<RatioRow> = {
  columns: [
    { heading: 'MODEL', value: (row) => row.model_name, priority: 1 },
    { heading: 'RATIO', value: (row) => row.model_ratio, align: 'right', priority: 2 },
    { heading: 'COMPLETION', value: (row) => row.completion_ratio, align: 'right', priority: 2 },
    { heading: 'CACHE', value: (row) => row.cache_ratio, align: 'right', priority: 4 },
    { heading: 'CACHE WRITE', value: (row) => row.create_cache_ratio, align: 'right', priority: 5 },
    { heading: 'PER CALL', value: (row) => row.model_price, align: 'right', priority: 3 },
  ],
  fields: ['model_name', 'model_ratio', 'completion_ratio', 'cache_ratio', 'create_cache_ratio', 'model_price'],
  id: (row) => row.model_name,
};

export function registerPriceCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const price = group(program, runtime, 'price', both('Prices of models', '模型价格'));

  leaf(
    price
      .command('list')
      .alias('ls')
      .option('--model <glob>', say(both("such as 'gpt-4o*'", '模型名称，如 gpt-4o*')))
      .option('--group <group>', say(both('offered in this group', '指定分组')))
      .option('--effective', say(both('with the ratio of the group', '计入分组倍率')))
      .option('--ratios', say(both('the ratio maps, where the site shows them', '输出倍率表（站点开放时）'))),
    runtime,
    {
      summary: both('List prices; nobody needs to be signed in', '列出价格（无需登录）'),
      examples: ["price list --model 'gpt-4o*'", 'price list --group vip --effective'],
      prints: (_context, flags) => (flags.ratios === true ? ratioView : priceView()),
      orders: [],
      calls: ['pricing.list', 'pricing.ratios'],
    },
    async (context, _args, flags) => {
      const { pricing } = await context.client();
      const matches = globTest(textOf(flags.model), 'any-case');
      if (flags.ratios === true) {
        const maps = await pricing.ratios();
        const names = [...new Set(Object.values(maps).flatMap((map) => Object.keys(map)))].filter(matches).sort();
        const rows = names.map((model_name) => ({
          model_name,
          model_ratio: maps.model_ratio[model_name] ?? null,
          completion_ratio: maps.completion_ratio[model_name] ?? null,
          cache_ratio: maps.cache_ratio[model_name] ?? null,
          create_cache_ratio: maps.create_cache_ratio[model_name] ?? null,
          model_price: maps.model_price[model_name] ?? null,
        }));
        return context.printer.list(rows, ratioView);
      }
      const { data, group_ratio } = await pricing.list();
      const wanted = textOf(flags.group);
      if (wanted !== undefined && !Object.hasOwn(group_ratio, wanted)) {
        throw usageError(both(`you may not use group ${wanted}`, `不能使用分组 ${wanted}`), { field: '--group' });
      }
      const rows = data.filter(
        (row) => matches(row.model_name) && (wanted === undefined || row.enable_groups.includes(wanted)),
      );
      const factor = flags.effective === true ? (group_ratio[wanted ?? 'default'] ?? 1) : undefined;
      await context.printer.list(rows, priceView(factor));
    },
  );

  leaf(
    price
      .command('set')
      .argument('[models...]')
      .option('--input <money>', say(both('dollars a million prompt tokens', '每百万输入 token 的美元价格')))
      .option('--output <money>', say(both('dollars a million answer tokens', '每百万输出 token 的美元价格')))
      .option('--per-call <money>', say(both('dollars a call', '每次调用的美元价格')))
      .option('--ratio <n>', say(both('model ratio', '模型倍率')))
      .option('--completion <n>', say(both('completion ratio', '补全倍率')))
      .option('--cache <n>', say(both('cache read ratio', '缓存读取倍率')))
      .option('--cache-write <n>', say(both('cache write ratio', '缓存写入倍率')))
      .option('--audio <n>', say(both('audio ratio', '音频倍率')))
      .option('--image <n>', say(both('image ratio', '图像倍率')))
      .option('--unset', say(both('take every entry away', '移除全部价格')))
      .option('--from <file>', say(both('CSV with a column model and columns named like the flags', 'CSV 文件')))
      .option('--note <text>', say(both('stands with the version that this makes', '记入价格版本的说明')))
      .option('--change-kind', say(both('from a price by token to one by call, or back', '允许按量与按次互换')))
      .option('--dry-run', say(both('show what would be sent', '仅显示将发送的内容'))),
    runtime,
    {
      summary: both('Set prices of models, all or none', '设置模型价格（全部成功或全部不变）'),
      examples: [
        'price set my-model --input 1usd --output 4usd',
        'price set my-image --per-call 0.04usd --change-kind',
        'price set --from prices.csv',
      ],
      prints: (_context, flags) => (flags.dryRun === true ? nothingByName : changeView),
      calls: ['prices.set'],
    },
    async (context, [names], flags) => {
      const from = textOf(flags.from);
      const models = await referencesOf(context, names);
      // Nothing came through the pipe.
      if (from === undefined && models.length === 0 && wordsOf(names).length > 0) return;
      const edits = from === undefined ? new Map<string, PriceEdit>() : await editsOf(context, from);
      const own = readPrice({ ...flags, output: flags.ownOutput });
      if (flags.unset === true) refuseFigures(models);
      for (const name of models) edits.set(name, own);
      const isEmpty = [...edits.values()].some((edit) => Object.keys(edit).length === 0);
      if (edits.size === 0 || isEmpty) {
        throw usageError(both('name models and their prices', '请指定模型及其价格'), {
          hint: both(
            'tollgate price set my-model --input 1usd --output 4usd',
            'tollgate price set my-model --input 1usd --output 4usd',
          ),
        });
      }
      const input = {
        models: Object.fromEntries(edits),
        change_kind: flags.changeKind === true,
        note: textOf(flags.note),
      };
      if (flags.dryRun === true) return context.printer.text(`PUT /api/price/\n${JSON.stringify(input, null, 2)}\n`);
      const changes = await (await context.client()).prices.set(input);
      context.done(both('{count} {count:figure|figures} changed', '已修改 {count} 项', { count: changes.length }));
      await context.printer.list(changes, changeView);
    },
  );

  registerPriceQuote(price, runtime);
  registerPriceWork(price, runtime);
  registerPriceRerate(price, runtime);

  leaf(
    price
      .command('reset')
      .option('--confirm <option>', say(both('ModelRatio, for scripts', '输入 ModelRatio 确认（用于脚本）'))),
    runtime,
    {
      summary: both('Put the model ratios back to the shipped table', '恢复默认模型倍率'),
      examples: ['price reset --confirm ModelRatio'],
      prints: 'nothing',
      calls: ['options.resetModelRatio'],
    },
    async (context) => {
      await confirmSevere(context, both('Drop every model ratio of yours?', '放弃全部自定义模型倍率？'), 'ModelRatio');
      await (await context.client()).options.resetModelRatio();
      context.done(both('model ratios are back to the shipped table', '模型倍率已恢复默认'));
    },
  );
}
