import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ChannelInput,
  completeChannel,
  groupList,
  readChannelInput,
} from '../../../daemon/domain/channel-input.ts';
import { TollgateError } from '../../../daemon/errors.ts';

const input = suite('domain/channel-input');

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof TollgateError) return error.code;
    throw error;
  }
  return 'accepted';
}

input('writes only the members that are present', () => {
  assert.equal(readChannelInput({ models: 'a, b,a,,c' }), { models: 'a,b,c' });
  assert.equal(readChannelInput({}), {});
});

input('takes empty key members as unchanged and clears what may be cleared', () => {
  const cleared = { base_url: '', other: '', model_mapping: '', setting: '', param_override: '', model_prefix: '' };
  assert.equal(readChannelInput({ name: '', models: '', group: '', type: 0, ...cleared }), {
    baseUrl: '',
    other: '',
    modelMapping: '',
    setting: '',
    paramOverride: '',
    modelPrefix: '',
  });
});

input('lets null clear the tag alone', () => {
  assert.equal(readChannelInput({ tag: null, name: null, other: null }), { tag: null });
});

input('accepts numbers written as text', () => {
  assert.equal(readChannelInput({ priority: '-5', weight: '10', auto_ban: '0', type: '43' }), {
    priority: -5,
    weight: 10,
    autoBan: 0,
    type: 43,
  });
});

input('strips one trailing slash from the base address', () => {
  assert.equal(readChannelInput({ base_url: ' https://up.example/v1/ ' }), { baseUrl: 'https://up.example/v1' });
  assert.equal(readChannelInput({ base_url: 'https://up.example/v1//' }), { baseUrl: 'https://up.example/v1/' });
});

input('leaves a query as it is, whatever it ends in', () => {
  const baseUrl = 'https://up.example/chat?key=a/b/';
  assert.equal(readChannelInput({ type: 8, base_url: baseUrl }), { type: 8, baseUrl });
});

input('takes groups as a list or a comma text', () => {
  assert.equal(groupList({ groups: ['default', ' vip ', 'vip'] }), ['default', 'vip']);
  assert.equal(groupList({ group: 'default,vip' }), ['default', 'vip']);
  assert.is(groupList({}), undefined);
});

const refusals: [ChannelInput, string][] = [
  [{ type: 49 }, 'channel_type_unknown'],
  [{ type: 'x' }, 'channel_type_unknown'],
  [{ priority: -1000 }, 'channel_priority_invalid'],
  [{ priority: 1.5 }, 'channel_priority_invalid'],
  [{ weight: -1 }, 'channel_weight_invalid'],
  [{ weight: 'much' }, 'channel_weight_invalid'],
  [{ status: 3 }, 'channel_status_invalid'],
  [{ name: 'x'.repeat(256) }, 'invalid_input'],
  [{ groups: ['g'.repeat(65)] }, 'invalid_input'],
  [{ tag: 't'.repeat(65) }, 'invalid_input'],
  [{ name: 'a\u0000b' }, 'invalid_input'],
];
for (const [members, code] of refusals) {
  input(`refuses ${JSON.stringify(members).slice(0, 60)} with ${code}`, () => {
    assert.is(
      codeOf(() => readChannelInput(members)),
      code,
    );
  });
}

const row = { type: 1, other: '', models: 'gpt-4o', modelPrefix: '' };

input('measures model names with their prefix', () => {
  const models = 'm'.repeat(250);
  assert.is(
    codeOf(() => completeChannel({ ...row, models })),
    'accepted',
  );
  assert.is(
    codeOf(() => completeChannel({ ...row, models, modelPrefix: 'prefix' })),
    'channel_model_too_long',
  );
});

input('asks type 41 for a region with a default', () => {
  const vertex = { ...row, type: 41 };
  assert.is(
    codeOf(() => completeChannel(vertex)),
    'channel_region_required',
  );
  assert.is(
    codeOf(() => completeChannel({ ...vertex, other: '{"a":"us"}' })),
    'channel_region_default',
  );
  assert.is(
    codeOf(() => completeChannel({ ...vertex, other: '{"default":"us"}' })),
    'accepted',
  );
  assert.is(
    codeOf(() => completeChannel({ ...vertex, other: 'us-central1' })),
    'accepted',
  );
});

input('fills in the version of type 18', () => {
  assert.is(completeChannel({ ...row, type: 18 }).other, 'v2.1');
  assert.is(completeChannel({ ...row, type: 18, other: 'v3.5' }).other, 'v3.5');
});

input.run();
