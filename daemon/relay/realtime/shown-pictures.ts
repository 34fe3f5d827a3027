/** Pictures in items of a session, for vendors that are shown them beside what is said. */
import { TollgateError } from '../../errors.ts';
import type { MediaSource } from '../canonical/content.ts';
import { asList, asObject, asText, inexpressible } from '../formats/fields.ts';
import { sniffImage, sourceOfUrl } from '../formats/media.ts';
import type { Json, JsonObject } from '../json.ts';
import type { MadeJpeg } from '../pictures/jpeg-maker.ts';

export interface ShownItem {
  /** JPEG files in base64. */
  readonly pictures: readonly string[];
  /** The item without them. */
  readonly item: JsonObject;
}

/** Files that can be made JPEG. */
const makeable: ReadonlySet<string> = new Set(['image/png', 'image/webp', 'image/gif']);

/** How the pictures of an event are made JPEG files. */
export interface Making {
  make(file: Buffer): Promise<MadeJpeg>;
  /** False once nobody waits for them any more. */
  goesOn(): boolean;
}

/** True for an event that shows files which can be made JPEG. */
export function showsOthers(event: JsonObject): boolean {
  if (event.type !== 'conversation.item.create') return false;
  return asList(asObject(event.item)?.content).some((part) => otherFile(part) !== undefined);
}

/** The event with JPEG files only, or the reason why there are none; those that cannot be made such stay as they are. */
export async function withJpegs(event: JsonObject, making: Making): Promise<JsonObject | TollgateError> {
  const item = asObject(event.item) ?? {};
  const content: Json[] = [];
  for (const part of asList(item.content)) {
    const data = making.goesOn() ? otherFile(part) : undefined;
    const made = data === undefined ? undefined : await making.make(Buffer.from(data, 'base64'));
    if (made instanceof TollgateError) return made;
    const image_url = made && `data:image/jpeg;base64,${made.toString('base64')}`;
    content.push(image_url === undefined ? part : { ...asObject(part), image_url });
  }
  return { ...event, item: { ...item, content } };
}

/** A file that can be made JPEG, in base64; undefined for everything else. */
function otherFile(part: Json): string | undefined {
  const source = sourceOf(part);
  return source?.kind === 'inline' && makeable.has(sniffImage(source.data) ?? '') ? source.data : undefined;
}

/** Where a picture stands; undefined for what is none. */
function sourceOf(part: Json): MediaSource | undefined {
  return isPicture(part) ? sourceOfUrl(asText(asObject(part)?.image_url) ?? '') : undefined;
}

/** Throws `convert_request_failed` for a picture that is no JPEG file or stands elsewhere. */
export function takePictures(item: JsonObject): ShownItem {
  const parts = asList(item.content);
  const pictures = parts.filter(isPicture).map(jpegOf);
  if (pictures.length === 0) return { pictures, item };
  return { pictures, item: { ...item, content: parts.filter((part) => !isPicture(part)) } };
}

/** Throws `convert_request_failed` for an item with pictures, for models that see none. */
export function refusePictures(item: JsonObject): void {
  if (asList(item.content).some(isPicture)) throw inexpressible('item.content', 'images cannot be sent to this model');
}

function isPicture(part: Json): boolean {
  return asObject(part)?.type === 'input_image';
}

function jpegOf(part: Json): string {
  const source = sourceOf(part);
  if (source?.kind === 'inline' && sniffImage(source.data) === 'image/jpeg') return source.data;
  throw inexpressible('item.content', 'this model sees JPEG, PNG, WebP and GIF files given as data URLs only');
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
