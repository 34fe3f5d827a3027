/**
 * Guards against bodies nested so deep that walking them would exhaust the stack (relay.md 17.3), and against those of
 * so many values that reading them would exhaust memory: three bytes make an object of sixty.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;
const COMMA = 0x2c;

/** True when this JSON text nests objects and arrays deeper than `limit`; text that is no JSON gives any answer. */
export function isDeeperThan(body: Buffer, limit: number): boolean {
  if (body.length <= limit * 2) return false;
  let depth = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) at = endOfString(body, at + 1);
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth -= 1;
  }
  return false;
}

/** True when this JSON text holds more than `limit` values, empty lists and objects counted twice; text that is no JSON gives any answer. */
export function holdsMoreThan(body: Buffer, limit: number): boolean {
  // Each value takes a byte and a separator.
  if (body.length <= limit * 2) return false;
  let values = 1;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) at = endOfString(body, at + 1);
    else if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      values += 1;
      if (values > limit) return true;
    }
  }
  return false;
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
