import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PartialArguments } from '../../../../../daemon/relay/formats/gemini-generate/partial-arguments.ts';

const test = suite('Gemini arguments in pieces');

test('are put together by their paths, text at one path going on there', () => {
  const args = new PartialArguments();
  args.push([
    { jsonPath: '$.city', stringValue: 'Ro' },
    { jsonPath: "$['days'][0].at", numberValue: 3 },
  ]);
  args.push([
    { jsonPath: '$.city', stringValue: 'me' },
    { jsonPath: '$.days[1]', boolValue: true },
    { jsonPath: '$.none', nullValue: 'NULL_VALUE' },
  ]);
  assert.is(args.text, '{"city":"Rome","days":[{"at":3},true],"none":null}');
});

test('are kept where one of their paths leads deeper than any arguments, which nobody could write as JSON', () => {
  const args = new PartialArguments();
  args.push([
    { jsonPath: `$${'.a'.repeat(100_000)}`, stringValue: 'x' },
    { jsonPath: '$.__proto__.polluted', stringValue: 'x' },
    { jsonPath: '$.city', stringValue: 'Rome' },
  ]);
  assert.is(args.text, '{"city":"Rome"}');
});

test.run();
