import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diffEdits, editBody } from '../../../daemon/relay/body-edit.ts';
import type { Json, JsonObject } from '../../../daemon/relay/json.ts';
import { ParamOverride } from '../../../daemon/relay/param-override.ts';
import { isRefusal } from '../../support/refusal-code.ts';

const facts = { original_model: 'team/gpt-4o', upstream_model: 'gpt-4o', retry_index: 1, user_group: 'vip' };

function apply(override: unknown, body: JsonObject): JsonObject {
  const result = new ParamOverride(override).apply(body, facts);
  if (result.kind !== 'body') throw new Error('refused');
  return result.body;
}
const run = (body: JsonObject, ...operations: JsonObject[]) => apply({ operations }, body);

const test = suite('ParamOverride');

test('sets each field of the flat form', () => {
  assert.equal(apply({ temperature: 0, stop: null, 'a.b': 1 }, { temperature: 1, n: 2 }), {
    temperature: 0,
    n: 2,
    stop: null,
    'a.b': 1,
  });
  assert.ok(new ParamOverride(null).isEmpty);
  assert.ok(new ParamOverride({}).isEmpty);
});

test('sets, keeps and deletes by path', () => {
  const body = { messages: [{ content: 'a' }, { content: 'b' }], keep: 1 };
  assert.equal(run(body, { mode: 'set', path: 'messages.-1.content', value: 'c' }), {
    messages: [{ content: 'a' }, { content: 'c' }],
    keep: 1,
  });
  assert.equal(run(body, { mode: 'set', path: 'keep', value: 2, keep_origin: true }).keep, 1);
  assert.equal(run({}, { mode: 'set', path: 'a.b\\.c', value: 2, keep_origin: true }), { a: { 'b.c': 2 } });
  assert.equal(run(body, { mode: 'delete', path: 'messages.0' }).messages, [{ content: 'b' }]);
  assert.equal(run({ a: { b: 1, c: 2 } }, { mode: 'delete', path: 'a.b' }), { a: { c: 2 } });
});

test('moves and copies', () => {
  const body = { max_tokens: 5, a: { b: [1] } };
  assert.equal(run(body, { mode: 'move', from: 'max_tokens', to: 'max_completion_tokens' }), {
    a: { b: [1] },
    max_completion_tokens: 5,
  });
  assert.equal(run(body, { mode: 'copy', from: 'a.b.0', to: 'c' }).c, 1);
  assert.equal(run(body, { mode: 'move', from: 'none', to: 'c' }), body);
  assert.equal(run(body, { mode: 'move', from: 'max_tokens', to: 'a.b.7' }), body);
});

test('adds to texts, lists and objects', () => {
  assert.equal(run({ s: 'b' }, { mode: 'prepend', path: 's', value: 'a' }, { mode: 'append', path: 's', value: 'c' }), {
    s: 'abc',
  });
  assert.equal(
    run({ l: [2] }, { mode: 'append', path: 'l', value: [3, 4] }, { mode: 'prepend', path: 'l', value: 1 }),
    {
      l: [1, 2, 3, 4],
    },
  );
  const merge = (keep: boolean) => ({ mode: 'append', path: 'o', value: { a: 9, b: 2 }, keep_origin: keep });
  assert.equal(run({ o: { a: 1 } }, merge(false)).o, { a: 9, b: 2 });
  assert.equal(run({ o: { a: 1 } }, merge(true)).o, { a: 1, b: 2 });
  // What cannot be joined stays as it is.
  const joined = (place: Json, value: Json) => run({ at: place }, { mode: 'append', path: 'at', value }).at;
  assert.equal([joined('b', 5), joined({ a: 1 }, 'b'), joined(5, 6)], ['b', { a: 1 }, 5]);
});

test('rewrites texts', () => {
  const rewrite = (text: string, operation: JsonObject) => run({ t: text }, { path: 't', ...operation }).t;
  assert.is(rewrite('az/gpt', { mode: 'trim_prefix', value: 'az/' }), 'gpt');
  assert.is(rewrite('gpt', { mode: 'trim_prefix', value: 'az/' }), 'gpt');
  assert.is(rewrite('gpt:free', { mode: 'trim_suffix', value: ':free' }), 'gpt');
  assert.is(rewrite('gpt', { mode: 'trim_suffix', value: ':free' }), 'gpt');
  assert.is(rewrite('gpt', { mode: 'ensure_prefix', value: 'az/' }), 'az/gpt');
  assert.is(rewrite('az/gpt', { mode: 'ensure_prefix', value: 'az/' }), 'az/gpt');
  assert.is(rewrite('gpt', { mode: 'ensure_suffix', value: ':free' }), 'gpt:free');
  assert.is(rewrite('gpt', { mode: 'ensure_suffix', value: 'gpt' }), 'gpt');
  assert.is(rewrite('  a ', { mode: 'trim_space' }), 'a');
  assert.is(rewrite('aB', { mode: 'to_upper' }), 'AB');
  assert.is(rewrite('aB', { mode: 'to_lower' }), 'ab');
  assert.is(rewrite('a.a', { mode: 'replace', from: 'a', to: '$&' }), '$&.$&');
  assert.is(rewrite('a1b22', { mode: 'regex_replace', from: '\\d+', to: '#' }), 'a#b#');
  assert.is(rewrite('gpt-4o-2024', { mode: 'regex_replace', from: '-(\\d+)$', to: '@$1' }), 'gpt-4o@2024');
  assert.is(run({ t: 5 }, { mode: 'to_upper', path: 't' }).t, 5);
});

