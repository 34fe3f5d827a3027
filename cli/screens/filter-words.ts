/** The line of a filter: `name=value` for what can be named, and words to look for. */
import { type Bilingual, both } from '../language.ts';

export interface FilterWords<Name extends string> {
  readonly named: Readonly<Partial<Record<Name, string>>>;
  /** What stands without a name. */
  readonly text: string;
}

/** Reads the line; for a name that is not known, what is wrong with it. */
export function readFilter<Name extends string>(line: string, names: readonly Name[]): FilterWords<Name> | Bilingual {
  const named: Partial<Record<Name, string>> = {};
  const rest: string[] = [];
  for (const word of line.trim().split(/\s+/)) {
    const at = word.indexOf('=');
    const name = names.find((known) => known === word.slice(0, Math.max(0, at)));
    if (at > 0 && name === undefined) {
      const list = names.join(', ');
      return both(`no filter ${word.slice(0, at)}; there are ${list}`, `没有筛选项 ${word.slice(0, at)}；可用 ${list}`);
    }
    if (name === undefined) rest.push(word);
    else named[name] = word.slice(at + 1);
  }
  return { named, text: rest.join(' ') };
}

/** Whether reading went wrong. */
export function isComplaint(read: FilterWords<string> | Bilingual): read is Bilingual {
  return 'en' in read;
}
