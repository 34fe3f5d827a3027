/**
 * What a session with GLM sees: frames of a call with video, laid beside the sound that is heard with them. Source: as of
 * `realtime.ts`.
 */
import { asList, asObject, asText, inexpressible } from '../../formats/fields.ts';
import { sniffImage, sourceOfUrl } from '../../formats/media.ts';
import type { Json, JsonObject } from '../../json.ts';

/** What a frame comes in. */
export const frameEvent = 'input_audio_buffer.append_video_frame';

/**
 * The pictures of an item as frames, and the item without them. Throws `convert_request_failed` for a picture that is no
 * JPEG file or stands elsewhere.
 */
export function framesOf(item: JsonObject): { readonly frames: readonly JsonObject[]; readonly item: JsonObject } {
  const parts = asList(item.content);
  const pictures = parts.filter(isPicture);
  if (pictures.length === 0) return { frames: [], item };
  const frames = pictures.map((part): JsonObject => ({ type: frameEvent, video_frame: jpegOf(asObject(part) ?? {}) }));
  return { frames, item: { ...item, content: parts.filter((part) => !isPicture(part)) } };
}

function isPicture(part: Json): boolean {
  return asObject(part)?.type === 'input_image';
}

function jpegOf({ image_url: url }: JsonObject): string {
  const source = sourceOfUrl(asText(url) ?? '');
  if (source.kind === 'inline' && sniffImage(source.data) === 'image/jpeg') return source.data;
  throw inexpressible('item.content', 'this model sees JPEG files given as data URLs only');
}

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
