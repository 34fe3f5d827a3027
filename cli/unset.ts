/** `--unset` of commands that edit: fields that are to hold nothing (cli.md 1.3). */
import { usageError } from './errors.ts';
import { givenFor } from './flags.ts';
import { splitList } from './input/text.ts';
import { both } from './language.ts';

/**
 * What the named fields are when they hold nothing.
 * @param blanks by the name of the flag that sets the field. Throws exit 3 for a name that is none of them.
 */
export function unsetFields<T extends object>(wish: unknown, blanks: Readonly<Record<string, T>>): Partial<T> {
  const cleared = splitList(givenFor(wish)).map((name) => {
    const blank = blanks[name.replaceAll('_', '-')];
    if (blank !== undefined) return blank;
    const names = Object.keys(blanks).join(', ');
    throw usageError(both(`${name} cannot be cleared; these can: ${names}`, `${name} 不能清空，可清空：${names}`), {
      field: '--unset',
    });
  });
  return Object.assign({}, ...cleared);
}

/** Text of the flag. */
export const unsetText = both('comma list of fields to clear', '要清空的字段（逗号分隔）');
