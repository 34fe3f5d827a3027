import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { argumentsObject, ObjectScanner } from '../../../../daemon/relay/canonical/arguments.ts';

const test = suite('tool arguments');

test('empty text is an empty object', () => {
  assert.equal(argumentsObject(''), {});
  assert.equal(argumentsObject(' \n'), {});
});

test('text that is no JSON object is kept under _raw', () => {
  assert.equal(argumentsObject('{"a":'), { _raw: '{"a":' });
  assert.equal(argumentsObject('[1]'), { _raw: '[1]' });
});

test('the scanner knows a whole object whatever the cuts', () => {
  const whole = '{"a":"}\\"{","b":{"c":[1,{}]}}';
  for (let cut = 0; cut <= whole.length; cut += 1) {
    const scanner = new ObjectScanner();
    scanner.push(whole.slice(0, cut));
    assert.is(scanner.isWhole, cut === whole.length, whole.slice(0, cut));
    scanner.push(whole.slice(cut));
    assert.is(scanner.isWhole, true);
  }
});

test('the scanner holds nothing for whole before it has begun', () => {
  const scanner = new ObjectScanner();
  scanner.push('  ');
  assert.is(scanner.isWhole, false);
});

test.run();
