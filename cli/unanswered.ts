/** Calls that were sent, may change something, and have no answer: whether they took effect is not known. */
import type { PreparedCall } from '../daemon/contract/client.ts';
import type { SentCall } from './fetch.ts';

export class Unanswered {
  readonly #calls = new Set<SentCall>();
  readonly #questions = new Set<string>();

  get first(): SentCall | undefined {
    return this.#calls.values().next().value;
  }

  /** Many questions are posted, such as the plan of a document: they change nothing, answered or not. */
  async tell(call: PreparedCall): Promise<void> {
    // Reads are never remembered, and most commands make no other call: they do without the tables of writes.
    if (call.request.method === 'GET') return;
    const { isHeldBack } = await import('./held-calls.ts');
    if (!isHeldBack(call)) this.#questions.add(call.request.path);
  }

  /** A call goes out; what this returns is told when its answer has come. */
  send(call: SentCall): () => void {
    if (![...this.#questions].some((path) => call.url.endsWith(path))) this.#calls.add(call);
    return () => this.#calls.delete(call);
  }
}
