/** `price quote`: what a call would cost, with the steps of the sum. Asks nothing but the published prices. */
import type { Command } from 'commander';
import { fillText } from '../../daemon/contract/fill-text.ts';
import type { PriceView } from '../../daemon/contract/pricing.ts';
import { leaf, type Runtime } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf } from '../flags.ts';
import { unitsToUsd } from '../input/money.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';

/** Tokens of the call to be priced. */
export interface QuotedCall {
  /** Prompt tokens, cached ones among them. */
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

export interface QuoteTerms {
  readonly groupRatio: number;
  readonly quotaPerUnit: number;
}

export interface Quote {
  units: number;
  /** How the sum came about, one step a line. */
  steps: string[];
}

const tidy = (value: number) => String(Number(value.toPrecision(12)));

/** The last tier that the call exceeds, over the model's own ratios. */
function ratiosFor(price: PriceView, call: QuotedCall) {
  const tier = price.tiers?.findLast(
    ({ input_over: input, output_over: output }) =>
      call.input > input && (output === undefined || call.output > output),
  );
  return {
    model: tier?.model_ratio ?? price.model_ratio,
    completion: tier?.completion_ratio ?? price.completion_ratio,
    cache: tier?.cache_ratio ?? price.cache_ratio ?? 1,
  };
}

/** Prices a call by the formula of relay.md 15.5: by token at least one unit unless it is free. */
export function quoteOf(price: PriceView, call: QuotedCall, terms: QuoteTerms): Quote {
  const { groupRatio, quotaPerUnit } = terms;
  if (price.quota_type === 1) {
    const exact = price.model_price * quotaPerUnit * groupRatio;
    const units = rounded(exact);
    return {
      units,
      steps: [
        `$${tidy(price.model_price)} a call x ${quotaPerUnit} units x group ${tidy(groupRatio)} = ${tidy(exact)}`,
        roundedText(units),
      ],
    };
  }
  const ratios = ratiosFor(price, call);
  const fresh = call.input - call.cached;
  const cached = call.cached * ratios.cache;
  const answer = call.output * ratios.completion;
  const weighted = fresh + cached + answer;
  const exact = weighted * ratios.model * groupRatio;
  const units = exact === 0 ? 0 : Math.max(1, rounded(exact));
  return {
    units,
    steps: [
      `prompt ${fresh}`,
      ...(call.cached > 0 ? [`cached ${call.cached} x ${tidy(ratios.cache)} = ${tidy(cached)}`] : []),
      `answer ${call.output} x ${tidy(ratios.completion)} = ${tidy(answer)}`,
      `${tidy(weighted)} x model ${tidy(ratios.model)} x group ${tidy(groupRatio)} = ${tidy(exact)}`,
      roundedText(units),
    ],
  };
}

function roundedText(units: number): string {
  return fillText('rounded: {units} {units:unit|units}', { units });
}

/** Half up, as the server rounds; the last digits of a float are noise. */
function rounded(exact: number): number {
  return Math.round(Number(exact.toPrecision(15)));
}

function countOf(value: unknown, field: string): number {
  const count = Number(value ?? 0);
  if (Number.isSafeInteger(count) && count >= 0 && value !== '') return count;
  throw usageError(both(`${field} takes a whole number`, `${field} 须为非负整数`), { field });
}

interface QuoteRow extends Quote {
  model: string;
  group: string;
  usd: string;
}

const quoteView: View<QuoteRow> = {
  columns: [
    { heading: 'UNITS', value: (row) => row.units, align: 'right', priority: 1 },
    { heading: 'USD', value: (row) => row.usd, align: 'right', priority: 1 },
    { heading: 'STEPS', value: (row) => row.steps.join('; '), priority: 2 },
  ],
  fields: ['model', 'group', 'units', 'steps', 'usd'],
  id: (row) => row.units,
};

export function registerPriceQuote(price: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    price
      .command('quote')
      .argument('<model>')
      .option('--in <tokens>', say(both('prompt tokens, cached ones among them', '输入 token 数（含缓存）')))
      .option('--out <tokens>', say(both('answer tokens', '输出 token 数')))
      .option('--cached <tokens>', say(both('prompt tokens read from a cache', '命中缓存的输入 token 数')))
      .option('--group <group>', say(both('billed by this group (default)', '计费分组（default）'))),
    runtime,
    {
      summary: both('Show what a call would cost, step by step', '逐步计算一次调用的费用'),
      examples: ['price quote gpt-4o --in 1000 --out 500', 'price quote gpt-4o --in 1000 --group vip --json'],
      prints: () => quoteView,
      calls: ['pricing.list', 'status.get'],
    },
    async (context, [name], flags) => {
      const call = {
        input: countOf(flags.in, '--in'),
        output: countOf(flags.ownOut, '--out'),
        cached: countOf(flags.cached, '--cached'),
      };
      if (call.cached > call.input) {
        throw usageError(both('--cached is more than --in', '--cached 大于 --in'), { field: '--cached' });
      }
      const client = await context.client();
      const { data, group_ratio: ratios } = await client.pricing.list();
      const model = String(name);
      const found = data.find((row) => row.model_name === model);
      if (found === undefined) {
        const text = both(`no price for ${model} that you may see`, `没有可见的 ${model} 价格`);
        throw new CliError('model_not_found', exitCodes.notFound, text, {
          hint: both('tollgate price list', 'tollgate price list'),
        });
      }
      const group = textOf(flags.group) ?? 'default';
      const ofGroup = ratios[group];
      if (ofGroup === undefined) {
        throw usageError(both(`you may not use group ${group}`, `不能使用分组 ${group}`), { field: '--group' });
      }
      const { quotaPerUnit } = await context.site();
      // A rate rule holds in every group.
      const quote = quoteOf(found, call, { groupRatio: found.rate_ratio ?? ofGroup, quotaPerUnit });
      await context.printer.one({ model, group, ...quote, usd: unitsToUsd(quote.units, quotaPerUnit) }, quoteView);
    },
  );
}
