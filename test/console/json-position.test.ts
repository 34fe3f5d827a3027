/** Where a JSON text is wrong. */
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonMistake, jsonPosition } from '../../console/components/json-position.ts';

const test = suite('console/json-position');

test('the first mistake is found with line and column', () => {
  const cases: [string, { line: number; column: number } | undefined][] = [
    ['{"a": 1}', undefined],
    ['', { line: 1, column: 1 }],
    ['{"a": 1,}', { line: 1, column: 9 }],
    ['{\n  "a": 1\n  "b": 2\n}', { line: 3, column: 3 }],
    ["{'a': 1}", { line: 1, column: 2 }],
    ['{“a”: 1}', { line: 1, column: 2 }],
    ['[1, 2', { line: 1, column: 6 }],
    ['[01]', { line: 1, column: 3 }],
    ['{"a": tru}', { line: 1, column: 7 }],
    ['{"a": 1} x', { line: 1, column: 10 }],
    ['"a\nb"', { line: 1, column: 1 }],
    ['{"a" 1}', { line: 1, column: 6 }],
  ];
  for (const [text, position] of cases) assert.equal(jsonMistake(text), position, text);
});

test('the value at a path, or the one around it, is found', () => {
  const text = '{\n  "a": [1, {"b c": "x"}],\n  "\\u0064": 2\n}';
  assert.equal(jsonPosition(text, ['a', 1, 'b c']), { line: 2, column: 20 });
  assert.equal(jsonPosition(text, ['d']), { line: 3, column: 13 });
  assert.equal(jsonPosition(text, ['a', 7]), { line: 2, column: 8 });
  assert.equal(jsonPosition(text, ['nothing']), { line: 1, column: 1 });
});

test('every text that the browser reads has no mistake, and only those', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (text, seed, inserted) => {
      const at = seed % (text.length + 1);
      for (const candidate of [text, text.slice(0, at) + inserted + text.slice(at), text.slice(0, at)]) {
        let isJson = true;
        try {
          JSON.parse(candidate);
        } catch {
          isJson = false;
        }
        assert.is(jsonMistake(candidate) === undefined, isJson, candidate);
      }
    }),
    { numRuns: 300 },
  );
});

test.run();
