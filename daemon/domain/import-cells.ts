/**
 * Cells of a row that another program wrote, under other rules and maybe on another engine: a flag may be a number or a
 * word, a number a text, and any column may be missing. Pure.
 */
import type { ForeignRow } from '../store/foreign-tables.ts';
import { storable } from './storable-text.ts';

export class Cells {
  readonly #row: ForeignRow;

  constructor(row: ForeignRow) {
    this.#row = row;
  }

  has(name: string): boolean {
    return this.#row[name] !== undefined && this.#row[name] !== null;
  }

  /** Trimmed, without what no engine can keep; "" where there is nothing. */
  text(name: string): string {
    const value = this.#row[name];
    if (value === undefined || value === null) return '';
    return storable(Buffer.isBuffer(value) ? value.toString('utf8') : String(value)).trim();
  }

  /** As `text`, on one line and no longer than so many characters. */
  line(name: string, longest: number): string {
    return [...this.text(name).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')].slice(0, longest).join('').trim();
  }

  /** Undefined for what is no whole number that a program can count with; `missing` where there is nothing. */
  whole(name: string, missing = 0): number | undefined {
    const value = this.#row[name];
    if (value === undefined || value === null || value === '') return missing;
    const number = typeof value === 'string' && !/^-?\d+$/.test(value.trim()) ? Number.NaN : Number(value);
    return Number.isSafeInteger(number) ? number : undefined;
  }

  flag(name: string): boolean {
    return /^(1|t|true|y|yes)$/i.test(this.text(name));
  }

  /** The text of a JSON object; "" where there is none, undefined for anything else. */
  jsonObject(name: string): string | undefined {
    const text = this.text(name);
    return text === '' || this.members(name) !== undefined ? text : undefined;
  }

  /** The members of a JSON object; undefined for anything else. */
  members(name: string): Readonly<Record<string, unknown>> | undefined {
    try {
      const value: unknown = JSON.parse(this.text(name));
      return isMembers(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  /** Whether the row was deleted without being removed. */
  get isDeleted(): boolean {
    return this.has('deleted_at') && !/^(0|)$/.test(this.text('deleted_at'));
  }
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
