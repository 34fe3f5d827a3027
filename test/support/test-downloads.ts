/** What a test says of the files that requests and answers name by address. */
import type { GatewayDeps } from '../../daemon/gateway/gateway.ts';
import { noDownloads } from '../../daemon/gateway/request-media.ts';

type Downloads = GatewayDeps['downloads'];

export type TestDownloads = Partial<Downloads>;

const noStream = () => Promise.reject(new Error('no files'));
/** A spread would leave out the methods of a class. */
export function downloadsOf(given: TestDownloads = {}): Downloads {
  return {
    maxBytes: given.maxBytes ?? noDownloads.maxBytes,
    fetch: (...call) => given.fetch?.(...call) ?? noDownloads.fetch(...call),
    stream: (...call) => given.stream?.(...call) ?? noStream(),
  };
}
