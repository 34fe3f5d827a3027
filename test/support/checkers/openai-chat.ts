/**
 * Fails a chat-completions stream on anything that clients of the format would choke on (relay.md 5.3).
 */
import type { WireEvent } from '../../../daemon/relay/format.ts';
import type { Json } from '../../../daemon/relay/json.ts';
import { type Answer, at, type Checked, count, emptyAnswer, list, parse, text } from './answer.ts';

export function checkOpenAiChat(events: readonly WireEvent[]): Checked {
  const problems: string[] = [];
  const answer = emptyAnswer();
  const roles = new Set<number>();
  const finished = new Map<number, string>();
  const calls = new Map<number, { id: string; name: string; input: string }>();
  let identity: string | undefined;
  let done = 0;
  let failed = false;
  let usageChunks = 0;
  for (const event of events) {
    if (event.event !== undefined) problems.push(`named event ${event.event}`);
    if (done > 0) problems.push('something after [DONE]');
    if (event.data.trim() === '[DONE]') {
      done += 1;
      continue;
    }
    const chunk = parse(event.data);
    if (chunk.error !== undefined) {
      failed = true;
      continue;
    }
    if (failed) problems.push('a chunk after the error');
    if (chunk.object !== 'chat.completion.chunk') problems.push('object is not chat.completion.chunk');
    const told = JSON.stringify([chunk.id, chunk.created, chunk.model]);
    identity ??= told;
    if (told !== identity) problems.push('id, created or model changed');
    if (!Array.isArray(chunk.choices)) problems.push('choices missing');
    for (const choice of list(chunk.choices)) {
      const index = count(at(choice, 'index'));
      if (finished.has(index)) problems.push(`choice ${index} goes on after its finish`);
      const delta = at(choice, 'delta');
      if (at(delta, 'role') !== undefined) {
        if (roles.has(index)) problems.push(`choice ${index} has two roles`);
        roles.add(index);
      } else if (!roles.has(index)) problems.push(`choice ${index} speaks before its role`);
      if (index === 0) readDelta(answer, delta);
      if (index === 0) readCalls(calls, delta, problems);
      const finish = at(choice, 'finish_reason');
      if (typeof finish === 'string') {
        finished.set(index, finish);
        if (index === 0) answer.finish = finish;
      }
    }
    const groq = readChatUsage(at(chunk, 'x_groq', 'usage'));
    if (groq !== undefined) answer.usage = groq;
    if (at(chunk, 'usage') !== undefined && chunk.usage !== null) {
      usageChunks += 1;
      if (list(chunk.choices).length > 0) problems.push('usage rides on a chunk with choices');
      answer.usage = readChatUsage(chunk.usage) ?? answer.usage;
    }
  }
  if (usageChunks > 1) problems.push('more than one usage chunk');
  if (!failed && done !== 1) problems.push(`${done} [DONE]`);
  if (failed && done > 0) problems.push('[DONE] after an error');
  if (!failed) for (const index of roles) if (!finished.has(index)) problems.push(`choice ${index} never finishes`);
  answer.calls.push(...[...calls.values()].map(({ name, input }) => ({ name, input })));
  return { problems, answer, isFailed: failed };
}

function readDelta(answer: Answer, delta: Json | undefined): void {
  answer.text += text(at(delta, 'content'));
  for (const part of list(at(delta, 'content'))) {
    answer.text += text(at(part, 'text'));
    for (const piece of list(at(part, 'thinking'))) answer.reasoning += text(at(piece, 'text'));
  }
  answer.reasoning += text(at(delta, 'reasoning_content')) || text(at(delta, 'reasoning'));
  answer.refusal += text(at(delta, 'refusal'));
  const legacy = at(delta, 'function_call');
  if (legacy === undefined || at(legacy, 'name') === '') return;
  const name = text(at(legacy, 'name'));
  if (name !== '') answer.calls.push({ name, input: '' });
  const last = answer.calls.at(-1);
  if (last !== undefined) last.input += text(at(legacy, 'arguments'));
}

function readCalls(
  calls: Map<number, { id: string; name: string; input: string }>,
  delta: Json | undefined,
  problems: string[],
): void {
  for (const entry of list(at(delta, 'tool_calls'))) {
    const told = at(entry, 'index');
    if (typeof told !== 'number') problems.push('tool call without index');
    const index = typeof told === 'number' ? told : calls.size;
    const spoken = at(entry, 'function') ?? at(entry, 'custom');
    const input = text(at(spoken, 'arguments')) + text(at(spoken, 'input'));
    const known = calls.get(index);
    if (known === undefined) {
      if (index !== calls.size) problems.push(`tool index ${index} leaves a gap`);
      const id = text(at(entry, 'id'));
      const name = text(at(spoken, 'name'));
      if (id === '' || name === '') problems.push(`tool call ${index} begins without id or name`);
      if ([...calls.values()].some((call) => call.id === id)) problems.push(`two tool calls share the id ${id}`);
      calls.set(index, { id, name, input });
    } else {
      if (at(entry, 'id') !== undefined) problems.push(`tool call ${index} begins twice`);
      known.input += input;
    }
  }
}

/** Usage by the table and the checks of relay.md 14.1; undefined when it says nothing. */
function readChatUsage(usage: Json | undefined): Answer['usage'] {
  const total = count(at(usage, 'total_tokens'));
  const reasoning = count(at(usage, 'completion_tokens_details', 'reasoning_tokens'));
  const told = count(at(usage, 'completion_tokens'));
  const asked = count(at(usage, 'prompt_tokens'));
  if (total + told + asked === 0) return undefined;
  // OpenRouter's cost is for the completion alone (ARCHITECTURE 14).
  const isOpenRouter = at(usage, 'is_byok') !== undefined && at(usage, 'market_cost') === undefined;
  const isInTotal = reasoning > 0 && total === asked + told + reasoning;
  const isBeside = isInTotal || (told < reasoning && !isOpenRouter);
  const completion = isBeside ? told + reasoning : told;
  const cached = ['prompt_tokens_details.cached_tokens', 'prompt_cache_hit_tokens', 'cached_tokens']
    .map((path) => count(at(usage, ...path.split('.'))))
    .find((value) => value > 0);
  const audio = count(at(usage, 'prompt_tokens_details', 'audio_tokens'));
  // Mistral leaves audio out of the prompt and counts it in the total.
  const prompt = (asked === 0 ? total - completion : asked) + (audio > asked ? audio : 0);
  return { prompt: (cached ?? 0) > prompt ? prompt + (cached ?? 0) : prompt, cached: cached ?? 0, completion };
}

/** A whole completion. */
export function readOpenAiChatBody(body: Json): Answer {
  const answer = emptyAnswer();
  const message = at(body, 'choices', 0, 'message');
  readDelta(answer, message);
  for (const entry of list(at(message, 'tool_calls'))) {
    const spoken = at(entry, 'function') ?? at(entry, 'custom');
    answer.calls.push({
      name: text(at(spoken, 'name')),
      input: text(at(spoken, 'arguments')) + text(at(spoken, 'input')),
    });
  }
  answer.finish = text(at(body, 'choices', 0, 'finish_reason'));
  answer.usage = readChatUsage(at(body, 'usage')) ?? readChatUsage(at(body, 'x_groq', 'usage'));
  return answer;
}
