/**
 * Tool calls of an answer that came over a channel nobody trusts (requirements S32). Logs tell their names, and their
 * arguments by a digest alone: who was sent the arguments can tell by it whether they are the ones the upstream gave.
 */
import { createHash } from 'node:crypto';
import type { ChatResponse, ToolCallItem } from '../relay/canonical/chat.ts';
import { AnswerCollector } from '../relay/canonical/collect.ts';
import type { ChatFormat, FormatId } from '../relay/format.ts';
import { chatFormatOf } from '../relay/formats/index.ts';
import { SseParser } from '../relay/framing/sse.ts';
import { isObject } from '../relay/json.ts';
import { codecScope } from './codec-scope.ts';

/** A call's name and its arguments as the model wrote them. */
export type ReadCall = Pick<ToolCallItem, 'name' | 'input'>;

/** A line for each call of an answer of which at least the beginning is there, in the client's dialect. */
export function callDigests(format: FormatId, answer: Buffer): string[] {
  return readCalls(format, answer).map(({ name, input }) => lineOf(name, input));
}

/** The calls of an answer, whole or streamed, in the client's dialect; none where it cannot be read. */
export function readCalls(format: FormatId, answer: Buffer): readonly ReadCall[] {
  const codec = chatFormatOf(format);
  if (codec === undefined) return [];
  try {
    const { choices } = readAnswer(codec, answer);
    return choices.flatMap(({ items }) => items.filter((item) => item.type === 'tool-call'));
  } catch {
    // Cut where no more was kept, or an error in place of an answer.
    return [];
  }
}

function readAnswer(codec: ChatFormat, answer: Buffer): ChatResponse {
  const scope = codecScope({ model: '' });
  const text = answer.toString('utf8');
  if (/^\s*[[{]/.test(text)) return codec.decodeResponse(JSON.parse(text), scope);
  const decoder = codec.decodeStream(scope);
  const collector = new AnswerCollector();
  for (const event of new SseParser().push(answer)) for (const told of decoder.push(event)) collector.push(told);
  for (const told of decoder.end()) collector.push(told);
  return collector.result();
}

function lineOf(name: string, input: string): string {
  return `[tool call ${name}, arguments sha256 ${createHash('sha256').update(canonical(input)).digest('hex')}]`;
}

/** Arguments are an object in some dialects and text in others: the digest is of the object's shortest text. */
function canonical(input: string): string {
  try {
    const value: unknown = JSON.parse(input);
    return isObject(value) ? JSON.stringify(value) : input;
  } catch {
    return input;
  }
}
