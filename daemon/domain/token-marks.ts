/** Notes behind refused calls that their key has expired or is used up. */
import type { TokenStore } from '../store/tokens.ts';

export interface TokenMarksDeps {
  readonly tokens: Pick<TokenStore, 'markExpired' | 'markExhausted'>;
  readonly nowSeconds: () => number;
  /** Told when a mark could not be written; the next refused call tries again. */
  readonly report: (error: unknown) => void;
}

export class TokenMarks {
  readonly #deps: TokenMarksDeps;
  /** One write a key at a time: refused calls may come faster than the database takes them. */
  readonly #writing = new Set<number>();

  constructor(deps: TokenMarksDeps) {
    this.#deps = deps;
  }

  /** Marks the key if it still is so; nobody waits for it. */
  mark(id: number, state: 'expired' | 'exhausted'): void {
    if (this.#writing.has(id)) return;
    this.#writing.add(id);
    const { tokens, nowSeconds, report } = this.#deps;
    const marking = state === 'expired' ? tokens.markExpired(id, nowSeconds()) : tokens.markExhausted(id);
    marking.catch(report).finally(() => this.#writing.delete(id));
  }
}
