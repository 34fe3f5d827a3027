/**
 * Every recorded answer of the vendors with formats of their own, read by its codec and told in every chat format: legal
 * streams, the same text, reasoning and calls, and the usage that the recording states, wherever the wire is cut.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatEvent } from '../../daemon/relay/canonical/chat.ts';
import type { FormatId, UpstreamFormat, WireEvent } from '../../daemon/relay/format.ts';
import { asObject, parseJson } from '../../daemon/relay/formats/fields.ts';
import { chatFormats, upstreamFormatOf } from '../../daemon/relay/formats/index.ts';
import { reframerOf } from '../../daemon/relay/framing/reframe.ts';
import { checkCanonical } from '../support/checkers/canonical.ts';
import { checkers } from '../support/checkers/index.ts';
import { frame, type RecordedCase, readResponse, readStream, readWire, recordedCases } from './cases.ts';
import { testScope } from './scope.ts';
import { anyRequest, encodeAll, gist, readCanonical } from './translate.ts';

const test = suite('answers of vendors');

const vendorFormats: readonly FormatId[] = [
  'bedrock-converse',
  'baidu-wenxin',
  'cohere-chat',
  'cohere-v1-chat',
  'coze-chat',
  'dashscope-chat',
  'dify-chat',
  'ollama-chat',
  'tencent-hunyuan',
  'xunfei-spark',
];

/** Tokens that the recording says were used: all of the prompt, all of the answer. Undefined where it says nothing. */
function usageIn(one: RecordedCase): { prompt: number; completion: number } | undefined {
  const found = /^- usage: (\{.*)$/m.exec(readFileSync(join(one.folder, 'about.md'), 'utf8'));
  const usage = asObject(found?.[1] === undefined ? undefined : parseJson(found[1]));
  if (usage === undefined) return undefined;
  const billed = asObject(usage.billed_units) ?? {};
  const count = (...names: string[]) => {
    for (const name of names) if (typeof usage[name] === 'number') return Number(usage[name]);
    return 0;
  };
  const prompt =
    count('prompt_tokens', 'PromptTokens', 'input_count', 'inputTokens', 'input_tokens', 'prompt_eval_count') +
    count('cacheReadInputTokens') +
    count('cacheWriteInputTokens') +
    Number(billed.input_tokens ?? 0);
  const completion =
    count('completion_tokens', 'CompletionTokens', 'output_count', 'outputTokens', 'output_tokens', 'eval_count') +
    Number(billed.output_tokens ?? 0);
  return prompt > 0 ? { prompt, completion } : undefined;
}

function decoded(format: UpstreamFormat, wire: readonly WireEvent[]): ChatEvent[] {
  const machine = format.decodeStream(testScope());
  return [...wire.flatMap((event) => machine.push(event)), ...machine.end()];
}

/** The events of a wire that arrives in pieces, whatever its framing. */
function cutEvents(one: RecordedCase, size: number): WireEvent[] {
  const wire = readWire(one);
  const stream = readStream(one) ?? Buffer.alloc(0);
  if (wire === undefined) return frame(stream, size);
  const reframe = reframerOf(wire.contentType);
  const pieces: Buffer[] = [];
  for (let at = 0; at < wire.bytes.length; at += size) {
    pieces.push(reframe?.(wire.bytes.subarray(at, at + size)) ?? Buffer.alloc(0));
  }
  return frame(Buffer.concat(pieces), stream.length);
}

for (const one of recordedCases()) {
  const id = vendorFormats.find((entry) => entry === one.format);
  const format = id === undefined ? undefined : upstreamFormatOf(id);
  if (format === undefined || one.status >= 400 || one.shows.includes('error_in_body')) continue;
  const stream = readStream(one);
  const body = readResponse(one);
  const usage = usageIn(one);

  if (stream !== undefined) {
    test(`${one.name} is told alike in every format`, () => {
      const events = decoded(format, frame(stream, stream.length));
      const read = checkCanonical(events);
      assert.equal(read.problems, [], 'canonical order');
      assert.ok(read.answer.text + read.answer.reasoning !== '' || read.answer.calls.length > 0, 'says something');
      if (usage !== undefined && read.answer.usage !== undefined) {
        assert.equal([read.answer.usage.prompt, read.answer.usage.completion], [usage.prompt, usage.completion]);
      }
      for (const target of chatFormats) {
        const told = checkers[target.id]?.checkStream(encodeAll(target, anyRequest, events));
        assert.equal(told?.problems, [], `${target.id} is legal`);
        if (told === undefined) continue;
        if (read.answer.usage === undefined) told.answer.usage = undefined;
        assert.equal(gist(told.answer), gist(read.answer), `${target.id} says the same`);
      }
    });

    test(`${one.name} reads the same wherever it is cut`, () => {
      const whole = decoded(format, frame(stream, stream.length));
      for (const size of [1, 2, 3, 7, 64]) assert.equal(decoded(format, cutEvents(one, size)), whole);
    });
  } else if (body !== undefined) {
    test(`${one.name} is told alike in every format`, () => {
      const response = format.decodeResponse(body, testScope());
      assert.is(response.error, undefined);
      const read = readCanonical(response);
      assert.ok(read.text + read.reasoning !== '' || read.calls.length > 0, 'says something');
      if (usage !== undefined) {
        assert.equal([read.usage?.prompt, read.usage?.completion], [usage.prompt, usage.completion]);
      }
      for (const target of chatFormats) {
        const told = checkers[target.id]?.readBody(target.encodeResponse(response, anyRequest, testScope()));
        if (told === undefined) continue;
        if (read.usage === undefined) told.usage = undefined;
        assert.equal(gist(told), gist(read), `${target.id} says the same`);
      }
    });
  }
}

test("how likely a piece of Cohere's text was reaches the client, whole and streamed", () => {
  const codec = upstreamFormatOf('cohere-chat');
  assert.ok(codec);
  const piece = { text: 'Hi', token_ids: [1, 2], logprobs: [-0.5, -0.25] };
  const tokens = [{ token: 'Hi', logprob: -0.75, bytes: [72, 105], top: [] }];
  const message = { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] };
  const whole = { id: 'c', finish_reason: 'COMPLETE', message, logprobs: [piece] };
  assert.equal(codec.decodeResponse(whole, testScope()).choices[0]?.logprobs, tokens);
  const delta = { message: { content: { text: 'Hi' } } };
  const data = JSON.stringify({ type: 'content-delta', index: 0, delta, logprobs: piece });
  const events = codec.decodeStream(testScope()).push({ data });
  assert.equal(events.at(-1), { type: 'logprobs', choice: 0, tokens });
});

test.run();
