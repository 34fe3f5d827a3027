/**
 * What the gateway asks of a lane: to read one upstream answer, whole or streamed, and to write the client's. The
 * native lane passes bytes on and looks only at what must be known; the translated lane decodes and encodes.
 */
import type { FollowUp, MediaFacts } from '../relay/call-format.ts';
import type { FetchedMedium } from '../relay/canonical/remote-media.ts';
import type { CountedOutput, ToolCounts, Usage } from '../relay/canonical/usage.ts';
import { asObject, parseJson } from '../relay/formats/fields.ts';
import { PieceList } from '../relay/framing/piece-list.ts';
import type { JsonObject } from '../relay/json.ts';
import type { ProviderAdapter } from '../relay/provider.ts';
import type { StoredAnswer } from '../relay/stored-answer.ts';
import type { ReplyHeaders, TransportError } from '../upstream/transport.ts';
import type { ShownError } from './failure-answer.ts';

/** What can be said about an answer, complete or not. */
export interface AnswerMeter {
  /** As reported by the upstream so far; undefined while it reported none. */
  usage(): Usage | undefined;
  /** Tools that the upstream ran, also where it reports no usage. Absent where none are told of beside it. */
  tools?(): ToolCounts | undefined;
  /** Output counted locally: only worth asking where the upstream reports no usage. */
  counted(): CountedOutput;
  /** The upstream has said how the answer ended, and with it its last word on usage. Absent for whole answers. */
  hasSaidItsEnd?(): boolean;
  /** Nothing but white space: no reasoning, tool call or media, and not cut by a limit or filter (relay.md 15.7). */
  isBlank(): boolean;
  /** Text, reasoning, a tool call, a refusal or media has been seen. */
  readonly hasOutput: boolean;
  /** What the log tells of images and audio; undefined for text. */
  readonly media?: MediaFacts | undefined;
  /** Set where the answer is that work has begun: the upstream's id of it, and what it does. */
  readonly task?: { readonly id: string; readonly action: string } | undefined;
}

/** What the upstream keeps for its user, to be named in later requests. */
export interface KeptOfAnswer {
  /** Undefined where no upstream keeps answers of this format. */
  readonly stored: StoredAnswer | undefined;
  /** The id of a container, of what was said aloud, or of a file. Undefined or absent: none was given. */
  readonly handedOut?: string | undefined;
  /** By what a thread goes on from the answer. Undefined or absent: there are no threads. */
  readonly messageId?: string | undefined;
  /**
   * Ids of the files that tools made, read when asked: of an answer that broke off, whose container may not have been
   * told of, and of one that handed something out. Absent where none can be named later.
   */
  madeFiles?(): readonly string[];
}

/** A complete answer, ready for the client in either form. */
export interface WholeAnswer extends AnswerMeter, KeptOfAnswer {
  /** The answer as one JSON body. */
  body(): Buffer;
  /** The answer as a complete event stream, for a client that asked for one. */
  events(): Buffer;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Addresses of files that belong into the body; fetch them before asking for it. */
  readonly files?: readonly string[];
  /** Puts fetched files into the body, by address. */
  putFiles?(files: ReadonlyMap<string, FetchedMedium>): void;
}

/**
 * Why a 2xx is no answer: the upstream's own error object, nothing said at all, what means nothing in its dialect, or a
 * stream that ended before what it told.
 */
export type Unusable =
  | { readonly kind: 'error'; readonly body: JsonObject; readonly usage?: Usage | undefined }
  | { readonly kind: 'empty'; readonly usage?: Usage | undefined }
  | { readonly kind: 'unreadable'; readonly usage?: Usage | undefined }
  | { readonly kind: 'unfinished' };

/** One streamed answer on its way from the upstream to the client. */
export interface StreamReader extends AnswerMeter, KeptOfAnswer {
  /** Bytes for the client that are complete by now; undefined when there are none. Throws `bad_response_body`. */
  push(chunk: Buffer): Buffer | undefined;
  /** The upstream's body ended: what the client still has to get. */
  end(): Buffer | undefined;
  /** The last bytes of a stream that ends badly, as the client's protocol demands (relay.md 4.6). */
  fail(error: ShownError): Buffer;
  /** The answer is finished; what follows can only be usage and end marks. Meaningful after `end`. */
  readonly isComplete: boolean;
  /** An error that the upstream put into the stream, which is to be ended with `fail`. */
  readonly error: JsonObject | undefined;
  /** Bytes of another kind leave as events of the client's format. */
  readonly writesEvents?: boolean;
}

/** One streamed answer that is collected, because the client asked for none. */
export interface StreamCollector {
  /** Throws `bad_response_body`. */
  push(chunk: Buffer): void;
  end(): WholeAnswer | Unusable;
  /** The answer is finished; absent where nobody need know before the end. */
  readonly isComplete?: boolean;
  /** As reported by the upstream so far; absent where a format reports none. */
  usage?(): Usage | undefined;
}

/** How one attempt's answer is read. */
export interface Lane {
  /** Formats on the way from the client to the upstream; undefined on the native lane. */
  readonly conversion: readonly string[] | undefined;
  /** Judges a complete upstream body. A follow-up is asked in its place. */
  whole(body: Buffer, contentType: string, headers: ReplyHeaders): WholeAnswer | Unusable | FollowUp;
  /** True for an answer whose bytes go on as they come, though they are no events. */
  passes?(contentType: string): boolean;
  stream(contentType: string): StreamReader;
  collect(): StreamCollector;
}

/** What a complete body is, to whoever asked: an answer, none, or that the work goes on. */
export function wholeOf(
  { adapter, lane }: { readonly adapter: ProviderAdapter; readonly lane: Lane },
  body: Buffer,
  headers: ReplyHeaders,
): ReturnType<Lane['whole']> {
  const contentType = headers['content-type'] ?? '';
  return adapter.pending?.({ body, contentType, headers }) ?? lane.whole(body, contentType, headers);
}

/** True for an answer that can be used. */
export function isAnswer(answer: WholeAnswer | Unusable | FollowUp): answer is WholeAnswer {
  return !('kind' in answer);
}

/** The last word came, on the answer and on its usage: how the connection ends takes nothing from it. */
export function hasLastWord(reader: StreamReader | undefined): boolean {
  return reader?.hasSaidItsEnd?.() === true && reader.usage() !== undefined;
}

/** The answer came to its end before its connection broke, or before its compression lost its last bytes. */
export function isWholeAnyway(error: TransportError, said: PieceList | StreamCollector | undefined): boolean {
  const { kind, cause } = error;
  const isCut = kind === 'reset' || (cause instanceof Error && 'code' in cause && cause.code === 'Z_BUF_ERROR');
  if (!isCut || said === undefined) return false;
  if (!(said instanceof PieceList)) return said.isComplete === true && said.usage?.() !== undefined;
  const body = said.take();
  said.push(body);
  // No beginning of an object is one itself; of bytes and plain text, every beginning could be all.
  return asObject(parseJson(body.toString('utf8'))) !== undefined;
}
