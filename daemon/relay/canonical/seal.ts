/**
 * Carries one dialect's opaque reasoning proofs through another dialect's field for them, and back.
 * The wrapped form is base64 throughout, because clients of Gemini decode and encode the field as bytes.
 */
import { type Dialect, dialects, type Seal } from './content.ts';

const marker = 'tollgate:';
/** What every wrapped seal begins with: nine bytes are exactly twelve base64 digits. */
export const wrappedSealPrefix = Buffer.from(marker).toString('base64');

/** Follows the origin of a seal that is a whole hidden thought. */
const redacted = '/redacted';

/** The seal as `dialect` may show it: as it is to its origin, wrapped to the others. */
export function wrapSeal(seal: Seal, dialect: Dialect): string {
  if (seal.origin === dialect) return seal.data;
  const kind = seal.redacted === true ? redacted : '';
  return Buffer.from(`${marker}${seal.origin}${kind}\n${seal.data}`).toString('base64');
}

/** Reads what a client sent back in `dialect`'s field. */
export function unwrapSeal(data: string, dialect: Dialect): Seal {
  if (!data.startsWith(wrappedSealPrefix)) return { origin: dialect, data };
  const text = Buffer.from(data, 'base64').toString('utf8');
  const end = text.indexOf('\n');
  const head = text.slice(marker.length, end);
  const isRedacted = head.endsWith(redacted);
  const origin = dialects.find((name) => name === (isRedacted ? head.slice(0, -redacted.length) : head));
  if (origin === undefined) return { origin: dialect, data };
  const inner = text.slice(end + 1);
  return isRedacted ? { origin, data: inner, redacted: true } : { origin, data: inner };
}

/**
 * A request body holds another vendor's seal: on the native lane it would reach a vendor that refuses it, so such a
 * request has to be decoded and encoded again, which leaves the seal out.
 */
export function carriesWrappedSeal(body: Buffer): boolean {
  return body.includes(wrappedSealPrefix);
}
