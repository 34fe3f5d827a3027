/** Lengths of WebM and Matroska files: told by a header, or by the last block of what was recorded live. */
import { type Step, skip, take, type Walk } from './byte-walk.ts';
import type { Length } from './length.ts';

const ID = {
  segment: 0x18538067,
  info: 0x1549a966,
  scale: 0x2ad7b1,
  duration: 0x4489,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  group: 0xa0,
  block: 0xa1,
  simpleBlock: 0xa3,
} as const;
/** Elements that are entered and not passed over. */
const PARENTS: ReadonlySet<number> = new Set([ID.segment, ID.info, ID.cluster, ID.group]);
const MAX_ELEMENTS = 2_000_000;
const MAX_VALUE_BYTES = 8;

const oneByte: Step = { take: 1 };

/** A number of variable length; identifiers keep the mark of their length. */
function* variable(keepsMark: 'keeps-mark' | 'drops-mark'): Generator<Step, { value: number; bytes: number }, Buffer> {
  const first = (yield oneByte)[0] ?? 0;
  const bytes = first === 0 ? 9 : Math.clz32(first) - 23;
  if (bytes > 8) return { value: 0, bytes };
  let value = keepsMark === 'keeps-mark' ? first : first & (0xff >> bytes);
  // Most are one byte long, and a file may have millions.
  if (bytes > 1) for (const byte of yield { take: bytes - 1 }) value = value * 256 + byte;
  return { value, bytes };
}

/** @param opening the first twelve bytes: the head of the EBML header and a part of it */
export function* walkMatroska(opening: Buffer, length: Length): Walk {
  const header = (opening[4] ?? 0) & 0x7f;
  // Headers are short; a longer one is no file of ours.
  if (((opening[4] ?? 0) & 0x80) === 0) return;
  yield* skip(5 + header - opening.length);
  let scale = 1_000_000;
  let cluster = 0;
  for (let elements = 0; elements < MAX_ELEMENTS; elements += 1) {
    const { value: id, bytes } = yield* variable('keeps-mark');
    if (bytes > 4) return;
    const { value: size } = yield* variable('drops-mark');
    if (PARENTS.has(id)) continue;
    if (id === ID.block || id === ID.simpleBlock) {
      const track = yield* variable('drops-mark');
      const relative = (yield* take(2)).readInt16BE(0);
      length.seconds = Math.max(length.seconds ?? 0, ((cluster + relative) * scale) / 1e9);
      yield* skip(size - track.bytes - 2);
    } else if (size <= MAX_VALUE_BYTES && (id === ID.scale || id === ID.timestamp || id === ID.duration)) {
      const bytesOfValue = yield* take(size);
      if (id === ID.scale) scale = unsigned(bytesOfValue);
      else if (id === ID.timestamp) cluster = unsigned(bytesOfValue);
      else {
        const ticks = size === 4 ? bytesOfValue.readFloatBE(0) : size === 8 ? bytesOfValue.readDoubleBE(0) : 0;
        if (ticks > 0) {
          length.seconds = (ticks * scale) / 1e9;
          return;
        }
      }
    } else yield* skip(size);
  }
}

function unsigned(bytes: Buffer): number {
  let value = 0;
  for (const byte of bytes) value = value * 256 + byte;
  return value;
}
