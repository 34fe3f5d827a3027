/** What components of the console compute before they draw. */
import i18next, { createInstance } from 'i18next';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { type ChartPoint, figureOf, partsWithRest, withRest } from '../../console/components/chart-series.ts';
import { maskedSecret, shownAfterCopy } from '../../console/components/copy-text.ts';
import { lineParts } from '../../console/components/diff-parts.ts';
import { changedRows, movedBy, sortedValue } from '../../console/components/diff-values.ts';
import { changedMembers, errorsOf } from '../../console/components/form-values.ts';
import { jsonLines, linesWith, textOfLines, visibleLines } from '../../console/components/json-lines.ts';
import {
  chosenGroup,
  highlighted,
  modelRows,
  namesIn,
  otherGroup,
  vendorOf,
} from '../../console/components/model-options.ts';
import { texts as zh } from '../../console/i18n/catalogues/zh/components.ts';
import { texts as frame } from '../../console/i18n/catalogues/zh/frame.ts';
import { boundedOptions } from '../../console/theme/bounded-options.ts';
import { assertQuick } from '../support/processor-time.ts';

const test = suite('console/components');

test('a copied text is told cut, a secret only by its ends', () => {
  assert.is(shownAfterCopy('abc', false), 'abc');
  assert.is(shownAfterCopy('x'.repeat(41), false), `${'x'.repeat(40)}…`);
  assert.is(shownAfterCopy('a\n b', false), 'a b');
  assert.is(shownAfterCopy(`sk-${'a'.repeat(44)}9fK2`, true), 'sk-…9fK2');
  assert.is(maskedSecret('0123456789abcdef'), '…cdef');
  assert.is(maskedSecret('short'), '…');
});

test('only changed members leave a form, lists by their content', () => {
  const before = { name: 'a', models: ['x'], quota: 1, setting: { a: 1 } };
  assert.equal(changedMembers(before, { ...before, models: ['x'], setting: { a: 1 } }), {});
  assert.equal(changedMembers(before, { ...before, name: 'b', models: [] }), { name: 'b', models: [] });
  assert.equal(changedMembers({ quota: Number.NaN }, { quota: Number.NaN }), {});
});

test('what a schema refuses is said by kind, unless the schema says it', async () => {
  const instance = createInstance();
  await instance.init({
    lng: 'zh',
    resources: { zh: { components: zh } },
    showSupportNotice: false,
    interpolation: { escapeValue: false, prefix: '{', suffix: '}' },
  });
  const t = instance.getFixedT('zh', 'components');
  const schema = z.object({
    name: z.string().check(z.minLength(2), z.maxLength(4)),
    count: z.int().check(z.minimum(1), z.maximum(9)),
    own: z.string().check(z.minLength(1, 'mine')),
    list: z.array(z.object({ id: z.int() })),
  });
  const good = { name: 'abc', count: 3, own: 'x', list: [{ id: 1 }] };
  assert.equal(errorsOf(schema, good, t), {});
  assert.equal(errorsOf(schema, { ...good, name: '', count: '', own: '' }, t), {
    name: '请填写此项',
    count: '请填写此项',
    own: 'mine',
  });
  assert.equal(errorsOf(schema, { ...good, name: 'a', count: 10, list: [{ id: 'x' }] }, t), {
    name: '至少 2 个字符',
    count: '不得大于 9',
    'list.0.id': '格式不正确',
  });
  assert.equal(errorsOf(schema, { ...good, name: 'abcde', count: 0 }, t), {
    name: '最多 4 个字符',
    count: '不得小于 1',
  });
});

test('of thousands of options a hundred are drawn, and a line says how many are found by typing', async () => {
  await i18next.init({
    lng: 'zh',
    resources: { zh: { frame } },
    showSupportNotice: false,
    interpolation: { escapeValue: false, prefix: '{', suffix: '}' },
  });
  const options = Array.from({ length: 5000 }, (_, index) => ({
    value: `m${index}`,
    label: `Model ${index}`,
    disabled: false,
  }));
  const drawn = boundedOptions({ options, search: '', limit: Number.POSITIVE_INFINITY });
  assert.is(drawn.length, 101);
  const said = (left: number) => ({ value: '\0more', label: `还有 ${left} 项，输入可查找`, disabled: true });
  assert.equal(drawn.at(-1), said(4900));
  const found = boundedOptions({ options, search: ' model 49', limit: Number.POSITIVE_INFINITY });
  assert.equal([found.length, found.at(-1)], [101, said(11)]);
  assert.equal(boundedOptions({ options, search: 'MODEL 4999', limit: 50 }), [options[4999]]);
  assert.is(boundedOptions({ options, search: '', limit: 5 }).length, 6);
  const groups = ['a', 'b', 'c'].map((group, index) => ({ group, items: options.slice(index * 60, (index + 1) * 60) }));
  const bounded = boundedOptions({ options: groups, search: '', limit: Number.POSITIVE_INFINITY });
  const sizes = bounded.map((option) => ('group' in option ? option.items.length : option.label));
  assert.equal(sizes, [60, 40, said(80).label]);
  const named = boundedOptions({ options: groups, search: 'model 70', limit: Number.POSITIVE_INFINITY });
  assert.equal(named, [{ group: 'b', items: [options[70]] }]);
});

