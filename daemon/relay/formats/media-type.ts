/** What a file is: by its first bytes, else by what its server and its name say (relay.md 17.7). */
import type { MediaKind } from '../canonical/remote-media.ts';
import { isTextType, typeOfFileName } from './media.ts';

/** Names that say nothing. */
const vague: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

type Signature = readonly [at: number, bytes: string, mediaType: string];

const signatures: readonly Signature[] = [
  [0, '\x89PNG', 'image/png'],
  [0, '\xff\xd8\xff', 'image/jpeg'],
  [0, 'GIF8', 'image/gif'],
  [8, 'WEBP', 'image/webp'],
  [0, 'BM', 'image/bmp'],
  [8, 'avif', 'image/avif'],
  [8, 'heic', 'image/heic'],
  [0, '%PDF-', 'application/pdf'],
  [8, 'WAVE', 'audio/wav'],
  [0, 'ID3', 'audio/mpeg'],
  [0, '\xff\xfb', 'audio/mpeg'],
  [0, '\xff\xf3', 'audio/mpeg'],
  [0, 'OggS', 'audio/ogg'],
  [0, 'fLaC', 'audio/flac'],
  [8, 'M4A ', 'audio/mp4'],
  [4, 'ftyp', 'video/mp4'],
  [0, '\x1a\x45\xdf\xa3', 'video/webm'],
];

/** The media type of a file; `application/octet-stream` when nothing tells. */
export function mediaTypeOf(file: { bytes: Buffer; contentType: string; name: string }): string {
  const head = file.bytes.toString('latin1', 0, 16);
  for (const [at, bytes, mediaType] of signatures) if (head.startsWith(bytes, at)) return mediaType;
  const told = file.contentType.toLowerCase();
  if (!vague.has(told)) return told;
  return typeOfFileName(file.name) ?? 'application/octet-stream';
}

/** May a file of this type stand where a medium of the kind is meant. A document is anything that can be read. */
export function fitsKind(mediaType: string, kind: MediaKind): boolean {
  if (kind === 'document') return mediaType === 'application/pdf' || isTextType(mediaType);
  // Some containers hold either, and only their server knows which.
  if (kind === 'audio' && /^(video\/(mp4|webm)|application\/ogg)$/.test(mediaType)) return true;
  return mediaType.startsWith(`${kind}/`);
}
