/** The file of `price set --from`: a heading line, then a model a row under columns named like the flags. */
import type { CommandContext } from '../context.ts';
import { localError, usageError } from '../errors.ts';
import { both } from '../language.ts';
import { type PriceEdit, readNamedPrice } from './price-input.ts';

/** What the rows set, by model. Throws exit 3 for a column that is none and a model in two rows, and exit 12 for a file that is no CSV. */
export async function editsOf(context: CommandContext, path: string): Promise<Map<string, PriceEdit>> {
  const { parse } = await import('csv-parse/sync');
  const text = await context.value(path === '-' ? '-' : `@${path.replace(/^@/, '')}`, '--from');
  let rows: Record<string, string>[];
  try {
    rows = parse(text, { columns: true, skip_empty_lines: true, trim: true });
  } catch (cause) {
    throw localError(both(`${path} is not CSV`, `${path} 不是 CSV`), { field: '--from', cause });
  }
  if (rows.length === 0) {
    const words = both(
      `${path} holds no prices; it begins with a line such as model,input,output, and each row is a model`,
      `${path} 中没有价格；首行应为 model,input,output 等列名，之后每行一个模型`,
    );
    throw usageError(words, { field: '--from' });
  }
  const edits = new Map<string, PriceEdit>();
  for (const { model, ...figures } of rows) {
    if (!model) throw usageError(both('the file needs a column model', '文件须包含 model 列'), { field: '--from' });
    if (edits.has(model)) {
      const text = both(`${model} stands in two rows of the file`, `${model} 在文件中出现两行`);
      throw usageError(text, { field: '--from' });
    }
    const filled = Object.entries(figures).filter(([, value]) => value !== '');
    edits.set(model, readNamedPrice(filled, '--from'));
  }
  return edits;
}
