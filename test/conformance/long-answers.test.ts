/**
 * Answers of any number of parts, sentences and sources are translated in a time that grows with them and no faster: an
 * upstream may say as many as it likes, and what is read anew for each of them would hold up every other call.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { transcriptOf } from '../../daemon/relay/formats/dashscope-sentences.ts';
import { placesIn } from '../../daemon/relay/formats/gemini-generate/grounding.ts';
import { geminiGenerate } from '../../daemon/relay/formats/gemini-generate/index.ts';
import { MessageItem } from '../../daemon/relay/formats/openai-responses/stream-items.ts';
import { sentencesOf } from '../../daemon/relay/formats/spoken-words.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { assertQuick } from '../support/processor-time.ts';
import { testScope } from './scope.ts';

const answers = suite('long answers');

const many = 40_000;
/** Each takes a fraction of it; read anew for each entry they took from twice to many times as long. */
const mostMs = 3000;

function times<Entry>(entry: (at: number) => Entry): Entry[] {
  return Array.from({ length: many }, (_, at) => entry(at));
}

const inTime = (act: () => void) => assertQuick(mostMs, act);

const candidate = (parts: JsonObject[], more: JsonObject = {}) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP', ...more }],
});

answers('of Gemini with many pictures between words are read at once', () =>
  inTime(() => {
    const parts = times((at) =>
      at % 2 === 0 ? { text: 'a' } : { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    );
    const [choice] = geminiGenerate.decodeResponse(candidate(parts), testScope()).choices;
    const [said] = choice?.items ?? [];
    assert.is(said?.type === 'assistant' && said.parts.length, many);
  }),
);

answers('of Gemini with many sources find the words of each at once', () =>
  inTime(() => {
    const supports = times((at) => ({
      segment: { startIndex: 2 * at, endIndex: 2 * many },
      groundingChunkIndices: [0],
    }));
    const groundingMetadata = { groundingChunks: [{ web: { uri: 'https://x.test' } }], groundingSupports: supports };
    const body = candidate([{ text: 'é'.repeat(many) }], { groundingMetadata });
    const [choice] = geminiGenerate.decodeResponse(body, testScope()).choices;
    const wire = JSON.stringify(choice?.items);
    assert.ok(wire.includes(`"start":${many - 1},"end":${many}`));
  }),
);

answers('are told the places of letters of any length', () => {
  const text = 'aé漢😀'.repeat(100);
  const placeOf = placesIn(text);
  for (let at = 0; at <= text.length; at += 1) {
    if (/^[\udc00-\udfff]/.test(text.slice(at))) continue;
    assert.is(placeOf(Buffer.byteLength(text.slice(0, at))), at);
  }
  assert.is(placeOf(1_000_000), text.length);
  assert.is(placeOf(-1), 0);
});

answers('that turn from words to refusals many times are written at once', () =>
  inTime(() => {
    const item = new MessageItem(0, { id: 'msg_1', phase: undefined }, () => undefined);
    for (let at = 0; at < many; at += 1) {
      if (at % 2 === 0) item.text('a');
      else item.refuse('b');
    }
    const { content } = item.end('completed');
    assert.is(Array.isArray(content) && content.length, many);
  }),
);

answers('that tell long recordings sentence by sentence are joined at once', () =>
  inTime(() => {
    const text = 'what one says within a few seconds of a recording that goes on for hours';
    const transcript = transcriptOf(times((at) => ({ text, begin_time: at, end_time: at + 1 })));
    assert.is(transcript.text.length, many * (text.length + 1) - 1);
    assert.is(transcriptOf([{ text: '他说。' }, { text: 'yes' }, { text: '😀' }, { text: 'a' }]).text, '他说。yes😀a');
  }),
);

answers('that tell words without any stop are made one sentence at once', () =>
  inTime(() => assert.is(sentencesOf(times((at) => ({ text: 'word', start: at, end: at + 1 }))).length, 1)),
);

answers.run();
