/** What the channel page reads and writes beside the editor: files, questions, settings, tags, reasons. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readImport } from '../../console/pages/channels/import-file.ts';
import { joinKeyTexts } from '../../console/pages/channels/key-list.ts';
import { questionOf, questionText } from '../../console/pages/channels/routing-question.ts';
import {
  firstValueOf,
  listOf,
  listText,
  objectLines,
  objectOfLines,
} from '../../console/pages/channels/setting-values.ts';
import { tagFaults, tagWire } from '../../console/pages/channels/tag-draft.ts';
import { groupedTypes, matchesType, typeLabel } from '../../console/pages/channels/type-select.ts';
import { channelSettings, settingProblem } from '../../daemon/contract/channel-settings.ts';
import { channelTypes } from '../../daemon/contract/channel-types.ts';
import { disabledFor, statusReasonOf } from '../../daemon/contract/status-reason.ts';

const test = suite('channel tools');

test('a file is JSON in any of its forms, or CSV', () => {
  const row = { name: 'a', models: 'm' };
  const text = JSON.stringify(row);
  assert.equal(readImport(`[${text}]`), { channels: [row] });
  assert.equal(readImport(text), { channels: [row] });
  assert.equal(readImport(`{"channels":[${text}]}`), { channels: [row] });
  assert.equal(readImport(`${text}\n${text}\n`), { channels: [row, row] });
  assert.equal(readImport('name,models\na,m'), { csv: 'name,models\na,m' });
  for (const nothing of ['', '  ', 'name', '[1]', '{"channels":1}']) {
    assert.equal(readImport(nothing), { kind: 'unreadable' }, nothing);
  }
});

test('a file that is not quite JSON is answered with the place of its first mistake', () => {
  const at = (line: number, column: number) => ({ kind: 'json', line, column });
  assert.equal(readImport('{"a":'), at(1, 6));
  assert.equal(readImport('\n[\n  {"name":"a"},\n]'), at(4, 1), 'a comma too many');
  assert.equal(readImport('{"name":"a"}\r\n\r\n{"name":b}\r\n'), at(3, 9), 'in a later line of NDJSON');
  assert.equal(readImport('{\n"name": a\n}'), at(2, 9));
});

test('a row of the wrong kind is named by its place and its member', () => {
  const good = { name: 'a', models: 'm' };
  const member = (row: number, name: string) => ({ kind: 'member', row, member: name });
  assert.equal(readImport(JSON.stringify([good, { ...good, models: ['m'] }])), member(2, 'models'));
  assert.equal(readImport(JSON.stringify({ channels: [{ ...good, keys: [{ key: 5 }] }] })), member(1, 'keys.0'));
  assert.equal(readImport(`${JSON.stringify(good)}\n{"name":[]}`), member(2, 'name'));
  assert.equal(readImport('{"name":"a","kind":"x","models":5}'), member(1, 'models'));
});

test('a question about routing survives its address', () => {
  const asked = { model: 'relay/gpt 4&5', group: 'vip', endpoint: '/v1/messages', user_id: '7', token_id: '' };
  assert.equal(questionOf(questionText(asked)), asked);
  assert.is(questionOf(''), undefined);
  assert.is(questionOf('group=vip'), undefined);
  assert.is(questionOf('model=a&user_id=-1')?.user_id, '');
  assert.is(questionOf('model=a')?.endpoint, '/v1/chat/completions');
});

test('every extra setting starts with a value that is right, but for words that have to be entered', () => {
  for (const setting of channelSettings) {
    assert.is(settingProblem({ [setting.key]: firstValueOf(setting) }), undefined, setting.key);
  }
});

test('lists and objects of settings are read from text as they are written', () => {
  assert.equal(listOf(listText(['a', 'b'])), ['a', 'b']);
  assert.is(objectLines({ 'x-a': 'one: two', b: '3' }), 'x-a: one: two\nb: 3');
  assert.equal(objectOfLines('x-a: one: two\n\n b:3', 'object'), { 'x-a': 'one: two', b: '3' });
  for (const wrong of ['x-a: 1\nunfinished', 'x-a：1', ': 1', 'x-a: 1\nx-a: 2']) {
    assert.is(objectOfLines(wrong, 'object'), wrong, 'not left out in silence');
    assert.is(objectLines(wrong), wrong);
  }
  const arns = { 'anthropic.claude-v2:0': 'arn:aws:bedrock:eu-west-1:1:inference-profile/a' };
  assert.equal(objectOfLines(objectLines(arns) ?? '', 'arns'), arns);
  assert.is(objectLines({ a: { b: 1 } }), undefined);
});

test('a tag changes what was filled in, and an empty name dissolves it', () => {
  assert.equal(tagWire({}), {});
  assert.equal(tagWire({ models: [], groups: [], model_mapping: ' ', priority: '', weight: '' }), {});
  assert.equal(tagWire({ new_tag: ' ' }), { new_tag: '' });
  assert.equal(tagWire({ models: ['a', 'b'], groups: ['vip'], priority: 0, weight: '4' }), {
    models: 'a,b',
    groups: 'vip',
    priority: 0,
    weight: 4,
  });
  const draft = { new_tag: '', models: [], model_mapping: '', groups: [], priority: '', weight: '' };
  assert.equal(tagFaults(draft), []);
  assert.equal(
    tagFaults({ ...draft, model_mapping: '[', priority: '1.5', weight: -1 }).map(({ field }) => field),
    ['model_mapping', 'priority', 'weight'],
  );
  assert.equal(
    ['1.5', '-999', -1000, 'x'].map((priority) => tagFaults({ ...draft, priority })[0]?.problem),
    ['priority', undefined, 'priorityLow', 'priority'],
  );
});

test('a disabled channel says why and when', () => {
  const known = '{"status_reason":"bad key","status_time":5,"status_request_id":"r"}';
  assert.equal(statusReasonOf(known), { reason: 'bad key', time: 5, requestId: 'r' });
  const spent = '{"status_reason":"all keys disabled"}';
  assert.equal([disabledFor(spent, 'zh'), disabledFor(spent, 'en')], ['全部密钥均已禁用', 'all keys disabled']);
  assert.is(disabledFor('{"status_reason":"\\"k\\" is no key"}', 'zh'), '"k" is no key', 'the words of an upstream');
  assert.is(disabledFor('', 'en'), '');
  for (const nothing of ['', '{}', '[]', '{"status_reason":5}', 'x'])
    assert.is(statusReasonOf(nothing), undefined, nothing);
});

test('types are found by number, by either name and by alias, each in one group', () => {
  assert.ok(matchesType(14, 'claude'));
  assert.ok(matchesType(17, '通义'));
  assert.ok(matchesType(41, 'GOOGLE vertex'));
  assert.ok(matchesType(36, '36'));
  assert.not(matchesType(14, 'gemini'));
  assert.is(typeLabel(999, 'en'), '999');
  const listed = groupedTypes().flatMap(({ types }) => types.map(({ type }) => type));
  assert.equal(
    listed.toSorted((a, b) => a - b),
    channelTypes.map(({ type }) => type).toSorted((a, b) => a - b),
  );
});

test('keys of several texts are one that can be edited', () => {
  const plain = { isJson: false };
  assert.is(joinKeyTexts(['a,b', 'c\nd'], plain), 'a\nb\nc\nd');
  const json = { isJson: true };
  assert.is(joinKeyTexts(['{"a":1}', ''], json), '{"a":1}');
  assert.is(joinKeyTexts(['{"a":1}', '[{"b":2}]'], json), '[{"a":1},{"b":2}]');
});

test.run();