test('asks the call for what is known of it, and not a client that writes the same names into its body', () => {
  const isMet = (asked: JsonObject, path: string, value: Json) =>
    run(asked, { mode: 'set', path: 'done', value: true, conditions: [{ path, mode: 'full', value }] }).done === true;
  assert.ok(isMet({ retry_index: 7, original_model: 'other' }, 'retry_index', 1));
  assert.not(isMet({ retry_index: 7 }, 'retry_index', 7));
  assert.not(isMet({ original_model: 'other' }, 'original_model', 'other'));
  assert.ok(
    isMet({ model: 'as it goes on' }, 'model', 'as it goes on'),
    'but for the model, which overrides may change',
  );
});

test('runs an operation only if its conditions hold', () => {
  const when = (conditions: Json, logic = 'OR') => {
    const asked = { n: 5, s: 'hello', l: ['x'], empty: null };
    return run(asked, { mode: 'set', path: 'done', value: true, conditions, logic }).done === true;
  };
  assert.ok(when([{ path: 's', mode: 'prefix', value: 'he' }]));
  assert.ok(when([{ path: 's', mode: 'suffix', value: 'lo' }]));
  assert.ok(when([{ path: 's', mode: 'contains', value: 'ell' }]));
  assert.ok(when([{ path: 'l', mode: 'contains', value: 'x' }]));
  assert.ok(when([{ path: 'n', mode: 'gte', value: 5 }]));
  assert.not(when([{ path: 'n', mode: 'gt', value: 5 }]));
  assert.ok(when([{ path: 'n', mode: 'lte', value: 5 }]));
  assert.not(when([{ path: 's', mode: 'prefix', value: 'ell' }]));
  assert.not(when([{ path: 's', mode: 'suffix', value: 'ell' }]));
  assert.not(when([{ path: 's', mode: 'contains', value: 'hell no' }]));
  assert.not(when([{ path: 'n', mode: 'gte', value: 6 }]));
  assert.ok(when([{ path: 'n', mode: 'gt', value: 4 }]));
  assert.not(when([{ path: 'n', mode: 'lte', value: 4 }]));
  assert.ok(when([{ path: 'n', mode: 'lt', value: 6 }]));
  assert.not(when([{ path: 'n', mode: 'lt', value: 5 }]));
  assert.not(when([{ path: 'n', mode: 'lt', value: 'a' }]));
  assert.ok(when([{ path: 'none', mode: 'exists', invert: true }]));
  assert.ok(when([{ path: 'empty', mode: 'exists' }]));
  assert.ok(when([{ path: 'empty', mode: 'full', value: null }]));
  assert.ok(when([{ path: 'l', mode: 'full', value: ['x'] }]));
  assert.not(when([{ path: 'n', mode: 'full', value: '5' }]));
  assert.not(when([{ path: 'none', mode: 'full', value: 1 }]));
  assert.ok(when([{ path: 'none', mode: 'full', value: 1, pass_missing_key: true }]));
  // What is not there is no other value either: that alone says what becomes of it.
  assert.not(when([{ path: 'none', mode: 'full', value: 1, invert: true }]));
  assert.ok(when([{ path: 'none', mode: 'full', value: 1, invert: true, pass_missing_key: true }]));
  assert.ok(when([{ path: 'original_model', mode: 'prefix', value: 'team/' }]));
  assert.ok(when([{ path: 'retry_index', mode: 'gt', value: 0 }]));
  const one = { path: 'n', mode: 'full', value: 5 };
  const other = { path: 'n', mode: 'full', value: 6 };
  assert.ok(when([one, other]));
  assert.not(when([one, other], 'AND'));
  // Without a word for it, one of several is enough.
  const either = { mode: 'set', path: 'done', value: true, conditions: [other, one] };
  assert.is(run({ n: 5 }, either).done, true);
});

test('asks the conditions of an operation about what those before it made of the body', () => {
  const when = (value: Json) => [{ path: 'n', mode: 'full', value }];
  const second = (value: Json) => ({ mode: 'set', path: 'seen', value: true, conditions: when(value) });
  assert.equal(run({ n: 1 }, { mode: 'set', path: 'n', value: 2 }, second(2)), { n: 2, seen: true });
  assert.equal(run({ n: 1 }, { mode: 'set', path: 'n', value: 2 }, second(1)), { n: 2 });
});

