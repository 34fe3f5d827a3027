/**
 * What the native lane must know of a stream's wire to meter it and to end it: one profile a format. A profile reads
 * single events on demand; the bytes themselves pass without it.
 */
import type { ToolCounts, Usage } from './canonical/usage.ts';
import type { ClientError } from './error-body.ts';
import type { FormatId } from './format.ts';
import type { JsonObject } from './json.ts';
import type { StreamEvent } from './native-events.ts';
import type { ItemNames } from './stored-answer.ts';
import type { SoundPiece } from './tokens/sound-meter.ts';

/** What one event says about the answer. */
export interface EventFacts {
  /** Reasoning, visible text, refusal, tool names and arguments. */
  readonly text: string;
  /** Tool calls that begin here. */
  readonly toolCalls: number;
  /** An image, audio or something else that is neither text nor a tool call. */
  readonly hasMedia: boolean;
  /** Images that were made, where the vendor counts them as tokens of its output. */
  readonly images?: number;
  /** Sound, where it is counted by its length. */
  readonly sounds?: readonly SoundPiece[] | undefined;
  /** Reasoning, a refusal or a tool call: an answer with one of these is not blank. */
  readonly isSubstantial: boolean;
  /** The answer, or one choice of it, ends here: by itself, or cut by a limit or filter. */
  readonly finish: 'none' | 'natural' | 'cut';
  /** The event that ends every stream of the protocol; set where there is one beside `finish`. */
  readonly isLast?: boolean;
}

/** Facts of many parts with their sounds, which are gathered beside them: a list that is copied for each part is dear. */
export function withSounds(facts: EventFacts, sounds: readonly SoundPiece[]): EventFacts {
  return sounds.length === 0 ? facts : { ...facts, sounds };
}

export const silentEvent: EventFacts = {
  text: '',
  toolCalls: 0,
  hasMedia: false,
  isSubstantial: false,
  finish: 'none',
};

/** What ends a stream that the upstream left without its proper end. */
export interface StreamTail {
  /** First event that carried an answer; undefined when none came. */
  readonly first: StreamEvent | undefined;
  /** Model name that the client asked for. */
  readonly model: string;
  /** The client is shown the name it asked for, whatever the upstream reports. */
  readonly isRenamed: boolean;
  readonly requestId: string;
}

/** Collects what a protocol demands to see again when its stream breaks. */
export interface BreakRecord {
  add(event: StreamEvent): void;
  /** An event too large to be read like others. Absent where such tell of nothing but what they bring. */
  addLarge?(event: StreamEvent): void;
  /** The answer has ended, where an event that says so may have been followed by others; absent where it cannot. */
  readonly saidItsEnd?: boolean;
  /** Tools that have run so far, where a stream reports them with its usage alone. */
  tools?(): ToolCounts | undefined;
  /** The last events of the broken stream. */
  end(error: ClientError, tail: StreamTail & { usage: Usage | undefined }): Buffer;
}

/** Events that name what can be referred to later: bytes that only they have, and the names in them. */
export interface ItemMark {
  readonly bytes: Buffer;
  read(event: StreamEvent): readonly ItemNames[];
}

/** Events that tell of tools which ran: the member's name, in quotes where it ends, and the counts in them. */
export interface ToolMark {
  /** Searched for in each chunk, as `usageMark`. */
  readonly mark: Buffer;
  /** What stands before it where it is the member's name. */
  readonly before: string;
  read(event: JsonObject): ToolCounts | undefined;
}

export interface StreamProfile {
  readonly format: FormatId;
  /** Member that names the model; default `model`. */
  readonly modelMember?: string;
  /** Payload of the event behind the last one. */
  readonly endMark: '[DONE]' | undefined;
  /** The event that ends every stream, for those that end without; absent where `finish` itself is the last. */
  readonly lastEvent?: Buffer;
  /** True when the protocol gives each event its `type` as a name. */
  readonly namesEvents?: boolean;
  /** True when the protocol shows usage only to clients that ask for it. */
  readonly usageOnRequest: boolean;
  /**
   * A byte sequence in every usage report and in few other events. Each chunk is searched for it, so it is shorter
   * than 7 bytes and begins with a rare one: the search is several times slower otherwise.
   */
  readonly usageMark: Buffer;
  /** Matches the twelve characters before `usageMark` where it is part of a usage report. */
  readonly usageMember: RegExp;
  /** Bytes of the event that ends an answer, in its usual spelling; a stream without them is read event by event. */
  readonly finishMarks: readonly string[];
  /** Reads the usage reports of one stream in their order: those of some protocols complete each other. */
  usageReader(): (event: JsonObject) => Usage | undefined;
  /** Where tools that ran are told of beside usage; absent where they are part of it. */
  readonly tools?: ToolMark;
  /** What goes from an event when the client did not ask for usage: all of it, or the members at these paths. */
  hideUsage(event: JsonObject): 'all' | readonly (readonly string[])[];
  /** Undefined for what is no event of this format. */
  readEvent(event: StreamEvent): EventFacts | undefined;
  /** True when the event tells of a failure. */
  isError(event: StreamEvent): boolean;
  /** In every event of an answer: one without it may tell of a failure in any words. Absent where failures are named so. */
  readonly answerMark?: Buffer;
  /**
   * The id under which the upstream keeps something that a later request may name: asked of usage reports and of the
   * event that brings the first output. Absent where none is given.
   */
  readonly handedOut?: (event: JsonObject) => string | undefined;
  /** By what a thread goes on from the answer that the event begins. Absent where there are no threads. */
  readonly messageId?: (first: JsonObject) => string | undefined;
  /** What the first event says of an answer that the upstream may keep. Absent where it keeps none. */
  storedResponse?(first: StreamEvent): JsonObject | undefined;
  /** Where items begin that can be referred to later, or files are told of that tools made; absent where none are. */
  readonly items?: ItemMark;
  /** The report in an event that says something else, too, as the upstream wrote it. Absent where usage is always shown. */
  ownUsage?(event: JsonObject): JsonObject | undefined;
  /** The event that shows usage, for a client that asked; `own`: in the upstream's words. */
  usageEvent(usage: Usage, tail: StreamTail, own?: JsonObject): Buffer | undefined;
  /** What an `error` end needs to know of earlier events. */
  record(): BreakRecord;
}
