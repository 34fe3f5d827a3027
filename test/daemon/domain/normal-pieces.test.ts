import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { normalPieces } from '../../../daemon/domain/normal-pieces.ts';

const test = suite('domain/normal-pieces');

/** Every character that is composed of others or is a part of such, but of the syllables of Hangul a few. */
const composed = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xac10 || (code > 0xd7a3 && (code < 0xd800 || code > 0xdfff)))
  .map((code) => String.fromCodePoint(code))
  .flatMap((each) => {
    const parts = [...each.normalize('NFKD')];
    return parts.length > 1 ? [each, ...parts] : [];
  });
const joining = [...new Set(composed)];
const cased = [
  'Σ',
  'σ',
  '\u{1d6ba}',
  'a',
  'Ａ',
  'İ',
  '.',
  "'",
  ' ',
  '\u00ad',
  '\u200d',
  '屏',
  '\u{20000}',
  '\ud800',
  '\udc00',
];
const hangul = ['\u1112', '\u1161', '\u11ab', '하', '한', '\u115f', '\uffc2', ' '];
const kiratRai = ['\u{16d63}', '\u{16d67}', '\u{16d69}', ' ', 'x', '屏', 'y'];
const textOf = (units: readonly string[]) =>
  fc.array(fc.constantFrom(...units), { minLength: 270, maxLength: 400 }).map((parts) => parts.join(''));

const forms: readonly ((text: string) => string)[] = [
  (text) => text.normalize('NFKC'),
  (text) => text.normalize('NFKC').toLowerCase(),
  (text) =>
    text
      .normalize('NFKC')
      .replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
      .normalize('NFKC')
      .toLowerCase(),
];

test('the forms of the pieces are the form of the text, wherever it is cut', () => {
  for (const units of [joining, cased, hangul, kiratRai, [...cased, ...joining.slice(0, 20)]]) {
    fc.assert(
      fc.property(textOf(units), fc.integer({ min: 1, max: 5 }), (text, length) => {
        const pieces = [...normalPieces(text, length)];
        assert.is(pieces.join(''), text);
        for (const form of forms) assert.is(pieces.map(form).join(''), form(text));
      }),
      { numRuns: 300 },
    );
  }
});

test('cuts everywhere in a text without a good place, but no character in two', () => {
  for (const unit of ['\u0301\u0323', '\u{1d165}', '\udc00', '\u1161']) {
    const text = `x${unit.repeat(2000)}`;
    const pieces = [...normalPieces(text, 100)];
    assert.is(pieces.join(''), text);
    assert.ok(pieces.every(({ length }) => length <= 100 + 256));
    assert.ok(pieces.every((piece) => unit === '\udc00' || !/\p{Cs}/u.test(piece)));
  }
});

test('leaves a short text whole', () => {
  assert.equal([...normalPieces('', 5)], ['']);
  assert.equal([...normalPieces('x'.repeat(200), 5)], ['x'.repeat(200)]);
});

test.run();