test('refuses a request in the operator’s words, and changes headers', () => {
  const override = new ParamOverride({
    operations: [
      { mode: 'set_header', path: 'X-A', value: 'v' },
      { mode: 'delete_header', path: 'X-B' },
      {
        mode: 'return_error',
        value: { message: 'no', status_code: 451, code: 'c', type: 't' },
        conditions: [{ path: 'banned', mode: 'exists' }],
      },
    ],
  });
  assert.equal(override.apply({ banned: 1 }, facts), {
    kind: 'refused',
    refusal: { message: 'no', status: 451, code: 'c', type: 't' },
  });
  assert.equal(
    new ParamOverride({ operations: [{ mode: 'return_error', value: { message: 'no' } }] }).apply({}, facts),
    {
      kind: 'refused',
      refusal: { message: 'no', status: 400, code: 'invalid_request', type: 'tollgate_error' },
    },
  );
  assert.equal(override.apply({}, facts), {
    kind: 'body',
    body: {},
    headers: [
      ['X-A', 'v'],
      ['X-B', null],
    ],
  });
});

test('finds a broken override before any request meets it', () => {
  for (const override of [
    'text',
    [],
    { operations: [{ mode: 'explode', path: 'a' }] },
    { operations: [{ mode: 'set', path: 'a' }] },
    { operations: [{ mode: 'set', path: '__proto__.x', value: 1 }] },
    { operations: [{ mode: 'set', path: 'a.constructor.prototype', value: 1 }] },
    { operations: [{ mode: 'delete', path: 'a..b' }] },
    { operations: [{ mode: 'set', path: Array(20_000).fill('a').join('.'), value: 1 }] },
    { operations: [{ mode: 'regex_replace', path: 'a', from: '(', to: '' }] },
    { operations: [{ mode: 'set', path: 'a', value: 1, conditions: [{ path: 'b', mode: 'sounds_like' }] }] },
    { operations: [{ mode: 'return_error', value: {} }] },
    JSON.parse('{"__proto__":1}'),
  ]) {
    assert.throws(() => new ParamOverride(override), isRefusal('channel:param_override_invalid'));
  }
});

test('skips what its path does not reach, and leaves the body it was given alone', () => {
  const body: JsonObject = { list: [1], text: 'x' };
  Object.freeze(body.list);
  Object.freeze(body);
  assert.equal(run(body, { mode: 'set', path: 'list.5', value: 9 }), body);
  assert.equal(run(body, { mode: 'set', path: 'text.inner', value: 9 }), body);
  assert.equal(run(body, { mode: 'append', path: 'none', value: 'x' }), body);
  run(body, { mode: 'append', path: 'list', value: 2 }, { mode: 'delete', path: 'text' });
  assert.equal(body, { list: [1], text: 'x' });
});

test('ends where little operations make much of a body, before it is there', () => {
  const doubling = Array.from({ length: 40 }, (_, at) => ({ mode: 'copy', from: 'a', to: `a.x${at}` }));
  const texts = (mode: string, from: string) =>
    Array.from({ length: 40 }, () => ({ mode, path: 'text', from, to: 'aaaa' }));
  const groups = Array.from({ length: 40 }, () => ({ mode: 'regex_replace', path: 'text', from: '(.+)', to: '$1$1' }));
  const nesting = (mode: string) => {
    const place = Array(100).fill('x').join('.');
    const turn = [
      { mode, from: 'a', to: `b.${place}` },
      { mode, from: 'b', to: `a.${place}` },
    ];
    return Array.from({ length: 100 }, () => turn).flat();
  };
  const deep = [nesting('copy'), nesting('move')];
  for (const operations of [doubling, texts('replace', 'a'), texts('regex_replace', 'a'), groups, ...deep]) {
    assert.throws(
      () => run({ a: { k: 1 }, text: 'a' }, ...operations),
      isRefusal('channel:param_override_invalid'),
      JSON.stringify(operations[0]),
    );
  }
  const long = 'a'.repeat(100_000);
  const once = { mode: 'regex_replace', path: 'text', from: 'a', to: 'bbb' };
  assert.equal(run({ text: long }, { mode: 'replace', path: 'text', from: 'a', to: 'bbb' }), run({ text: long }, once));
});

test('leaves bytes alone that it does not touch', () => {
  const bytes = Buffer.from(
    '{"seed":12345678901234567890,"messages":[{"n":1.0,"content":"a"},{"id":10000000000000001}]}',
  );
  const body = JSON.parse(bytes.toString());
  const after = run(body, { mode: 'append', path: 'messages.0.content', value: 'b' });
  assert.is(editBody(bytes, diffEdits(body, after)).toString(), bytes.toString().replace('"a"', '"ab"'));
});

test.run();
