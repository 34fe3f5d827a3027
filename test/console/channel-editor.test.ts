/** What the channel editor knows without a page: types, keys, models, and what it sends. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  findLoop,
  mappingText,
  namesByLine,
  namesByRow,
  repeatedName,
  rowsOfMapping,
} from '../../console/components/mapping-rows.ts';
import { draftOf, endsInVersion, keyRulesOf, newDraft, wireOf } from '../../console/pages/channels/channel-draft.ts';
import { draftFaults } from '../../console/pages/channels/draft-problems.ts';
import { foundChannels, foundTags } from '../../console/pages/channels/found-rows.ts';
import { holdsSeveralKeys, keyRows, keyTail, wireKeys } from '../../console/pages/channels/key-list.ts';
import { addModels, compareModels } from '../../console/pages/channels/model-list.ts';
import { specialFieldsOf } from '../../console/pages/channels/special-fields.ts';
import { tagEffects } from '../../console/pages/channels/tag-draft.ts';
import { tagRows } from '../../console/pages/channels/tag-rows.ts';
import { shareOf } from '../../console/pages/channels/traffic-share.ts';
import { channelTypes } from '../../daemon/contract/channel-types.ts';
import type { ChannelView } from '../../daemon/contract/channels.ts';
import { readChannelInput } from '../../daemon/domain/channel-input.ts';
import { splitKeys } from '../../daemon/domain/channel-keys.ts';
import { providerOf } from '../../daemon/relay/providers/index.ts';

const test = suite('channel editor');

const channel = (members: Partial<ChannelView>): ChannelView => ({
  id: 1,
  type: 1,
  key: '',
  openai_organization: null,
  test_model: null,
  status: 1,
  name: 'one',
  weight: 0,
  created_time: 0,
  test_time: 0,
  response_time: 0,
  base_url: '',
  other: '',
  balance: 0,
  balance_updated_time: 0,
  models: 'a,b',
  group: 'default,vip',
  used_quota: 0,
  model_mapping: '',
  status_code_mapping: '',
  max_input_tokens: 0,
  priority: 0,
  auto_ban: 1,
  other_info: '',
  cooling: 0,
  keys_total: 1,
  keys_enabled: 1,
  tag: null,
  setting: '',
  param_override: '',
  model_prefix: '',
  ...members,
});

test('every type of the contract has its place in the select, and the addresses are the ones that the daemon takes', () => {
  for (const { type, name } of channelTypes) {
    const special = specialFieldsOf(type);
    assert.ok(special.addressHint !== '' || special.group !== 'gateways', `${name} stands in no group`);
    const address = providerOf(type)?.baseUrl ?? '';
    // The knowledge base's hint is the one that its makers give today.
    if (address !== '' && name !== 'fastgpt') assert.is(special.addressHint, address, name);
    if (special.hasBalance !== undefined || providerOf(type)?.balance !== undefined) {
      assert.is(special.hasBalance === true, providerOf(type)?.balance !== undefined, `balance of ${name}`);
    }
    if (providerOf(type) === undefined) assert.ok(special.isUntestable || special.addressHint === '', name);
  }
});

test('the types of the description ask for what it names', () => {
  const labels = Object.fromEntries([3, 18, 21, 39, 41].map((type) => [type, specialFieldsOf(type).other?.label]));
  assert.equal(labels, { 3: 'apiVersion', 18: 'version', 21: 'knowledgeBase', 39: 'accountId', 41: 'region' });
  const further = [17, 37, 46, 103, 107].map((type) => specialFieldsOf(type).other);
  assert.equal(
    further.map((other) => [other?.label, other?.isRequired]),
    [
      ['plugin', undefined],
      ['appKind', undefined],
      ['application', undefined],
      ['endUser', undefined],
      ['payer', undefined],
    ],
  );
  const required = channelTypes.filter(({ type }) => specialFieldsOf(type).isAddressRequired).map(({ type }) => type);
  assert.equal(required, [2, 3, 5, 8, 36, 47, 101]);
  const untestable = channelTypes.filter(({ type }) => specialFieldsOf(type).isUntestable).map(({ type }) => type);
  assert.equal(untestable.slice(0, 3), [2, 5, 36]);
  assert.equal(specialFieldsOf(2).models?.[0], 'mj_imagine');
  assert.equal(specialFieldsOf(36).models, ['suno_music', 'suno_lyrics']);
  assert.ok(specialFieldsOf(5).models?.includes('swap_face'));
});

test('a comma or a line break makes several keys, repeats are named once, JSON is never cut', () => {
  const rules = keyRulesOf(1);
  assert.not(holdsSeveralKeys('sk-one', rules));
  assert.ok(holdsSeveralKeys('sk-one,sk-two', rules));
  assert.ok(holdsSeveralKeys('sk-one\nsk-two', rules));
  assert.not(holdsSeveralKeys('sk-one\n', rules));
  const rows = keyRows('sk-one, sk-two\n\nsk-one', rules);
  assert.equal(
    rows.map(({ text, isRepeated }) => [text, isRepeated]),
    [
      ['sk-one', false],
      ['sk-two', false],
      ['sk-one', true],
    ],
  );
  assert.is(wireKeys('sk-one, sk-two\n\nsk-one', rules), 'sk-one,sk-two');

  const json = keyRulesOf(41);
  const account = '{"type":"service_account",\n"project_id":"p"}';
  assert.not(holdsSeveralKeys(account, json));
  assert.is(keyRows(account, json).length, 1);
  assert.is(keyRows(`[${account},${account}]`, json).length, 2);
  assert.is(wireKeys(`[${account},{"a":1}]`, json), '[{"type":"service_account","project_id":"p"},{"a":1}]');
  assert.ok(keyRows('nonsense', json)[0]?.isOdd);
});

test('the daemon reads the same keys from what is sent', () => {
  for (const text of ['a,b\r\nc,,a ', ' one ', '']) {
    assert.equal(splitKeys(wireKeys(text, keyRulesOf(1)), {}), splitKeys(text, {}));
  }
});

test('a key with another number of parts is marked, not refused', () => {
  const odd = (type: number, key: string) => keyRows(key, keyRulesOf(type))[0]?.isOdd;
  assert.is(odd(18, 'app|secret|key'), false);
  assert.is(odd(18, 'app|key'), true);
  assert.is(odd(33, 'ApiKey|us-east-1'), false);
  assert.is(odd(33, 'ak|sk|us-east-1'), false);
  assert.is(odd(33, 'ak'), true);
  assert.is(odd(1, 'a|b|c|d'), false);
  assert.is(keyTail('sk-short'), '');
  assert.is(keyTail('sk-0123456789abcd'), 'abcd');
});

test('further names stand behind; those already there are told', () => {
  assert.equal(addModels(['a', 'b'], ['b', 'c', 'c']), { models: ['a', 'b', 'c'], added: ['c'], ignored: ['b'] });
});

test('a list compares with its upstream by the names that are sent there', () => {
  const found = compareModels(['a', 'mine', 'old'], ['a', 'b', 'theirs'], { mine: 'theirs' });
  assert.equal(found, { fresh: ['b', 'theirs'], present: ['a', 'mine'], gone: ['old'] });
});

test('a share is what the daemon would give', () => {
  const own = { priority: 5, weight: 10 };
  const others = [
    { priority: 5, weight: 0 },
    { priority: 4, weight: 100 },
  ];
  // Everybody's weight counts with ten added (D28).
  assert.is(shareOf(own, others), 20 / 30);
  assert.is(shareOf(own, []), 1);
});

test('a mapping is a table of texts or none, and circles are found', () => {
  assert.equal(rowsOfMapping('{"a":"b","400":500}'), [
    { from: '400', to: '500' },
    { from: 'a', to: 'b' },
  ]);
  assert.is(rowsOfMapping('{"a":{}}'), undefined);
  assert.is(rowsOfMapping('{"a"'), undefined);
  assert.equal(rowsOfMapping(''), []);
  assert.is(mappingText([]), '');
  assert.equal(
    JSON.parse(
      mappingText([
        { from: ' a ', to: 'b' },
        { from: '', to: 'x' },
      ]),
    ),
    { a: 'b' },
  );
  assert.is(findLoop([{ from: 'a', to: 'a' }]), undefined);
  assert.equal(
    findLoop([
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'c', to: 'b' },
    ]),
    ['b', 'c', 'b'],
  );
});

test('a name that a mapping has again is told with the place where it counts', () => {
  const rows = ['a', 'b', ' a ', '', '', 'b'].map((from) => ({ from, to: 'x' }));
  assert.equal(repeatedName(namesByRow(rows)), { name: 'a', place: 3 });
  assert.is(repeatedName(namesByRow(rows.slice(0, 2))), undefined);
  const text = '{\n  "a": "b",\n  "b"\n: "a, \\"a\\": x",\n  "\\u0061": 1\n}';
  assert.equal(repeatedName(namesByLine(text)), { name: 'a', place: 5 });
  assert.equal(
    namesByLine(text).map(({ name }) => name),
    Object.keys({ a: 0, b: 0 }).concat('a'),
  );
  assert.is(repeatedName(namesByLine('{"a": "a", "b": "a"}')), undefined);
});

test('only what was changed is sent, in the form that the daemon takes', () => {
  assert.equal(wireOf({}, 1), {});
  assert.equal(wireOf({ key: '' }, 1), {});
  assert.equal(
    wireOf(
      { key: 'a\nb', base_url: ' https://x.example/ ', models: ['m', 'n'], groups: ['default'], auto_ban: false },
      1,
    ),
    { key: 'a,b', base_url: 'https://x.example', models: 'm,n', group: 'default', auto_ban: 0 },
  );
  assert.equal(wireOf({ other: ' ' }, 18), { other: 'v2.1' });
  assert.equal(wireOf({ priority: '-3', weight: '', tag: '' }, 1), { priority: -3, weight: 0, tag: '' });
  const draft = draftOf(channel({ models: 'a,b', tag: 'eu' }));
  assert.is(draft.key, '');
  assert.equal(draft.models, ['a', 'b']);
  assert.is(readChannelInput(wireOf(draft, draft.type)).tag, 'eu');
  assert.is(readChannelInput(wireOf({ tag: '' }, 1)).tag, null);
});

test('an address that ends in /v1 is asked about, except where the whole one is given', () => {
  assert.ok(endsInVersion({ type: 1, base_url: 'https://api.example/v1/' }));
  assert.not(endsInVersion({ type: 8, base_url: 'https://api.example/v1' }));
  assert.not(endsInVersion({ type: 1, base_url: 'https://api.example' }));
});

test('an address loses the slash at its end and nothing else', () => {
  const keptOf = (base_url: string) => readChannelInput(wireOf({ base_url }, 8)).baseUrl;
  assert.is(wireOf({ base_url: ' https://a.example/ ' }, 1).base_url, 'https://a.example');
  assert.is(keptOf('https://a.example/chat/'), 'https://a.example/chat');
  // For an upstream that wants one.
  assert.is(keptOf('https://a.example/chat//'), 'https://a.example/chat/');
  assert.is(keptOf('https://a.example/chat?code=ab/'), 'https://a.example/chat?code=ab/');
});

const filled = { ...newDraft, name: 'n', key: 'k', models: ['m'] };
const faultsOf = (members: Partial<typeof newDraft>, saved?: typeof newDraft) =>
  draftFaults({ ...filled, ...members }, saved).map(({ field, problem }) => `${field}:${problem}`);

test('a draft says what is missing and where', () => {
  assert.equal(faultsOf({}), []);
  assert.equal(faultsOf({ name: ' ', key: '' }), ['name:nameAndKey', 'key:nameAndKey']);
  assert.equal(faultsOf({ key: '' }, filled), []);
  assert.equal(faultsOf({ models: [], groups: [] }), ['models:models', 'groups:groups']);
  assert.equal(faultsOf({ model_mapping: '[]', param_override: '{', setting: 'x', status_code_mapping: '1' }), [
    'model_mapping:mapping',
    'status_code_mapping:statusCodes',
    'param_override:override',
    'setting:setting',
  ]);
  assert.equal(faultsOf({ setting: '{"force_format":"yes","of_somebody_else":1}' }), ['setting:settingValue']);
  assert.equal(faultsOf({ priority: -999, weight: 0 }), []);
  assert.equal(faultsOf({ priority: -1000, weight: -1, max_input_tokens: '1.5' }), [
    'priority:priorityLow',
    'weight:weight',
    'max_input_tokens:maxInput',
  ]);
});

test('what was stored broken keeps nobody from changing something else', () => {
  const saved = { ...filled, model_mapping: '[]', param_override: '{', setting: '{"proxy":7}', other: '{', type: 41 };
  assert.equal(faultsOf({ ...saved, name: 'renamed' }, saved), []);
  assert.equal(faultsOf({ ...saved, setting: '{"proxy":8}' }, saved), ['setting:settingValue']);
});

test('special types have faults of their own', () => {
  assert.equal(faultsOf({ type: 3 }), ['base_url:address']);
  assert.equal(faultsOf({ type: 21 }), ['other:knowledgeBase']);
  assert.equal(faultsOf({ type: 39 }), ['other:accountId']);
  assert.equal(faultsOf({ type: 39, key: 'account|token' }), []);
  assert.equal(faultsOf({ type: 39, key: '' }, { ...filled, type: 39 }), []);
  assert.equal(faultsOf({ type: 41, key: '{}' }), ['other:region']);
  assert.equal(faultsOf({ type: 41, key: '{}', other: '{"a":' }), ['other:regionJson']);
  assert.equal(faultsOf({ type: 41, key: '{}', other: '{"a":"b"}' }), ['other:regionDefault']);
  assert.equal(faultsOf({ type: 41, key: '{}', other: 'us-central1' }), []);
  assert.equal(faultsOf({ base_url: 'api.example' }), ['base_url:addressScheme']);
});

test('channels gather under their tags, which stand by name, and what differs is told as such', () => {
  const rows = tagRows([
    channel({ id: 2, tag: 'us', status: 2 }),
    channel({ id: 1, tag: 'eu', used_quota: 5, response_time: 100, priority: 1, weight: 2 }),
    channel({ id: 3, tag: 'eu', used_quota: 7, response_time: 300, priority: 1, weight: 3, group: 'svip' }),
    channel({ id: 4 }),
  ]);
  assert.equal(
    rows.map(({ tag }) => tag),
    ['eu', 'us'],
  );
  const [eu, us] = rows;
  assert.equal(eu?.groups, ['default', 'vip', 'svip']);
  assert.equal([eu?.usedQuota, eu?.responseTime, eu?.priority, eu?.weight, eu?.enabled], [12, 200, 1, undefined, 2]);
  assert.equal([us?.responseTime, us?.enabled], [0, 0]);
});

test('what the drawer of a tag would make of each channel is told, and of what stays as it is nothing', () => {
  const untouched = { new_tag: 'eu', models: [], model_mapping: '', groups: [], priority: '', weight: '' };
  const own = channel({ id: 1, tag: 'eu', priority: 9, weight: 3, model_mapping: '{ "a": "b" }' });
  assert.equal(tagEffects(untouched, 'eu', own), []);
  const edited = {
    new_tag: ' us ',
    models: ['b', 'c'],
    model_mapping: '{\n  "a": "c"\n}',
    groups: ['vip', 'default'],
    priority: 9,
    weight: '0',
  };
  assert.equal(tagEffects(edited, 'eu', own), [
    { field: 'new_tag', before: 'eu', after: 'us' },
    { field: 'models', before: '−a', after: '+c' },
    { field: 'model_mapping', before: '{"a":"b"}', after: '{"a":"c"}' },
    { field: 'weight', before: 3, after: 0 },
  ]);
  assert.equal(tagEffects({ ...untouched, models: ['a', 'b', 'c'] }, 'eu', own), [{ field: 'models', after: '+c' }]);
  assert.equal(tagEffects({ ...untouched, new_tag: ' ' }, 'eu', own), [{ field: 'new_tag', before: 'eu' }]);
  const laidOut = { ...untouched, model_mapping: '{"a":"b"}' };
  assert.equal(tagEffects(laidOut, 'eu', own), []);
  const faulty = { ...untouched, model_mapping: '{', priority: '1.5', weight: '-1' };
  assert.equal(tagEffects(faulty, 'eu', own), []);
});

test('what a search found is narrowed by channels, and a tag keeps all of its own', () => {
  const items = [
    channel({ id: 1, tag: 'eu' }),
    channel({ id: 2, tag: 'eu', status: 3 }),
    channel({ id: 3, tag: 'us' }),
    channel({ id: 4, tag: 'asia', status: 2, type: 14 }),
  ];
  const idsOf = (rows: readonly ChannelView[]) => rows.map(({ id }) => id);
  const filter = { type: '', status: 'disabled', page: 1, size: 10 };
  assert.equal(idsOf(foundChannels(items, filter).rows), [2, 4]);
  assert.equal(idsOf(foundChannels(items, { ...filter, page: 2, size: 1 }).rows), [4]);
  const { tags, rows, total, found } = foundTags(items, filter);
  assert.equal([tags.map(({ tag }) => tag), idsOf(rows), total, found], [['asia', 'eu'], [4, 1, 2], 2, 3]);
  assert.equal(idsOf(foundTags(items, { ...filter, type: '14' }).rows), [4]);
});

test.run();
