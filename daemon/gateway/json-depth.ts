/**
 * Guards against bodies nested so deep that walking them would exhaust the stack (relay.md 17.3), and against those of
 * so many values that reading them would exhaust memory, or hold up everybody else: three bytes make an object of sixty.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;

/** What a JSON text may hold. */
export interface JsonLimits {
  readonly deepest: number;
  /** Empty lists and objects count twice. */
  readonly mostValues: number;
  /** Of objects and lists, which cost far more than what stands in them. */
  readonly mostGroups?: number;
}

/** Which limit a text is beyond, and what it is. */
export interface Overgrowth {
  readonly of: 'levels' | 'values' | 'groups';
  readonly most: number;
}

/** Undefined for a JSON text within its limits; text that is no JSON gives any answer. */
export function overgrowthOf(body: Buffer, limits: JsonLimits): Overgrowth | undefined {
  const { deepest, mostValues, mostGroups = Number.POSITIVE_INFINITY } = limits;
  // Each level and each value takes two bytes.
  if (body.length <= Math.min(deepest, mostValues, mostGroups) * 2) return undefined;
  let depth = 0;
  let groups = 0;
  let commas = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) at = endOfString(body, at + 1);
    else if (byte === COMMA) commas += 1;
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      depth += 1;
      groups += 1;
      if (depth > deepest) return { of: 'levels', most: deepest };
      if (groups > mostGroups) return { of: 'groups', most: mostGroups };
      if (groups > mostValues) return { of: 'values', most: mostValues };
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth -= 1;
  }
  return 1 + commas + groups > mostValues ? { of: 'values', most: mostValues } : undefined;
}

/** What is wrong with `what`, in words that `contract/request-reasons.ts` knows. */
export function overgrownReason(what: 'body' | 'event', { of, most }: Overgrowth): string {
  if (of === 'levels') return `the ${what} is nested deeper than ${most} levels`;
  return `the ${what} holds more than ${most} ${of === 'values' ? 'values' : 'objects and lists'}`;
}

/** Index of the closing quote of a string whose content begins at `from`; long texts are crossed natively. */
function endOfString(body: Buffer, from: number): number {
  for (let at = from; ; ) {
    const quote = body.indexOf(QUOTE, at);
    if (quote < 0) return body.length;
    let slashes = 0;
    while (body[quote - 1 - slashes] === BACKSLASH && quote - 1 - slashes >= from) slashes += 1;
    if (slashes % 2 === 0) return quote;
    at = quote + 1;
  }
}
