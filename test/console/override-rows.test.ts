/** A parameter override as rows and back: nothing that was written is lost, and calls read the same. */

import type { TFunction } from 'i18next';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inLabels } from '../../console/pages/channels/override-labels.ts';
import {
  factsOf,
  factsRead,
  keptMembers,
  mistakesOf,
  modeNames,
  moved,
  newCondition,
  newRow,
  type OperationRow,
  type OverrideDraft,
  overrideText,
  readOverride,
  refusedPlace,
  shownPlace,
  withMode,
} from '../../console/pages/channels/override-rows.ts';
import { ParamOverride } from '../../daemon/relay/param-override.ts';

const test = suite('rows of a parameter override');

function draftOf(override: unknown): OverrideDraft {
  const draft = readOverride(typeof override === 'string' ? override : JSON.stringify(override));
  if (draft === undefined) throw new Error('no JSON object');
  return draft;
}

const again = (override: unknown) => JSON.parse(overrideText(draftOf(override)));

function operationIn(override: unknown, index = 0): OperationRow {
  const row = draftOf(override).rows[index];
  if (row?.kind !== 'operation') throw new Error('a row of JSON');
  return row;
}

const everyMode = [
  { mode: 'set', path: 'temperature', value: 0, keep_origin: true },
  { mode: 'set', path: 'stop', value: null },
  { mode: 'delete', path: 'metadata' },
  { mode: 'move', from: 'max_tokens', to: 'max_completion_tokens' },
  { mode: 'copy', from: 'user', to: 'safety_identifier' },
  { mode: 'prepend', path: 'messages', value: { role: 'system', content: 'Be brief' } },
  { mode: 'append', path: 'messages.-1.content', value: '!' },
  { mode: 'trim_prefix', path: 'model', value: 'x/' },
  { mode: 'trim_suffix', path: 'model', value: '-latest' },
  { mode: 'ensure_prefix', path: 'model', value: 'y/' },
  { mode: 'ensure_suffix', path: 'model', value: '-1' },
  { mode: 'trim_space', path: 'messages.0.content' },
  { mode: 'to_lower', path: 'model' },
  { mode: 'to_upper', path: 'user' },
  { mode: 'replace', path: 'model', from: 'a', to: '' },
  { mode: 'regex_replace', path: 'model', from: '^(b)', to: '$1$1' },
  { mode: 'return_error', value: { message: 'no', status_code: 403, code: 7, type: 't', hint: 'kept' } },
  { mode: 'set_header', path: 'x-team', value: 'a' },
  { mode: 'set_header', path: 'x-gone' },
  { mode: 'delete_header', path: 'x-old' },
];

test('write every mode as it was read, with what no control shows', () => {
  const operations = everyMode.map((operation, index) => ({
    ...operation,
    note: `kept ${index}`,
    logic: 'AND',
    conditions: [
      { path: 'model', mode: 'prefix', value: 'gpt', invert: true, pass_missing_key: false, note: 'kept' },
      { path: 'retry_index', value: 0 },
      { path: 'tools', mode: 'exists', value: 'kept' },
    ],
  }));
  const override = { comment: 'beside', operations };
  assert.equal(
    draftOf(override).rows.map(({ kind }) => kind),
    operations.map(() => 'operation'),
  );
  assert.is(overrideText(draftOf(override)), JSON.stringify(override, null, 2));
  assert.equal(new Set(everyMode.map(({ mode }) => mode)).size, modeNames.length);
  assert.equal(draftOf(override).beside, { comment: 'beside' });
  assert.equal(keptMembers(operationIn(override)), ['note']);
});

test('leave an operation that fields cannot show as its JSON, in its place', () => {
  const odd = [
    'text',
    { mode: 'shout', path: 'model' },
    { mode: 'set', path: 5, value: 1 },
    { mode: 'set_header', path: 'x', value: 5 },
    { mode: 'set', path: 'a', value: 1, keep_origin: 'yes' },
    { mode: 'set', path: 'a', value: 1, logic: 'XOR' },
    { mode: 'set', path: 'a', value: 1, conditions: [{ path: 'a', mode: 'like', value: 1 }] },
    { mode: 'set', path: 'a', value: 1, conditions: 'always' },
    { mode: 'return_error', value: { message: 'no', status_code: '403' } },
  ];
  const operations = [...odd, { mode: 'delete', path: 'a' }];
  assert.equal(
    draftOf({ operations }).rows.map(({ kind }) => kind),
    [...odd.map(() => 'json'), 'operation'],
  );
  assert.equal(again({ operations }), { operations });
});

