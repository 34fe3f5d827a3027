/**
 * JSON with its long strings cut short. An event of many megabytes is a picture or a sound as text: its members can be
 * told without making strings of what it carries.
 */
import { TollgateError } from '../errors.ts';
import { skipString } from './body-scan.ts';

/** Longer strings are cut; the words of any answer that is read by its members are shorter. */
const LONG_BYTES = 64 * 1024;
const KEPT_BYTES = 1024;

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/** Where the string that opens at `opening` can be cut: behind a whole character, and not within an escape. */
function cutOf(bytes: Buffer, opening: number): number {
  let cut = opening + 1;
  while (cut < opening + KEPT_BYTES) {
    if (bytes[cut] !== backslash) cut += 1;
    else cut += bytes[cut + 1] === letterU ? 6 : 2;
  }
  // 10xxxxxx goes on with a character of UTF-8.
  while (((bytes[cut] ?? 0) & 0xc0) === 0x80) cut += 1;
  return cut;
}

/**
 * The bytes without what strings above 64 KiB hold after their first kilobyte. What is no JSON stays none, what is stays
 * JSON; a string that never ends is left as it is.
 */
export function outlineOf(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  try {
    for (let at = bytes.indexOf(quote); at >= 0; at = bytes.indexOf(quote, at)) {
      const end = skipString(bytes, at);
      if (end - at > LONG_BYTES) {
        pieces.push(bytes.subarray(from, cutOf(bytes, at)));
        from = end - 1;
      }
      at = end;
    }
  } catch (error) {
    if (!(error instanceof TollgateError)) throw error;
  }
  pieces.push(bytes.subarray(from));
  return Buffer.concat(pieces);
}
