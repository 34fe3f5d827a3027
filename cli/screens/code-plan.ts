/** A batch of codes as it was described on the screen: what it is, the command that does the same, and its file. */
import { existsSync } from 'node:fs';
import { longestCodeName, mostCodes } from '../../daemon/contract/redemption-limits.ts';
import { type NewCode, newCodeView } from '../commands/redemption-rows.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { instantText } from '../forms.ts';
import { both } from '../language.ts';
import { csvRow, rowValues } from '../output/machine.ts';
import { quoted } from './command-words.ts';

/** Words as they stand in the form. */
export interface CodeWords {
  readonly name: string;
  readonly isGift: boolean;
  readonly value: string;
  readonly count: string;
  /** Of a gift code; "" for as many as there are users. */
  readonly uses: string;
  readonly from: string;
  readonly until: string;
  readonly file: string;
}

export interface CodePlan {
  readonly words: CodeWords;
  readonly count: number;
  readonly quota: number;
  readonly maxUses: number;
  readonly validFrom: number;
  readonly validUntil: number;
  readonly file: string;
}

function wholeNumber(text: string, field: string, most: number): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1 && number <= most) return number;
  throw usageError(both(`${field} takes a whole number from 1 to ${most}`, `${field} 须为 1 到 ${most} 的整数`), {
    field,
  });
}

/** Reads the words as the command would. Throws what the command would. */
export async function planOf(words: CodeWords, context: CommandContext): Promise<CodePlan> {
  const name = words.name.trim();
  if (name === '' || [...name].length > longestCodeName)
    throw usageError(
      both('a name has 1 to {most} characters', '名称须为 1 到 {most} 个字符', { most: longestCodeName }),
      { field: '--name' },
    );
  const count = wholeNumber(words.count, '--count', mostCodes);
  const quota = await context.money(words.value, '--quota');
  const instant = (text: string, field: string) =>
    text.trim() === '' ? 0 : context.instant(text.trim(), 'future', field);
  const validFrom = await instant(words.from, '--valid-from');
  const validUntil = await instant(words.until, '--valid-until');
  const file = words.file.trim() === '' ? `${name.replace(/[/\\]/g, '-')}.csv` : words.file.trim();
  if (existsSync(file))
    throw usageError(both(`${file} exists; choose another file`, `${file} 已存在，请另选文件`), { field: '--out' });
  const maxUses = words.isGift && words.uses.trim() !== '' ? wholeNumber(words.uses, '--max-uses', 1_000_000) : -1;
  return { words: { ...words, name }, count, quota, maxUses, validFrom, validUntil, file };
}

/** The fields of the call. */
export function inputOf({ words: { name, isGift }, count, quota, maxUses, validFrom, validUntil }: CodePlan) {
  return {
    name,
    quota,
    count,
    is_gift: isGift,
    ...(isGift ? { max_uses: maxUses } : {}),
    ...(validFrom === 0 ? {} : { valid_from: validFrom }),
    ...(validUntil === 0 ? {} : { valid_until: validUntil }),
  };
}

/** Quoted where a shell would take it for more than a word. */
const worded = (text: string) => (/^[\w.:/@%+-]+$/.test(text) ? text : quoted(text));

/** The same as a command, with the instants that words such as `7d` meant: run again later, it asks for the same codes. */
export function commandOf({ words, count, maxUses, validFrom, validUntil, file }: CodePlan): string {
  const flags: readonly (readonly [name: string, value: string])[] = [
    ['--name', words.name],
    ['--count', String(count)],
    ['--quota', words.value],
    ...(validFrom === 0 ? [] : [['--valid-from', instantText(validFrom)] as const]),
    ...(validUntil === 0 ? [] : [['--valid-until', instantText(validUntil)] as const]),
    ['--out', file],
  ];
  const gift = words.isGift ? ` --gift${maxUses > 0 ? ` --max-uses ${maxUses}` : ''}` : '';
  return `tollgate redemption create${gift} ${flags.map(([name, value]) => `${name} ${worded(value)}`).join(' ')}`;
}

/** What stands in the file: one code a line, or with everything else where it ends in .csv. */
export function fileText(plan: CodePlan, codes: readonly string[]): string {
  if (!plan.file.endsWith('.csv')) return codes.map((key) => `${key}\n`).join('');
  const rows = codes.map(
    (key): NewCode => ({
      key,
      name: plan.words.name,
      quota: plan.quota,
      is_gift: plan.words.isGift,
      max_uses: plan.maxUses,
      valid_from: plan.validFrom,
      valid_until: plan.validUntil,
    }),
  );
  const { columns } = newCodeView;
  const heading = columns.map((column) => column.heading);
  return [heading, ...rows.map((row) => rowValues(row, columns))]
    .map((values) => csvRow(values, { formulas: 'guarded' }))
    .join('');
}