test('write a flat object as one until its rows are more than names and values', () => {
  const flat = { temperature: 0, 'a.b': { c: [1] }, stop: null, 'back\\slash': 1 };
  assert.is(overrideText(draftOf(flat)), JSON.stringify(flat, null, 2));
  const draft = draftOf({ temperature: 0 });
  const more = { ...draft, rows: [...draft.rows, { ...newRow(), mode: 'delete' as const, path: 'top_p' }] };
  assert.equal(JSON.parse(overrideText(more)), {
    operations: [
      { mode: 'set', path: 'temperature', value: 0 },
      { mode: 'delete', path: 'top_p' },
    ],
  });
  const twice = { ...draft, rows: [...draft.rows, { ...newRow(), path: 'temperature', value: '1' }] };
  assert.equal(JSON.parse(overrideText(twice)).operations?.length, 2, 'a name given twice is not lost');
  const named = { ...draft, rows: [{ ...newRow(), path: 'operations', value: '[]' }] };
  assert.equal(JSON.parse(overrideText(named)), { operations: [{ mode: 'set', path: 'operations', value: [] }] });
});

test('mean the same to a call when a flat object becomes operations', () => {
  const flat = { temperature: 0, 'a.b': 1, 'c\\d': 2 };
  const draft = draftOf(flat);
  const asOperations = JSON.parse(overrideText({ ...draft, isFlat: false }));
  const body = { model: 'm', temperature: 1 };
  assert.equal(new ParamOverride(asOperations).apply(body, {}), new ParamOverride(flat).apply(body, {}));
});

test('read a single condition without its list as calls do', () => {
  const operation = { mode: 'set', path: 'a', value: 1, conditions: { path: 'model', value: 'm' } };
  assert.equal(again({ operations: [operation] }), {
    operations: [{ ...operation, conditions: [{ path: 'model', value: 'm' }] }],
  });
});

test('are none for an empty text, and cannot be read from what is no object', () => {
  assert.is(overrideText(draftOf('')), '');
  assert.is(overrideText({ ...draftOf({ operations: [{ mode: 'delete', path: 'a' }] }), rows: [] }), '');
  for (const text of ['[]', '5', '{"a":', 'null']) assert.is(readOverride(text), undefined, text);
});

test('lose by another mode what that has no control for, and keep what is unknown', () => {
  const row = operationIn({ operations: [{ mode: 'set', path: 'a', value: 'x', keep_origin: true, note: 1 }] });
  const changed = withMode(row, 'delete');
  const text = overrideText({ isFlat: false, beside: {}, rows: [changed] });
  assert.equal(JSON.parse(text), { operations: [{ note: 1, mode: 'delete', path: 'a' }] });
  assert.is(withMode(row, 'append').value, '"x"');
  assert.is(withMode(row, 'trim_prefix').value, '', 'JSON is no plain text');
});

test('tell a value that is no JSON, by row and member', () => {
  const good = newRow();
  const condition = { ...newCondition(), value: '{' };
  const bad = { ...newRow(), value: 'high', conditions: [newCondition(), condition] };
  const refusing = { ...newRow(), mode: 'return_error' as const, refusal: { ...good.refusal, status_code: 'x' } };
  const json = { kind: 'json' as const, id: 'j', text: '{' };
  assert.equal(
    [...mistakesOf([good, bad, refusing, json])],
    [
      [bad.id, ['value', 'conditions.1.value']],
      [refusing.id, ['value.status_code']],
      ['j', ['json']],
    ],
  );
});

