/** How drawings that are not final yet are asked for (relay.md 8.8). */
import type { Drawings, MidjourneyRecord } from '../../domain/drawings.ts';
import { changesOf, type DrawingNews, readTaskList } from '../../relay/tasks/midjourney/news.ts';
import type { FollowedPlatform } from './task-poller.ts';

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
    }),
    read: readTaskList,
    follow: async (row, news) => {
      const changes = changesOf(row, news, now());
      if (changes !== undefined) await drawings.advance(row.id, changes);
    },
  };
}
