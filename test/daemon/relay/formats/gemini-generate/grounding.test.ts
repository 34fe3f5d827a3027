import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Annotation } from '../../../../../daemon/relay/canonical/chat.ts';
import { geminiGenerate } from '../../../../../daemon/relay/formats/gemini-generate/index.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { decodeAll } from '../../../../conformance/translate.ts';
import { assertQuick } from '../../../../support/processor-time.ts';

const test = suite('Gemini grounding');

function grounded(text: string, from: number, to: number) {
  const segment = { startIndex: from, endIndex: to, text: Buffer.from(text).subarray(from, to).toString() };
  return {
    groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }, { web: { uri: 'https://b.example' } }],
    groundingSupports: [{ segment, groundingChunkIndices: [0] }],
  };
}

function candidate(text: string, rest: object) {
  return { candidates: [{ content: { role: 'model', parts: [{ text }] }, ...rest }] };
}

const pages = (annotations: readonly Annotation[]) => annotations.filter(({ kind }) => kind === 'url');

test('tells sources once that a host lists with every piece', () => {
  const groundingMetadata = { groundingChunks: [{ web: { uri: 'https://a.example' } }] };
  const pieces = ['One', 'Two'].map((text) => candidate(text, { groundingMetadata }));
  const told = decodeAll(
    geminiGenerate,
    pieces.map((piece) => ({ data: JSON.stringify(piece) })),
  );
  const annotations = told.flatMap((event) => (event.type === 'annotation' ? event.annotation : []));
  assert.is(pages(annotations).length, 1);
});

test('finds places in a long text once, however many pieces list its sources', async () => {
  const groundingMetadata = grounded('é', 0, 2);
  const said = candidate('é'.repeat(16_000), {});
  const piece = { content: { role: 'model', parts: [] }, groundingMetadata };
  const wire = JSON.stringify({ candidates: [...said.candidates, ...Array(20_000).fill(piece)] });
  // A fraction of a second; with the text looked through anew for each piece they took seven.
  await assertQuick(3000, () => decodeAll(geminiGenerate, [{ data: wire }]));
});

test('tells the words that a page supports, counted in the units of text', () => {
  const text = 'Grüße: 晴れ today';
  const groundingMetadata = grounded(text, 9, 15);
  const [choice] = geminiGenerate.decodeResponse(
    candidate(text, { groundingMetadata, finishReason: 'STOP' }),
    testScope(),
  ).choices;
  const [item] = choice?.items ?? [];
  const [part] = item?.type === 'assistant' ? item.parts : [];
  assert.equal(pages(part?.type === 'text' ? (part.annotations ?? []) : []), [
    { kind: 'url', url: 'https://a.example', title: 'A', start: 7, end: 9, citedText: '晴れ' },
    { kind: 'url', url: 'https://b.example' },
  ]);
});

/** The places of one page in a stream of these pieces, which ends with the words that it supports. */
function placesOf(pieces: readonly string[], cited: string): (number | undefined)[] {
  const text = pieces.join('');
  const end = Buffer.byteLength(text);
  const groundingMetadata = grounded(text, end - Buffer.byteLength(cited), end);
  const events = decodeAll(geminiGenerate, [
    ...pieces.map((piece) => ({ data: JSON.stringify(candidate(piece, {})) })),
    { data: JSON.stringify(candidate('', { groundingMetadata, finishReason: 'STOP' })) },
  ]);
  const told = pages(events.flatMap((event) => (event.type === 'annotation' ? event.annotation : [])));
  const [page] = told;
  assert.is(told.length, 2);
  assert.ok(page?.kind === 'url' && page.citedText === cited);
  return [page.start, page.end];
}

test('knows the places of a stream, whatever its letters are', () => {
  for (const pieces of [
    ['It is ', 'fair'],
    ['Es ist ', 'schön'],
    ['Grüße: ', '晴れ', ' 👩‍👧 today'],
  ]) {
    const text = pieces.join('');
    const cited = text.slice(-5);
    assert.equal(placesOf(pieces, cited), [text.length - 5, text.length], text);
  }
});

test('keeps of a stream no more than a page or two to find places in', () => {
  const plain = 'a'.repeat(100_000);
  assert.equal(placesOf([plain, 'schön'], 'schön'), [100_000, 100_005]);
  assert.equal(placesOf(['ö'.repeat(40_000), 'schön'], 'schön'), [undefined, undefined]);
});

test.run();
