/** Places among the calls that may run at once: taken at the start, free again when the answer is out. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MediaDownloadPort } from '../../daemon/gateway/request-media.ts';
import { DownloadFailed } from '../../daemon/upstream/media-download.ts';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { until } from '../support/until.ts';
import { completion } from './wire.ts';

const test = suite('relay: places');
const model = 'gpt-4o';

/** An image server that keeps everybody waiting until told. */
class SlowImages implements MediaDownloadPort {
  readonly maxBytes = 1024;
  asked = 0;
  answer: () => void = () => undefined;
  readonly #answered = new Promise<void>((resolve) => {
    this.answer = resolve;
  });

  async fetch(): Promise<never> {
    this.asked += 1;
    await this.#answered;
    throw new DownloadFailed('the address cannot be reached');
  }
}

test('are free while the bill of an answered call waits for its count, and a stop waits for that bill', async () => {
  const upstream = await startFakeUpstream(() => jsonAnswer(completion({ usage: undefined })));
  const downloads = new SlowImages();
  const harness = await GatewayHarness.start({
    channels: [{ id: 1, type: 1, baseUrl: upstream.url, models: model, keys: ['k'] }],
    config: { maxConcurrent: 1, maxConcurrentPerUser: 1, countsMedia: { streamed: true, whole: true } },
    downloads,
  });
  try {
    const content = [{ type: 'image_url', image_url: { url: 'https://example.org/cat.png' } }];
    for (const calls of [1, 2, 3]) {
      const answer = await harness.post('/v1/chat/completions', { model, messages: [{ role: 'user', content }] });
      assert.is(answer.status, 200, JSON.stringify(answer));
      await until(() => downloads.asked >= calls);
    }
    assert.is(harness.gateway.running, 3);
    let stopped = false;
    const drained = harness.gateway.drain().then(() => {
      stopped = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.is(stopped, false);
    downloads.answer();
    await drained;
    const rows = await harness.rows();
    assert.equal(
      rows.map(({ facts }) => facts.usage_estimated),
      [true, true, true],
    );
  } finally {
    downloads.answer();
    await harness.stop();
    await upstream.close();
  }
});

test.run();
