/** Words that prompts may not contain (relay.md 17.6): plain ones in one pass over the text, patterns in linear time. */
import type { OptionsView } from '../contract/options.ts';
import { LoopTurns } from './loop-turns.ts';
import { normalPieces, PIECE_UNITS } from './normal-pieces.ts';
import { type Seen, seenOf, visible } from './seen-text.ts';
import { SensitivePatterns, sensitivePattern } from './sensitive-patterns.ts';

/** State of the automaton: what was read so far is the longest start of a word that ends here. */
interface Node {
  readonly next: Map<number, Node>;
  /** Where to go on when no word continues. */
  fallback: Node | undefined;
  /** Line of the option whose word ends here, own or by fallback. */
  line: string | undefined;
}

const newNode = (): Node => ({ next: new Map(), fallback: undefined, line: undefined });

interface Finder {
  /** Line of a word that the text contains. */
  find(text: string): string | undefined;
}

/** As many are found sooner one after another than by the automaton. */
const FEW_WORDS = 8;

class FewWords implements Finder {
  readonly #words: readonly (readonly [word: string, line: string])[];

  constructor(words: ReadonlyMap<string, string>) {
    this.#words = [...words];
  }

  find(text: string): string | undefined {
    return this.#words.find(([word]) => text.includes(word))?.[1];
  }
}

/** Finds any of many words in one pass (Aho-Corasick), whatever their number. */
class Automaton implements Finder {
  readonly #root = newNode();

  constructor(words: ReadonlyMap<string, string>) {
    for (const [word, line] of words) {
      let node = this.#root;
      for (let at = 0; at < word.length; at += 1) {
        const unit = word.charCodeAt(at);
        let child = node.next.get(unit);
        if (child === undefined) {
          child = newNode();
          node.next.set(unit, child);
        }
        node = child;
      }
      node.line = line;
    }
    this.#link();
  }

  /** Breadth first: the fallback of a node is nearer to the root than the node, so it is complete when it is needed. */
  #link(): void {
    const queue: Node[] = [this.#root];
    for (const node of queue) {
      for (const [unit, child] of node.next) {
        child.fallback = node === this.#root ? this.#root : this.#step(node.fallback ?? this.#root, unit);
        child.line ??= child.fallback.line;
        queue.push(child);
      }
    }
  }

  #step(from: Node, unit: number): Node {
    let node: Node | undefined = from;
    while (node !== undefined) {
      const child = node.next.get(unit);
      if (child !== undefined) return child;
      node = node.fallback;
    }
    return this.#root;
  }

  find(text: string): string | undefined {
    const first = this.#root.next;
    let node = this.#root;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      node = node === this.#root ? (first.get(unit) ?? node) : this.#step(node, unit);
      if (node.line !== undefined) return node.line;
    }
    return undefined;
  }
}

/** Units of UTF-16, for each pattern, that are looked through here: some ten milliseconds. */
const MOST_AT_ONCE = 32 * 1024;

/** Looks for patterns where that holds nobody up: they need the whole text at once. Rejects when it could not. */
export type PatternSearch = (asked: {
  readonly lines: readonly string[];
  readonly texts: readonly string[];
}) => Promise<string | undefined>;

/** How a long search leaves the event loop to others. */
export interface SearchWays {
  readonly turns: LoopTurns;
  readonly elsewhere: PatternSearch;
}

/** The words of one installation, ready to be looked for. */
export class SensitiveWords {
  readonly #words: Finder;
  /** Units of the longest word. */
  readonly #longest: number;
  readonly #patterns: SensitivePatterns;
  readonly #ways: SearchWays;

  /** Lines that are no valid pattern are left out: they are refused where the option is saved. */
  constructor(lines: readonly string[], ways: SearchWays) {
    const words = new Map<string, string>();
    const patterns: string[] = [];
    for (const line of lines.map((entry) => entry.trim()).filter((entry) => entry !== '')) {
      if (sensitivePattern(line) === undefined) words.set(folded(visible(line.normalize('NFKC')) || line), line);
      else patterns.push(line);
    }
    this.#words = words.size <= FEW_WORDS ? new FewWords(words) : new Automaton(words);
    this.#longest = [...words.keys()].reduce((most, { length }) => Math.max(most, length), 1);
    this.#patterns = new SensitivePatterns(patterns);
    this.#ways = ways;
  }

  /** A line of the option that one of the texts offends; undefined when none does. A promise where that takes long. */
  find(texts: readonly string[]): string | undefined | Promise<string | undefined> {
    const found = this.#ways.turns.run(this.#search(texts));
    if (this.#patterns.lines.length === 0) return found;
    return found instanceof Promise
      ? found.then((line) => line ?? this.#findPattern(texts))
      : (found ?? this.#findPattern(texts));
  }

  #findPattern(texts: readonly string[]): string | undefined | Promise<string | undefined> {
    const { lines } = this.#patterns;
    const units = texts.reduce((sum, { length }) => sum + length, 0);
    return units * lines.length > MOST_AT_ONCE ? this.#ways.elsewhere({ lines, texts }) : this.#patterns.find(texts);
  }

  *#search(texts: readonly string[]): Generator<void, string | undefined> {
    for (const text of texts) {
      const line = yield* this.#searchText(text);
      if (line !== undefined) return line;
    }
    return undefined;
  }

  /** As it is read, and as it is written. */
  *#searchText(text: string): Generator<void, string | undefined> {
    let before: Seen = { read: '', written: '' };
    for (const piece of normalPieces(text, Math.max(PIECE_UNITS, this.#longest))) {
      const seen = seenOf(piece);
      const read = before.read + folded(seen.read);
      // Mostly the same, which need not be made and looked through twice.
      const isSame = seen.read === seen.written && before.read === before.written;
      const written = isSame ? read : before.written + folded(seen.written);
      const line = this.#words.find(read) ?? (isSame ? undefined : this.#words.find(written));
      if (line !== undefined) return line;
      const end = this.#endOf(read);
      before = { read: end, written: isSame ? end : this.#endOf(written) };
      yield;
    }
    return undefined;
  }

  /** What the start of a word may be. */
  #endOf(text: string): string {
    return text.slice(Math.max(0, text.length - this.#longest + 1));
  }
}

/** Letters without case. */
function folded(text: string): string {
  return text.toLowerCase();
}

/** The words in force under given options, made once for each set of options; undefined while nothing is checked. */
export class SensitiveWordsCache {
  readonly #ways: SearchWays;
  readonly #known = new WeakMap<OptionsView, SensitiveWords>();

  constructor(elsewhere: PatternSearch) {
    this.#ways = { turns: new LoopTurns(), elsewhere };
  }

  of(options: OptionsView): SensitiveWords | undefined {
    if (!options.get('CheckSensitiveEnabled') || !options.get('CheckSensitiveOnPromptEnabled')) return undefined;
    const lines = options.get('SensitiveWords');
    if (lines.length === 0) return undefined;
    let words = this.#known.get(options);
    if (words === undefined) {
      words = new SensitiveWords(lines, this.#ways);
      this.#known.set(options, words);
    }
    return words;
  }
}
