/** The times of one window's entries in order: a ring that grows with what is in it. */
export class SlidingLog {
  #times = new Float64Array(4);
  #first = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Entries it has room for before it grows: what it costs in memory. */
  get capacity(): number {
    return this.#times.length;
  }

  /** Time of the entry at a place, 0 the oldest; NaN when there is none. */
  at(place: number): number {
    return place < this.#length ? (this.#times[this.#index(place)] ?? Number.NaN) : Number.NaN;
  }

  /** Adds an entry. Times must not fall; one that does is taken as the latest known. */
  add(time: number): number {
    if (this.#length === this.#times.length) this.#grow();
    const entry = this.#length > 0 ? Math.max(time, this.at(this.#length - 1)) : time;
    this.#times[this.#index(this.#length)] = entry;
    this.#length += 1;
    return entry;
  }

  /** Drops every entry at or before a time. */
  dropUntil(edge: number): void {
    while (this.#length > 0 && this.at(0) <= edge) {
      this.#first = this.#index(1);
      this.#length -= 1;
    }
  }

  /** Drops one entry of exactly this time; entries of one time are alike. */
  remove(time: number): void {
    let place = this.#length - 1;
    while (place >= 0 && this.at(place) > time) place -= 1;
    if (place < 0 || this.at(place) !== time) return;
    for (; place < this.#length - 1; place += 1) this.#times[this.#index(place)] = this.at(place + 1);
    this.#length -= 1;
  }

  #index(place: number): number {
    return (this.#first + place) % this.#times.length;
  }

  #grow(): void {
    const larger = new Float64Array(this.#times.length * 2);
    for (let place = 0; place < this.#length; place += 1) larger[place] = this.at(place);
    this.#times = larger;
    this.#first = 0;
  }
}
