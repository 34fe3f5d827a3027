/** What audit rows tell of edits. Runs once: it knows no database. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditedChange } from '../../../daemon/domain/audited-change.ts';

const test = suite('audited changes');

/** Old and new as objects; undefined where nothing is told. */
function told(before: object, after: object, names?: readonly string[]): unknown {
  const change = auditedChange({ ...before }, { ...after }, names);
  return change && [JSON.parse(change.old), JSON.parse(change.new)];
}

test('tells the members that differ, in the words of the wire, and nothing where none does', () => {
  assert.equal(told({ baseUrl: 'a', weight: 1 }, { baseUrl: 'b', weight: 1 }), [{ base_url: 'a' }, { base_url: 'b' }]);
  assert.is(told({ tag: null, setting: '' }, { tag: '', setting: null }), undefined);
  assert.equal(told({ a: 1, b: 1 }, { a: 2, b: 2 }, ['b']), [{ b: 1 }, { b: 2 }]);
});

test('compares texts of JSON by their members, also where one side is empty', () => {
  const setting = '{"proxy":"","timeout_idle":30}';
  assert.equal(told({ setting }, { setting: '{"timeout_idle":60}' }), [
    { 'setting.timeout_idle': 30 },
    { 'setting.timeout_idle': 60 },
  ]);
  assert.equal(told({ modelMapping: '' }, { modelMapping: '{"a":"b"}' }), [{}, { 'model_mapping.a': 'b' }]);
  assert.equal(told({ other: '{broken' }, { other: '{"a":1}' }), [{ other: '{broken' }, { other: '{"a":1}' }]);
});

test('hides secrets by their names, by where they stand in an address and by how they look', () => {
  const secrets = ['hunter2', 'sk-proj-abcdefghijkl', 'AIzaSyAbcdefghijklm', 'dGhpcyBpcyBzZWNyZXQ', 'topsecretvalue'];
  const before = { password: 'hunter2', baseUrl: 'https://u:hunter2@host/v1?key=topsecretvalue&a=1', setting: '' };
  const after = {
    password: 'hunter3',
    baseUrl: 'https://host/v1?a=1',
    setting: JSON.stringify({
      header_override: { 'X-Any': 'topsecretvalue' },
      nested: { api_key: 'topsecretvalue', list: ['Bearer dGhpcyBpcyBzZWNyZXQ', 'AIzaSyAbcdefghijklm'] },
      note: 'uses sk-proj-abcdefghijkl',
      max_tokens: 5,
    }),
  };
  const text = JSON.stringify(told(before, after));
  for (const secret of secrets) assert.not(text.includes(secret), secret);
  assert.equal(told({ baseUrl: before.baseUrl }, { baseUrl: after.baseUrl }), [
    { base_url: 'https://***@host/v1?key=***&a=1' },
    { base_url: 'https://host/v1?a=1' },
  ]);
  assert.ok(text.includes('"setting.max_tokens":5'));
});

test('cuts what nobody would read', () => {
  const [one] = [auditedChange({ models: 'x'.repeat(20_000) }, { models: '' })];
  assert.ok(one && one.old.length < 4200);
});

test('tells an object that nests without end as a text, since walking it would exhaust the stack', () => {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const begins = (side: string | undefined) => side?.startsWith('{"other":"{\\"a\\":{') === true;
  assert.ok(begins(auditedChange({ other: '' }, { other: deep })?.new));
  assert.ok(begins(auditedChange({ other: deep }, { other: '{"a":1}' })?.old));
});

test.run();
