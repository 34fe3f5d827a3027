/** What one upstream try came to: an answer, whole or still flowing, and who listens to it while it is delivered. */
import type { ReplyHeaders, TransportError } from '../upstream/transport.ts';
import type { FailedAttempt, Spent } from './attempt-failure.ts';
import type { AnswerMeter, StreamReader, WholeAnswer } from './lane.ts';

/** Listens to the rest of a stream once it is being delivered. */
export interface StreamListener {
  onBytes(bytes: Buffer): void;
  onEnd(): void;
  onBroken(error: TransportError): void;
  /**
   * How many bytes of what the upstream says next may be read now; 0: none until `resume`. Absent where nobody pays
   * for them.
   */
  portion?(events: Buffer): number;
}

/** Everything before `attach` is kept and comes first. */
export interface LiveStream {
  readonly reader: StreamReader;
  /** Set for bytes that are no events: what they are. */
  readonly contentType: string | undefined;
  attach(listener: StreamListener): void;
  /** So many bytes wait for the client: see `OutgoingCall.pause`. */
  pause(waitingBytes: number): void;
  resume(): void;
  abort(): void;
}

/** An upstream answer that may be delivered. */
export type Reply =
  | { readonly kind: 'whole'; readonly answer: WholeAnswer; readonly headers: ReplyHeaders }
  | { readonly kind: 'stream'; readonly live: LiveStream; readonly headers: ReplyHeaders };

export type AttemptResult =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'failed'; readonly failed: FailedAttempt }
  /** The client left. `answered`: the upstream had accepted the request by then; `heard`: what it had reported. */
  | { readonly kind: 'called-off'; readonly answered: boolean; readonly heard?: AnswerMeter; readonly spent?: Spent };
