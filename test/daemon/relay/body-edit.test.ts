import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BodyEdit, diffEdits, editBody, editValue } from '../../../daemon/relay/body-edit.ts';
import { MAX_DEPTH, scanTopLevel } from '../../../daemon/relay/body-scan.ts';
import type { Json } from '../../../daemon/relay/json.ts';
import { assertQuick } from '../../support/processor-time.ts';
import { isRefusal } from '../../support/refusal-code.ts';

const edited = (text: string, ...edits: BodyEdit[]) => editBody(Buffer.from(text), edits).toString();

const edit = suite('editBody');

edit('returns the same buffer when nothing changes', () => {
  const body = Buffer.from('{"a":1}');
  assert.is(editBody(body, []), body);
  assert.is(editBody(body, [{ path: ['b'], remove: true }]), body);
  assert.is(editBody(body, [{ path: ['a', 'b'], remove: true }]), body);
});

edit('leaves key order, spacing, unknown members and long numbers as they came', () => {
  assert.is(
    edited('{ "z" : 12345678901234567890,\n "model":"a", "x":{"n":1.50} }', { path: ['model'], set: 'b' }),
    '{ "z" : 12345678901234567890,\n "model":"b", "x":{"n":1.50} }',
  );
});

edit('drops and changes as many members and elements as a body may hold', () => {
  const many = 200_000;
  assert.is(edited(`{"a":0${',"a":1'.repeat(many)}}`), '{"a":1}');
  const list = `{"list":[${Array(many).fill('0').join()}],"n":{"a":0${',"a":1'.repeat(many)}}}`;
  const drops = Array.from({ length: many }, (_, at): BodyEdit => ({ path: ['list', String(at)], remove: true }));
  assert.is(edited(list, { path: ['n', 'b'], remove: true }).length, list.length - many * ',"a":1'.length);
  const emptied = editBody(Buffer.from(list), [...drops, { path: ['n'], remove: true }]);
  assert.is(emptied.toString(), '{"list":[]}');
});

edit('adds what is absent behind the last member', () => {
  assert.is(
    edited('{"model":"a"}', { path: ['stream_options', 'include_usage'], set: true }),
    '{"model":"a","stream_options":{"include_usage":true}}',
  );
  assert.is(edited('{ }', { path: ['a'], set: 1 }), '{ "a":1}');
});

edit('adds to a nested object in its bytes', () => {
  assert.is(
    edited('{"stream_options":{"big":9007199254740993}}', { path: ['stream_options', 'include_usage'], set: true }),
    '{"stream_options":{"big":9007199254740993,"include_usage":true}}',
  );
});

edit('replaces a value that is no object when something is set below it', () => {
  assert.is(edited('{"a":null}', { path: ['a', 'b'], set: 1 }), '{"a":{"b":1}}');
  assert.is(edited('{"a":7}', { path: ['a', 'b'], remove: true }), '{"a":7}');
});

edit('removes members first, last, in between and all of them', () => {
  const text = '{ "a":1, "b":2, "c":3 }';
  const remove = (...keys: string[]) => edited(text, ...keys.map((key) => ({ path: [key], remove: true }) as const));
  assert.is(remove('a'), '{ "b":2, "c":3 }');
  assert.is(remove('b'), '{ "a":1, "c":3 }');
  assert.is(remove('c'), '{ "a":1, "b":2 }');
  assert.is(remove('b', 'c'), '{ "a":1 }');
  assert.is(remove('a', 'c'), '{ "b":2 }');
  assert.is(remove('a', 'b', 'c'), '{  }');
});

edit('edits elements of arrays', () => {
  const text = '{"m":[{"role":"developer","n":10000000000000001},2,3]}';
  assert.is(
    edited(text, { path: ['m', '0', 'role'], set: 'system' }),
    '{"m":[{"role":"system","n":10000000000000001},2,3]}',
  );
  assert.is(edited(text, { path: ['m', '-1'], set: 4 }, { path: ['m', '1'], remove: true }), text.replace('2,3', '4'));
  assert.is(edited(text, { path: ['m', '9'], set: 4 }), text);
});

edit('keeps only the last of repeated names', () => {
  assert.is(edited('{"model":"cheap","n":1,"model":"dear"}', { path: ['n'], set: 2 }), '{"n":2,"model":"dear"}');
  assert.is(edited('{"model":"a","mod\\u0065l":"b"}'), '{"mod\\u0065l":"b"}');
});

