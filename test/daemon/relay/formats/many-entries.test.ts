import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatEvent } from '../../../../daemon/relay/canonical/chat.ts';
import { AnswerCollector } from '../../../../daemon/relay/canonical/collect.ts';
import type { WireEvent } from '../../../../daemon/relay/format.ts';
import { decodeStream as decodeMessages } from '../../../../daemon/relay/formats/anthropic-messages/decode-stream.ts';
import { encodeStream as encodeMessages } from '../../../../daemon/relay/formats/anthropic-messages/encode-stream.ts';
import { decodeStream as decodeResponses } from '../../../../daemon/relay/formats/openai-responses/decode-stream.ts';
import { testScope } from '../../../conformance/scope.ts';
import { anyRequest } from '../../../conformance/translate.ts';
import { assertQuick } from '../../../support/processor-time.ts';

const test = suite('answers of very many entries');

const many = 30_000;

/** Each takes a fraction of it; where each entry looks at all, seconds to minutes. */
const growsEvenly = (work: (entries: number) => void) => assertQuick(1500, () => work(many));

const wire = (type: string, members: object): WireEvent => ({
  event: type,
  data: JSON.stringify({ type, ...members }),
});

test('are read from Messages as fast where no call is ended', () =>
  growsEvenly((entries) => {
    const decoder = decodeMessages();
    let told = 0;
    for (let index = 0; index < entries; index += 1) {
      const content_block = { type: 'tool_use', id: `t${index}`, name: 'f', input: {} };
      told += decoder.push(wire('content_block_start', { index, content_block })).length;
    }
    assert.is(told, entries + 1);
    const last = decoder.push(wire('message_delta', { delta: { stop_reason: 'tool_use' } }));
    assert.is(last.filter(({ type }) => type === 'tool-call-end').length, entries);
  }));

test('are written as Messages as fast where all wait for the first call', () =>
  growsEvenly((entries) => {
    const encoder = encodeMessages(anyRequest, testScope());
    const out: WireEvent[] = [];
    const push = (event: ChatEvent) => out.push(...encoder.push(event));
    for (let block = 0; block < entries; block += 1) {
      push({ type: 'tool-call-start', choice: 0, block, kind: 'function', callId: `c${block}`, name: 'f' });
      push({ type: 'tool-call-delta', choice: 0, block, text: '{}' });
    }
    for (let block = entries - 1; block >= 0; block -= 1) push({ type: 'tool-call-end', choice: 0, block });
    const ids = out.flatMap(({ data }) => /"id":"(c\d+)"/.exec(data)?.[1] ?? []);
    assert.is(ids.length, entries);
    assert.equal(ids.slice(0, 3), ['c0', 'c1', 'c2']);
    assert.is(out.filter(({ event }) => event === 'content_block_stop').length, entries);
  }));

test('are read from Responses as fast where each is a call of a hosted tool', () =>
  growsEvenly((entries) => {
    const decoder = decodeResponses();
    let last: ChatEvent | undefined;
    for (let at = 0; at < entries; at += 1) {
      const item = { type: 'web_search_call', id: `w${at}`, status: 'completed' };
      last = decoder.push(wire('response.output_item.done', { output_index: at, item })).at(-1);
    }
    assert.equal(last, { type: 'tools-used', tools: { web_search: entries } });
  }));

test('are put together as fast where calls follow as many texts', () =>
  growsEvenly((entries) => {
    const collector = new AnswerCollector();
    for (let block = 0; block < entries; block += 1) collector.push({ type: 'text-start', choice: 0, block });
    for (let block = entries; block < 2 * entries; block += 1)
      collector.push({ type: 'tool-call-start', choice: 0, block, kind: 'function', callId: 'c', name: 'f' });
    assert.is(collector.result().choices[0]?.items.length, 2 * entries);
  }));

test.run();
