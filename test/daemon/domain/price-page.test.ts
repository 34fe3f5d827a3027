import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OptionValues } from '../../../daemon/contract/options.ts';
import { enabledModels, ModelCatalog } from '../../../daemon/domain/models.ts';
import { PricePageService } from '../../../daemon/domain/price-page.ts';
import { capabilitiesOf } from '../../../daemon/gateway/model-capabilities.ts';
import { ChannelIndexImage } from '../../../daemon/snapshots/channel-index.ts';
import type { ChannelView } from '../../../daemon/snapshots/channel-view.ts';
import type { Snapshot } from '../../../daemon/snapshots/snapshots.ts';
import { channelView } from '../../support/channel-records.ts';
import { optionsView } from '../../support/options-view.ts';
import { isRefusal } from '../../support/refusal-code.ts';

const prices = suite('domain/price-page');

const catalog = new ModelCatalog([
  { channelType: 1, owner: 'openai', models: ['gpt-4o', 'o3'] },
  { channelType: 43, owner: 'deepseek', models: ['deepseek-chat', 'gpt-4o'] },
]);

const snapshot = (channels: ChannelView[], options: OptionValues = {}): Snapshot => ({
  revision: 1,
  setupDone: true,
  channels: ChannelIndexImage.empty().with(new Map(channels.map((channel) => [channel.record.id, channel]))),
  options: optionsView({ ModelRatio: { 'gpt-4o': 1.25, o3: 2 }, ModelPrice: { 'dall-e-3': 0.04 }, ...options }),
});

const service = (view: Snapshot) =>
  new PricePageService({
    view: () => view,
    catalog,
    namesOn: (channel, client) => ({ bare: client.slice((channel.record.modelPrefix ?? '').length) }),
    capabilitiesOf,
  });

const namesOf = (view: Snapshot, group: string | undefined) =>
  service(view)
    .page(group, 'en')
    .models.map(({ name, groups }) => `${name}: ${groups.join(' ')}`);

prices('shows a caller the models of usable groups alone', () => {
  const view = snapshot([
    channelView({ id: 1, models: 'gpt-4o', group: 'default,vip,internal' }),
    channelView({ id: 2, models: 'o3', group: 'internal' }),
  ]);
  assert.equal(namesOf(view, 'default'), ['gpt-4o: default vip']);
  assert.equal(namesOf(view, 'internal'), ['gpt-4o: default vip internal', 'o3: internal']);
  assert.equal(namesOf(view, undefined), ['gpt-4o: default']);
});

prices('shows prefixed names, and the bare one only where a channel without prefix serves it', () => {
  const prefixed = channelView({ id: 1, models: 'gpt-4o', modelPrefix: 'x/' });
  assert.equal(namesOf(snapshot([prefixed]), 'default'), ['x/gpt-4o: default']);
  assert.equal(namesOf(snapshot([prefixed, channelView({ id: 2 })]), 'default'), [
    'gpt-4o: default',
    'x/gpt-4o: default',
  ]);
});

prices('leaves out disabled channels and models without a price', () => {
  const channels = [channelView({ id: 1, status: 2 }), channelView({ id: 2, models: 'unpriced,dall-e-3' })];
  assert.equal(namesOf(snapshot(channels), 'default'), ['dall-e-3: default']);
  assert.equal(namesOf(snapshot(channels, { SelfUseModeEnabled: true }), 'default'), [
    'dall-e-3: default',
    'unpriced: default',
  ]);
});

prices('say what a model may be asked for and how much its channels take', () => {
  const channels = [
    channelView({ id: 1, models: 'gpt-4o,text-embedding-3-small', maxInputTokens: 8000 }),
    channelView({ id: 2, type: 43, models: 'gpt-4o', maxInputTokens: 128_000 }),
  ];
  const view = snapshot(channels, { ModelRatio: { 'gpt-4o': 1.25, 'text-embedding-3-small': 0.01 } });
  assert.equal(
    service(view)
      .page('default', 'en')
      .models.map(({ name, endpoints, contextSize }) => [name, endpoints, contextSize]),
    [
      ['gpt-4o', ['chat'], 128_000],
      ['text-embedding-3-small', ['embeddings'], 8000],
    ],
  );
});

prices('shows the ratio that this caller pays in each group', () => {
  const view = snapshot([], {
    GroupRatio: { default: 1, vip: 0.8 },
    GroupGroupRatio: { staff: { vip: 0.5 } },
    UserUsableGroups: { default: 'all', vip: 'paid' },
  });
  assert.equal(service(view).page('default', 'en').groupRatio, { default: 1, vip: 0.8 });
  assert.equal(service(view).page('staff', 'en').groupRatio, { default: 1, vip: 0.5, staff: 1 });
  assert.equal(service(view).page(undefined, 'en').usableGroup, { default: 'all' });
});

prices('keeps the ratio maps shut until they are opened', () => {
  assert.throws(() => service(snapshot([])).ratios(), isRefusal('ratio_hidden'));
  const open = service(snapshot([], { ExposeRatioEnabled: true })).ratios();
  assert.equal(open.modelPrice, { 'dall-e-3': 0.04 });
});

prices('lists built-in models once, owned by the vendor that comes first', () => {
  assert.equal(catalog.all(), [
    { name: 'gpt-4o', owner: 'openai' },
    { name: 'o3', owner: 'openai' },
    { name: 'deepseek-chat', owner: 'deepseek' },
  ]);
  assert.is(catalog.ownerOf(43), 'deepseek');
  assert.is(catalog.ownerOf(999), 'custom');
});

prices('lists the bare models of enabled channels for the price editors', () => {
  const { channels } = snapshot([
    channelView({ id: 1, models: 'b,a', modelPrefix: 'x/' }),
    channelView({ id: 2, models: 'c', status: 2 }),
  ]);
  assert.equal(enabledModels(channels), ['a', 'b']);
});

prices.run();
