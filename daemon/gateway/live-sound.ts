/** Sound of an upstream that speaks piece by piece: the bytes as they come, or as events for who asked for those. */
import { AudioMeter } from '../relay/audio/audio-meter.ts';
import { isSamples } from '../relay/audio/samples.ts';
import type { LiveSound, MediaFacts } from '../relay/call-format.ts';
import { type CallEvents, callEventsOf } from '../relay/calls/events.ts';
import { type CountedOutput, reportedOutput, type Usage } from '../relay/canonical/usage.ts';
import type { FormatId } from '../relay/format.ts';
import { encodeSse } from '../relay/framing/sse.ts';
import type { JsonObject } from '../relay/json.ts';
import type { ShownError } from './failure-answer.ts';
import type { StreamReader } from './lane.ts';

/** How a client hears. */
export interface Hearing {
  /** The client's. */
  readonly format: FormatId;
  readonly manner: 'bytes' | 'events';
}

/** A reader for the sound of one attempt. */
export function liveSoundOf(live: LiveSound, { format, manner }: Hearing): (contentType: string) => StreamReader {
  const events = manner === 'events' ? callEventsOf(format) : undefined;
  return (contentType) => new LiveSoundPass(live, contentType, events);
}

class LiveSoundPass implements StreamReader {
  readonly #live: LiveSound;
  readonly #events: CallEvents | undefined;
  readonly #meter: AudioMeter;
  #hasOutput = false;
  readonly stored = undefined;

  /** @param events undefined where the bytes go on as they are */
  constructor(live: LiveSound, contentType: string, events: CallEvents | undefined) {
    this.#live = live;
    this.#events = events;
    this.#meter = new AudioMeter(isSamples(contentType) ? 'pcm' : 'file');
  }

  get hasOutput(): boolean {
    return this.#hasOutput;
  }

  get isComplete(): boolean {
    return this.#live.isComplete;
  }

  get error(): JsonObject | undefined {
    return this.#live.error;
  }

  get media(): MediaFacts {
    return { audio: this.#meter.facts() };
  }

  get writesEvents(): boolean {
    return this.#events !== undefined;
  }

  push(chunk: Buffer): Buffer {
    this.#meter.push(chunk);
    this.#hasOutput = true;
    return this.#written(this.#events?.sound?.({ piece: chunk })) ?? chunk;
  }

  end(): Buffer | undefined {
    return this.isComplete ? this.#written(this.#events?.sound?.({ end: this.#live.usage() })) : undefined;
  }

  fail(error: ShownError): Buffer {
    return this.#events?.fail(error) ?? Buffer.alloc(0);
  }

  usage(): Usage | undefined {
    return this.#hasOutput ? this.#live.usage() : undefined;
  }

  counted(): CountedOutput {
    return reportedOutput(this.usage());
  }

  isBlank(): boolean {
    return !this.#hasOutput;
  }

  #written(event: JsonObject | undefined): Buffer | undefined {
    return event && encodeSse({ data: JSON.stringify(event) });
  }
}
