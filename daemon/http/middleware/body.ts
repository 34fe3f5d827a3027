/** Reads a management body up to its limit; nothing is parsed before its size is known (S4). */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { TollgateError } from '../../errors.ts';
import { overgrowthOf } from '../../gateway/json-depth.ts';
import { PieceList } from '../../relay/framing/piece-list.ts';

/** Longest silence while a body arrives, and longest time for the whole of it. */
export interface BodyPatience {
  readonly idleMs: number;
  readonly totalMs: number;
}

const defaultPatience: BodyPatience = { idleMs: 15_000, totalMs: 60_000 };

/** The bytes of a body; throws `payload_too_large` and `request_timeout`. */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number,
  patience: BodyPatience = defaultPatience,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw new TollgateError('payload_too_large');
  const pieces = new PieceList();
  return new Promise<Buffer>((resolve, reject) => {
    const stop = (settle: () => void): void => {
      clearTimeout(idle);
      clearTimeout(total);
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      settle();
    };
    const refuse = (error: TollgateError): void =>
      stop(() => {
        // The rest is not read; the answer closes the connection.
        request.pause();
        reject(error);
      });
    const tooSlow = (): void => refuse(new TollgateError('request_timeout'));
    const onData = (chunk: Buffer): void => {
      idle.refresh();
      pieces.push(chunk);
      if (pieces.length > limitBytes) refuse(new TollgateError('payload_too_large'));
    };
    const onEnd = (): void => stop(() => resolve(pieces.take()));
    const onBroken = (cause?: unknown): void => refuse(new TollgateError('request_timeout', {}, { cause }));
    const idle = setTimeout(tooSlow, patience.idleMs);
    const total = setTimeout(tooSlow, patience.totalMs);
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

/** Deepest nesting of a body; what is deeper would exhaust the stack of whoever walks it. */
const deepest = 64;

/**
 * A JSON object from a body; an empty body counts as `{}`. Throws `invalid_json`, also when it nests too deep or is not
 * UTF-8: a name or a password must not be stored as something else than what was typed. Throws `too_many_values` where it
 * holds more than told: parsing and walking a megabyte of them would hold everybody else up.
 */
export function parseJsonObject(body: Buffer, mostValues: number): Record<string, unknown> {
  const overgrowth = overgrowthOf(body, { deepest, mostValues });
  if (overgrowth?.of === 'levels' || !isUtf8(body)) throw new TollgateError('invalid_json');
  if (overgrowth !== undefined) throw new TollgateError('too_many_values', { most: overgrowth.most });
  const text = body.toString('utf8').trim();
  if (text === '') return {};
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TollgateError('invalid_json');
  return { ...value };
}

/** Of a form: payment providers send some twenty. */
const mostFields = 1000;

/** The fields of a form; where a name comes twice the last one counts. Throws `too_many_values` where there are too many. */
export function parseForm(body: Buffer): Record<string, string> {
  let fields = 1;
  for (let at = body.indexOf('&'); at >= 0; at = body.indexOf('&', at + 1)) {
    fields += 1;
    if (fields > mostFields) throw new TollgateError('too_many_values', { most: mostFields });
  }
  return Object.fromEntries(new URLSearchParams(body.toString('utf8')));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TollgateError('invalid_json', {}, { cause });
  }
}
