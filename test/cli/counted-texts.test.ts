import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { both } from '../../cli/language.ts';
import { readSources } from '../support/source-files.ts';

const texts = suite('texts that count');

texts('say in English one thing as one, and several as several', () => {
  const removed = (count: number) =>
    both('{count} {count:key|keys} of {name} removed', '已移除 {count} 个', { count, name });
  const name = '{count}';
  assert.equal(removed(1), { en: '1 key of {count} removed', zh: '已移除 1 个' });
  assert.is(removed(0).en, '0 keys of {count} removed');
  assert.is(removed(2).en, '2 keys of {count} removed');
});

texts('leave braces alone where there is nothing to fill in', () => {
  assert.equal(both('{"name": "model"}', '{"别名": "模型"}'), { en: '{"name": "model"}', zh: '{"别名": "模型"}' });
});

/** What the command line counts. */
const things =
  'answers|balances|batches|bytes|calls|channels|characters|checks|codes|columns|days|errors|figures|files|items|keys' +
  '|lines|messages|models|nodes|objects|options|orphans|requests|rows|sessions|tests|times|tokens|units|users';

/** Texts of several alone: one thing has words of its own there, or there is never one. */
const neverOne = [
  'rows.length} channels passed their tests',
  'rows.length} channels are',
  'rows.length} channels?',
  'rows.length} keys?',
  'names.length} channels?',
  'more lines',
  'offered models have no price',
  'asked} tests could not be made',
  'heldRows} rows',
  'certificateWarnsDays} days or more',
  'shortestPassphrase} characters',
  'quotaPerUnit} units x',
];

texts('of the command line never put a figure before a word for several alone', () => {
  const counted = new RegExp(`\\$\\{[^}]*\\} (?!names)(?:[a-z]+ ){0,2}(?:${things})\\b`);
  const faults = readSources()
    .filter(({ path }) => path.startsWith('cli/'))
    .flatMap(({ path, text }) => text.split('\n').map((line, at) => ({ place: `${path}:${at + 1}`, line })))
    .filter(({ line }) => counted.test(line) && !neverOne.some((words) => line.includes(words)))
    .map(({ place, line }) => `${place}: ${line.trim()}`);
  assert.equal(faults, [], 'write {count} {count:key|keys} and hand over the figures');
});

texts.run();
