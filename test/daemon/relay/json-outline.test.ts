import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { outlineOf } from '../../../daemon/relay/json-outline.ts';
import { StreamEvent } from '../../../daemon/relay/native-events.ts';

const outline = suite('outlineOf');

const outlined = (value: unknown) => JSON.parse(outlineOf(Buffer.from(JSON.stringify(value))).toString());

outline('leaves JSON without long strings as it is', () => {
  const bytes = Buffer.from(`{"a":"${'x'.repeat(65_000)}","b":["\\"",{"c":"\\\\"}]}`);
  assert.equal(outlineOf(bytes), bytes);
});

outline('cuts every long string to the beginning of what it says, and nothing else', () => {
  const long = 'y'.repeat(100_000);
  const cut = outlined({ before: 1, a: long, list: [long, { b: `"${long}` }], after: 'z' });
  assert.is(cut.before, 1);
  assert.is(cut.after, 'z');
  for (const text of [cut.a, cut.list[0]]) {
    assert.ok(text.length > 900 && text.length < 1100);
    assert.ok(long.startsWith(text));
  }
  assert.ok(`"${long}`.startsWith(cut.list[1].b) && cut.list[1].b.length > 900);
});

outline('cuts neither within a character nor within an escape, wherever they stand', () => {
  for (const unit of ['é', '漢', '😀', '\\', '"', '\n', '\u0001', '\\u0041', 'a\\"é']) {
    for (let shift = 0; shift < 12; shift += 1) {
      const text = 'x'.repeat(shift) + unit.repeat(70_000);
      const { text: cut } = outlined({ text });
      assert.ok(cut.length > 100 && cut.length < 1100 && text.startsWith(cut), `${unit} ${shift}`);
    }
  }
  const escaped = `{"text":"x${'\\ud83d\\ude00'.repeat(10_000)}"}`;
  const { text } = JSON.parse(outlineOf(Buffer.from(escaped)).toString());
  assert.ok(JSON.parse(escaped).text.startsWith(text));
});

outline('does not make JSON of what is none', () => {
  for (const torn of [`{"a":"${'x'.repeat(100_000)}`, `{"a":"${'x'.repeat(100_000)}"`, '"', '']) {
    assert.throws(
      () => JSON.parse(outlineOf(Buffer.from(torn)).toString()),
      (error: unknown) => error instanceof SyntaxError,
    );
  }
});

outline('reads a large event by its outline', () => {
  const data = 'A'.repeat(2_000_000);
  const bytes = Buffer.from(`event: x\ndata: ${JSON.stringify({ data, usage: { total: 3 } })}\n\n`);
  const { json } = new StreamEvent(bytes, { start: 0, end: bytes.length });
  assert.equal(json?.usage, { total: 3 });
  assert.ok(String(json?.data).length < 1100);
});

outline.run();
