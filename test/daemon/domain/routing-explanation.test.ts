import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { explainRouting, type RoutingExplanationDeps } from '../../../daemon/domain/routing-explanation.ts';
import { ChannelIndexImage } from '../../../daemon/snapshots/channel-index.ts';
import type { ChannelView } from '../../../daemon/snapshots/channel-view.ts';
import { channelView } from '../../support/channel-records.ts';
import { optionsView } from '../../support/options-view.ts';

const explanation = suite('domain/routing-explanation');

const view = (channels: ChannelView[], options = optionsView()) => ({
  channels: ChannelIndexImage.empty().with(new Map(channels.map((channel) => [channel.record.id, channel]))),
  options,
});
const question = { groups: ['default'], model: 'gpt-4o' };
const deps: RoutingExplanationDeps = {
  canServe: (channel) => channel.record.type !== 36,
  coolingMs: (channelId) => (channelId === 7 ? 4000 : 0),
  fullMs: () => 0,
  spentMs: (channel) => (channel.record.id === 9 ? 60_000 : 0),
};

explanation('lists candidates by tier with the share of their tier', () => {
  const { candidates } = explainRouting(
    question,
    view([channelView({ id: 1, priority: 5 }), channelView({ id: 2, weight: 0 }), channelView({ id: 3, weight: 90 })]),
    deps,
  );
  assert.equal(
    candidates.map(({ channelId, tier, share }) => [channelId, tier, Math.round(share * 1000) / 1000]),
    [
      [1, 0, 1],
      [2, 1, 0.091],
      [3, 1, 0.909],
    ],
  );
});

explanation('judges a channel of several groups once, though time goes on meanwhile', () => {
  let leftMs = 3;
  const cooling = { ...deps, coolingMs: () => --leftMs };
  const { candidates, excluded } = explainRouting(
    { ...question, groups: ['default', 'vip', 'best'] },
    view([channelView({ id: 1, group: 'default,vip,best' })]),
    cooling,
  );
  assert.equal([candidates, excluded.map(({ channelId, freeInMs }) => [channelId, freeInMs])], [[], [[1, 2]]]);
});

explanation('says of every channel that offers the model why it is left out', () => {
  const { candidates, excluded } = explainRouting(
    question,
    view([
      channelView({ id: 1 }),
      channelView({ id: 2, status: 2 }),
      channelView({ id: 3, status: 3 }),
      channelView({ id: 4, group: 'vip' }),
      channelView({ id: 5, type: 36 }),
      channelView({ id: 6 }, []),
      channelView({ id: 7 }),
      channelView({ id: 8, models: 'another' }),
      channelView({ id: 9 }),
    ]),
    deps,
  );
  assert.equal(
    candidates.map((candidate) => candidate.channelId),
    [1],
  );
  assert.equal(
    excluded.map(({ channelId, reason }) => [channelId, reason]),
    [
      [2, 'disabled'],
      [3, 'disabled-automatically'],
      [4, 'other-group'],
      [5, 'endpoint'],
      [6, 'no-usable-key'],
      [7, 'cooling'],
      [9, 'budget'],
    ],
  );
  assert.equal(
    excluded.slice(-2).map(({ freeInMs }) => freeInMs),
    [4000, 60_000],
  );
});

explanation('goes through the groups in their order', () => {
  const { candidates } = explainRouting(
    { ...question, groups: ['vip', 'default'] },
    view([channelView({ id: 1 }), channelView({ id: 2, group: 'vip' })]),
    deps,
  );
  assert.equal(
    candidates.map(({ channelId, group }) => [channelId, group]),
    [
      [2, 'vip'],
      [1, 'default'],
    ],
  );
});

explanation('splits a tier evenly under round robin', () => {
  const options = optionsView({ RoutingStrategy: 'round_robin' });
  const { candidates } = explainRouting(
    question,
    view([channelView({ id: 1, weight: 90 }), channelView({ id: 2 })], options),
    deps,
  );
  assert.equal(
    candidates.map((candidate) => candidate.share),
    [0.5, 0.5],
  );
});

explanation.run();
