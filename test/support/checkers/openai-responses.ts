/**
 * Fails a Responses stream on any illegal order of events, and on a final output that is not what its deltas said
 * (REQ-10).
 */
import type { WireEvent } from '../../../daemon/relay/format.ts';
import { isObject, type Json, type JsonObject } from '../../../daemon/relay/json.ts';
import { type Answer, at, type Checked, count, emptyAnswer, list, parse, text } from './answer.ts';

/** A part of a message or of a summary: `isTold` once the event with its whole text came, `isOver` once it ended. */
interface Part {
  text: string;
  isTold: boolean;
  isOver: boolean;
}

interface Item {
  type: string;
  id: string;
  callId: string;
  parts: Map<number, Part>;
  summaries: Map<number, Part>;
  input: string;
  inputDone: boolean;
}

const endings: readonly string[] = ['response.completed', 'response.incomplete', 'response.failed'];

export function checkOpenAiResponses(events: readonly WireEvent[]): Checked {
  const problems: string[] = [];
  const items = new Map<number, Item>();
  const done = new Map<number, Json>();
  let answer = emptyAnswer();
  let sequence = 0;
  let ended = false;
  let isFailed = false;
  events.forEach((event, position) => {
    if (event.data.trim() === '[DONE]') {
      problems.push('[DONE] has no place here');
      return;
    }
    const body = parse(event.data);
    const type = text(body.type);
    if (event.event !== type) problems.push(`event line ${event.event} over type ${type}`);
    if (body.sequence_number !== sequence) problems.push(`sequence ${String(body.sequence_number)}, not ${sequence}`);
    sequence += 1;
    if (ended) problems.push(`${type} after the end`);
    if (position === 0 && type !== 'response.created') problems.push(`begins with ${type}`);
    if (position > 0 && type === 'response.created') problems.push('second response.created');
    if (position === 1 && type !== 'response.in_progress') problems.push(`${type} in place of response.in_progress`);
    const index = count(body.output_index);
    const item = items.get(index);
    if (endings.includes(type)) {
      checkEnding(body.response, items, done, problems, type);
      // One host leaves the final output empty: its items are what was sent.
      const hasOutput = list(at(body.response, 'output')).length > 0;
      const output = hasOutput ? at(body.response, 'output') : [...done.values()];
      isFailed = type === 'response.failed';
      if (!ended) answer = readResponsesBody({ ...asObject(body.response), output: output ?? [] });
      ended = true;
    } else if (type === 'response.output_item.added') {
      if (index !== items.size) problems.push(`output index ${index} leaves a gap`);
      items.set(index, newItem(body.item));
    } else if (type === 'response.output_item.done') {
      if (item === undefined || done.has(index)) problems.push(`item ${index} ends without having begun`);
      else checkItemDone(item, body.item, problems);
      done.set(index, body.item ?? null);
    } else if (body.output_index !== undefined) {
      if (item === undefined) problems.push(`${type} before its item`);
      else if (done.has(index)) problems.push(`${type} after its item`);
      else grow(item, type, body, problems);
    }
  });
  if (!ended) problems.push('no ending event');
  return { problems, answer, isFailed };
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function newItem(told: Json | undefined): Item {
  const [type, id, callId] = [text(at(told, 'type')), text(at(told, 'id')), text(at(told, 'call_id'))];
  return { type, id, callId, parts: new Map(), summaries: new Map(), input: '', inputDone: false };
}

function newPart(): Part {
  return { text: '', isTold: false, isOver: false };
}

/** What is wrong with the end of a part, whose whole text the event repeats. */
function endPart(part: Part, told: Json | undefined, what: string, problems: string[]): void {
  if (!part.isTold) problems.push(`${what} ends before its text`);
  if (text(at(told, 'text')) + text(at(told, 'refusal')) !== part.text) problems.push(`${what} ends with another text`);
  part.isOver = true;
}

function grow(item: Item, type: string, body: Json, problems: string[]): void {
  const partAt = count(at(body, 'content_index'));
  const part = item.parts.get(partAt);
  const summaryAt = count(at(body, 'summary_index'));
  const summary = item.summaries.get(summaryAt);
  const delta = text(at(body, 'delta'));
  const named = at(body, 'item_id');
  if (named !== undefined && named !== item.id) problems.push(`${type} names another item`);
  switch (type) {
    case 'response.content_part.added':
      if (part !== undefined) problems.push('content part begins twice');
      item.parts.set(partAt, newPart());
      break;
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      if (part === undefined || part.isOver) problems.push(`${type} outside its part`);
      else part.text += delta;
      break;
    case 'response.output_text.done':
    case 'response.refusal.done':
      if (part?.text !== (text(at(body, 'text')) || text(at(body, 'refusal'))))
        problems.push(`${type} differs from its deltas`);
      if (part !== undefined) part.isTold = true;
      break;
    case 'response.content_part.done':
      if (part === undefined || part.isOver) problems.push('content part ends without having begun');
      else endPart(part, at(body, 'part'), 'content part', problems);
      break;
    case 'response.reasoning_summary_part.added':
      if (summary !== undefined) problems.push('summary part begins twice');
      item.summaries.set(summaryAt, newPart());
      break;
    case 'response.reasoning_summary_text.delta':
      if (summary === undefined || summary.isOver) problems.push('summary outside its part');
      else summary.text += delta;
      break;
    case 'response.reasoning_summary_text.done':
      if (summary?.text !== text(at(body, 'text'))) problems.push('summary differs from its deltas');
      if (summary !== undefined) summary.isTold = true;
      break;
    case 'response.reasoning_summary_part.done':
      if (summary === undefined || summary.isOver) problems.push('summary part ends without having begun');
      else endPart(summary, at(body, 'part'), 'summary part', problems);
      break;
    case 'response.function_call_arguments.delta':
    case 'response.custom_tool_call_input.delta':
      if (item.inputDone) problems.push('input after its end');
      item.input += delta;
      break;
    case 'response.function_call_arguments.done':
    case 'response.custom_tool_call_input.done':
      item.inputDone = true;
      if (item.input !== (text(at(body, 'arguments')) || text(at(body, 'input')))) {
        problems.push('input differs from its deltas');
      }
      break;
    case 'response.output_text.annotation.added':
      if (part === undefined) problems.push('annotation outside its part');
      break;
    default:
      problems.push(`unknown event ${type}`);
  }
}

function checkItemDone(item: Item, told: Json | undefined, problems: string[]): void {
  if (text(at(told, 'type')) !== item.type) problems.push('item ends with another type');
  if (text(at(told, 'id')) !== item.id || text(at(told, 'call_id')) !== item.callId)
    problems.push('item ends with another id');
  if (['function_call', 'custom_tool_call'].includes(item.type) && !item.inputDone)
    problems.push('call ends before its arguments');
  if (item.type === 'function_call' && text(at(told, 'arguments')) !== item.input) problems.push('arguments differ');
  if (item.type === 'custom_tool_call' && text(at(told, 'input')) !== item.input) problems.push('input differs');
  if ([...item.parts.values()].some((part) => !part.isOver)) problems.push('item ends with an open part');
  if ([...item.summaries.values()].some((part) => !part.isOver)) problems.push('item ends with an open summary');
  const summary = list(at(told, 'summary')).map((part) => text(at(part, 'text')));
  const summed = [...item.summaries.values()].map((part) => part.text);
  if (item.type === 'reasoning' && summary.join('') !== summed.join(''))
    problems.push('summary differs from its parts');
  if (item.type !== 'message') return;
  const said = [...item.parts.values()].map((part) => part.text).join('');
  const written = list(at(told, 'content')).map((part) => text(at(part, 'text')) + text(at(part, 'refusal')));
  if (said !== written.join('')) problems.push('message differs from its deltas');
}

function checkEnding(
  response: Json | undefined,
  items: ReadonlyMap<number, Item>,
  done: ReadonlyMap<number, Json>,
  problems: string[],
  type: string,
): void {
  for (const index of items.keys()) if (!done.has(index)) problems.push(`item ${index} never ends`);
  const output = list(at(response, 'output'));
  const expected = [...done.keys()].sort((a, b) => a - b).map((index) => done.get(index));
  if (JSON.stringify(output) !== JSON.stringify(expected)) problems.push('output is not the items that were sent');
  if (`response.${text(at(response, 'status'))}` !== type) problems.push(`${type} with another status`);
}

/** A whole response object. */
export function readResponsesBody(body: Json): Answer {
  const answer = emptyAnswer();
  for (const item of list(at(body, 'output'))) {
    const type = at(item, 'type');
    if (type === 'message') {
      for (const part of list(at(item, 'content'))) {
        answer.text += text(at(part, 'text'));
        answer.refusal += text(at(part, 'refusal'));
      }
    }
    if (type === 'reasoning') {
      const full = list(at(item, 'content'));
      const texts = (full.length > 0 ? full : list(at(item, 'summary'))).map((part) => text(at(part, 'text')));
      answer.reasoning += texts.join('\n\n');
    }
    if (type === 'function_call' || type === 'custom_tool_call') {
      answer.calls.push({ name: text(at(item, 'name')), input: text(at(item, 'arguments')) + text(at(item, 'input')) });
    }
    if (type === 'tool_search_call' && at(item, 'execution') !== 'server') {
      answer.calls.push({ name: 'tool_search', input: JSON.stringify(at(item, 'arguments') ?? {}) });
    }
  }
  answer.finish = text(at(body, 'status'));
  const usage = at(body, 'usage');
  const prompt = count(at(usage, 'input_tokens'));
  const cached = count(at(usage, 'input_tokens_details', 'cached_tokens'));
  const told = count(at(usage, 'output_tokens'));
  const reasoning = count(at(usage, 'output_tokens_details', 'reasoning_tokens'));
  const completion =
    told < reasoning || count(at(usage, 'total_tokens')) === prompt + told + reasoning ? told + reasoning : told;
  if (prompt + completion > 0)
    answer.usage = { prompt: cached > prompt ? prompt + cached : prompt, cached, completion };
  return answer;
}
