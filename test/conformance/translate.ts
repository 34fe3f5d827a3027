/**
 * Runs whole streams through one codec, and compares what answers say.
 */
import type { ChatEvent, ChatRequest, ChatResponse } from '../../daemon/relay/canonical/chat.ts';
import type { ChatFormat, WireEvent } from '../../daemon/relay/format.ts';
import { isObject } from '../../daemon/relay/json.ts';
import { type Answer, canonicalInput } from '../support/checkers/answer.ts';
import { type RecordedCase, readRequest } from './cases.ts';
import { testScope } from './scope.ts';

export function decodeAll(format: ChatFormat, events: readonly WireEvent[]): ChatEvent[] {
  const machine = format.decodeStream(testScope());
  return [...events.flatMap((event) => machine.push(event)), ...machine.end()];
}

export function encodeAll(format: ChatFormat, request: ChatRequest, events: readonly ChatEvent[]): WireEvent[] {
  const machine = format.encodeStream(request, testScope());
  return [...events.flatMap((event) => machine.push(event)), ...machine.end()];
}

/** A request that wants whatever an answer may hold, for answers recorded without theirs. */
export const anyRequest: ChatRequest = {
  dialect: 'openai-chat',
  model: 'asked-model',
  items: [],
  stream: true,
  streamUsage: true,
  tools: [],
  sampling: {},
  extensions: {},
};

/** What the recorded client asked, so that its tools are known by name. */
export function requestOf(format: ChatFormat, one: RecordedCase): ChatRequest {
  const body = readRequest(one);
  if (!isObject(body)) return anyRequest;
  // Hosts that name the model in the path have bodies without it.
  return { ...format.decodeRequest({ model: 'asked-model', ...body }), streamUsage: true };
}

/** Text, reasoning, calls and usage in a form that can be compared across formats. */
export function gist(answer: Answer): Record<string, unknown> {
  return {
    // Formats without a word for refusals tell them as text.
    text: answer.text + answer.refusal,
    reasoning: answer.reasoning.trim(),
    calls: answer.calls.map((call) => ({ name: call.name, input: canonicalInput(call.input) })),
    usage: answer.usage,
  };
}

/** What a canonical answer says in choice 0. */
export function readCanonical(response: ChatResponse): Answer {
  const answer: Answer = { text: '', reasoning: '', refusal: '', calls: [], usage: undefined, finish: undefined };
  for (const item of response.choices[0]?.items ?? []) {
    if (item.type === 'reasoning') answer.reasoning += item.texts.join('\n\n');
    else if (item.type === 'hosted') answer.text += item.text ?? '';
    else if (item.type === 'tool-call') answer.calls.push({ name: item.name, input: item.input });
    else if (item.type === 'assistant') {
      for (const part of item.parts) {
        if (part.type === 'text') answer.text += part.text;
        if (part.type === 'refusal') answer.refusal += part.text;
      }
    }
  }
  answer.finish = response.choices[0]?.finish.reason;
  if (response.usage !== undefined) {
    const { prompt, cached, completion } = response.usage;
    answer.usage = { prompt, cached, completion };
  }
  return answer;
}
