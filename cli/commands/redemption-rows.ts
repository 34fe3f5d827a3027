/** Redemption codes as the command line shows, finds and describes them. */
import { type Command, Option } from 'commander';
import type { RedemptionBatchView } from '../../daemon/contract/redemptions.ts';
import type { CommandContext } from '../context.ts';
import { textOf } from '../flags.ts';
import { type Bilingual, both } from '../language.ts';
import type { View } from '../output/columns.ts';
import { walk } from '../paging.ts';
import { notNamed, resolve } from '../references.ts';

export interface CodeRow {
  id: number;
  name: string;
  key: string;
  status: number;
  quota: number;
  is_gift: boolean;
  max_uses: number;
  used_count: number;
  used_user_id: number;
  created_time: number;
  valid_from: number;
  valid_until: number;
}

export interface NewCode {
  key: string;
  name: string;
  quota: number;
  is_gift: boolean;
  max_uses: number;
  valid_from: number;
  valid_until: number;
}

const statuses: Readonly<Record<number, string>> = { 1: 'unused', 2: 'disabled', 3: 'used' };
export const statusNumbers: Readonly<Record<string, number>> = { unused: 1, disabled: 2, used: 3 };

export const newCodeView: View<NewCode> = {
  columns: [
    { heading: 'CODE', value: (row) => row.key },
    { heading: 'NAME', value: (row) => row.name },
    { heading: 'QUOTA', value: (row) => row.quota },
    { heading: 'IS_GIFT', value: (row) => row.is_gift },
    { heading: 'MAX_USES', value: (row) => row.max_uses },
    { heading: 'VALID_FROM', value: (row) => row.valid_from },
    { heading: 'VALID_UNTIL', value: (row) => row.valid_until },
  ],
  fields: ['key', 'name', 'quota', 'is_gift', 'max_uses', 'valid_from', 'valid_until'],
  id: (row) => row.key,
};

/** Keys are shown as they stand in the row. */
export function codeView(context: CommandContext): View<CodeRow> {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'ID', value: (row) => row.id, align: 'right', priority: 1 },
      { heading: 'NAME', value: (row) => row.name, priority: 1 },
      { heading: 'CODE', value: (row) => row.key, priority: 3 },
      { heading: 'STATUS', unit: 'word', value: (row) => statuses[row.status] ?? row.status, priority: 2 },
      { heading: 'VALUE', unit: 'money', value: (row) => money(row.quota), align: 'right', priority: 2 },
      {
        heading: 'USES',
        value: (row) =>
          row.is_gift ? `${row.used_count}/${row.max_uses === -1 ? '∞' : row.max_uses}` : row.used_count,
        align: 'right',
        priority: 6,
      },
      { heading: 'BY', value: (row) => row.used_user_id || '', align: 'right', priority: 7 },
      { heading: 'CREATED', unit: 'time', value: (row) => context.agoText(row.created_time), priority: 5 },
      {
        heading: 'VALID',
        unit: 'time',
        value: (row) => (row.valid_until === 0 ? '' : context.timeText(row.valid_until)),
        priority: 8,
      },
    ],
    id: (row) => row.id,
  };
}

/** The codes of each name, counted. */
export function batchView(context: CommandContext): View<RedemptionBatchView> {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'NAME', value: (row) => row.name, priority: 1 },
      { heading: 'CODES', value: (row) => row.codes, align: 'right', priority: 2 },
      { heading: 'UNUSED', value: (row) => row.unused, align: 'right', priority: 1 },
      { heading: 'USED', value: (row) => row.used, align: 'right', priority: 2 },
      { heading: 'DISABLED', value: (row) => row.disabled, align: 'right', priority: 4 },
      { heading: 'USES', value: (row) => row.used_count, align: 'right', priority: 5 },
      { heading: 'VALUE', unit: 'money', value: (row) => money(row.least_quota), align: 'right', priority: 3 },
      { heading: 'UP TO', unit: 'money', value: (row) => money(row.most_quota), align: 'right', priority: 7 },
      { heading: 'CREATED', unit: 'time', value: (row) => context.agoText(row.created_time), priority: 6 },
    ],
    id: (row) => row.name,
  };
}

const lookedFor = { word: both('code', '兑换码'), notFound: 'redemption_not_found' };

export const noCodeNamed = (name: string) => notNamed(name, lookedFor);

/** The endpoints behind `find`. */
export const findCalls = ['redemptions.get', 'redemptions.search', 'redemptions.list'] as const;

export async function find(context: CommandContext, reference: string) {
  const client = await context.client();
  return resolve(reference, {
    ...lookedFor,
    byId: (id) => client.redemptions.get({ id }),
    search: (text) => codesCalled(context, text),
    nameOf: (row) => (row.key === reference ? row.key : row.name),
    idOf: (row) => row.id,
  });
}

/** Codes of exactly this name or key. The server's search finds all whose name begins so, and its pages end. */
async function codesCalled(context: CommandContext, text: string) {
  const { redemptions } = await context.client();
  const { items, total } = await redemptions.search({ keyword: text, page_size: 100 });
  if (items.length >= total) return items;
  const named = (await redemptions.list({ name: text, page_size: 100 })).items;
  if (named.length > 0) return [...named, ...items.filter(({ key, name }) => key === text && name !== text)];
  const page = (page: number, page_size: number) => redemptions.search({ keyword: text, page, page_size });
  for await (const row of walk({ page, keyOf: ({ id }) => id, limit: undefined })) if (row.key === text) return [row];
  return [];
}

export async function fields(context: CommandContext, flags: Readonly<Record<string, unknown>>) {
  const uses = textOf(flags.maxUses);
  const instant = (flag: unknown, name: string) =>
    typeof flag === 'string' ? context.instant(flag, 'future', name) : undefined;
  const [from, until] = await Promise.all([
    instant(flags.validFrom, '--valid-from'),
    instant(flags.validUntil, '--valid-until'),
  ]);
  return {
    ...(textOf(flags.name) === undefined ? {} : { name: String(flags.name) }),
    ...(textOf(flags.quota) === undefined ? {} : { quota: await context.money(String(flags.quota), '--quota') }),
    ...(uses === undefined ? {} : { max_uses: uses === 'unlimited' ? -1 : Number(uses) }),
    ...(from === undefined ? {} : { valid_from: from }),
    ...(until === undefined ? {} : { valid_until: until }),
  };
}

/** What `--unset` makes of a code, by flag. */
export const blankCodeFields: Readonly<Record<string, { valid_from?: number; valid_until?: number }>> = {
  'valid-from': { valid_from: 0 },
  'valid-until': { valid_until: 0 },
};

/** Adds the flags that describe codes. */
export function withCodeFlags(command: Command, say: (text: Bilingual) => string, work: 'create' | 'edit'): Command {
  const otherwise = work === 'create' ? both(' (unlimited)', '（默认 unlimited）') : both('', '');
  const uses = both(`uses of a gift code, or unlimited${otherwise.en}`, `礼品码可用次数或 unlimited${otherwise.zh}`);
  return command
    .addOption(
      new Option(
        '--quota <money>',
        say(both('value of each code, e.g. 2usd', '每个兑换码的额度，例如 2usd')),
      ).makeOptionMandatory(work === 'create'),
    )
    .option('--max-uses <n>', say(uses))
    .option('--valid-from <time>', say(both('not before', '生效时间')))
    .option('--valid-until <time>', say(both('not after', '失效时间')));
}
