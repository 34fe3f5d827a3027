/**
 * What a session with GLM sees: frames of a call with video, laid beside the sound that is heard with them. Source: as of
 * `realtime.ts`.
 */
import type { JsonObject } from '../../json.ts';

/** What a frame comes in. */
export const frameEvent = 'input_audio_buffer.append_video_frame';

/** The last frame that was shown. Whoever sees must be shown one with every turn, or the vendor refuses the turn. */
export class GlmSight {
  #last: JsonObject | undefined;
  #isInView = false;

  /** True once anything was shown. */
  get isOpen(): boolean {
    return this.#last !== undefined;
  }

  show(frame: JsonObject): void {
    this.#last = frame;
    this.#isInView = true;
  }

  /** The turn has it, or it was wiped away: the next is shown it again. */
  lost(): void {
    this.#isInView = false;
  }

  /** What is shown again before a turn goes on. */
  again(): readonly JsonObject[] {
    if (this.#last === undefined || this.#isInView) return [];
    this.#isInView = true;
    return [this.#last];
  }
}
