import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChannelIndexImage } from '../../../daemon/snapshots/channel-index.ts';
import type { ChannelView } from '../../../daemon/snapshots/channel-view.ts';
import { channelView } from '../../support/channel-records.ts';
import { assertQuick } from '../../support/processor-time.ts';

const index = suite('snapshots/channel-index');

const indexOf = (...channels: ChannelView[]) =>
  ChannelIndexImage.empty().with(new Map(channels.map((channel) => [channel.record.id, channel])));
const ids = (image: ChannelIndexImage, group: string, model: string) =>
  image.candidates(group, model).map((ability) => ability.channel.record.id);

index('lists candidates by priority, then by id', () => {
  const image = indexOf(
    channelView({ id: 3, priority: 0 }),
    channelView({ id: 1, priority: 0 }),
    channelView({ id: 2, priority: 5 }),
  );
  assert.equal(ids(image, 'default', 'gpt-4o'), [2, 1, 3]);
});

index('offers every model of a channel to each of its groups under the prefixed name alone', () => {
  const image = indexOf(channelView({ id: 1, group: 'default, vip', models: 'a,b,,a ', modelPrefix: 'x/' }));
  assert.equal(image.modelsOf('vip'), ['x/a', 'x/b']);
  assert.equal(ids(image, 'default', 'x/a'), [1]);
  assert.equal(ids(image, 'default', 'a'), []);
});

index('knows the models of disabled channels without routing to them', () => {
  const image = indexOf(channelView({ id: 1, status: 2 }));
  assert.equal(ids(image, 'default', 'gpt-4o'), []);
  assert.equal(image.modelsOf('default'), []);
  assert.ok(image.offers('gpt-4o'));
  assert.ok(image.offers('gpt-4o', ['default']));
  assert.not(image.offers('gpt-4o', ['vip']));
});

index('moves a channel whose group, models or status changed and leaves the older index alone', () => {
  const before = indexOf(channelView({ id: 1 }), channelView({ id: 2 }));
  const after = before.with(
    new Map([
      [1, channelView({ id: 1, group: 'vip', models: 'other' })],
      [2, undefined],
    ]),
  );
  assert.equal(ids(before, 'default', 'gpt-4o'), [1, 2]);
  assert.equal(ids(after, 'default', 'gpt-4o'), []);
  assert.not(after.offers('gpt-4o'));
  assert.equal(ids(after, 'vip', 'other'), [1]);
  assert.is(after.get(2), undefined);
  assert.equal(after.modelsOf('default'), []);
});

index('finds a name that nobody lists under the entry that stands for it, and takes the name itself first', () => {
  const image = indexOf(
    channelView({ id: 1, models: 'gpt-4-gizmo-*,gemini-2.5-pro-thinking', modelPrefix: 'x/' }),
    channelView({ id: 2, models: 'x/gpt-4-gizmo-own' }),
  );
  assert.equal(ids(image, 'default', 'x/gpt-4-gizmo-any'), [1]);
  assert.equal(ids(image, 'default', 'x/gpt-4-gizmo-own'), [2]);
  assert.equal(ids(image, 'default', 'x/gemini-2.5-pro-thinking-2048'), [1]);
  assert.ok(image.offers('x/gpt-4-gizmo-any', ['default']));
  for (const name of ['gpt-4-gizmo-any', 'x/gemini-2.5-pro-thinking-high', 'x/kimi-thinking-9']) {
    assert.equal(ids(image, 'default', name), [], name);
  }
});

index('looks for such an entry in no more time than a long name has characters', async () => {
  const image = indexOf(channelView());
  const name = 'gemini-'.repeat(10_000) + '-thinking-'.repeat(10_000);
  await assertQuick(500, () => assert.is(image.offers(name), false));
});

index('answers names from Object.prototype with nothing', () => {
  const image = indexOf(channelView());
  assert.equal(ids(image, 'default', 'constructor'), []);
  assert.equal(ids(image, '__proto__', 'gpt-4o'), []);
});

index('applies one edit among ten thousand channels in a few milliseconds', async () => {
  const models = Array.from({ length: 50 }, (_, at) => `model-${at}`).join(',');
  const channels = Array.from({ length: 10_000 }, (_, at) => channelView({ id: at + 1, models, priority: at % 5 }));
  const image = indexOf(...channels);
  const next = channelView({ id: 77, models, priority: 9 });
  const edited = () => image.with(new Map([[77, next]])).candidates('default', 'model-3')[0]?.channel;
  // A rebuild of the whole index takes far longer.
  await assertQuick(100, () => assert.is(edited(), next));
});

index.run();
