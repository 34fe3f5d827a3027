/** Gateways before a scripted upstream of tasks, whose books are checked behind each test. */
import type { Test } from 'uvu';
import type { Json } from '../../daemon/relay/json.ts';
import type { RecordedRequest, Script } from '../support/fake-upstream.ts';
import { type CheckedWorld, checksBooks } from './checked-books.ts';

/** The upstream takes every task until it is told otherwise, and the key has enough for a hundred. */
export function tasksInWorlds(
  test: Test<CheckedWorld>,
  kind: { readonly type: number; readonly models: string; readonly price: number; readonly accepts: () => Script },
): void {
  const { type, models, price, accepts } = kind;
  checksBooks(test, accepts, ({ url: baseUrl }) => ({
    channels: [{ id: 1, type, baseUrl, models, keys: ['sk-one'] }],
    token: { unlimitedQuota: false, remainQuota: price * 100 },
  }));
}

/** The body that the upstream was sent. */
export function sent(request: RecordedRequest | undefined): Record<string, Json> {
  return JSON.parse(request?.body.toString() || '{}');
}
