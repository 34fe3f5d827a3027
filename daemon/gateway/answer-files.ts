/** Files that an answer names by address and the client wants inside it (relay.md 5.6). */
import type { FetchedMedium } from '../relay/canonical/remote-media.ts';
import { mediaTypeOf } from '../relay/formats/media-type.ts';
import type { WholeAnswer } from './lane.ts';
import type { MediaDownloadPort } from './request-media.ts';

/** Files of one answer that are loaded at once. */
const MAX_PARALLEL = 8;

/** Loads the files and puts them in. What cannot be loaded stays an address: the answer is paid for. */
export async function withFiles(answer: WholeAnswer, downloads: MediaDownloadPort): Promise<void> {
  const calledOff = new AbortController();
  const loaded = new Map<string, FetchedMedium>();
  const waiting = [...new Set(answer.files)];
  const load = async () => {
    for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
      const file = await downloads.fetch(url, calledOff.signal).catch(() => undefined);
      if (file === undefined) continue;
      const mediaType = mediaTypeOf({ ...file, name: '' });
      loaded.set(url, { mediaType, data: file.bytes.toString('base64') });
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, waiting.length) }, load));
  answer.putFiles?.(loaded);
}
