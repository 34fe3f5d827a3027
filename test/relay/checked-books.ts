/** Gateways before a scripted upstream, whose books are checked behind each test. */
import type { Test } from 'uvu';
import { type FakeUpstream, type Script, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness, type HarnessOptions } from '../support/gateway-harness.ts';
import { LedgerInvariants } from '../support/ledger-invariants.ts';

export interface CheckedWorld {
  upstream: FakeUpstream;
  start: (options?: Partial<HarnessOptions>) => Promise<GatewayHarness>;
  running: { harness: GatewayHarness; invariants: LedgerInvariants }[];
}

/** Each test has an upstream of its own, which answers as `script` says until it is told otherwise. */
export function checksBooks(
  test: Test<CheckedWorld>,
  script: () => Script,
  optionsOf: (upstream: FakeUpstream) => HarnessOptions,
): void {
  test.before.each(async (world) => {
    world.upstream = await startFakeUpstream(script());
    world.running = [];
    world.start = async (options = {}) => {
      const harness = await GatewayHarness.start({ ...optionsOf(world.upstream), ...options });
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
