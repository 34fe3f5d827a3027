/**
 * Writes the name that the client asked for over the model name that the upstream reports, in the bytes of a native
 * answer (relay.md 5.3).
 */

import { MAX_READ_EVENT_BYTES, patched, type SlicePatch } from './native-events.ts';

/** Every wire names the model near the beginning of its first event, or behind what that one says. */
const NAME_REACH = 4096;

export class ModelName {
  readonly #wanted: string;
  readonly #pattern: RegExp;
  /** The member as the upstream spells it; empty once it is known to need no change. */
  #spelling: string | undefined;

  /**
   * @param wanted name to show
   * @param member where the wire keeps it
   */
  constructor(wanted: string, member = 'model') {
    // Bytes are handled as Latin-1 text here, so that whatever they encode comes out as it went in.
    this.#wanted = Buffer.from(`"${member}":${JSON.stringify(wanted)}`).toString('latin1');
    this.#pattern = new RegExp(`"${member}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)+)"`);
  }

  /** The bytes with the name replaced; the same buffer when it does not occur. */
  apply(bytes: Buffer): Buffer {
    this.#spelling ??= this.#find(bytes);
    if (this.#spelling === undefined || this.#spelling === '') return bytes;
    if (bytes.indexOf(this.#spelling, 0, 'latin1') < 0) return bytes;
    if (bytes.length > MAX_READ_EVENT_BYTES) return patched(bytes, this.#patches(bytes, this.#spelling));
    return Buffer.from(
      bytes.toString('latin1').replaceAll(this.#spelling, () => this.#wanted),
      'latin1',
    );
  }

  /** Of bytes that are mostly media, which are not made into text. */
  #patches(slice: Buffer, spelling: string): SlicePatch[] {
    const patches: SlicePatch[] = [];
    const wanted = Buffer.from(this.#wanted, 'latin1');
    for (let start = slice.indexOf(spelling, 0, 'latin1'); start >= 0; ) {
      const end = start + spelling.length;
      patches.push({ start, end, bytes: wanted });
      start = slice.indexOf(spelling, end, 'latin1');
    }
    return patches;
  }

  #find(bytes: Buffer): string | undefined {
    const behind = Math.max(NAME_REACH, bytes.length - NAME_REACH);
    const found =
      this.#pattern.exec(bytes.toString('latin1', 0, NAME_REACH)) ??
      this.#pattern.exec(bytes.toString('latin1', behind));
    return found?.[0] === this.#wanted ? '' : found?.[0];
  }
}
