import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ChannelType, findChannelType } from '../../../daemon/contract/channel-types.ts';
import { changeKeys, joinKeys, splitKeys } from '../../../daemon/domain/channel-keys.ts';
import { channelKeyRecord } from '../../support/channel-records.ts';

const keys = suite('domain/channel-keys');

const plain: Pick<ChannelType, 'keyForm'> = findChannelType(1) ?? {};
const json: Pick<ChannelType, 'keyForm'> = findChannelType(41) ?? {};
const rows = ['a', 'b', 'c'].map((key, position) =>
  channelKeyRecord(key, { id: position + 1, position, keyHash: `hash ${key}` }),
);
const hashOf = (key: string) => `hash ${key}`;

keys('splits at commas and line breaks and drops empty and repeated keys', () => {
  assert.equal(splitKeys(' a,b\r\n\nc , a,', plain), ['a', 'b', 'c']);
});

keys('takes a JSON key as one, and a list of them as several', () => {
  assert.equal(splitKeys('{"type":"service_account",\n"project_id":"p"}', json), [
    '{"type":"service_account",\n"project_id":"p"}',
  ]);
  assert.equal(splitKeys('[{"a":1},{"b":2}]', json), ['{"a":1}', '{"b":2}']);
  for (const between of ['\n', ',\n', '']) {
    assert.equal(splitKeys(`{"a": 1}${between}{\n"b":2}`, json), ['{"a":1}', '{"b":2}']);
  }
  assert.equal(splitKeys('project|AIza1\nAIza2', json), ['project|AIza1', 'AIza2']);
});

keys('are put behind those there are, however many these are', () => {
  const row = channelKeyRecord('a', { position: 0, keyHash: '' });
  const many = Array.from({ length: 200_000 }, (_, position) => ({ ...row, position, keyHash: `hash ${position}` }));
  const { added } = changeKeys(many, { keys: ['new'], mode: 'append', hashOf });
  assert.equal(added, [{ key: 'new', position: many.length }]);
});

keys('joins what it split', () => {
  assert.is(joinKeys(['a', 'b'], plain), 'a,b');
  assert.is(joinKeys(['{"a":1}'], json), '{"a":1}');
  for (const keys of [
    ['{"a":1}', '{"b":2}'],
    ['project|AIza1', 'AIza2'],
    ['{"a":1}', 'AIza2'],
  ]) {
    assert.equal(splitKeys(joinKeys(keys, json), json), keys);
  }
});

keys('keeps the rows of keys that remain when the list is replaced', () => {
  assert.equal(changeKeys(rows, { keys: ['c', 'a', 'new'], mode: 'replace', hashOf }), {
    added: [{ key: 'new', position: 2 }],
    moved: [
      { id: 3, position: 0 },
      { id: 1, position: 1 },
    ],
    removed: [2],
  });
});

keys('puts new keys behind when appending and removes none', () => {
  assert.equal(changeKeys(rows, { keys: ['b', 'x', 'y', 'x'], mode: 'append', hashOf }), {
    added: [
      { key: 'x', position: 3 },
      { key: 'y', position: 4 },
    ],
    moved: [],
    removed: [],
  });
});

keys('changes nothing for the same list', () => {
  assert.equal(changeKeys(rows, { keys: ['a', 'b', 'c'], mode: 'replace', hashOf }), {
    added: [],
    moved: [],
    removed: [],
  });
});

keys.run();
