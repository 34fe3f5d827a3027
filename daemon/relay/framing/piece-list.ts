/**
 * Bytes that come in pieces and are wanted whole. Whoever sends them decides how they are cut, and each piece costs some
 * 400 bytes beside its own: five million bytes one by one took two gigabytes. So small ones are copied together.
 */

const SMALL_BYTES = 1024;
/** So many pieces are kept as they are, whatever their size: nearly everything comes in fewer. */
const FEW_PIECES = 16;
const ROOM_BYTES = 16 * 1024;
const nothing = Buffer.alloc(0);

export class PieceList {
  #pieces: Buffer[] = [];
  #length = 0;
  #lastByte: number | undefined;
  /** Small pieces are copied here; what lies before `#sealed` is among the pieces already. */
  #room = nothing;
  #sealed = 0;
  #filled = 0;

  /** Bytes of all pieces. */
  get length(): number {
    return this.#length;
  }

  /** Undefined while there are none. */
  get lastByte(): number | undefined {
    return this.#lastByte;
  }

  /** The piece belongs to the list from here on. */
  push(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    this.#lastByte = piece[piece.length - 1];
    if (piece.length >= SMALL_BYTES || this.#pieces.length < FEW_PIECES) {
      this.#seal();
      this.#pieces.push(piece);
      return;
    }
    if (this.#room.length - this.#filled < piece.length) {
      this.#seal();
      this.#room = Buffer.allocUnsafeSlow(ROOM_BYTES);
      this.#sealed = 0;
      this.#filled = 0;
    }
    piece.copy(this.#room, this.#filled);
    this.#filled += piece.length;
  }

  /** All bytes in one buffer; the list is empty then. A single piece is handed out as it is. */
  take(): Buffer {
    this.#seal();
    const [only = nothing] = this.#pieces;
    const whole = this.#pieces.length > 1 ? Buffer.concat(this.#pieces, this.#length) : only;
    this.clear();
    return whole;
  }

  clear(): void {
    this.#pieces = [];
    this.#length = 0;
    this.#lastByte = undefined;
    this.#room = nothing;
    this.#sealed = 0;
    this.#filled = 0;
  }

  #seal(): void {
    if (this.#filled > this.#sealed) this.#pieces.push(this.#room.subarray(this.#sealed, this.#filled));
    this.#sealed = this.#filled;
  }
}
