import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { channelView } from '../../support/channel-records.ts';

const view = suite('snapshots/channel-view');

view('parses every text of a channel once', () => {
  const channel = channelView({
    setting: '{"force_format":true}',
    modelMapping: '{"a":"b"}',
    statusCodeMapping: '{"400":"500","401":"99","402":429,"403":200,"404":"204","405":307}',
    paramOverride: '{"temperature":0}',
  });
  assert.equal(channel.setting, { force_format: true });
  assert.is(channel.modelMapping === 'invalid' ? '' : channel.modelMapping.a, 'b');
  assert.equal(
    [...channel.statusCodeMapping],
    [
      [400, 500],
      [402, 429],
      [405, 307],
    ],
  );
  assert.equal(channel.paramOverride, { temperature: 0 });
});

view('stands in for texts that are not objects', () => {
  const channel = channelView({ setting: '[1]', modelMapping: '{"a":1}', paramOverride: '"x"' });
  assert.equal(channel.setting, {});
  assert.is(channel.modelMapping, 'invalid');
  assert.is(channel.paramOverride, 'invalid');
});

view('finds no mapping under the names of Object.prototype', () => {
  const { modelMapping } = channelView({ modelMapping: '' });
  assert.is(modelMapping === 'invalid' ? '' : modelMapping.constructor, undefined);
});

view.run();