test('models are grouped by vendor, chosen ones first and single ones last', () => {
  assert.is(vendorOf('openai/gpt-4o'), 'openai');
  assert.is(vendorOf('Claude-sonnet-4'), 'claude');
  assert.is(vendorOf('o1'), 'o');
  const options = ['gpt-4o', 'gpt-5', 'o1', 'claude-a', 'claude-b'].map((value) => ({ value }));
  const rows = modelRows(options, '', new Set(['gpt-5']));
  const told = rows.map((row) => (row.kind === 'group' ? `# ${row.name}` : `${row.index} ${row.option.value}`));
  assert.equal(told, [
    `# ${chosenGroup}`,
    '0 gpt-5',
    '# claude',
    '1 claude-a',
    '2 claude-b',
    '# gpt',
    '3 gpt-4o',
    `# ${otherGroup}`,
    '4 o1',
  ]);
  assert.equal(
    modelRows(options, 'B claude', new Set()).map(({ key }) => key),
    ['claude-b'],
  );
  assert.equal(namesIn('["a", \'b\'] c，d、e\nf;a'), ['a', 'b', 'c', 'd', 'e', 'f']);
  assert.equal(highlighted('GPT-4o', 'pt'), ['G', 'PT', '-4o']);
});

test('JSON is shown by lines that fold and are found', () => {
  const lines = jsonLines({ a: [1, { 'b c': 'x' }], d: {}, e: null });
  assert.equal(
    lines.map(({ path, text }) => `${path} ${text}`),
    [' {', 'a [', 'a[0] 1', 'a[1] {', 'a[1]["b c"] "x"', 'a[1] }', 'a ]', 'd {}', 'e null', ' }'],
  );
  assert.equal(visibleLines(lines, new Set([1])), [0, 1, 7, 8, 9]);
  assert.equal(visibleLines(lines, new Set([0])), [0]);
  assert.equal(linesWith(lines, 'X'), [4]);
  assert.equal(linesWith(lines, ''), []);
});

test('JSON that is nested thousands deep is shown, and read off again as it stands', () => {
  const depth = 20_000;
  const lines = jsonLines(JSON.parse(`${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`));
  assert.is(lines.length, 4 * depth + 1);
  assert.is(lines[2 * depth]?.text, '1');
  assert.is(lines[0]?.end, 4 * depth);
  const value = { a: [1, { 'b c': '"x"', e: [] }], d: {}, f: null };
  assert.is(textOfLines(jsonLines(value)), JSON.stringify(value, null, 2));
});

test('lines are compared one by one while that takes no time, and in one piece where it would take minutes', async () => {
  assert.equal(lineParts('a\nb\nc\n', 'a\nx\nc'), [
    { sign: ' ', lines: ['a'] },
    { sign: '-', lines: ['b'] },
    { sign: '+', lines: ['x'] },
    { sign: ' ', lines: ['c'] },
  ]);
  const list = (add: number) => Array.from({ length: 3000 }, (_, index) => `"model-${index}": ${index + add},`);
  const [old, now] = [list(0), list(0.5)];
  const textOf = (lines: readonly string[]) => ['{', ...lines, '}'].join('\n');
  let parts: ReturnType<typeof lineParts> = [];
  await assertQuick(5000, () => (parts = lineParts(textOf(old), textOf(now))));
  assert.equal(parts, [
    { sign: ' ', lines: ['{'] },
    { sign: '-', lines: old },
    { sign: '+', lines: now },
    { sign: ' ', lines: ['}'] },
  ]);
});

test('differences are told by member, secrets without their text', () => {
  assert.equal(changedRows({ a: 1, b: 'x', key: 's', same: [1] }, { a: 2, c: [1], key: 't', same: [1] }, ['key']), [
    { name: 'a', before: 1, after: 2 },
    { name: 'b', before: 'x' },
    { name: 'c', after: '[1]' },
    { name: 'key', before: '***', after: '***' },
  ]);
  assert.is(movedBy({ name: 'a', before: 1, after: 1.5 }), 0.5);
  assert.is(movedBy({ name: 'a', before: -2, after: -1 }), 0.5);
  assert.is(movedBy({ name: 'a', before: 0, after: 1 }), undefined);
  const [old, now] = [
    { b: 1, key: 's', token: 'q' },
    { key: 't', b: 1, token: 'q' },
  ];
  assert.is(JSON.stringify(sortedValue(old, now, ['key', 'token'], '')), '{"b":1,"key":"***","token":"***"}');
  assert.is(JSON.stringify(sortedValue(now, old, ['key', 'token'], ' *')), '{"b":1,"key":"*** *","token":"***"}');
});

test('a ring has its largest parts and the rest as one, whatever order they come in', () => {
  const part = (name: string, share: number): ChartPoint => ({ name, values: { share } });
  const few = [part('a', 1), part('b', -2)];
  assert.is(partsWithRest(few, 'share', 'Others', 2), few);
  assert.equal(partsWithRest([part('c', 1), ...few, part('d', 9), part('e', 4)], 'share', 'Others', 2), [
    part('d', 9),
    part('e', 4),
    part('Others', 0),
  ]);
});

test('a model that is called like what every object has counts for nothing where it was not used', () => {
  const points = ['constructor', '__proto__'].map(
    (model, at): ChartPoint => ({ name: `day ${at}`, values: Object.fromEntries([[model, 5]]) }),
  );
  const figures = (model: string) => points.map((point) => figureOf(point, model));
  assert.equal(figures('constructor'), [5, undefined]);
  assert.equal(figures('__proto__'), [undefined, 5]);
  assert.equal(figures('toString'), [undefined, undefined]);
  const series = ['constructor', '__proto__', 'a', 'b'].map((key) => ({ key, label: key }));
  assert.equal(
    withRest(points, series, 'Others', 2).series.map(({ key }) => key),
    ['constructor', '__proto__', '__rest'],
  );
});

test.run();
