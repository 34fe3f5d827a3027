/** The line of a filter: `name=value` for what can be named, and words to look for. */
import { type Bilingual, both } from '../language.ts';
import type { Desk } from './desk.ts';

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

export interface FilterLineDeps<Name extends string> {
  readonly names: readonly Name[];
  readonly label: Bilingual;
  /** What is wrong with words that can be read. */
  readonly check?: (words: FilterWords<Name>) => Bilingual | undefined;
  /** Told when the filter is another one. */
  readonly changed: () => void;
}

/** The filter of a list: the line as it was written, and what it means. */
export class FilterLine<Name extends string> {
  readonly #deps: FilterLineDeps<Name>;
  text = '';
  words: FilterWords<Name>;

  constructor(deps: FilterLineDeps<Name>) {
    this.#deps = deps;
    const named: Partial<Record<Name, string>> = {};
    this.words = { named, text: '' };
  }

  /** As the head of a screen says it. */
  shown({ say }: Desk): string {
    return this.text === '' ? say(both('no filter', '未筛选')) : this.text;
  }

  ask(desk: Desk): void {
    desk.ask(this.#deps.label, (line) => this.set(desk, line), this.text);
  }

  clear(desk: Desk): void {
    this.set(desk, '');
  }

  /** Takes a line, or says what is wrong with it. */
  set(desk: Desk, line: string): void {
    const { names, check, changed } = this.#deps;
    const read = readFilter(line, names);
    const complaint = isComplaint(read) ? read : check?.(read);
    if (complaint !== undefined || isComplaint(read)) {
      if (complaint !== undefined) desk.tell(complaint, { tone: 'bad' });
      return;
    }
    this.text = line.trim();
    this.words = read;
    changed();
  }
}
