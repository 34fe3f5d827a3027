/** What is asked of a result by name: its columns, its fields and its order, held against what there is. */
import { type CliError, usageError } from '../errors.ts';
import { both } from '../language.ts';
import type { Order } from './order.ts';

/** What a command prints, by the names that it can be asked for. */
export interface Printed {
  readonly columns: readonly { readonly heading: string }[];
  /** JSON fields; undefined where nobody knows them before the answer. */
  readonly fields?: readonly string[] | undefined;
}

/** What commands print that print a text, or only say on standard error what they did. */
export const nothingByName: Printed = { columns: [], fields: [] };

/** The names that `--columns` takes. */
export function columnNames({ columns }: Pick<Printed, 'columns'>): string[] {
  return columns.map(({ heading }) => heading.toLowerCase());
}

/** The columns of `--columns` in the order asked for, or all. Throws exit 3 for one that is none. */
export function chosenColumns<C extends { readonly heading: string }>(
  columns: readonly C[],
  wish: string | undefined,
): readonly C[] {
  if (wish === undefined) return columns;
  return wish.split(',').map((part) => {
    const name = part.trim().toLowerCase();
    const column = columns.find(({ heading }) => heading.toLowerCase() === name);
    if (column !== undefined) return column;
    const names = columnNames({ columns }).join(', ');
    const text =
      columns.length === 0
        ? both('this command prints no columns', '此命令不输出列')
        : both(`no column ${name}; there are ${names}`, `没有列 ${name}；可用：${names}`);
    throw usageError(text, { field: '--columns' });
  });
}

/** Refuses to choose columns of a form that has fields: what was not wished for would be printed with the rest. */
export function columnsOfFields(format: string): CliError {
  return usageError(both(`-o ${format} has fields, not columns`, `-o ${format} 输出字段，没有列`), {
    field: '--columns',
    hint: both(
      'choose fields: --json=id,name; --json=help lists them',
      '用 --json=id,name 选择字段，--json=help 列出字段',
    ),
  });
}

/** The fields of `--json=` in the order asked for; undefined for all. Throws exit 3 for one that is none. */
export function chosenFields(
  known: readonly string[] | undefined,
  wish: string | undefined,
): readonly string[] | undefined {
  if (wish === undefined || wish === '') return undefined;
  const fields = wish.split(',').map((field) => field.trim());
  const unknown = known && fields.find((field) => !known.includes(field.split('.')[0] ?? ''));
  if (unknown === undefined && wish !== 'help') return fields;
  throw usageError(fieldsText(known, wish === 'help' ? undefined : unknown), { field: '--json' });
}

/** Throws exit 3 for an order by what is no field. */
export function checkOrder(known: readonly string[] | undefined, order: Order | undefined): void {
  if (order === undefined || known?.includes(order.field)) return;
  throw usageError(fieldsText(known, order.field), { field: '--sort' });
}

/** @param unknown what was asked for and is none of them */
function fieldsText(known: readonly string[] | undefined, unknown: string | undefined) {
  if (known?.length === 0) return both('this command prints no fields', '此命令不输出字段');
  const names = known?.join(', ') ?? '';
  if (unknown !== undefined)
    return both(`no field ${unknown}; there are ${names}`, `没有字段 ${unknown}；可用：${names}`);
  return both(`fields: ${known?.join(', ') ?? 'as answered'}`, `字段：${known?.join(', ') ?? '以返回为准'}`);
}
