/**
 * Short-lived things that are in progress. A `Set` would do the same, but one that thousands of things enter and leave
 * a second is rehashed all the time, and each table it leaves behind still points at the next one and at whatever was
 * inside: once one of them is in the old generation, later requests are dragged there too (measured: 2 kB a call).
 * Here a place is emptied and used again.
 */
export class Roster<T> {
  readonly #places: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#places.length - this.#free.length;
  }

  /** Returns the place to give to `remove`. */
  add(item: T): number {
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = item;
    return place;
  }

  /** Empties the place if the item still has it; removing twice is harmless. */
  remove(item: T, place: number): void {
    if (this.#places[place] !== item) return;
    this.#places[place] = undefined;
    this.#free.push(place);
  }

  /** Calls `visit` for each item; it may remove items, and those that it adds may or may not be visited. */
  forEach(visit: (item: T) => void): void {
    for (let place = 0; place < this.#places.length; place += 1) {
      const item = this.#places[place];
      if (item !== undefined) visit(item);
    }
  }
}
