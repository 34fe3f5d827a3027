/** Pictures in items of a session, for vendors that are shown them beside what is said. */
import { asList, asObject, asText, inexpressible } from '../formats/fields.ts';
import { sniffImage, sourceOfUrl } from '../formats/media.ts';
import type { Json, JsonObject } from '../json.ts';

export interface ShownItem {
  /** JPEG files in base64. */
  readonly pictures: readonly string[];
  /** The item without them. */
  readonly item: JsonObject;
}

/** Throws `convert_request_failed` for a picture that is no JPEG file or stands elsewhere. */
export function takePictures(item: JsonObject): ShownItem {
  const parts = asList(item.content);
  const pictures = parts.filter(isPicture).map((part) => jpegOf(asObject(part) ?? {}));
  if (pictures.length === 0) return { pictures, item };
  return { pictures, item: { ...item, content: parts.filter((part) => !isPicture(part)) } };
}

function isPicture(part: Json): boolean {
  return asObject(part)?.type === 'input_image';
}

function jpegOf({ image_url: url }: JsonObject): string {
  const source = sourceOfUrl(asText(url) ?? '');
  if (source.kind === 'inline' && sniffImage(source.data) === 'image/jpeg') return source.data;
  throw inexpressible('item.content', 'this model sees JPEG files given as data URLs only');
}

/** The event for an item that was nothing but pictures: the vendor tells of none, and clients wait to hear of theirs. */
export function pictureMade(item: JsonObject, place: number): JsonObject {
  return {
    type: 'conversation.item.created',
    event_id: `event_picture_${place}`,
    item: {
      id: `item_picture_${place}`,
      object: 'realtime.item',
      status: 'completed',
      ...item,
      content: [{ type: 'input_image' }],
    },
  };
}
