/**
 * The text of one JSON object, written member by member. Log rows are written on the hot path, where building an object
 * of many optional members only to turn it into text costs ten times as much.
 */
export class JsonMembers {
  #content = '';

  /** The members written so far, without braces; ready for `members` of another object. */
  get content(): string {
    return this.#content;
  }

  /** Adds a finite number; undefined is left out. */
  number(name: string, value: number | undefined): this {
    if (value !== undefined) this.raw(name, Number.isFinite(value) ? String(value) : 'null');
    return this;
  }

  /** Adds `true`; a flag that is down is left out. */
  flag(name: string, up: boolean): this {
    return up ? this.raw(name, 'true') : this;
  }

  /** Adds a string; undefined is left out. */
  text(name: string, value: string | undefined): this {
    return value === undefined ? this : this.raw(name, JSON.stringify(value));
  }

  /** Adds any value that JSON can say. */
  json(name: string, value: object): this {
    return this.raw(name, JSON.stringify(value));
  }

  /** Adds a value that is JSON text already. `name` is one of ours and needs no escaping. */
  raw(name: string, text: string): this {
    this.#content += this.#content === '' ? `"${name}":${text}` : `,"${name}":${text}`;
    return this;
  }

  /** Adds the `content` of another object. */
  members(content: string): this {
    if (content !== '') this.#content += this.#content === '' ? content : `,${content}`;
    return this;
  }

  toString(): string {
    return `{${this.#content}}`;
  }
}
