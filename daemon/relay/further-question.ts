/** What is asked of an upstream that has taken a request and not answered it yet. Data alone. */
import type { Json, JsonObject } from './json.ts';

/** One more question, with the credentials of the first request. */
export interface FurtherQuestion {
  /** Path below the channel's address; undefined: that of the operation. */
  readonly path?: string;
  /** Operation of the adapter that is asked. */
  readonly operation?: string;
  /** A whole address that the upstream named: asked through the guard for such, and without credentials. */
  readonly address?: string;
  /** Set for a question that is posted. */
  readonly body?: Json;
  /** As of a request. */
  readonly encoding?: 'form';
  /** Beside those of the first request. Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** It asks what became of work that the upstream has taken on: to refuse it does not undo that. */
  readonly isAfterWork?: true;
  /** Milliseconds to wait first. */
  readonly afterMs: number;
  /** Path below the channel's address that is posted to where nobody waits for the answer any longer. */
  readonly callOff?: string;
  /** What is left to ask once the answer to this question, a stream of events, is over. */
  readonly closing?: ClosingQuestion;
}

/** A question whose answer belongs to a stream that is over: it becomes the stream's last event, named `closing`. */
export interface ClosingQuestion {
  /** Path below the channel's address. */
  readonly path: string;
  /** False for an answer that may still become one: then it is asked for again. */
  isThere(answer: JsonObject): boolean;
}
