/** The native lane: the upstream speaks what the client speaks, so bytes pass and are only looked at. */
import { type CountedOutput, reportedOutput } from '../relay/canonical/usage.ts';
import { openaiStreamError } from '../relay/error-body.ts';
import type { FormatId } from '../relay/format.ts';
import { encodeSse } from '../relay/framing/sse.ts';
import { isNativeAnswer, type NativeAnswer, readNativeAnswer } from '../relay/native-answer.ts';
import { streamProfileOf } from '../relay/native-profiles.ts';
import { NativeStream } from '../relay/native-stream.ts';
import type { EndWords } from '../relay/native-wording.ts';
import type { StoredAnswer } from '../relay/stored-answer.ts';
import type { ShownError } from './failure-answer.ts';
import {
  isAnswer,
  type Lane,
  type StreamCollector,
  type StreamReader,
  type Unusable,
  type WholeAnswer,
} from './lane.ts';

export interface NativeLaneOptions {
  readonly format: FormatId;
  /** Name that the client asked for. */
  readonly model: string;
  /** Decides whose token weights apply. */
  readonly countedAs: string;
  /** The client's name differs from the one sent upstream: it is shown its own. */
  readonly renameModel: boolean;
  /** The client asked for vectors in base64. */
  readonly packsVectors?: boolean;
  /** The client did not ask to see usage on its stream. */
  readonly hideUsage: boolean;
  /** As of the adapter. */
  readonly reportsBeside: boolean;
  readonly endWords?: EndWords | undefined;
  /** The answer is to be heard. */
  readonly isHeard: boolean;
  /** Estimate of the prompt, for a usage report that the upstream does not send. */
  readonly promptTokens: () => number;
  readonly requestId: string;
  /** Decodes and encodes this format, where an answer comes in another manner than it was asked for. */
  readonly recast: (() => Lane) | undefined;
}

/** A lane whose bytes pass as they come. */
export class NativeLane implements Lane {
  readonly conversion = undefined;
  readonly #options: NativeLaneOptions;

  constructor(options: NativeLaneOptions) {
    this.#options = options;
  }

  whole(bytes: Buffer): WholeAnswer | Unusable {
    const answer = readNativeAnswer(bytes, this.#options);
    return isNativeAnswer(answer) ? new NativeWhole(answer, this.#options) : answer;
  }

  stream(): StreamReader {
    const { format, hideUsage, reportsBeside, isHeard, promptTokens, requestId } = this.#options;
    const { model, countedAs, renameModel, endWords } = this.#options;
    const profile = streamProfileOf(format);
    if (profile === undefined) return new Opaque();
    return new NativeStream({
      profile,
      hideUsage,
      reportsBeside,
      isHeard,
      model,
      countedAs,
      renameModel,
      endWords,
      promptTokens,
      requestId,
    });
  }

  collect(): StreamCollector {
    return this.#options.recast?.().collect() ?? new Opaque();
  }
}

class NativeWhole implements WholeAnswer {
  readonly #answer: NativeAnswer;
  readonly #options: NativeLaneOptions;

  constructor(answer: NativeAnswer, options: NativeLaneOptions) {
    this.#answer = answer;
    this.#options = options;
  }

  get hasOutput(): boolean {
    return this.#answer.hasOutput;
  }

  get stored(): StoredAnswer | undefined {
    return this.#answer.stored;
  }

  get handedOut(): string | undefined {
    return this.#answer.handedOut;
  }

  get messageId(): string | undefined {
    return this.#answer.messageId;
  }

  madeFiles(): readonly string[] {
    return this.#answer.madeFiles();
  }

  usage() {
    return this.#answer.usage();
  }

  tools() {
    return this.#answer.tools();
  }

  counted(): CountedOutput {
    return this.#answer.counted();
  }

  isBlank(): boolean {
    return this.#answer.isBlank();
  }

  body(): Buffer {
    return this.#answer.body();
  }

  events(): Buffer {
    const body = this.#answer.body();
    const recast = this.#options.recast?.().whole(body, 'application/json', {});
    if (recast !== undefined && isAnswer(recast)) return recast.events();
    // A legacy completion is its own only chunk, and so is a prompt that was blocked.
    const only = encodeSse({ data: body.toString('utf8') });
    const { endMark } = streamProfileOf(this.#options.format) ?? {};
    return endMark === undefined ? only : Buffer.concat([only, encodeSse({ data: endMark })]);
  }
}

/** An event stream where the format knows none: nothing can be made of it. */
class Opaque implements StreamReader, StreamCollector {
  readonly hasOutput = false;
  readonly isComplete = false;
  readonly error = undefined;
  readonly stored = undefined;

  push(): undefined {
    return undefined;
  }

  end(): never {
    throw new TypeError('an event stream in a format without events');
  }

  fail(error: ShownError): Buffer {
    return openaiStreamError(error);
  }

  usage(): undefined {
    return undefined;
  }

  counted(): CountedOutput {
    return reportedOutput(undefined);
  }

  isBlank(): boolean {
    return true;
  }
}
