/**
 * Media that a request names by address and that an upstream has to be given inline (relay.md 17.7). Finding and
 * replacing is all that happens here; fetching belongs to who may use the network.
 */
import type { ChatItem, ChatRequest, ContentPart, MediaSource } from './chat.ts';

/** Kinds of parts that may hold a medium. */
export type MediaKind = 'image' | 'document' | 'audio' | 'video';

/** A medium as it came: base64, and its type by the bytes, else as its server told. */
export interface FetchedMedium {
  readonly mediaType: string;
  readonly data: string;
}

/** A medium that stands somewhere on the open web. */
export interface RemoteMedium {
  readonly kind: MediaKind;
  readonly url: string;
  /** Its place among the request's remote media of this kind, from 1. */
  readonly place: number;
}

/** Remote media of the given kinds, each address once, in the order of the conversation. */
export function listRemoteMedia(request: ChatRequest, kinds: readonly MediaKind[]): RemoteMedium[] {
  const found = new Map<string, RemoteMedium>();
  const places = new Map<MediaKind, number>();
  for (const part of mediaOf(request)) {
    const url = remoteUrl(part, kinds);
    if (url === undefined || found.has(url)) continue;
    const place = (places.get(part.type) ?? 0) + 1;
    places.set(part.type, place);
    found.set(url, { kind: part.type, url, place });
  }
  return [...found.values()];
}

/** Bytes of the largest medium that came inside the request itself; 0 where there is none. */
export function largestInline(request: ChatRequest): number {
  let largest = 0;
  for (const { source } of mediaOf(request)) {
    if (source.kind === 'inline') largest = Math.max(largest, Math.floor(source.data.length * 0.75));
  }
  return largest;
}

function* mediaOf(request: ChatRequest): Generator<Extract<ContentPart, { type: MediaKind }>> {
  for (const item of request.items) {
    if (!('parts' in item)) continue;
    for (const part of item.parts) {
      if (part.type === 'image' || part.type === 'document' || part.type === 'audio' || part.type === 'video')
        yield part;
    }
  }
}

/** The request with what was fetched in place of its address; the rest stays as it is. */
export function inlineMedia(
  request: ChatRequest,
  kinds: readonly MediaKind[],
  fetched: ReadonlyMap<string, FetchedMedium>,
): ChatRequest {
  if (fetched.size === 0) return request;
  const inline = (part: ContentPart): ContentPart => {
    const url = remoteUrl(part, kinds);
    const medium = url === undefined ? undefined : fetched.get(url);
    if (medium === undefined) return part;
    const source: MediaSource = { kind: 'inline', ...medium };
    switch (part.type) {
      case 'image':
      case 'document':
      case 'audio':
      case 'video':
        return { ...part, source };
      default:
        return part;
    }
  };
  const items = request.items.map(
    (item): ChatItem => ('parts' in item ? { ...item, parts: item.parts.map(inline) } : item),
  );
  return { ...request, items };
}

/** Vendors read their own addresses and YouTube's themselves; only the open web is fetched. */
function remoteUrl(part: ContentPart, kinds: readonly MediaKind[]): string | undefined {
  if (!('source' in part) || part.source.kind !== 'url' || !kinds.some((kind) => kind === part.type)) return undefined;
  const { url } = part.source;
  if (!/^https?:\/\//i.test(url)) return undefined;
  return /^https?:\/\/([\w-]+\.)*(youtube\.com|youtu\.be|generativelanguage\.googleapis\.com)\//i.test(url)
    ? undefined
    : url;
}