test('find the row and the member that a refusal names', () => {
  const { rows } = draftOf({
    operations: [
      { mode: 'delete', path: 'a' },
      { mode: 'delete', path: '' },
    ],
  });
  assert.equal(refusedPlace('param_override.operations.1.path', rows), { id: rows[1]?.id, member: 'path' });
  assert.equal(refusedPlace('param_override.operations.0', rows), { id: rows[0]?.id, member: '' });
  assert.is(refusedPlace('param_override', rows), undefined);
  assert.is(refusedPlace('body', rows), undefined);
  const flat = draftOf({ 'a.b': 1 }).rows;
  assert.equal(refusedPlace('param_override.a.b', flat), { id: flat[0]?.id, member: '' });
});

test('tell where a refusal belongs by the numbers that the rows have', () => {
  assert.equal(shownPlace('param_override.operations.0.path'), { operation: 1, condition: undefined, member: 'path' });
  assert.equal(shownPlace('param_override.operations.1.conditions.0.value'), {
    operation: 2,
    condition: 1,
    member: 'value',
  });
  assert.equal(shownPlace('param_override.operations.2'), { operation: 3, condition: undefined, member: '' });
  assert.is(shownPlace('param_override.top_k'), undefined);
  assert.is(shownPlace('body'), undefined);
});

test('name what conditions read beside the body, and hand on what is filled in', () => {
  const conditions = [{ path: 'user_group' }, { path: 'retry_index' }, { path: 'model' }, { path: 'messages.0' }];
  const { rows } = draftOf({ operations: [{ mode: 'delete', path: 'a', conditions }] });
  const read = factsRead(rows);
  assert.equal(read, ['user_group', 'retry_index']);
  assert.equal(factsOf({ user_group: ' vip ', retry_index: '1', channel_id: '5' }, read), {
    user_group: 'vip',
    retry_index: 1,
  });
  assert.equal(factsOf({ user_group: ' ' }, read), {});
});

test('move by one place, and stay at either end', () => {
  assert.equal(moved(['a', 'b', 'c'], 0, 1), ['b', 'a', 'c']);
  assert.equal(moved(['a', 'b', 'c'], 2, -1), ['a', 'c', 'b']);
  assert.equal(moved(['a', 'b'], 0, -1), ['a', 'b']);
  assert.equal(moved(['a', 'b'], 1, 1), ['a', 'b']);
});

test('calls what a refusal names as its fields are called, and by the numbers that are shown', () => {
  const rows = draftOf({
    operations: [
      { mode: 'set', path: 'a', value: 1, conditions: [{ path: 'b', value: 2 }] },
      { mode: 'regex_replace', path: 'a', from: '(', to: '' },
      { mode: 'move', from: 'a', to: 'b' },
      { mode: 'return_error', value: { message: '' } },
      { mode: 'set_header', path: 'x-a', value: 'b' },
      { mode: 'put' },
    ],
  }).rows;
  const t = (key: string, { place }: { place?: number } = {}) => (place === undefined ? key : `${key} ${place}`);
  const told = (place: string) => {
    const field = `param_override.operations.${place}`;
    return inLabels(`${field}: is missing`, field, rows, t as unknown as TFunction<'override'>);
  };
  for (const [place, words] of [
    ['0.value', 'operation 1 · valueJson'],
    ['0.conditions.0.value', 'operation 1 · condition 1 · valueJson'],
    ['0.conditions.0.mode', 'operation 1 · condition 1 · comparison'],
    ['1.from', 'operation 2 · find.pattern'],
    ['1.to', 'operation 2 · replacement'],
    ['2.from', 'operation 3 · fromPath'],
    ['3.value.message', 'operation 4 · refusal.message'],
    ['4.path', 'operation 5 · header'],
    ['4.value', 'operation 5 · value'],
    // Shown as JSON, in which the member stands under its own name.
    ['5.mode', 'operation 6 · mode'],
    ['0.keep_origin', 'operation 1 · keep_origin'],
    ['9', 'operation 10'],
  ] as const) {
    assert.is(told(place), `${words}: is missing`, place);
  }
  const flat = 'param_override.top_k: is missing';
  assert.is(inLabels(flat, 'param_override.top_k', rows, t as unknown as TFunction<'override'>), flat);
});

test.run();
