/** How drawings that are not final yet are asked for (relay.md 8.8). */
import type { Drawings, MidjourneyRecord } from '../../domain/drawings.ts';
import { changesOf, type DrawingNews, readTaskList } from '../../relay/tasks/midjourney/news.ts';
import type { FollowedPlatform } from './task-poller.ts';
import { type Heard, operatorReason, type Told } from './task-words.ts';

const AT_ONCE = 200;
const POLL_MS = 15_000;

/** @param now unix milliseconds */
export function followedDrawings(
  drawings: Drawings,
  now: () => number,
): FollowedPlatform<MidjourneyRecord, DrawingNews> {
  return {
    format: 'midjourney',
    atOnce: AT_ONCE,
    unfinished: () => drawings.unfinished(),
    idOf: ({ mjId }) => mjId,
    question: (ids) => ({
      method: 'POST',
      operation: 'task/list-by-condition',
      body: { ids: [...ids] },
      timeoutMs: POLL_MS,
      timeoutHolds: 'always',
    }),
    read: readTaskList,
    failure: { status: 'FAILURE', failReason: 'failed' },
    follow: (row, heard) => followDrawing(drawings, row, { heard, nowMs: now() }),
  };
}

/** Writes what is new of a drawing, as its owner may read it. */
export async function followDrawing(
  drawings: Drawings,
  row: MidjourneyRecord,
  { heard, nowMs }: { readonly heard: Heard<DrawingNews>; readonly nowMs: number },
): Promise<void> {
  const told = typeof heard === 'object' ? newsForOwner(heard) : heard;
  const changes = changesOf(row, told, nowMs);
  if (changes !== undefined) await drawings.advance(row.id, changes, operatorReason(heard));
}

function newsForOwner({ news, words }: Told<DrawingNews>): DrawingNews {
  const shown = { ...news };
  if (news.description !== undefined) shown.description = words.forOwner(news.description);
  if (news.failReason !== undefined) shown.failReason = words.failureForOwner(news.failReason);
  return shown;
}
