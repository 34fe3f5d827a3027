/** Options as commands print them, the whole list of them and those that were just written. */
import type { CommandContext } from '../context.ts';
import type { View } from '../output/columns.ts';

export interface OptionRow {
  key: string;
  value: string;
  set: boolean | null;
  section: string;
  type: string;
  default: string;
  class: string;
  secret: boolean;
  changed: boolean;
  updated_at: number;
  updated_by: string;
}

export const optionView: View<OptionRow> = {
  columns: [
    { heading: 'KEY', chinese: '名称', value: (row) => row.key, priority: 1 },
    { heading: 'VALUE', value: (row) => (row.secret ? (row.set ? '***' : '') : row.value), priority: 2 },
    { heading: 'DEFAULT', value: (row) => row.default, priority: 6 },
    { heading: 'SECTION', value: (row) => row.section, priority: 5 },
    { heading: 'CLASS', value: (row) => row.class, priority: 7 },
  ],
  fields: [
    'key',
    'value',
    'set',
    'section',
    'type',
    'default',
    'class',
    'secret',
    'changed',
    'updated_at',
    'updated_by',
  ],
  jsonMembers: (row) => (row.type === 'json' || row.type === 'list' ? ['value', 'default'] : []),
  id: (row) => row.key,
};

export async function allOptions(context: CommandContext): Promise<OptionRow[]> {
  const client = await context.client();
  const { isOptionKey, optionTable } = await import('../../daemon/contract/options.ts');
  return (await client.options.list()).map((row) => {
    const entry = isOptionKey(row.key) ? optionTable[row.key] : undefined;
    return {
      key: row.key,
      value: row.value,
      set: row.set ?? null,
      section: row.section,
      type: entry?.form ?? '',
      default: row.default,
      class: row.class,
      secret: row.set !== undefined,
      changed: row.changed,
      updated_at: row.updated_at,
      updated_by: row.updated_by,
    };
  });
}

/** Prints options as they are after they were written: one as an object, several as a list in the order of their keys here. */
export async function printOptions(context: CommandContext, keys: readonly string[]): Promise<void> {
  const byKey = new Map((await allOptions(context)).map((row) => [row.key, row]));
  const rows = [...new Set(keys)].flatMap((key) => byKey.get(key) ?? []);
  const [only] = rows;
  if (only !== undefined && rows.length === 1) await context.printer.one(only, optionView);
  else await context.printer.list(rows, optionView);
}
