/** More about the row that somebody stays on: asked for a moment after the last step, and kept until it is another row. */
import type { ListState } from './list-state.ts';
import type { Refresher, Source } from './refresh.ts';

/** Whoever goes on before is only passing by. */
const lookMs = 150;
const periodMs = 60_000;

export interface CloseLookDeps<Row, Found> {
  /** Of the source, among those of its screen. */
  readonly kind: string;
  readonly list: ListState<Row>;
  readonly refresher: Refresher;
  readonly ask: (row: Row) => Promise<Found>;
}

export class CloseLook<Row extends { readonly id: number }, Found> {
  readonly source: Source;
  readonly #deps: CloseLookDeps<Row, Found>;
  #found: { readonly id: number; readonly found: Found } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: CloseLookDeps<Row, Found>) {
    this.#deps = deps;
    this.source = { kind: deps.kind, periodMs, call: () => this.#look() };
  }

  /** What is known of a row; undefined before it was asked for. */
  of({ id }: Row): Found | undefined {
    return this.#found?.id === id ? this.#found.found : undefined;
  }

  /** Asks about the row one stands on, unless it is known or left at once. */
  soon(): void {
    this.stop();
    const { kind, list, refresher } = this.#deps;
    if (list.current === undefined || this.#found?.id === list.current.id) return;
    this.#timer = setTimeout(() => refresher.refresh(kind), lookMs);
  }

  /** What was found is no longer so. */
  forget(): void {
    this.#found = undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { list, ask } = this.#deps;
    const { current } = list;
    if (current !== undefined) this.#found = { id: current.id, found: await ask(current) };
  }
}