edit('applies edits of one member in order', () => {
  assert.is(
    edited('{"a":{"x":1}}', { path: ['a'], set: { y: 2 } }, { path: ['a', 'z'], set: 3 }),
    '{"a":{"y":2,"z":3}}',
  );
  assert.is(edited('{"a":1}', { path: ['a'], remove: true }, { path: ['a', 'b'], set: 2 }), '{"a":{"b":2}}');
  assert.is(edited('{"a":1}', { path: ['a'], set: 2 }, { path: ['a'], remove: true }), '{}');
});

edit('never reaches a prototype', () => {
  const text = edited('{"a":1}', { path: ['__proto__', 'polluted'], set: true });
  assert.is(text, '{"a":1,"__proto__":{"polluted":true}}');
  assert.is(Object.getOwnPropertyDescriptor(Object.prototype, 'polluted'), undefined);
});

edit('gives what editing the parsed value gives', () => {
  const key = fc.constantFrom('a', 'b', 'c', '0', '1', '-1', 'é"\\');
  const { json: value } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 0, 1.5, '', 'x,"]}'),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(key, tie('json'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  const edits = fc
    .record({ path: fc.array(key, { minLength: 1, maxLength: 3 }), value: fc.option(value) })
    .map(({ path, value: next }): BodyEdit => (next === null ? { path, remove: true } : { path, set: next }));
  const bodies = fc.dictionary(key, value, { noNullPrototype: true });
  fc.assert(
    fc.property(bodies, fc.array(edits, { minLength: 1, maxLength: 3 }), fc.boolean(), (body, changes, isSpaced) => {
      const text = JSON.stringify(body, null, isSpaced ? 2 : 0);
      assert.equal(JSON.parse(edited(text, ...changes)), editValue(body, changes));
    }),
    { numRuns: 2000 },
  );
});

edit('finds the edits that a change made', () => {
  const message = { role: 'developer', content: 'x' };
  const before = { model: 'a', messages: [message, { role: 'user', content: 'y' }], gone: 1 };
  const after = { model: 'a', messages: [{ ...message, role: 'system' }, before.messages[1] ?? null], added: [1] };
  const edits = diffEdits(before, after);
  assert.equal(edits, [
    { path: ['gone'], remove: true },
    { path: ['messages', '0', 'role'], set: 'system' },
    { path: ['added'], set: [1] },
  ]);
  assert.equal(editValue(before, edits), after);
});

edit('changes every element of a long list in time that grows with its length alone', async () => {
  const many = 60_000;
  const list: Json[] = Array.from({ length: many }, () => ({ content: 'h' }));
  const edits = list.map((_, at): BodyEdit => ({ path: ['list', String(at), 'role'], set: 'user' }));
  let after: Json | undefined;
  await assertQuick(1500, () => {
    after = editValue({ list }, edits);
  });
  assert.equal(after, { list: list.map(() => ({ content: 'h', role: 'user' })) });
});

edit('replaces a list that has another length', () => {
  assert.equal(diffEdits({ a: [1, 2] }, { a: [1] }), [{ path: ['a'], set: [1] }]);
});

edit.run();

const scan = suite('scanTopLevel');

const refused = (text: string | Buffer) =>
  assert.throws(() => scanTopLevel(Buffer.from(text)), isRefusal('invalid_request'));

scan('refuses what is no JSON object', () => {
  for (const text of ['', '[]', '"a"', '{', '{"a"}', '{"a":}', '{"a":1,}', '{"a":1}x', '{"a":[1}', '{"a":"', '{a:1}']) {
    refused(text);
  }
  refused(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
});

scan('refuses nesting above the limit', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  scanTopLevel(Buffer.from(nested(MAX_DEPTH)));
  refused(nested(MAX_DEPTH + 1));
});

scan('finds quotes behind any number of backslashes, in short and long strings', () => {
  for (const length of [0, 10, 47, 48, 49, 500]) {
    for (let escapes = 0; escapes < 5; escapes += 1) {
      const value = `${'x'.repeat(length)}${'\\'.repeat(escapes)}"${'y'.repeat(length)}`;
      const text = JSON.stringify({ a: value, b: 1 });
      const [member] = scanTopLevel(Buffer.from(text)).members;
      assert.is(JSON.parse(text.slice(member?.valueStart, member?.end)), value);
    }
  }
});

scan.run();
