/** Reads the answer to a call: the events of its stream, or the error that came instead. */
import { createParser } from 'eventsource-parser';
import type { AnswerNews, Ending, Failure } from './conversation.ts';

/** What one event says. */
export interface EventMeaning {
  readonly news?: AnswerNews;
  readonly failure?: Failure;
  readonly isDone?: boolean;
}

/** The id is shown beside the message, not within it. */
const idInText = /\s*\(request id: [^()]*\)\s*$/;

/** The answer as it came in; tells `onNews` of all that is new. A stream that just ends was complete. */
export async function readAnswer(response: Response, onNews: (news: AnswerNews) => void): Promise<Ending> {
  if (!response.ok) return { state: 'error', failure: refusalOf(response.status, await response.text()) };
  const reader = response.body?.getReader();
  let failure: Failure | undefined;
  let isDone = false;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (isDone || failure) return;
      const meaning = meaningOf(event, data);
      if (meaning.news) onNews(meaning.news);
      failure = meaning.failure;
      isDone = meaning.isDone === true;
    },
  });
  const decoder = new TextDecoder();
  while (reader && !isDone && !failure) {
    const { done, value } = await reader.read();
    if (done) break;
    parser.feed(decoder.decode(value, { stream: true }));
  }
  // The last event of a stream that ends without its empty line.
  if (!isDone && !failure) parser.feed('\n\n');
  else await reader?.cancel().catch(() => undefined);
  return failure ? { state: 'error', failure } : { state: 'complete' };
}

/** What the server said instead of an answer. */
export function refusalOf(status: number, body: string): Failure {
  const told = parsed(body);
  const error = isRecord(told) ? told.error : undefined;
  if (isRecord(error)) return toldFailure(error, `HTTP ${status}`);
  if (isRecord(told) && typeof told.message === 'string' && told.message !== '') {
    return { kind: 'told', text: told.message, ...codeOf(told.code) };
  }
  return { kind: 'told', text: `HTTP ${status}` };
}

export function meaningOf(event: string | undefined, data: string): EventMeaning {
  if (data.trim() === '[DONE]') return { isDone: true };
  const chunk = parsed(data);
  if (!isRecord(chunk)) return event === 'error' ? { failure: { kind: 'told', text: data } } : {};
  if (isRecord(chunk.error)) return { failure: toldFailure(chunk.error, data) };
  if (event === 'error') return { failure: { kind: 'told', text: data } };
  return { news: newsOf(chunk) };
}

function newsOf(chunk: Record<string, unknown>): AnswerNews {
  const [choice]: unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
  const delta = isRecord(choice) && isRecord(choice.delta) ? choice.delta : {};
  const { usage } = chunk;
  const calls: unknown[] = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
  const text = wordsOf(delta.content) + imagesBeside(delta) + wordsOf(delta.refusal);
  const reasoning = wordsOf(delta.reasoning_content) || wordsOf(delta.reasoning);
  return {
    ...(text !== '' && { text }),
    ...(reasoning !== '' && { reasoning }),
    ...(calls.length > 0 && { toolCalls: calls.filter(isRecord).map(toolCallOf) }),
    ...(isRecord(usage) && {
      usage: { prompt: numberOf(usage.prompt_tokens), completion: numberOf(usage.completion_tokens) },
    }),
  };
}

/** Images that stand beside the words only, as Markdown among them. */
function imagesBeside({ images, content }: Record<string, unknown>): string {
  const all: unknown[] = Array.isArray(images) ? images : [];
  return all
    .map((image) => (isRecord(image) && isRecord(image.image_url) ? wordsOf(image.image_url.url) : ''))
    .filter((url) => url !== '' && !wordsOf(content).includes(url))
    .map((url) => `![image](${url})`)
    .join('');
}

function toolCallOf(call: Record<string, unknown>, place: number) {
  const asked = isRecord(call.function) ? call.function : {};
  return {
    index: typeof call.index === 'number' ? call.index : place,
    name: wordsOf(asked.name),
    arguments: wordsOf(asked.arguments),
  };
}

function toldFailure(error: Record<string, unknown>, otherwise: string): Failure {
  const text = wordsOf(error.message).replace(idInText, '');
  return { kind: 'told', text: text === '' ? otherwise : text, ...codeOf(error.code) };
}

function codeOf(code: unknown): { code?: string } {
  return typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {};
}

const wordsOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
