/** Reading an answer of `/v1/chat/completions`, whole or streamed, whatever else stands in it. */
import { CliError } from './errors.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { both } from './language.ts';

export interface ChatAnswer {
  text: string;
  /** As the answer names it. */
  model: string;
  usage: { prompt_tokens: number; completion_tokens: number } | null;
}

/** The value under a path of names and positions; undefined where it ends early. */
function under(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  );
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

function usageOf(body: unknown): ChatAnswer['usage'] {
  const prompt = under(body, 'usage', 'prompt_tokens');
  const completion = under(body, 'usage', 'completion_tokens');
  if (typeof prompt !== 'number' || typeof completion !== 'number') return null;
  return { prompt_tokens: prompt, completion_tokens: completion };
}

/** The failure that a body with `error` tells; by status 4 for the key, 9 for limits, else 1. */
export function refusalOf(status: number, body: unknown): CliError {
  const byStatus: Readonly<Record<number, ExitCode>> = { 401: exitCodes.notSignedIn, 429: exitCodes.rateLimited };
  const message = textOr(under(body, 'error', 'message'), `HTTP ${status}`);
  const code = textOr(under(body, 'error', 'code'), textOr(under(body, 'error', 'type'), `http_${status}`));
  return new CliError(code, byStatus[status] ?? exitCodes.failed, both(message, message));
}

/** An answer that came whole. */
export function wholeAnswer(body: unknown): ChatAnswer {
  return {
    text: textOr(under(body, 'choices', 0, 'message', 'content'), ''),
    model: textOr(under(body, 'model'), ''),
    usage: usageOf(body),
  };
}

async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  if (rest !== '') yield rest;
}

/**
 * Gives out the text of an event stream as it comes and fills the answer.
 * Throws `CliError` for an error in the stream and for a stream that stops before its end.
 */
export async function* streamedText(pieces: AsyncIterable<string>, answer: ChatAnswer): AsyncGenerator<string> {
  for await (const line of linesOf(pieces)) {
    if (!line.startsWith('data:')) continue;
    const data = line.slice('data:'.length).trim();
    if (data === '[DONE]') return;
    const event: unknown = JSON.parse(data);
    if (under(event, 'error') !== undefined) throw refusalOf(200, event);
    answer.model = textOr(under(event, 'model'), answer.model) || answer.model;
    answer.usage = usageOf(event) ?? answer.usage;
    const text = textOr(under(event, 'choices', 0, 'delta', 'content'), '');
    answer.text += text;
    if (text !== '') yield text;
  }
  throw new CliError('stream_cut', exitCodes.failed, both('the answer stopped before its end', '响应在结束前中断'));
}
