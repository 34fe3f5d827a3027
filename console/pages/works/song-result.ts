/** What a music task has come to, read from the answer of its server, which may say anything. */
import { isWebAddress } from './work-facts.ts';

export interface SongPiece {
  readonly id: string;
  readonly title: string;
  /** "" without. */
  readonly audio: string;
  readonly video: string;
  /** Lyrics; "" without. */
  readonly text: string;
}

/** The songs or lyrics of a task; none while there are none that could be heard or read. */
export function songPieces(data: unknown): readonly SongPiece[] {
  const list: readonly unknown[] = Array.isArray(data) ? data : [data];
  return list.flatMap((entry, at) => {
    const piece = pieceOf(entry, at);
    return piece.audio === '' && piece.video === '' && piece.text === '' ? [] : [piece];
  });
}

function pieceOf(entry: unknown, at: number): SongPiece {
  return {
    id: textOf(entry, 'id') || String(at),
    title: textOf(entry, 'title'),
    audio: addressOf(entry, 'audio_url'),
    video: addressOf(entry, 'video_url'),
    text: textOf(entry, 'text') || textOf(member(entry, 'metadata'), 'prompt'),
  };
}

function addressOf(entry: unknown, name: string): string {
  const address = textOf(entry, name);
  return isWebAddress(address) ? address : '';
}

function textOf(entry: unknown, name: string): string {
  const value = member(entry, name);
  return typeof value === 'string' ? value : '';
}

function member(entry: unknown, name: string): unknown {
  return typeof entry === 'object' && entry !== null && Object.hasOwn(entry, name)
    ? Reflect.get(entry, name)
    : undefined;
}
