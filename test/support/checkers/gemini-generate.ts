/**
 * Fails a generateContent stream on anything that clients of the format would choke on (relay.md 7.1, 13.4).
 */
import type { WireEvent } from '../../../daemon/relay/format.ts';
import { isObject, type Json } from '../../../daemon/relay/json.ts';
import { type Answer, at, type Checked, count, emptyAnswer, list, parse, text } from './answer.ts';

export function checkGeminiGenerate(events: readonly WireEvent[]): Checked {
  const problems: string[] = [];
  const answer = emptyAnswer();
  const finished = new Set<number>();
  const spoken = new Set<number>();
  let identity: string | undefined;
  let failed = false;
  for (const event of events) {
    if (event.event !== undefined) problems.push(`named event ${event.event}`);
    const piece = parse(event.data);
    if (failed) problems.push('a piece after the error');
    if (piece.error !== undefined) {
      failed = true;
      continue;
    }
    const told = JSON.stringify([piece.responseId, piece.modelVersion]);
    identity ??= told;
    if (told !== identity) problems.push('responseId or modelVersion changed');
    if (!isObject(piece.usageMetadata)) problems.push('piece without usageMetadata');
    for (const candidate of list(piece.candidates)) {
      const index = count(at(candidate, 'index'));
      spoken.add(index);
      if (finished.has(index)) problems.push(`candidate ${index} goes on after its finish`);
      const finish = at(candidate, 'finishReason');
      if (finish !== undefined) finished.add(index);
      if (at(candidate, 'content', 'role') !== 'model') problems.push('content without role');
      if (index === 0) readCandidate(answer, candidate);
    }
    answer.usage = readGeminiUsage(piece.usageMetadata, answer.usage);
  }
  if (!failed && finished.size === 0) problems.push('no finishReason');
  if (!failed) for (const index of spoken) if (!finished.has(index)) problems.push(`candidate ${index} never finishes`);
  return { problems, answer, isFailed: failed };
}

function readCandidate(answer: Answer, candidate: Json): void {
  for (const part of list(at(candidate, 'content', 'parts'))) {
    const said = text(at(part, 'text'));
    if (at(part, 'thought') === true) answer.reasoning += said;
    else answer.text += said;
    const code = at(part, 'executableCode');
    const run = at(part, 'codeExecutionResult');
    if (code !== undefined) answer.text += fenced(text(at(code, 'language')).toLowerCase(), text(at(code, 'code')));
    if (run !== undefined) answer.text += fenced('output', text(at(run, 'output')));
    const call = at(part, 'functionCall');
    if (call !== undefined && at(call, 'name') === undefined) readPartial(answer, call);
    else if (call !== undefined) {
      answer.calls.push({ name: text(at(call, 'name')), input: JSON.stringify(at(call, 'args') ?? {}) });
    }
  }
  const finish = at(candidate, 'finishReason');
  if (finish !== undefined) answer.finish = String(finish);
}

/** Text arguments at the top level, which is all that is recorded. */
function readPartial(answer: Answer, call: Json): void {
  const last = answer.calls.at(-1);
  if (last === undefined) return;
  const args = parse(last.input);
  for (const entry of list(at(call, 'partialArgs'))) {
    const key = text(at(entry, 'jsonPath')).replace('$.', '');
    args[key] = text(args[key]) + text(at(entry, 'stringValue'));
  }
  last.input = JSON.stringify(args);
}

/** How a reader of other formats is shown a code run. */
function fenced(language: string, body: string): string {
  return `\n\`\`\`${language}\n${body.replace(/\n$/, '')}\n\`\`\`\n`;
}

/** By the table of relay.md 14.1, a later value of 0 not overwriting. */
function readGeminiUsage(usage: Json | undefined, earlier: Answer['usage']): Answer['usage'] {
  const asked = count(at(usage, 'promptTokenCount'));
  const tools = count(at(usage, 'toolUsePromptTokenCount'));
  const thoughts = count(at(usage, 'thoughtsTokenCount'));
  const visible = at(usage, 'candidatesTokenCount');
  const rest = Math.max(0, count(at(usage, 'totalTokenCount')) - asked - tools);
  const completion = typeof visible === 'number' ? visible + thoughts : Math.max(rest, thoughts);
  if (asked + tools + completion === 0) return earlier;
  return {
    prompt: asked + tools || (earlier?.prompt ?? 0),
    cached: count(at(usage, 'cachedContentTokenCount')) || (earlier?.cached ?? 0),
    completion: completion || (earlier?.completion ?? 0),
  };
}

/** A whole answer. */
export function readGeminiBody(body: Json): Answer {
  const answer = emptyAnswer();
  const first = at(body, 'candidates', 0);
  if (first !== undefined) readCandidate(answer, first);
  answer.usage = readGeminiUsage(at(body, 'usageMetadata'), undefined);
  return answer;
}
