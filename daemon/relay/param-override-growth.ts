/**
 * How much an override may write. A few operations can make much of little, by copies of what was copied or by texts that
 * hold what they replace; that must end before it holds up the process, not when the body is written out.
 */
import type { RE2JS } from 're2js';
import { TollgateError } from '../errors.ts';
import { isObject, type Json } from './json.ts';

/** Characters, for one request; no upstream takes so many. */
const MOST_WRITTEN = 64 * 1024 * 1024;
/** What a value, or a place in a text, costs beside its characters. */
const VALUE_COST = 16;
/** What it costs to look for an expression, a character and a match; that takes so much longer than to write them. */
const LOOK_COST = 8;
const MATCH_COST = 64;
/** Levels of what is put elsewhere, its place included; more would exhaust the stack of whoever writes it out. */
const DEEPEST = 2000;

export class OverrideGrowth {
  #left = MOST_WRITTEN;

  /** A value is written once more, so many levels down. Throws `channel:param_override_invalid` when that is too much. */
  copied(value: Json, level: number): void {
    this.#spend(VALUE_COST);
    if (typeof value === 'string') {
      this.#spend(value.length);
    } else if (Array.isArray(value)) {
      refuseDepth(level);
      for (const entry of value) this.copied(entry, level + 1);
    } else if (isObject(value)) {
      refuseDepth(level);
      for (const [name, entry] of Object.entries(value)) {
        this.#spend(name.length);
        this.copied(entry, level + 1);
      }
    }
  }

  /** A value is put so many levels down. Throws as `copied`. */
  moved(value: Json, level: number): void {
    if (typeof value !== 'object' || value === null) return;
    refuseDepth(level);
    for (const entry of Object.values(value)) this.moved(entry, level + 1);
  }

  /** Every `from` of a text becomes `to`. Throws as `copied`. */
  replaced(text: string, from: string, to: string): void {
    if (to.length <= from.length) return;
    let count = 0;
    for (let at = text.indexOf(from); at !== -1; at = text.indexOf(from, at + from.length)) count += 1;
    this.#spend(count * (VALUE_COST + to.length - from.length));
  }

  /** Every match in a text becomes `to`, which may hold groups. Throws as `copied`. */
  matched(text: string, from: RE2JS, to: string): void {
    this.#spend(text.length * LOOK_COST);
    const groups = to.split('$').length - 1;
    let count = 0;
    // Matches do not overlap, so that each group holds no more than the text in all.
    for (const matcher = from.matcher(text); matcher.find(); ) {
      count += 1;
      if (count * MATCH_COST > MOST_WRITTEN) break;
    }
    this.#spend(count * (MATCH_COST + to.length) + groups * text.length);
  }

  #spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw tooMuch('it writes too much');
  }
}

function refuseDepth(level: number): void {
  if (level > DEEPEST) throw tooMuch('it nests too deep');
}

function tooMuch(cause: string): TollgateError {
  return new TollgateError('channel:param_override_invalid', {}, { cause });
}
