import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chineseReason } from '../../../daemon/contract/option-reasons.ts';
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

/** What the field `other` of each type may say, and what its calls could not read. */
const others: readonly (readonly [type: number, taken: readonly string[], refused: readonly string[]])[] = [
  [3, ['', 'v1', 'preview', '2024-10-21', '2025-04-01-preview'], ['latest', '2024-10', '2024-10-21&x=1', 'V1']],
  [18, ['', 'v3.5', 'v3.1-128K', 'x1', '0'], ['../v3.5', 'v3.5?x', '版本']],
  [21, ['123456', '知识库'], ['']],
  [24, ['', 'v1', 'v1beta', 'v1alpha', 'v1beta2'], ['beta', 'v1/models', 'V1']],
  [33, ['', 'us-east-1', 'us-gov-west-1', 'eu-isoe-west-1'], ['us', 'us-east', 'evil.example/us-east-1']],
  [
    37,
    ['', 'chat', 'completion', 'workflow', 'workflow:topic', 'completion:text'],
    ['agent', 'Workflow', 'chat:topic', 'workflow:', 'workflow:a:b', 'workflows'],
  ],
  [39, ['d6b5da8', 'account'], ['', 'bad/../id', 'a b']],
  [46, ['', 'app-AbCd1234'], ['AbCd1234']],
  [101, ['', 'preview', '2024-05-01-preview'], ['2024-05-01-preview/x', 'dated']],
  // Whom a bot talks to may be anybody; the other types have no use for the field.
  [103, ['', 'Zoë 7'], []],
  [1, ['', 'left by another gateway: ?'], []],
];

function refusalOf(work: () => unknown): unknown {
  try {
    work();
    return 'accepted';
  } catch (error) {
    if (!(error instanceof TollgateError)) throw error;
    const { code, field, params } = error;
    return { code, field, isTold: /[\u4e00-\u9fff]/.test(chineseReason(String(params.reason))) };
  }
}

input(
  'takes what the calls of a type can read in its field, and names the field and the remedy for anything else',
  () => {
    const told = { code: 'channel_rule_invalid', field: 'other', isTold: true };
    for (const [type, taken, refused] of others) {
      const made = (other: string) => refusalOf(() => completeChannel({ ...row, type, other }, undefined, ['key']));
      for (const other of taken) assert.is(made(other), 'accepted', `${type}: ${other}`);
      for (const other of refused) assert.equal(made(other), told, `${type}: ${other}`);
    }
  },
);

input('asks for an account only where neither the address nor every key has one', () => {
  const cloudflare = { ...row, type: 39 };
  const gateway = 'https://gateway.ai.cloudflare.com/v1/a/g/workers-ai';
  assert.is(completeChannel(cloudflare, undefined, ['a|token', 'b|token']).other, '');
  assert.is(completeChannel({ ...cloudflare, baseUrl: gateway }, undefined, ['token']).other, '');
  // Of stored keys nothing is known here.
  const stale = { ...cloudflare, other: 'no account' };
  assert.is(completeChannel(stale, stale, ['token']).other, 'no account', 'what is stored goes on with other keys');
  assert.is(
    codeOf(() => completeChannel(cloudflare, cloudflare, ['token'])),
    'channel_rule_invalid',
    'keys that come to it are judged',
  );
  assert.is(completeChannel(cloudflare, { ...cloudflare, other: 'account' }).other, '');
  assert.is(
    codeOf(() => completeChannel(cloudflare, undefined, ['a|token', 'token'])),
    'channel_rule_invalid',
  );
});

input('leaves what was stored before a rule was known as it is, until it or the type changes', () => {
  const stored = { ...row, type: 37, other: ' agent' };
  assert.is(completeChannel({ ...stored, models: 'b' }, stored).other, ' agent');
  assert.is(completeChannel({ ...stored, other: 'agent' }, stored).other, 'agent');
  assert.is(
    codeOf(() => completeChannel({ ...stored, other: 'agents' }, stored)),
    'channel_rule_invalid',
  );
  assert.is(
    codeOf(() => completeChannel({ ...stored, type: 24 }, stored)),
    'channel_rule_invalid',
  );
});

input('cuts the blanks around it', () => {
  assert.equal(readChannelInput({ other: ' v3.5 ' }), { other: 'v3.5' });
});

input.run();
