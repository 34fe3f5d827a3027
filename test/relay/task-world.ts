/** Gateways before a scripted upstream of tasks, whose books are checked behind each test. */
import type { Test } from 'uvu';
import type { Json } from '../../daemon/relay/json.ts';
import { type FakeUpstream, type RecordedRequest, type Script, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness, type HarnessOptions } from '../support/gateway-harness.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';

export interface TaskWorld {
  upstream: FakeUpstream;
  start: (options?: Partial<HarnessOptions>) => Promise<GatewayHarness>;
  running: { harness: GatewayHarness; invariants: LedgerInvariants }[];
}

/**
 * Each test has an upstream of its own, which answers as `accepts` says until it is told otherwise, and a key with
 * enough for a hundred tasks.
 */
export function tasksInWorlds(
  test: Test<TaskWorld>,
  kind: { readonly type: number; readonly models: string; readonly price: number; readonly accepts: () => Script },
): void {
  const { type, models, price, accepts } = kind;
  test.before.each(async (world) => {
    world.upstream = await startFakeUpstream(accepts());
    world.running = [];
    world.start = async (options = {}) => {
      const harness = await GatewayHarness.start({
        channels: [{ id: 1, type, baseUrl: world.upstream.url, models, keys: ['sk-one'] }],
        token: { unlimitedQuota: false, remainQuota: price * 100 },
        ...options,
      });
      world.running.push({ harness, invariants: await LedgerInvariants.begin(harness.databaseUrl) });
      return harness;
    };
  });
  test.after.each(async ({ running, upstream }) => {
    for (const { harness, invariants } of running) {
      await harness.settled();
      await invariants.check();
      await invariants.end();
      await harness.stop();
    }
    await upstream.close();
  });
}

/** The body that the upstream was sent. */
export function sent(request: RecordedRequest | undefined): Record<string, Json> {
  return JSON.parse(request?.body.toString() || '{}');
}
