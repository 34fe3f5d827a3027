/** What became of the rows of another gateway: counted by kind, and named where they were not taken as they were. */
import { type ImportClashRule, type ImportKind, importKinds } from '../contract/gateway-import.ts';

/** A row that was left out, taken with a change, or worth a word. It never carries what a cell says, which may be a secret. */
export interface ImportedRow {
  readonly kind: ImportKind;
  /** In its own database; for options their key. */
  readonly id: number | string;
  /** `noted`: taken as it was, and something that an operator would want to know. */
  readonly outcome: 'skipped' | 'failed' | 'adjusted' | 'noted';
  /** Stable: an error code of this program, or one of `docs/import.md`. */
  readonly reason: string;
  /** The column at fault. */
  readonly field?: string;
}

export interface ImportedKind {
  readonly kind: ImportKind;
  readonly found: number;
  readonly new: number;
  readonly skipped: number;
  readonly failed: number;
  /** Quota that was taken over, as an exact decimal text; "" for options. */
  readonly sum: string;
}

interface Counts {
  found: number;
  taken: number;
  skipped: number;
  failed: number;
}

/** Where a row stands. */
export interface RowPlace {
  readonly kind: ImportKind;
  readonly id: number | string;
}

export class ImportTally {
  readonly #counts = new Map<ImportKind, Counts>();
  readonly #sums = new Map<ImportKind, bigint>();
  readonly #rows: ImportedRow[] = [];
  #clashes = 0;

  found(kind: ImportKind, count: number): void {
    this.#of(kind).found += count;
  }

  taken(kind: ImportKind): void {
    this.#of(kind).taken += 1;
  }

  /** Returns nothing, which is what comes of such a row; as the next two do. */
  skip(place: RowPlace, reason: string): undefined {
    this.#of(place.kind).skipped += 1;
    this.#rows.push({ ...place, outcome: 'skipped', reason });
  }

  fail(place: RowPlace, reason: string, field?: string): undefined {
    this.#of(place.kind).failed += 1;
    this.#rows.push({ ...place, outcome: 'failed', reason, ...(field === undefined ? {} : { field }) });
  }

  /** A row that is here already; where that must not be, nothing is kept in the end. */
  clash(place: RowPlace, reason: string, onClash: ImportClashRule): undefined {
    if (onClash !== 'fail') return this.skip(place, reason);
    this.#clashes += 1;
    return this.fail(place, reason);
  }

  adjust(place: RowPlace, reason: string, field: string): void {
    this.#rows.push({ ...place, outcome: 'adjusted', reason, field });
  }

  note(place: RowPlace, reason: string, field: string): void {
    this.#rows.push({ ...place, outcome: 'noted', reason, field });
  }

  /** Adds what rows of a kind brought, as the database adds it up. */
  sum(kind: ImportKind, sum: bigint): void {
    this.#sums.set(kind, (this.#sums.get(kind) ?? 0n) + sum);
  }

  /** Whether something was here already that must not be. */
  get hasClashed(): boolean {
    return this.#clashes > 0;
  }

  /** By kind, then in the order of their rows; nothing is to be said of what stayed behind but why. */
  get rows(): readonly ImportedRow[] {
    const changed = new Set(this.#rows.filter((row) => !isLeft(row)).map(nameOf));
    for (const row of this.#rows) if (isLeft(row)) changed.delete(nameOf(row));
    const told = this.#rows.filter((row) => isLeft(row) || changed.has(nameOf(row)));
    return importKinds.flatMap((kind) => told.filter((row) => row.kind === kind));
  }

  /** Those kinds that were looked at. */
  get kinds(): readonly ImportedKind[] {
    return importKinds.flatMap((kind) => {
      const counts = this.#counts.get(kind);
      if (counts === undefined) return [];
      const { found, taken, skipped, failed } = counts;
      const sum = kind === 'options' ? '' : String(this.#sums.get(kind) ?? 0n);
      return [{ kind, found, new: taken, skipped, failed, sum }];
    });
  }

  #of(kind: ImportKind): Counts {
    const known = this.#counts.get(kind);
    if (known !== undefined) return known;
    const counts = { found: 0, taken: 0, skipped: 0, failed: 0 };
    this.#counts.set(kind, counts);
    return counts;
  }
}

function isLeft({ outcome }: ImportedRow): boolean {
  return outcome === 'skipped' || outcome === 'failed';
}

function nameOf({ kind, id }: RowPlace): string {
  return `${kind} ${id}`;
}
