import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withoutTypographicQuotes } from '../../console/components/json-check.ts';
import { formattedJson } from '../../console/components/json-format.ts';

const test = suite('console/json-format');

test('lays a text out as the browser would', () => {
  const values = [{ a: [1, { b: null }, []], 'c,{"': { d: {} }, e: 'x: [1, 2] \\" \\\\' }, [], {}, '', 0, [[true]]];
  for (const value of values) {
    const wanted = JSON.stringify(value, null, 2);
    assert.is(formattedJson(JSON.stringify(value)), wanted);
    assert.is(formattedJson(wanted), wanted);
  }
});

test('leaves numbers that the browser cannot hold, and both of two members of one name', () => {
  const text = '{"seed":12345678901234567890,"low":-0,"top":1e400,"top":1.10,"name":"\\u00e9"}';
  const lines = ['"seed": 12345678901234567890', '"low": -0', '"top": 1e400', '"top": 1.10', '"name": "\\u00e9"'];
  assert.is(formattedJson(text), `{\n${lines.map((line) => `  ${line}`).join(',\n')}\n}`);
});

test('takes typographic quotation marks for those of JSON, but not within a text of JSON', () => {
  assert.is(withoutTypographicQuotes('{“a”:\u3000“b”}', '{“a”:\u3000“b”}'), '{"a": "b"}');
  assert.is(withoutTypographicQuotes('{"a": "“b”"}', '1{"a": "“b”"}'), '{"a": "“b”"}');
  assert.is(withoutTypographicQuotes('他说“好”', '{"a": "他说“好”"}'), '他说“好”');
  assert.is(withoutTypographicQuotes('“b”', '{"a": “b”}'), '"b"');
});

test.run();
