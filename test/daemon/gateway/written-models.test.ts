/** Which model lists are written once, and for whom. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OptionValues } from '../../../daemon/contract/options.ts';
import type { Caller } from '../../../daemon/gateway/authenticate.ts';
import { getModel } from '../../../daemon/gateway/model-list.ts';
import { WrittenModels } from '../../../daemon/gateway/written-models.ts';
import { ChannelIndexImage } from '../../../daemon/snapshots/channel-index.ts';
import type { Snapshot } from '../../../daemon/snapshots/snapshots.ts';
import { userRecord } from '../../support/account-records.ts';
import { channelView } from '../../support/channel-records.ts';
import { optionsView } from '../../support/options-view.ts';
import { assertQuick } from '../../support/processor-time.ts';
import { isRefusal } from '../../support/refusal-code.ts';
import { callerOf } from '../../support/relay-caller.ts';

const lists = suite('gateway: written model lists');

const wanted = { shape: 'openai', page: {} } as const;

function snapshot(models: Readonly<Record<string, string>>, options: OptionValues = {}): Snapshot {
  const channels = Object.entries(models).map(([group, offered], at) =>
    channelView({ id: at + 1, group, models: offered }),
  );
  const index = ChannelIndexImage.empty().with(new Map(channels.map((channel) => [channel.record.id, channel])));
  return {
    revision: 1,
    setupDone: true,
    channels: index,
    options: optionsView({ ModelRatio: { a: 1, b: 1 }, ...options }),
  };
}

const namesOf = (text: string): string[] => JSON.parse(text).data.map(({ id }: { id: string }) => id);

lists('are written once for all callers whom the same is offered', async () => {
  const names = Array.from({ length: 5000 }, (_, at) => `model-${at}`);
  const view = snapshot({ default: names.join(',') }, { SelfUseModeEnabled: true });
  const written = new WrittenModels();
  await assertQuick(1500, () => {
    for (let asked = 0; asked < 1000; asked += 1) written.list(view, callerOf(), wanted);
  });
});

lists('are not put together for who asks for one model', async () => {
  const names = Array.from({ length: 5000 }, (_, at) => `model-${at}`);
  const view = snapshot(
    { default: names.join(',') },
    { ModelRatio: Object.fromEntries(names.map((name) => [name, 1])) },
  );
  await assertQuick(1500, () => {
    for (let at = 0; at < 500; at += 1) getModel(view, callerOf(), { shape: 'openai', model: `model-${at}` });
  });
  assert.throws(() => getModel(view, callerOf(), { shape: 'openai', model: 'model' }), isRefusal('model_unknown'));
});

lists('are others in another group, for a key with models of its own, and for who takes what has no price', () => {
  const view = snapshot({ default: 'a,b,unpriced', vip: 'b' });
  const written = new WrittenModels();
  const of = (over?: Partial<Caller>) => namesOf(written.list(view, callerOf(over), wanted));
  assert.equal(of(), ['a', 'b']);
  assert.equal(of({ group: 'vip' }), ['b']);
  assert.equal(of({ allowedModels: new Set(['a']) }), ['a']);
  assert.equal(of({ aliases: new Map([['mine', 'a']]) }), ['a', 'b', 'mine']);
  const user = userRecord({ setting: '{"accept_unset_model_ratio_model":true}' });
  assert.equal(of({ user }), ['a', 'b', 'unpriced']);
  assert.equal(of(), ['a', 'b']);
});

lists('follow every change of what is offered', () => {
  const written = new WrittenModels();
  assert.equal(namesOf(written.list(snapshot({ default: 'a' }), callerOf(), wanted)), ['a']);
  assert.equal(namesOf(written.list(snapshot({ default: 'a,b' }), callerOf(), wanted)), ['a', 'b']);
});

lists.run();
