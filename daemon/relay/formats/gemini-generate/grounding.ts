/** Where an answer comes from, as this wire tells it beside the text. */
import type { Annotation } from '../../canonical/chat.ts';
import type { JsonObject } from '../../json.ts';
import { asList, asNumber, asObject, asObjects, asWord, present } from '../fields.ts';

/** A place counted in bytes of UTF-8 as one in UTF-16 units; undefined where the text is not at hand. */
export type PlaceInText = (bytes: number) => number | undefined;

/** So many bytes are counted anew for a place; how many units stand before each such stretch is counted once. */
const STRETCH = 256;

/** Places in a text that is known whole. */
export function placesIn(text: string): PlaceInText {
  const bytes = Buffer.from(text);
  const before = [0];
  for (let at = STRETCH; at <= bytes.length; at += STRETCH) {
    before.push((before.at(-1) ?? 0) + unitsIn(bytes.subarray(at - STRETCH, at)));
  }
  return (at) => {
    const place = Math.min(Math.max(0, Math.trunc(at)), bytes.length);
    const stretch = Math.floor(place / STRETCH);
    return (before[stretch] ?? 0) + unitsIn(bytes.subarray(stretch * STRETCH, place));
  };
}

/** UTF-16 units of the characters that begin there. */
function unitsIn(bytes: Buffer): number {
  let units = 0;
  for (const byte of bytes) {
    if (byte >= 0xf0) units += 2;
    else if ((byte & 0xc0) !== 0x80) units += 1;
  }
  return units;
}

/** Text of a stream that is kept to find places in; those in what follows a longer one are not known. */
const MOST_KEPT = 32_768;

/** Places in a text that comes piece by piece. Letters of one byte are only counted, up to the first longer one. */
export class StreamPlaces {
  #plain = 0;
  #rest: string[] | undefined = [];
  #restLength = 0;
  /** Made when first asked for, and good until more text comes. */
  #inRest: PlaceInText | undefined;

  add(text: string): void {
    if (this.#rest === undefined) return;
    this.#inRest = undefined;
    if (this.#restLength === 0 && Buffer.byteLength(text) === text.length) {
      this.#plain += text.length;
      return;
    }
    this.#rest.push(text);
    this.#restLength += text.length;
    if (this.#restLength > MOST_KEPT) this.#rest = undefined;
  }

  /** Where these places are, as far as the text has come. */
  get known(): PlaceInText {
    this.#inRest ??= this.#rest === undefined ? () => undefined : placesIn(this.#rest.join(''));
    const inRest = this.#inRest;
    return (bytes) => {
      const place = bytes <= this.#plain ? 0 : inRest(bytes - this.#plain);
      return place === undefined ? undefined : Math.min(bytes, this.#plain) + place;
    };
  }
}

/**
 * The pages that an answer stands on, each with the words that it supports where the vendor tells them; the whole object
 * too, so that this dialect returns all of it.
 */
export function decodeGrounding(candidate: JsonObject, placeOf: PlaceInText): Annotation[] {
  const grounding = asObject(candidate.groundingMetadata);
  if (grounding === undefined) return [];
  const pages = asObjects(grounding.groundingChunks).map((chunk) => asObject(chunk.web));
  const cited = asObjects(grounding.groundingSupports).flatMap((support) => {
    const segment = asObject(support.segment);
    const [start, end] = [asNumber(segment?.startIndex) ?? 0, asNumber(segment?.endIndex)];
    const words = present({
      start: end === undefined ? undefined : placeOf(start),
      end: end === undefined ? undefined : placeOf(end),
      citedText: asWord(segment?.text),
    });
    return asList(support.groundingChunkIndices).flatMap((at) => pageAnnotation(pages[Number(at)], words));
  });
  const supporting = new Set(cited.map((annotation) => (annotation.kind === 'url' ? annotation.url : undefined)));
  const others = pages.flatMap((page) => (supporting.has(asWord(page?.uri)) ? [] : pageAnnotation(page, {})));
  return [...cited, ...others, { kind: 'other', raw: { dialect: 'gemini-generate', value: grounding } }];
}

type CitedWords = Pick<Extract<Annotation, { kind: 'url' }>, 'start' | 'end' | 'citedText'>;

function pageAnnotation(page: JsonObject | undefined, words: CitedWords): Annotation[] {
  const url = asWord(page?.uri);
  return url === undefined ? [] : [present({ kind: 'url', url, title: asWord(page?.title), ...words })];
}
