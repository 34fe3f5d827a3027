/** Images that a model made, beside the words of a message and as Markdown inside them (relay.md 13.4). */
import type { ContentPart, ImagePart, Seal, TextPart } from '../../canonical/chat.ts';
import type { JsonObject } from '../../json.ts';
import { asObject, asObjects, asWord, present } from '../fields.ts';
import { sourceOfUrl } from '../media.ts';
import { decodeThoughtSignature, thoughtSignature } from './thought-signature.ts';

/** An entry of `images`. Its signature stands with it, as that of a call does. */
export function encodeAnswerImage(url: string, seal: Seal | undefined): JsonObject {
  const image: JsonObject = { type: 'image_url', image_url: { url } };
  if (seal !== undefined) image.extra_content = thoughtSignature(seal);
  return image;
}

/** One image of an answer, as it stands beside the words. */
export interface AnswerImage {
  readonly url: string;
  readonly seal?: Seal;
}

/** The `images` of a message, or of a chunk; those without an address are left out. */
export function decodeAnswerImages(message: JsonObject): AnswerImage[] {
  return asObjects(message.images).flatMap((image) => {
    const url = asWord(asObject(image.image_url)?.url);
    return url === undefined ? [] : [present({ url, seal: decodeThoughtSignature(image) })];
  });
}

/** Images that are looked for in the words, all of which each of them takes a look at: no answer shows as many. */
const mostSought = 64;

/** Puts images where the words show them as Markdown, so that none comes twice; the others follow the words. */
export function placeImages(parts: readonly ContentPart[], images: readonly AnswerImage[]): ContentPart[] {
  let placed = [...parts];
  for (const [place, { url, seal }] of images.entries()) {
    const image: ImagePart = present({ type: 'image', source: sourceOfUrl(url), seal });
    const shows = (part: ContentPart) => part.type === 'text' && part.text.includes(`](${url})`);
    const at = place < mostSought ? placed.findIndex(shows) : -1;
    const shown = placed[at];
    if (shown?.type === 'text') placed = placed.toSpliced(at, 1, ...replaced(shown, url, image));
    else placed.push(image);
  }
  return placed;
}

/** The words around the image and the image between them. */
function replaced({ text, seal, cache }: TextPart, url: string, image: ImagePart): ContentPart[] {
  const address = `](${url})`;
  const end = text.indexOf(address);
  const start = text.lastIndexOf('![', end);
  if (start < 0) return [present({ type: 'text', text, seal, cache }), image];
  const before = text.slice(0, start);
  const after = text.slice(end + address.length);
  const [isLed, isFollowed] = [before.trim() !== '', after.trim() !== ''];
  const pieces: ContentPart[] = [];
  // The signature of a message is that of its last words, or of an image without any.
  if (isLed) pieces.push(present({ type: 'text', text: before, seal: isFollowed ? undefined : seal }));
  const own = image.seal ?? (isLed || isFollowed ? undefined : seal);
  pieces.push(present({ ...image, seal: own, cache: isFollowed ? undefined : cache }));
  if (isFollowed) pieces.push(present({ type: 'text', text: after, seal, cache }));
  return pieces;
}
