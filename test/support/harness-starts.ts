/** Suites whose tests start the relay alone, each with settings of its own, before one upstream. */
import type { Test } from 'uvu';
import { completion } from '../relay/wire.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from './fake-upstream.ts';
import { GatewayHarness, type HarnessOptions } from './gateway-harness.ts';

export interface HarnessStarts {
  upstream: FakeUpstream;
  /** With one channel for two models, unless the options say otherwise; stopped after the test. */
  start: (options?: Partial<HarnessOptions>) => Promise<GatewayHarness>;
  harnesses: GatewayHarness[];
}

export function startsHarnesses(test: Test<HarnessStarts>): void {
  test.before.each(async (context) => {
    context.upstream = await startFakeUpstream(jsonAnswer(completion()));
    context.harnesses = [];
    context.start = async (options = {}) => {
      const harness = await GatewayHarness.start({
        channels: [{ id: 1, baseUrl: context.upstream.url, models: 'gpt-4o,gpt-4o-mini' }],
        ...options,
      });
      context.harnesses.push(harness);
      return harness;
    };
  });
  test.after.each(async ({ harnesses, upstream }) => {
    for (const harness of harnesses) await harness.stop();
    await upstream.close();
  });
}
