/** What the conditions of a channel's parameter override are told of the call (relay.md 12.5). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { type HarnessStarts, startsHarnesses } from '../support/harness-starts.ts';
import { chatRequest } from './wire.ts';

const test = suite<HarnessStarts>('relay: facts of overrides');

startsHarnesses(test);

test('tells conditions what the attempt is, by whom and for which group it is made', async ({ start, upstream }) => {
  const broken = await startFakeUpstream(jsonAnswer({ error: { message: 'broke down' } }, 500));
  const facts = {
    model: 'mapped',
    original_model: 'gpt-4o',
    upstream_model: 'mapped',
    retry_index: 1,
    channel_id: 2,
    user_group: 'default',
    using_group: 'dear',
  };
  const seen = (wanted: Readonly<Record<string, string | number>>, prefix: string) =>
    Object.entries(wanted).map(([path, value]) => {
      const conditions = [{ path, mode: 'full', value }];
      return { mode: 'set', path: `${prefix}_${path}`, value: true, conditions };
    });
  const others = { original_model: 'mapped', upstream_model: 'gpt-4o', retry_index: 0, using_group: 'default' };
  const paramOverride = JSON.stringify({ operations: [...seen(facts, 'is'), ...seen(others, 'other')] });
  const channel = { models: 'gpt-4o', modelMapping: '{"gpt-4o":"mapped"}' };
  const harness = await start({
    channels: [
      { ...channel, id: 1, baseUrl: broken.url, group: 'cheap' },
      { ...channel, id: 2, baseUrl: upstream.url, group: 'dear', paramOverride },
    ],
    token: { group: 'auto' },
    options: {
      RetryTimes: 1,
      AutoGroups: ['cheap', 'dear'],
      UserUsableGroups: { auto: 'auto', cheap: 'cheap', dear: 'dear' },
      GroupRatio: { default: 1, cheap: 1, dear: 1 },
    },
  });
  assert.is((await harness.post('/v1/chat/completions', chatRequest)).status, 200);
  const body: Record<string, unknown> = JSON.parse(String(upstream.requests[0]?.body));
  const noted = Object.keys(body).filter((key) => /^(?:is|other)_/.test(key));
  assert.equal(
    noted,
    Object.keys(facts).map((fact) => `is_${fact}`),
  );
  await broken.close();
});

test.run();
