/** Prompt and answer texts, which are kept apart from their rows and merged in when somebody may read them. */
import type { LogBodyRecord } from '../store/log-bodies.ts';
import type { LogRecord } from '../store/logs.ts';

/** The rows with their texts as members of `other`; a row without a body stays as it is. */
export function withBodies(rows: readonly LogRecord[], bodies: readonly LogBodyRecord[]): LogRecord[] {
  const byRequest = new Map(bodies.map((body) => [body.requestId, body]));
  return rows.map((row) => {
    const body = byRequest.get(row.requestId);
    // A text belongs to the user whose call it was, whatever row shares the request id.
    return body && body.userId === row.userId ? { ...row, other: merge(row.other, body) } : row;
  });
}

function merge(other: string, body: LogBodyRecord): string {
  const members = parseObject(other);
  if (!members) return other;
  const { systemPrompt, context, inputContent, outputContent } = body;
  return JSON.stringify({
    ...members,
    ...(systemPrompt === null ? {} : { system_prompt: systemPrompt }),
    ...(context === null ? {} : { context: parse(context) ?? context }),
    ...(inputContent === null ? {} : { input_content: inputContent }),
    ...(outputContent === null ? {} : { output_content: outputContent }),
  });
}

function parseObject(text: string): object | undefined {
  const value = text === '' ? {} : parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
