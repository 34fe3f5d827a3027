/** The lane of calls that are one question and one answer: embeddings, reranking, images, audio, counting. */
import type { CallAnswer, CallReply, FollowUp, MediaFacts } from '../relay/call-format.ts';
import type { FetchedMedium } from '../relay/canonical/remote-media.ts';
import { type CountedOutput, reportedOutput, type Usage } from '../relay/canonical/usage.ts';
import { encodeSse } from '../relay/framing/sse.ts';
import type { Lane, StreamCollector, StreamReader, Unusable, WholeAnswer } from './lane.ts';

export interface CallLaneOptions {
  /** Formats from the client to the upstream; undefined where they are the same. */
  readonly conversion: readonly string[] | undefined;
  /** A complete answer as the events of its format, for a client that asked for a stream; undefined where it has none. */
  readonly replay?: ((answer: CallAnswer) => Buffer | undefined) | undefined;
  /** Judges a complete body. */
  readonly read: (reply: CallReply) => CallAnswer | FollowUp | Unusable;
  /** Reads what comes in pieces; undefined where nothing may. */
  readonly stream?: ((contentType: string) => StreamReader) | undefined;
  /** Content types, other than events, whose bytes go on as they come. */
  readonly passes?: ((contentType: string) => boolean) | undefined;
}

/** A lane for one call. */
export function callLane(options: CallLaneOptions): Lane {
  const { conversion, read, stream, passes } = options;
  return {
    conversion,
    whole(body, contentType, headers) {
      const answer = read({ body, contentType, headers });
      return 'kind' in answer ? answer : callWhole(answer, options.replay);
    },
    passes: (contentType) => passes?.(contentType) === true,
    stream(contentType) {
      if (stream === undefined) throw new TypeError('an event stream where none was asked for');
      return stream(contentType);
    },
    collect: () => strayEvents,
  };
}

/** A complete answer, ready for delivery. */
export function callWhole(answer: CallAnswer, replay: CallLaneOptions['replay']): WholeAnswer {
  return new CallWhole(answer, replay);
}

class CallWhole implements WholeAnswer {
  readonly #replay: CallLaneOptions['replay'];
  readonly #files: readonly string[];
  #answer: CallAnswer;
  readonly hasOutput = true;
  readonly stored = undefined;

  constructor(answer: CallAnswer, replay: CallLaneOptions['replay']) {
    this.#answer = answer;
    this.#replay = replay;
    this.#files = answer.files ?? [];
  }

  get contentType(): string {
    return this.#answer.contentType;
  }

  get files(): readonly string[] {
    return this.#files;
  }

  get media(): MediaFacts {
    return this.#answer;
  }

  putFiles(files: ReadonlyMap<string, FetchedMedium>): void {
    this.#answer = this.#answer.withFiles?.(files) ?? this.#answer;
  }

  usage(): Usage | undefined {
    return this.#answer.usage;
  }

  counted(): CountedOutput {
    return reportedOutput(undefined);
  }

  isBlank(): boolean {
    return false;
  }

  body(): Buffer {
    return this.#answer.body;
  }

  events(): Buffer {
    return this.#replay?.(this.#answer) ?? encodeSse({ data: this.#answer.body.toString('utf8') });
  }
}

/** Events where a body was due: nothing can be made of them. */
const strayEvents: StreamCollector = {
  push() {},
  end: () => ({ kind: 'unreadable' }),
};
