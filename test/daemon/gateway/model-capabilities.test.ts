import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { capabilitiesOf } from '../../../daemon/gateway/model-capabilities.ts';
import { providers } from '../../../daemon/relay/providers/index.ts';

const names = suite('gateway/model-capabilities');

const siliconFlow = 40;
const xai = 48;
const ali = 17;
const gemini = 24;

names('a chat model that follows instructions is no model of old, whatever date its name ends with', () => {
  assert.equal(capabilitiesOf(siliconFlow, 'Qwen/Qwen3-235B-A22B-Instruct-2507'), ['chat']);
  assert.equal(capabilitiesOf(1, 'gpt-3.5-turbo-instruct-0914'), ['completions']);
});

names('a model that draws or films converses only where its maker says so', () => {
  assert.equal(capabilitiesOf(xai, 'grok-imagine-image'), ['images', 'image-edits']);
  assert.equal(capabilitiesOf(ali, 'wan2.6-t2i'), ['images', 'image-edits']);
  assert.equal(capabilitiesOf(xai, 'grok-imagine-video'), []);
  assert.equal(capabilitiesOf(gemini, 'gemini-2.5-flash-image'), ['chat', 'images', 'image-edits']);
});

names('every model that an editor offers does something, but for those that film', () => {
  for (const { channelType, models, retired } of providers) {
    if (retired !== undefined) continue;
    const idle = models.filter((model) => capabilitiesOf(channelType, model).length === 0);
    assert.equal(
      idle.filter((model) => !/video|-[TI]2V-/.test(model)),
      [],
      `type ${channelType}`,
    );
  }
});

names.run();
