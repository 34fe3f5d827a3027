/** Name rules of the price tables: exact, prefix, or a regular expression run by an engine of linear time. */
import { RE2JS } from 're2js';

export interface NameRuleEntry {
  readonly match: 'exact' | 'prefix' | 'regex';
  readonly value: string;
}

/** A rule ready to be asked. Case-sensitive; a regular expression matches anywhere unless it is anchored. */
export class NameRule {
  readonly #entry: NameRuleEntry;
  readonly #pattern: RE2JS | undefined;

  /** Throws the engine's syntax error for a bad pattern; options are checked before they are stored. */
  constructor(entry: NameRuleEntry) {
    this.#entry = entry;
    this.#pattern = entry.match === 'regex' ? RE2JS.compile(entry.value) : undefined;
  }

  matches(name: string): boolean {
    if (this.#pattern) return this.#pattern.matcher(name).find();
    return this.#entry.match === 'exact' ? name === this.#entry.value : name.startsWith(this.#entry.value);
  }

  /** The whole name rewritten to `to`, in which `$1` is the first group; undefined when the rule does not match. */
  rewrite(name: string, to: string): string | undefined {
    if (!this.matches(name)) return undefined;
    return this.#pattern ? this.#pattern.matcher(name).replaceFirst(to) : to;
  }
}
