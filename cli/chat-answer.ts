/** Reading the answer of a conversation, streamed in whichever dialect, and what was refused. */
import type { ChatAnswer, ChatDialect } from './chat-dialects.ts';
import { CliError } from './errors.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { both } from './language.ts';
import { under } from './members.ts';

/** The failure that a body with `error` tells; by status 4 for the key, 9 for limits, else 1. */
export function refusalOf(status: number, body: unknown): CliError {
  const byStatus: Readonly<Record<number, ExitCode>> = { 401: exitCodes.notSignedIn, 429: exitCodes.rateLimited };
  // The dialects agree on the message; what the failure is called stands in different places.
  const [message = `HTTP ${status}`] = [under(body, 'error', 'message')].filter((text) => typeof text === 'string');
  const names = [under(body, 'error', 'code'), under(body, 'error', 'status'), under(body, 'error', 'type')];
  const [code = `http_${status}`] = names.filter((name) => typeof name === 'string');
  return new CliError(code, byStatus[status] ?? exitCodes.failed, both(message, message));
}

/** Throws `CliError` for what is no JSON: the gateway passes on what it need not read. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const told = both('the answer of the model is no JSON', '模型返回的内容不是有效的 JSON');
    throw new CliError('answer_malformed', exitCodes.failed, told, { cause });
  }
}

/** An answer that broke off. */
function streamCut(cause?: unknown): CliError {
  const text = both('the answer stopped before its end', '响应在结束前中断');
  return new CliError('stream_cut', exitCodes.failed, text, { cause });
}

/** Throws `CliError` where Gemini took no question: there is no answer then, and no word about its end. */
export function refuseBlocked(body: unknown): void {
  const reason = under(body, 'promptFeedback', 'blockReason');
  if (typeof reason !== 'string') return;
  const text = both(`the provider did not take the question (${reason})`, `供应商拒绝了该问题（${reason}）`);
  throw new CliError('prompt_blocked', exitCodes.failed, text);
}

/** Bytes of an answer as text. Throws `CliError` where the connection breaks. */
export async function* decoded(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  try {
    for await (const bytes of response.body ?? []) yield decoder.decode(bytes, { stream: true });
  } catch (cause) {
    throw streamCut(cause);
  }
}

/** An answer that comes whole. Throws `CliError` where the connection breaks, and for what is no JSON. */
export async function wholeOf(response: Response): Promise<unknown> {
  let text = '';
  for await (const piece of decoded(response)) text += piece;
  return parsed(text);
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

/** The failure that an event tells; undefined for any other. */
function failureIn(event: unknown): unknown {
  // Responses tell it in the response they began, the others as `error`.
  const isFailed = under(event, 'type') === 'response.failed';
  if (isFailed) return { error: under(event, 'response', 'error') };
  if (under(event, 'error') !== undefined && under(event, 'error') !== null) return event;
  return under(event, 'type') === 'error' ? { error: event } : undefined;
}

/**
 * Gives out the text of an event stream as it comes and fills the answer.
 * Throws `CliError` for an error in the stream and for a stream that stops before its end.
 */
export async function* streamedText(
  pieces: AsyncIterable<string>,
  answer: ChatAnswer,
  dialect: Pick<ChatDialect, 'readEvent'>,
): AsyncGenerator<string> {
  let isOver = false;
  for await (const line of linesOf(pieces)) {
    if (!line.startsWith('data:')) continue;
    const data = line.slice('data:'.length).trim();
    if (data === '[DONE]') return;
    const event = parsed(data);
    const failure = failureIn(event);
    if (failure !== undefined) throw refusalOf(200, failure);
    refuseBlocked(event);
    const { text, isLast } = dialect.readEvent(event, answer);
    isOver ||= isLast;
    answer.text += text;
    if (text !== '') yield text;
  }
  if (isOver) return;
  throw streamCut();
}
