/** Paths of work that goes on after its answer (relay.md 2.4): what each one asks for. Pure. */
import type { Endpoint } from '../../gateway/exchange.ts';
import { type DrawingCall, orderedBy } from '../../gateway/tasks/drawing-calls.ts';
import type { SongCall } from '../../gateway/tasks/song-calls.ts';
import { decodeSegment } from './path-segment.ts';

/** What such a path asks for with which method; `image` is a page's business, see `drawing-image.ts`. */
export type TaskMatch =
  | { readonly kind: 'drawing'; readonly path: string; readonly endpoint: Endpoint; readonly call: DrawingCall }
  | { readonly kind: 'song'; readonly path: string; readonly endpoint: Endpoint; readonly call: SongCall }
  | { readonly kind: 'wrong-method'; readonly path: string; readonly endpoint: Endpoint; readonly allow: string };

export const drawingEndpoint: Endpoint = {
  surface: 'midjourney',
  capability: 'tasks',
  format: 'midjourney',
  retryClass: 'B',
  rateLimited: true,
};

const songEndpoint: Endpoint = { ...drawingEndpoint, surface: 'suno', format: 'suno', retryClass: 'C' };

/** A speed may stand before `mj`; `/api/mj/` is the management API's own list. */
const DRAWING = /^\/(?:(?!api\/)([a-z-]{1,20})\/)?mj\/(.+)$/;
const TASK = /^task\/([^/]{1,200})\/(fetch|image-seed)$/;
const SONG = /^\/suno\/(?:submit\/([^/]{1,200})|fetch(?:\/([^/]{1,200}))?)$/;
const IMAGE = /^image\/([^/]{1,200})$/;

/** Undefined for paths that are none of these. `query` is asked for where a path has one. */
export function matchTaskPath(method: string, path: string, query: () => URLSearchParams): TaskMatch | undefined {
  const song = SONG.exec(path);
  if (song !== null) return matchSong(method, path, { action: song[1], id: song[2] });
  const [, prefix, rest] = DRAWING.exec(path) ?? [];
  if (rest === undefined) return undefined;
  const found = drawingCall(rest, prefix, query);
  if (found === undefined) return undefined;
  const { call, methods } = found;
  const endpoint = call.does === 'submit' ? drawingEndpoint : { ...drawingEndpoint, rateLimited: false };
  if (!methods.includes(method)) return { kind: 'wrong-method', path, endpoint, allow: methods.join(', ') };
  return { kind: 'drawing', path, endpoint, call };
}

/** An order where an action is named, else a question about one task or several. */
function matchSong(
  method: string,
  path: string,
  { action, id }: { readonly action: string | undefined; readonly id: string | undefined },
): TaskMatch {
  const methods = id === undefined ? POST : GET;
  const endpoint = action === undefined ? { ...songEndpoint, rateLimited: false } : songEndpoint;
  if (!methods.includes(method)) return { kind: 'wrong-method', path, endpoint, allow: methods.join(', ') };
  if (action !== undefined) return { kind: 'song', path, endpoint, call: { does: 'submit', action } };
  const call: SongCall = id === undefined ? { does: 'list' } : { does: 'fetch', id: decodeSegment(id) };
  return { kind: 'song', path, endpoint, call };
}

/** The id of the picture that a path shows; undefined for all other paths. */
export function pictureIdOf(path: string): string | undefined {
  const [, , rest = ''] = DRAWING.exec(path) ?? [];
  const id = IMAGE.exec(rest)?.[1];
  return id === undefined ? undefined : decodeSegment(id);
}

const POST: readonly string[] = ['POST'];
const GET: readonly string[] = ['GET', 'HEAD'];

function drawingCall(
  rest: string,
  prefix: string | undefined,
  query: () => URLSearchParams,
): { call: DrawingCall; methods: readonly string[] } | undefined {
  const kind = orderedBy(rest);
  if (kind !== undefined) return { call: { does: 'submit', kind, prefix }, methods: POST };
  if (rest === 'task/list-by-condition') return { call: { does: 'list' }, methods: POST };
  if (rest === 'notify') {
    const asked = query();
    const [channel, secret] = [asked.get('c') ?? '', asked.get('s') ?? ''];
    return { call: { does: 'notify', channel, secret }, methods: POST };
  }
  const [, segment, what] = TASK.exec(rest) ?? [];
  if (segment === undefined) return undefined;
  return { call: { does: what === 'fetch' ? 'fetch' : 'seed', id: decodeSegment(segment) }, methods: GET };
}
