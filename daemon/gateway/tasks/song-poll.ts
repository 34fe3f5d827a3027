/** How music tasks that are not final yet are asked for (relay.md 9). */
import type { Songs, TaskRecord } from '../../domain/songs.ts';
import { changesOf, dataRetold, readSongList, type SongNews } from '../../relay/tasks/suno/news.ts';
import type { FollowedPlatform } from './task-poller.ts';
import { operatorReason, type Told } from './task-words.ts';

/** Some upstreams answer no longer questions. */
const AT_ONCE = 100;
const POLL_MS = 15_000;

/** @param nowSeconds unix seconds */
export function followedSongs(songs: Songs, nowSeconds: () => number): FollowedPlatform<TaskRecord, SongNews> {
  return {
    format: 'suno',
    atOnce: AT_ONCE,
    unfinished: () => songs.unfinished(),
    idOf: ({ taskId }) => taskId,
    question: (ids) => ({
      method: 'POST',
      operation: 'fetch',
      body: { ids: [...ids] },
      timeoutMs: POLL_MS,
      timeoutHolds: 'always',
    }),
    read: readSongList,
    failure: { status: 'FAILURE', failReason: 'failed' },
    follow: async (row, heard) => {
      const told = typeof heard === 'object' ? newsForOwner(heard) : undefined;
      const changes = changesOf(row, told, nowSeconds());
      if (changes !== undefined) await songs.advance(row.id, changes, operatorReason(heard));
    },
  };
}

function newsForOwner({ news, words }: Told<SongNews>): SongNews {
  const shown = { ...news };
  if (news.failReason !== undefined) shown.failReason = words.failureForOwner(news.failReason);
  if (news.data !== undefined) shown.data = dataRetold(news.data, words.failureForOwner);
  return shown;
}
