/** Files that an answer names by address and the client wants inside it (relay.md 5.6). */
import type { FetchedMedium } from '../relay/canonical/remote-media.ts';
import { mediaTypeOf } from '../relay/formats/media-type.ts';
import type { Sink } from './exchange.ts';
import type { WholeAnswer } from './lane.ts';
import type { MediaDownloadPort } from './request-media.ts';
import type { RunningWork } from './running-work.ts';

/** Files of one answer that are loaded at once. */
const MAX_PARALLEL = 8;

export interface AnswerFilesDeps {
  readonly downloads: MediaDownloadPort;
  readonly work: RunningWork;
}

/**
 * Loads the files and puts them in, for as long as the client waits and the node may. What is not loaded stays an
 * address: the answer is paid for.
 */
export async function withFiles(answer: WholeAnswer, deps: AnswerFilesDeps, sink: Sink): Promise<void> {
  const { downloads, work } = deps;
  const calledOff = new AbortController();
  const loaded = new Map<string, FetchedMedium>();
  const waiting = [...new Set(answer.files)];
  const loading = {
    interrupt() {
      waiting.length = 0;
      calledOff.abort();
    },
  };
  const load = async () => {
    for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
      const file = await downloads.fetch(url, calledOff.signal).catch(() => undefined);
      if (file === undefined) continue;
      const mediaType = mediaTypeOf({ ...file, name: '' });
      loaded.set(url, { mediaType, data: file.bytes.toString('base64') });
    }
  };
  sink.onGone(() => loading.interrupt());
  const place = work.add(loading);
  await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, waiting.length) }, load));
  work.remove(loading, place);
  if (!sink.gone) answer.putFiles?.(loaded);
}
