/** What the settings screens make of stored texts: tables of groups, chats and prices, files, words, versions. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  groupLimitsOf,
  groupLimitsText,
  groupsIn,
  rateLimitsOf,
  rateLimitsText,
} from '../../console/pages/settings/limits/limit-rows.ts';
import { chatLinksOf, chatLinksText, previewOf } from '../../console/pages/settings/operation/chat-links.ts';
import {
  groupRowsOf,
  ratiosText,
  settledRatio,
  usableText,
} from '../../console/pages/settings/operation/group-rows.ts';
import { monthBefore } from '../../console/pages/settings/operation/month-before.ts';
import { hitsOf, wordsOf } from '../../console/pages/settings/operation/sensitive-words.ts';
import { type OptionRow, rowsByKey } from '../../console/pages/settings/option-draft.ts';
import { exportedOptions, readOptionsFile } from '../../console/pages/settings/options-file.ts';
import { isNewer } from '../../console/pages/settings/other/release-check.ts';
import {
  entriesOf,
  figureOf,
  figureProblem,
  inputPriceOf,
  isConflict,
  isUnpriced,
  outputPriceOf,
  overtakenFigures,
  type PriceEntry,
  ratiosOfPrices,
  sentOf,
  stillWrong,
} from '../../console/pages/settings/prices/price-entry.ts';
import type { OptionKey } from '../../daemon/contract/options.ts';

const test = suite('console: tables of settings');

function row(key: OptionKey, value: string, fields: Partial<OptionRow> = {}): OptionRow {
  const rest = { default: '', changed: false, class: 'admin', section: '', updated_at: 0, updated_by: '' } as const;
  return { key, value, ...rest, ...fields };
}

test('a month before the last day of a month ends in the month before, not in the same one', () => {
  const secondsOf = (month: number, day: number) => new Date(2026, month - 1, day, 10, 30).getTime() / 1000;
  assert.is(monthBefore(secondsOf(5, 31)), secondsOf(4, 30));
  assert.is(monthBefore(secondsOf(3, 30)), secondsOf(2, 28));
  assert.is(monthBefore(secondsOf(11, 28)), secondsOf(10, 28));
});

test('limits are offered for the groups of the ratios, and for auto where it tries any', () => {
  const ratios = '{"default":1,"vip":0.5}';
  assert.equal(groupsIn(ratios, '["vip"]'), ['default', 'vip', 'auto']);
  for (const none of ['[]', '', '[', '{}']) assert.equal(groupsIn(ratios, none), ['default', 'vip'], none);
  assert.equal(groupsIn('{', '["vip"]'), ['auto']);
});

test('ratios and prices per 1M tokens are two ways of saying the same', () => {
  assert.equal(ratiosOfPrices(2.5, 10), { ratio: 1.25, completion: 4 });
  assert.equal(ratiosOfPrices(0.1, 0.3), { ratio: 0.05, completion: 3 });
  assert.equal(ratiosOfPrices(2, undefined), { ratio: 1 });
  // A third of 10 has no end, and is still a third of it.
  for (const [input, output] of [
    [3, 10],
    [0.15, 0.7],
    [7, 0.1],
  ] as const) {
    assert.is(outputPriceOf(ratiosOfPrices(input, output)), output);
  }
  assert.is(inputPriceOf({ ratio: 0.035 }), 0.07);
  assert.is(outputPriceOf({ ratio: 1.25, completion: 4 }), 10);
  assert.is(outputPriceOf({ ratio: 1.25 }), undefined);
});

test('a model with price and ratio is a conflict, one with neither has no price', () => {
  assert.ok(isConflict({ price: 0.1, ratio: 1 }));
  assert.not.ok(isConflict({ price: 0.1, cache: 0.5 }));
  assert.ok(isUnpriced({ completion: 4 }));
  assert.ok(isUnpriced(undefined));
  assert.not.ok(isUnpriced({ ratio: 0 }));
});

test('entries are gathered from all maps, and only figures that differ are sent', () => {
  const texts: Partial<Record<OptionKey, string>> = {
    ModelPrice: '{"draw":0.04}',
    ModelRatio: '{"chat":1,"other":2}',
    CompletionRatio: '{"chat":4}',
  };
  const stored = entriesOf((key) => texts[key] ?? '');
  assert.equal([...stored.keys()], ['chat', 'draw', 'other']);
  assert.equal(stored.get('chat'), { ratio: 1, completion: 4 });
  const edits = new Map([
    ['chat', { price: 0.5 }],
    ['draw', { price: 0.04 }],
    ['other', {}],
    ['new', { ratio: 3 }],
  ]);
  assert.equal(sentOf(edits, stored), {
    chat: { model_price: 0.5, model_ratio: null, completion_ratio: null },
    other: { model_ratio: null },
    new: { model_ratio: 3 },
  });
});

test('a price by call leaves no ratios, though they stand beside it until it is applied', () => {
  const stored = new Map([['chat', { ratio: 1, completion: 4, cache: 0.5 }]]);
  const edits = new Map([['chat', { price: 0.5, ratio: 1, completion: 4, cache: 0.5 }]]);
  assert.equal(sentOf(edits, stored), {
    chat: { model_price: 0.5, model_ratio: null, completion_ratio: null, cache_ratio: null },
  });
});

test('a figure is a number from 0 to a million, or nothing', () => {
  assert.equal(figureOf(' 0.5 '), { value: 0.5 });
  assert.equal(figureOf('.5'), { value: 0.5 });
  assert.equal(figureOf(''), { value: undefined });
  assert.equal(figureOf('１．５'), { value: 1.5 }, 'as a Chinese keyboard writes it');
  for (const text of ['abc', '-1', '1e9', '0x10', '1,5', 'Infinity']) assert.is(figureOf(text), undefined, text);
});

test('what is no figure is told apart by what is wrong with it', () => {
  const problems = {
    number: ['abc', '0x10', 'Infinity', ','],
    separated: ['1,000', '1，000', '1 000', '1.000,5', '$2'],
  };
  for (const [problem, texts] of Object.entries({ ...problems, range: ['-1', '1000001', '1e9'] })) {
    for (const text of texts) assert.is(figureProblem(text), problem, text);
  }
  for (const text of ['', ' 0.5 ', '1e-3', '1000000']) assert.is(figureProblem(text), undefined, text);
});

test('a wrong cell is mended by another figure in its place alone', () => {
  const wrong = [
    { name: 'a', figure: 'ratio', text: 'x' },
    { name: 'a', figure: 'price', text: 'y' },
    { name: 'b', figure: 'cache', text: 'z' },
  ] as const;
  const before = new Map([['a', { ratio: 1 }]]);
  const left = (entry: PriceEntry) => stillWrong(wrong, new Map([['a', entry]]), before).map(({ text }) => text);
  assert.equal(left({ ratio: 1, cache: 2 }), ['x', 'y', 'z']);
  assert.equal(left({ ratio: 2 }), ['y', 'z']);
  assert.equal(left({ ratio: 1, price: 3 }), ['z'], 'beside a price no ratio counts');
  assert.equal(left({}), ['z'], 'a model that is taken out has no cells');
});

test('chat links are one-entry maps, shown with the address of the site and a key that is none', () => {
  const text = '[{"One":"https://one.example/#k={key}&u={address}"}]';
  const links = chatLinksOf(text);
  assert.equal(links, [{ name: 'One', link: 'https://one.example/#k={key}&u={address}' }]);
  assert.equal(JSON.parse(chatLinksText(links ?? [])), JSON.parse(text));
  assert.is(previewOf('a={address} k={key}', 'https://me.example'), 'a=https%3A%2F%2Fme.example k=sk-…');
  assert.is(chatLinksOf('[{"a":"x","b":"y"}]'), undefined);
  assert.is(chatLinksOf('no json'), undefined);
  assert.equal(chatLinksOf(''), []);
});

test('groups go to a table and back; what is no number stays for the check to refuse', () => {
  const rows = groupRowsOf('{"default":1,"vip":0.8}', '{"default":"all","guest":""}');
  assert.equal(rows, [
    { name: 'default', ratio: '1', description: 'all' },
    { name: 'vip', ratio: '0.8', description: undefined },
    { name: 'guest', ratio: undefined, description: '' },
  ]);
  assert.equal(JSON.parse(ratiosText(rows ?? [])), { default: 1, vip: 0.8 });
  assert.equal(JSON.parse(usableText(rows ?? [])), { default: 'all', guest: '' });
  // A ratio that is typed anew keeps its row.
  const typed = ['', '1.', '1.50'].map((ratio) => ratiosText([{ name: 'a', ratio, description: undefined }]));
  assert.equal(
    typed.map((text) => groupRowsOf(text, '{}')?.map(({ ratio }) => ratio)),
    [[''], ['1.'], ['1.50']],
  );
  assert.equal(['', '1.', '1.50', '.5', 'x'].map(settledRatio), ['', '1', '1.5', '0.5', 'x']);
  assert.is(groupRowsOf('[]', '{}'), undefined);
});

test('limits go to a table and back, by group and by what they hold for', () => {
  const byGroup = groupLimitsOf('{"vip":[0,2000]}');
  assert.equal(byGroup, [{ group: 'vip', all: '0', successes: '2000' }]);
  assert.equal(JSON.parse(groupLimitsText(byGroup ?? [])), { vip: [0, 2000] });
  assert.is(groupLimitsOf('{"vip":5}'), undefined);
  const text = '{"user":{"*":{"rpm":60}},"model":{"gpt-*":{"tpm":1000,"concurrency":2}}}';
  const rows = rateLimitsOf(text);
  assert.equal(rows, [
    { kind: 'user', name: '*', rpm: '60', tpm: '', concurrency: '' },
    { kind: 'model', name: 'gpt-*', rpm: '', tpm: '1000', concurrency: '2' },
  ]);
  assert.equal(JSON.parse(rateLimitsText(rows ?? [])), JSON.parse(text));
  assert.equal(JSON.parse(rateLimitsText([{ kind: 'user', name: 'a', rpm: '1x', tpm: '', concurrency: '' }])), {
    user: { a: { rpm: '1x' } },
  });
  assert.is(rateLimitsOf('[]'), undefined);
});

test('words are counted once whatever their case, and patterns are tried', () => {
  const { words, duplicates } = wordsOf('Bad\n\n bad \nregex:^x\\d+$\nregex:(');
  assert.equal(words, ['bad', 'regex:^x\\d+$', 'regex:(']);
  assert.is(duplicates, 1);
  assert.equal(hitsOf(words, 'X12'), { hits: ['regex:^x\\d+$'], broken: ['regex:('] });
  assert.equal(hitsOf(words, 'so BAD').hits, ['bad']);
});

test('a file of options holds no secret, and tells what it would change', () => {
  const rows = rowsByKey([
    row('RetryTimes', '0'),
    row('ServerAddress', 'https://one.example', { class: 'root' }),
    row('SMTPToken', '', { set: true }),
  ]);
  assert.equal(JSON.parse(exportedOptions(rows)), { RetryTimes: '0', ServerAddress: 'https://one.example' });
  const all = { isRefused: () => false };
  const file = readOptionsFile('{"RetryTimes":3,"ServerAddress":"https://one.example/","NoSuch":"1"}', rows, all);
  assert.equal(file, { changes: [{ key: 'RetryTimes', value: '3' }], unknown: ['NoSuch'], refused: [] });
  const empty = readOptionsFile('{"ServerAddress":null,"NoSuch":null}', rows, all);
  assert.equal(empty, { changes: [], unknown: ['NoSuch'], refused: ['ServerAddress'] });
  const listed = readOptionsFile('{"data":[{"key":"RetryTimes","value":"2"},{"key":"SMTPToken","value":""}]}', rows, {
    isRefused: (key) => key === 'RetryTimes',
  });
  assert.equal(listed, { changes: [], unknown: [], refused: ['RetryTimes'] });
  assert.is(readOptionsFile('no json', rows, all), undefined);
});

test('versions are compared by their numbers', () => {
  assert.ok(isNewer('0.2.0', 'v0.1.9'));
  assert.ok(isNewer('1.0', '0.9.9'));
  assert.not.ok(isNewer('0.1.0', 'v0.1.0'));
  assert.not.ok(isNewer('0.1.0', '0.1.0-dev'));
  assert.not.ok(isNewer('0.9', '0.10'));
});

test('of prices that others set meanwhile those are overtaken that an edit would replace, not those beside them', () => {
  const bases = new Map<string, PriceEntry>([
    ['ratio', { ratio: 1, cache: 0.5 }],
    ['call', { ratio: 1, completion: 2 }],
    ['token', { ratio: 1 }],
    ['gone', { price: 3 }],
  ]);
  const edits = new Map<string, PriceEntry>([
    ['ratio', { ratio: 2, cache: 0.5 }],
    ['call', { price: 4, ratio: 1, completion: 2 }],
    ['token', { ratio: 2 }],
    ['gone', {}],
    ['new', { ratio: 5 }],
  ]);
  assert.equal(overtakenFigures(edits, bases, bases), []);
  const beside = new Map<string, PriceEntry>([
    ...bases,
    ['ratio', { ratio: 1, cache: 0.1, creation: 9 }],
    ['other', { price: 1 }],
  ]);
  assert.equal(overtakenFigures(edits, bases, beside), []);
  // What somebody else set to the same is agreed upon.
  assert.equal(
    overtakenFigures(edits, bases, new Map<string, PriceEntry>([...bases, ['new', { ratio: 5 }], ['gone', {}]])),
    [],
  );
  const now = new Map<string, PriceEntry>([
    ['ratio', { ratio: 7 }],
    ['call', { ratio: 1, completion: 3 }],
    ['token', { price: 6, ratio: 1 }],
    ['gone', { price: 8 }],
    ['new', { ratio: 6 }],
  ]);
  assert.equal(
    overtakenFigures(edits, bases, now).map(({ name, figure, theirs, mine }) => [name, figure, theirs, mine]),
    [
      ['ratio', 'ratio', 7, 2],
      ['call', 'completion', 3, undefined],
      ['token', 'price', 6, undefined],
      ['gone', 'price', 8, undefined],
      ['new', 'ratio', 6, 5],
    ],
  );
});

test.run();
