/**
 * The vendors' own client libraries, unmodified, read what every recorded stream becomes in their dialect: their
 * stream accumulators have to agree with the recording (C18, C23, C27).
 */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FormatId, WireEvent } from '../../daemon/relay/format.ts';
import { chatFormatOf, chatFormats } from '../../daemon/relay/formats/index.ts';
import { standsBeside } from '../../daemon/relay/formats/openai-chat/answer-extras.ts';
import { encodeSse } from '../../daemon/relay/framing/sse.ts';
import { type Answer, canonicalInput, emptyAnswer } from '../support/checkers/answer.ts';
import { checkCanonical } from '../support/checkers/canonical.ts';
import { frame, readStream, recordedCases } from './cases.ts';
import { anyRequest, decodeAll, encodeAll } from './translate.ts';

const test = suite('client libraries');

/** A `fetch` that answers with one stream, whatever is asked. */
function answering(events: readonly WireEvent[]): typeof fetch {
  const body = Buffer.concat(events.map(encodeSse));
  return async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

const readers: Partial<Record<FormatId, (events: readonly WireEvent[]) => Promise<Answer>>> = {
  async 'openai-chat'(events) {
    const client = new OpenAI({ apiKey: 'k', baseURL: 'http://localhost/v1', fetch: answering(events), maxRetries: 0 });
    const completion = await client.chat.completions
      .stream({ model: 'm', messages: [{ role: 'user', content: 'x' }], stream_options: { include_usage: true } })
      .finalChatCompletion();
    const message = completion.choices[0]?.message;
    const answer = emptyAnswer();
    answer.text = `${message?.content ?? ''}${message?.refusal ?? ''}`;
    for (const call of message?.tool_calls ?? []) {
      if (call.type === 'function') answer.calls.push({ name: call.function.name, input: call.function.arguments });
    }
    if (completion.usage !== undefined && completion.usage !== null) {
      const { prompt_tokens, completion_tokens, prompt_tokens_details } = completion.usage;
      answer.usage = {
        prompt: prompt_tokens,
        cached: prompt_tokens_details?.cached_tokens ?? 0,
        completion: completion_tokens,
      };
    }
    return answer;
  },
  async 'openai-responses'(events) {
    const client = new OpenAI({ apiKey: 'k', baseURL: 'http://localhost/v1', fetch: answering(events), maxRetries: 0 });
    const response = await client.responses.stream({ model: 'm', input: 'x' }).finalResponse();
    const answer = emptyAnswer();
    for (const item of response.output) {
      if (item.type === 'message') {
        for (const part of item.content) answer.text += part.type === 'output_text' ? part.text : part.refusal;
      } else if (item.type === 'function_call') answer.calls.push({ name: item.name, input: item.arguments });
      else if (item.type === 'custom_tool_call') answer.calls.push({ name: item.name, input: item.input });
      else if (item.type === 'tool_search_call') {
        answer.calls.push({ name: 'tool_search', input: JSON.stringify(item.arguments) });
      }
    }
    if (response.usage !== undefined && response.usage !== null) {
      const { input_tokens, input_tokens_details, output_tokens } = response.usage;
      answer.usage = { prompt: input_tokens, cached: input_tokens_details.cached_tokens, completion: output_tokens };
    }
    return answer;
  },
  async 'anthropic-messages'(events) {
    const client = new Anthropic({ apiKey: 'k', baseURL: 'http://localhost', fetch: answering(events), maxRetries: 0 });
    const message = await client.messages
      .stream({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] })
      .finalMessage();
    const answer = emptyAnswer();
    for (const block of message.content) {
      if (block.type === 'text') answer.text += block.text;
      if (block.type === 'thinking') answer.reasoning += block.thinking;
      if (block.type === 'tool_use') answer.calls.push({ name: block.name, input: JSON.stringify(block.input) });
    }
    const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = message.usage;
    const cached = cache_read_input_tokens ?? 0;
    answer.usage = {
      prompt: input_tokens + cached + (cache_creation_input_tokens ?? 0),
      cached,
      completion: output_tokens,
    };
    return answer;
  },
};

/** Google's library takes no `fetch` of ours, so it is given the one of the process for the length of a call. */
async function readWithGoogle(events: readonly WireEvent[]): Promise<Answer> {
  const own = globalThis.fetch;
  globalThis.fetch = answering(events);
  try {
    const client = new GoogleGenAI({ apiKey: 'k' });
    const answer = emptyAnswer();
    for await (const piece of await client.models.generateContentStream({ model: 'm', contents: 'x' })) {
      const first = piece.candidates?.find((candidate) => (candidate.index ?? 0) === 0);
      const parts = first?.content?.parts ?? [];
      for (const part of parts) {
        if (part.thought === true) answer.reasoning += part.text ?? '';
        else answer.text += part.text ?? '';
        if (part.functionCall !== undefined) {
          const { name, args } = part.functionCall;
          answer.calls.push({ name: name ?? '', input: JSON.stringify(args ?? {}) });
        }
      }
      const { usageMetadata: usage } = piece;
      answer.usage = {
        prompt: usage?.promptTokenCount ?? 0,
        cached: usage?.cachedContentTokenCount ?? 0,
        completion: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
      };
    }
    return answer;
  } finally {
    globalThis.fetch = own;
  }
}
readers['gemini-generate'] = readWithGoogle;

for (const one of recordedCases()) {
  const format = chatFormats.find((entry) => entry.id === one.format);
  const bytes = readStream(one);
  if (format === undefined || bytes === undefined || one.status >= 400) continue;
  const events = decodeAll(format, frame(bytes, bytes.length));
  const { answer: recorded } = checkCanonical(events);
  const isOdd = events.some(
    (event) =>
      event.type === 'image' || event.type === 'audio-delta' || (event.type === 'hosted' && !standsBeside(event.item)),
  );
  if (recorded.finish === undefined || isOdd) continue;
  // The library turns these endings into an exception of its own, as it does for the vendor.
  const isCut = recorded.finish === 'length' || recorded.finish === 'content-filter';

  for (const [id, read] of Object.entries(readers)) {
    const target = chatFormats.find((entry) => entry.id === id);
    if (target === undefined || (isCut && id === 'openai-chat')) continue;
    const client = id === 'anthropic-messages' ? 'C23: the accumulator of' : 'of';
    test(`${client} ${id} reads ${one.name}`, async () => {
      const told = await read(encodeAll(target, anyRequest, events));
      assert.is(told.text, recorded.text + recorded.refusal);
      assert.equal(callsOf(told, recorded), callsOf(recorded, recorded));
      if (recorded.usage !== undefined) assert.equal(told.usage, recorded.usage);
    });
  }
}

/** Names and inputs; of an input that the model did not finish, each library makes something of its own. */
function callsOf(answer: Answer, recorded: Answer): unknown {
  return answer.calls.map(({ name, input }, at) => {
    const isWhole = !canonicalInput(recorded.calls[at]?.input ?? '').startsWith('{"_raw"');
    return isWhole ? [name, canonicalInput(input)] : [name];
  });
}

test('of openai-chat takes a broken stream for a failure', async () => {
  const target = chatFormatOf('openai-chat');
  const read = readers['openai-chat'];
  assert.ok(target && read);
  const broken = encodeAll(target, anyRequest, [
    { type: 'message-start' },
    { type: 'text-start', choice: 0, block: 0 },
    { type: 'text-delta', choice: 0, block: 0, text: 'half' },
  ]);
  let failure: unknown;
  await read(broken).catch((error: unknown) => (failure = error));
  assert.instance(failure, OpenAI.APIError);
});

test.run();
