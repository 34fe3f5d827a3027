/**
 * Data URLs and media types, as the dialects spell them.
 */
import type { AudioPart, MediaSource } from '../canonical/content.ts';
import { inexpressible } from './fields.ts';

/** `data:image/png;base64,...` becomes inline bytes, anything else stays an address. */
export function sourceOfUrl(url: string): MediaSource {
  if (!/^data:/i.test(url)) return { kind: 'url', url };
  const comma = url.indexOf(',');
  if (comma < 0) return { kind: 'url', url };
  const head = url.slice(5, comma);
  const payload = url.slice(comma + 1);
  const mediaType = head.split(';')[0] || 'application/octet-stream';
  if (/;\s*base64\s*$/i.test(head)) return { kind: 'inline', mediaType, data: payload };
  return { kind: 'inline', mediaType, data: Buffer.from(decodeLoosely(payload)).toString('base64') };
}

/** True for what the model said aloud and its vendor keeps under an id: the sound itself is not there. */
export function isKeptElsewhere({ source }: AudioPart): boolean {
  return source.kind === 'inline' && source.data === '';
}

/** The address under which a client can read the medium; undefined for a vendor's file. */
export function urlOfSource(source: MediaSource): string | undefined {
  if (source.kind === 'url') return source.url;
  return source.kind === 'inline' ? `data:${source.mediaType};base64,${source.data}` : undefined;
}

/**
 * The address under which another vendor can read the medium of a request; undefined for a vendor's file. Throws
 * `convert_request_failed` for a store that only its own vendor reads (`gs://`).
 */
export function openUrlOf(source: MediaSource, field: string): string | undefined {
  if (source.kind === 'url' && !/^https?:/i.test(source.url)) {
    throw inexpressible(field, `${source.url.split(':')[0]}: addresses are read by their own vendor alone`);
  }
  return urlOfSource(source);
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const typeByEnding: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  html: 'text/html',
  xml: 'application/xml',
  yaml: 'text/plain',
  yml: 'text/plain',
  js: 'text/plain',
  ts: 'text/plain',
  py: 'text/plain',
  go: 'text/plain',
  java: 'text/plain',
  c: 'text/plain',
  rs: 'text/plain',
  sh: 'text/plain',
  sql: 'text/plain',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
};

/** Media type that a file name suggests. */
export function typeOfFileName(name: string | undefined): string | undefined {
  const ending = name?.split('.').pop()?.toLowerCase();
  return ending === undefined ? undefined : typeByEnding[ending];
}

/** The ending of a file's name for a media type. */
export function endingOfType(mediaType: string): string {
  const known = Object.keys(typeByEnding).find((ending) => typeByEnding[ending] === mediaType);
  return known ?? mediaType.split('/').pop() ?? 'bin';
}

/** Text may be read as text: `text/*`, JSON, XML, YAML and code. */
export function isTextType(mediaType: string): boolean {
  return /^text\/|^application\/(json|xml|yaml|x-yaml|javascript|typescript|x-sh|sql|toml)\b|\+(json|xml)$/.test(
    mediaType,
  );
}

/** The true type of an image by its first bytes; undefined when it is none of the four that all vendors read. */
export function sniffImage(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, 24), 'base64');
  if (head.length < 4) return undefined;
  if (head[0] === 0x89 && head.toString('latin1', 1, 4) === 'PNG') return 'image/png';
  if (head[0] === 0xff && head[1] === 0xd8) return 'image/jpeg';
  if (head.toString('latin1', 0, 4) === 'GIF8') return 'image/gif';
  if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}

/** `wav` and `mp3` as media types; other short names follow the pattern. */
export function typeOfAudioFormat(format: string): string {
  if (format === 'mp3') return 'audio/mpeg';
  return `audio/${format}`;
}

/** True for an address on the open web, false for bytes in base64 and for addresses of one vendor's own. */
export function isOpen(medium: string): boolean {
  return /^https?:\/\//i.test(medium);
}

/** The short name that OpenAI uses for an audio type. */
export function formatOfAudioType(mediaType: string): string {
  const name = mediaType.split(';')[0]?.split('/')[1] ?? '';
  if (name === 'mpeg') return 'mp3';
  return name === 'x-wav' || name === 'wave' ? 'wav' : name;
}
