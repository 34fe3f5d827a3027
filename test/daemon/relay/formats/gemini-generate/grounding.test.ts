import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Annotation } from '../../../../../daemon/relay/canonical/chat.ts';
import { geminiGenerate } from '../../../../../daemon/relay/formats/gemini-generate/index.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { decodeAll } from '../../../../conformance/translate.ts';

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

for (const [text, place] of [
  ['It is fair', { start: 6, end: 10 }],
  ['Es ist schön', {}],
] as const) {
  test(`knows the places of a stream ${'start' in place ? 'while its letters are bytes' : 'no more after a longer letter'}`, () => {
    const groundingMetadata = grounded(text, 6, 10);
    const events = decodeAll(geminiGenerate, [
      { data: JSON.stringify(candidate(text, {})) },
      { data: JSON.stringify(candidate('', { groundingMetadata, finishReason: 'STOP' })) },
    ]);
    const told = events.flatMap((event) => (event.type === 'annotation' ? event.annotation : []));
    const citedText = groundingMetadata.groundingSupports[0]?.segment.text;
    const page = { kind: 'url', url: 'https://a.example', title: 'A', ...place, citedText };
    assert.equal(pages(told), [page, { kind: 'url', url: 'https://b.example' }]);
  });
}

test.run();
