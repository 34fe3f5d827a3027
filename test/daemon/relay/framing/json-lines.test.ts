import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { JsonLinesParser } from '../../../../daemon/relay/framing/json-lines.ts';

const test = suite('JsonLinesParser');

test('reads the same lines wherever the bytes are cut', () => {
  const bytes = Buffer.from('{"a":"é👍"}\n\r\n{"b":2}\r\n{"c":3}');
  for (let at = 0; at <= bytes.length; at += 1) {
    const parser = new JsonLinesParser();
    const lines = [...parser.push(bytes.subarray(0, at)), ...parser.push(bytes.subarray(at)), ...parser.end()];
    assert.equal(lines, ['{"a":"é👍"}', '{"b":2}', '{"c":3}']);
  }
});

test.run();
