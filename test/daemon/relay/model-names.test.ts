import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type NamingRules, resolveModel } from '../../../daemon/relay/model-names.ts';

const resolve = (client: string, rules: Partial<NamingRules> = {}) =>
  resolveModel(client, { prefix: '', mapping: {}, keepsSuffix: false, ...rules });
const upstream = (client: string, rules: Partial<NamingRules> = {}) => resolve(client, rules)?.upstream;

const test = suite('resolveModel');

test('cuts the prefix once', () => {
  assert.equal(resolve('az/gpt-4o', { prefix: 'az/' }), {
    bare: 'gpt-4o',
    upstream: 'gpt-4o',
    isMapped: false,
    reasoningEffort: undefined,
    isLiteral: false,
  });
  assert.is(upstream('az/az/x', { prefix: 'az/' }), 'az/x');
  assert.is(upstream('gpt-4o', { prefix: 'az/' }), 'gpt-4o');
});

test('follows a mapping to its end', () => {
  const mapping = { a: 'b', b: 'c', same: 'same' };
  assert.is(upstream('a', { mapping }), 'c');
  assert.is(resolve('a', { mapping })?.isMapped, true);
  assert.is(resolve('same', { mapping })?.isMapped, false);
  assert.is(upstream('p/a', { mapping, prefix: 'p/' }), 'c');
});

test('takes the wildcard for names without an entry, and only for them', () => {
  const mapping = { '*': 'x', a: 'b' };
  assert.is(upstream('a', { mapping }), 'b');
  assert.is(upstream('z', { mapping }), 'x');
  assert.is(upstream('x', { mapping }), 'x');
});

test('reads no suffix from a name that a mapping wrote, the wildcard’s own name among them', () => {
  for (const mapping of [{ '*': 'o3-high' }, { 'o3-high': 'o3-high' }, { alias: 'o3-high', 'o3-high': 'o3-high' }]) {
    assert.equal([upstream('o3-high', { mapping }), resolve('o3-high', { mapping })?.isLiteral], ['o3-high', true]);
  }
  assert.equal([upstream('o3-high'), resolve('o3-high')?.reasoningEffort], ['o3', 'high']);
});

test('gives up on circles and on chains above ten hops', () => {
  assert.is(resolve('a', { mapping: { a: 'b', b: 'a' } }), undefined);
  const chain = (length: number) =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`m${index}`, `m${index + 1}`]));
  assert.is(upstream('m0', { mapping: chain(10) }), 'm10');
  assert.is(upstream('m0', { mapping: chain(11) }), undefined);
});

test('does not take names from the prototype', () => {
  assert.is(upstream('constructor'), 'constructor');
  assert.is(upstream('__proto__'), '__proto__');
});

test('reads an effort from the names that own the suffix', () => {
  for (const [name, model, effort] of [
    ['o3-mini-high', 'o3-mini', 'high'],
    ['gpt-5-minimal', 'gpt-5', 'minimal'],
    ['gpt-5.4-xhigh', 'gpt-5.4', 'xhigh'],
    ['openai/gpt-5-low', 'openai/gpt-5', 'low'],
    ['grok-3-mini-high', 'grok-3-mini', 'high'],
    ['kimi-k2-thinking', 'kimi-k2-thinking', undefined],
    ['gpt-4o-high', 'gpt-4o-high', undefined],
    ['gpt-5-codex', 'gpt-5-codex', undefined],
  ] as const) {
    const resolved = resolve(name);
    assert.equal([resolved?.upstream, resolved?.reasoningEffort], [model, effort], name);
  }
});

test('takes a name literally that a mapping wrote, or where the channel says so', () => {
  assert.is(upstream('fast', { mapping: { fast: 'gpt-5-high' } }), 'gpt-5-high');
  assert.is(upstream('gpt-5-high', { mapping: { 'gpt-5-high': 'gpt-5-high' } }), 'gpt-5-high');
  assert.is(upstream('gpt-5-high', { keepsSuffix: true }), 'gpt-5-high');
});

test.run();
