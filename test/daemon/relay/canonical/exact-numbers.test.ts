import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  digitsOf,
  MarkedNumbers,
  markNumbers,
  restoreNumbers,
  withExactArguments,
  withExactInputs,
} from '../../../../daemon/relay/canonical/exact-numbers.ts';
import type { Json } from '../../../../daemon/relay/json.ts';
import { assertQuick } from '../../../support/processor-time.ts';

const test = suite('numbers that a double cannot hold');

test('come out of JSON as they went in, wherever they stand', () => {
  for (const text of [
    '{"id":9223372036854775807}',
    '[-9223372036854775808,1]',
    '{"a":{"b":[12345678901234567890,0.12345678901234567890]},"c":1.5}',
    '{"far":123456789012345678901234567890}',
    '{"precise":1.2345678901234567890e+40}',
    '{"whole":1.0,"none":-0,"thousand":1e3,"also":[1E+3,0.50,-10.0,1e21],"tiny":0.000000001}',
    '{"number":"number","number-":12345678901234567890,"quoted":"\\"12345678901234567890\\""}',
  ]) {
    const numbers = MarkedNumbers.in(text);
    assert.ok(numbers, text);
    assert.is(numbers?.restored(JSON.stringify(numbers.json)), text);
  }
});

test('are looked for in vain where there are none', () => {
  for (const text of [
    '{"id":1}',
    '{"id":9007199254740991,"at":1700000000000}',
    '{"id":10000000000000000}',
    '{"plain":[0,-1,1.5,0.25,-0.125,100,1e+21,-0.5,10.01]}',
    '{"id":9223372036854775807,"own":"\ue0005"}',
    '{"id":9223372036854775807,"own":"\\uE0005"}',
    '{"text":"9223372036854775807","hash":"1e5d7e9"}',
    '{"text":"a: 9223372036854775807, b"}',
    '{"id":0123456789012345678901}',
    '{"id":9223372036854775807',
    '',
  ]) {
    assert.is(MarkedNumbers.in(text), undefined, text);
  }
});

test('stand for themselves alone: in text that was put into a string, but for no string that looks like one', () => {
  const marked = markNumbers('{"id":12345678901234567890}') ?? '';
  const once = JSON.stringify({ content: marked });
  const twice = JSON.stringify({ content: once });
  assert.is(restoreNumbers(once), JSON.stringify({ content: '{"id":12345678901234567890}' }));
  assert.is(restoreNumbers(twice), JSON.stringify({ content: restoreNumbers(once) }));
  for (const text of ['"\ue000"', '"\ue000x"', '"\ue0005 and more"', '\ue0005', '"a\ue0005"']) {
    assert.is(restoreNumbers(text), text);
  }
  assert.is(digitsOf(JSON.parse(marked).id), '12345678901234567890');
  for (const value of ['12345678901234567890', 5, null, undefined]) assert.is(digitsOf(value), undefined);
});

test('are read again only where calls are, and numbers that they may have lost', () => {
  const call = (input: string) => ({ type: 'tool-call', input });
  const asked: string[] = [];
  const read = (json: Json) => {
    asked.push(JSON.stringify(json));
    return [{ type: 'user' }, call(JSON.stringify(json))];
  };
  const source = '{"id": 9223372036854775807, "at": 1.0}';
  const plain = [{ type: 'user' }, call('{"id":1,"text":"1e5"}')];
  const harmless = () => '{"id":1,"text":"1e5"}';
  assert.is(withExactInputs(plain, harmless, read), plain);
  const silent = [{ type: 'user' }];
  assert.is(
    withExactInputs(silent, () => source, read),
    silent,
  );
  assert.equal(asked, []);
  const lossy = [{ type: 'user' }, call(JSON.stringify(JSON.parse(source)))];
  assert.equal(
    withExactInputs(lossy, () => source, read),
    [{ type: 'user' }, call('{"id":9223372036854775807,"at":1.0}')],
  );
  // What was text on the wire is as it was.
  const text = [{ type: 'user' }, call('{"id":9223372036854775807}')];
  assert.is(
    withExactInputs(text, () => JSON.stringify({ arguments: '{"id":9223372036854775807}' }), read),
    text,
  );
});

test('go back in the order of their calls, and into nothing but arguments', () => {
  const inputs = [
    '{"id": 9223372036854775807}',
    '{"x":1}',
    '{"id":9223372036854775806}',
    '{"id":',
    '[9223372036854775807]',
  ];
  const body = {
    text: 'says {"id":9223372036854776000}',
    calls: [{ args: JSON.parse(inputs[0] ?? '') }, { args: { x: 1 } }, { args: JSON.parse(inputs[2] ?? '') }],
  };
  assert.is(
    withExactArguments(JSON.stringify(body), inputs),
    '{"text":"says {\\"id\\":9223372036854776000}","calls":[{"args":{"id":9223372036854775807}},{"args":{"x":1}},{"args":{"id":9223372036854775806}}]}',
  );
});

test('are found in texts that would keep one who looks at every place from every other for ever', () => {
  const slashes = JSON.stringify({ says: '\\'.repeat(2_000_000) });
  const numbers = '{"id":9223372036854775807}';
  const text = `[${slashes},${numbers}]`;
  assert.is(restoreNumbers(markNumbers(text) ?? ''), text);
  for (const end of ['', '\\']) assert.is(markNumbers(`[${numbers},"${'\\"'.repeat(2_000_000)}${end}`), undefined);
});

test('come back into the arguments that lost them, where others look the same without having lost any', () => {
  const inputs = ['{"id":9007199254740992}', '{"id":9007199254740993}', '{"id":9007199254740992}', 'no JSON'];
  const json = `[${inputs.slice(0, 3).map((input) => JSON.stringify(JSON.parse(input)))}]`;
  assert.is(withExactArguments(json, inputs), `[${inputs.slice(0, 3)}]`);
});

test('come back into any number of arguments at once, and into those alone that are there', async () => {
  const inputs = Array.from(
    { length: 3_000 },
    (_, at) => `{"id":1${String(at + 1).padStart(20, '0')},"t":"${'a'.repeat(90)}"}`,
  );
  const asObjects = JSON.stringify(inputs.map((input): Json => JSON.parse(input)));
  const asTexts = JSON.stringify(inputs);
  // A twentieth of a second; with the text made anew for each they took fifteen.
  await assertQuick(1_000, () => {
    assert.ok(withExactArguments(asObjects, inputs) === `[${inputs.join(',')}]`);
    assert.ok(withExactArguments(asTexts, inputs) === asTexts);
  });
});

test.run();
