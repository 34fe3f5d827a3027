/**
 * AWS event streams: binary frames, cut anywhere, each with two checksums. Pure framing; payloads are not looked into.
 * Source: providers/bedrock.md, "Streaming", read 2026-11.
 */
import { crc32 } from 'node:zlib';
import { TollgateError } from '../../errors.ts';
import { PieceList } from './piece-list.ts';

/** One frame; header names keep their leading colon. Values that are no text are left out. */
export interface AwsMessage {
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Buffer;
}

const preludeBytes = 12;
const checksumBytes = 4;
const maxFrameBytes = 24 * 1024 * 1024 + 128 * 1024 + preludeBytes + checksumBytes;
/** Bytes behind a header's type, for types of a fixed length. */
const fixedLengths: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const textType = 7;

function broken(reason: string): TollgateError {
  return new TollgateError('bad_response_body', {}, { cause: new Error(`event stream: ${reason}`) });
}

/** Bytes in, whole frames out. `push` throws `bad_response_body` for a wrong checksum or an impossible length. */
export class AwsEventStreamParser {
  readonly #held = new PieceList();
  /** Fewer bytes than this tell nothing new: a long frame that comes in many pieces is joined once. */
  #wanted = preludeBytes;

  push(chunk: Buffer): AwsMessage[] {
    this.#held.push(chunk);
    if (this.#held.length < this.#wanted) return [];
    let bytes = this.#held.take();
    const messages: AwsMessage[] = [];
    this.#wanted = preludeBytes;
    while (bytes.length >= preludeBytes) {
      const total = bytes.readUInt32BE(0);
      if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw broken('wrong prelude checksum');
      if (total < preludeBytes + checksumBytes || total > maxFrameBytes) throw broken('impossible length');
      if (bytes.length < total) {
        this.#wanted = total;
        break;
      }
      messages.push(readFrame(bytes.subarray(0, total)));
      bytes = bytes.subarray(total);
    }
    this.#held.push(bytes);
    return messages;
  }
}

function readFrame(frame: Buffer): AwsMessage {
  const end = frame.length - checksumBytes;
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) throw broken('wrong message checksum');
  const headersEnd = preludeBytes + frame.readUInt32BE(4);
  if (headersEnd > end) throw broken('headers beyond the frame');
  return {
    headers: readHeaders(frame.subarray(preludeBytes, headersEnd)),
    payload: frame.subarray(headersEnd, end),
  };
}

function readHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) throw broken('a header is cut');
    at += count;
    return bytes.subarray(at - count, at);
  };
  while (at < bytes.length) {
    const name = take(take(1).readUInt8()).toString('latin1');
    const type = take(1).readUInt8();
    const fixed = fixedLengths[type];
    const value = take(fixed ?? take(2).readUInt16BE());
    if (type === textType) headers.set(name, value.toString('utf8'));
  }
  return headers;
}
