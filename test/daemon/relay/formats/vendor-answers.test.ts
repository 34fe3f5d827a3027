/** What vendors' own chat formats answer that no recording shows, piece by piece. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatEvent } from '../../../../daemon/relay/canonical/chat.ts';
import type { FormatId, UpstreamFormat } from '../../../../daemon/relay/format.ts';
import { upstreamFormatOf } from '../../../../daemon/relay/formats/index.ts';
import type { JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';

const test = suite('answers of vendors');

function formatOf(id: FormatId): UpstreamFormat {
  const format = upstreamFormatOf(id);
  assert.ok(format);
  return format;
}

/** Text and thoughts in the events. */
function said(events: readonly ChatEvent[], type: 'text-delta' | 'reasoning-delta' = 'text-delta'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('');
}

/** What each payload of a stream is decoded into. */
function decoded(id: FormatId, payloads: readonly JsonObject[]): ChatEvent[][] {
  const decoder = formatOf(id).decodeStream(testScope());
  return payloads.map((payload) => decoder.push({ data: JSON.stringify(payload) }));
}

const message = (answer: string): JsonObject => ({ event: 'message', message_id: 'm', answer });
const ended: JsonObject = { event: 'message_end', message_id: 'm' };

test('Dify’s pieces are told when they come', () => {
  const pieces = decoded('dify-chat', [message('po'), message('ng'), ended]);
  assert.equal(
    pieces.map((events) => said(events)),
    ['po', 'ng', ''],
  );
});

test('Dify’s unfolded thoughts are told apart from the answer', () => {
  const heading =
    '<details style="color:gray;background-color: #f8f8f8;padding: 8px;border-radius: 4px;" open> <summary> Thinking... </summary>';
  const pieces = decoded('dify-chat', [
    message(heading.slice(0, 40)),
    message(`${heading.slice(40)}\nwh`),
    message('y</det'),
    message('ails>\npong'),
    ended,
  ]);
  assert.equal([said(pieces.flat(), 'reasoning-delta'), said(pieces.flat())], ['why', 'pong']);
  const others = decoded('dify-chat', [message('<details><summary>More</summary>x</details>'), ended]);
  assert.is(said(others.flat()), '<details><summary>More</summary>x</details>');
});

test('Ollama’s usage counts where its prompt was read', () => {
  const answer = { model: 'm', message: { role: 'assistant', content: 'pong' }, done: true, eval_count: 5 };
  const usageOf = (counts: JsonObject) => formatOf('ollama-chat').readUsage({ ...answer, ...counts });
  assert.equal([usageOf({ prompt_eval_count: 26 })?.prompt, usageOf({ prompt_eval_count: 26 })?.completion], [26, 5]);
  assert.is(usageOf({ prompt_eval_count: 0 }), undefined);
  assert.is(usageOf({}), undefined);
});

test.run();
