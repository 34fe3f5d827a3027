/** One call of a relay key's model: asked, read as it comes, and summed up with what it cost. */
import { decoded, refusalOf, refuseBlocked, streamedText, wholeOf } from './chat-answer.ts';
import {
  type Asked,
  type ChatAnswer,
  type ChatDialect,
  type ChatFormatName,
  type ChatMessage,
  chatDialects,
} from './chat-dialects.ts';
import type { CommandContext } from './context.ts';
import { fetchFor } from './fetch.ts';
import { unitsToUsd } from './input/money.ts';
import { notReached } from './unreached.ts';
import { version } from './version.ts';

/** What is asked, beside the messages. */
export interface ChatWishes extends Omit<Asked, 'messages'> {
  readonly format: ChatFormatName;
}

export interface ChatRow extends ChatAnswer {
  /** Quota; null while the log does not show the call. */
  charge: number | null;
  request_id: string;
  ms: number;
  /** Until the first text. */
  first_ms: number;
}

/** An answer on its way. */
export interface OpenAnswer {
  readonly dialect: ChatDialect;
  readonly response: Response;
  /** Filled while it is read. */
  readonly answer: ChatAnswer;
  /** When it was asked, on the clock of `performance`. */
  readonly began: number;
  /** When the first text came; undefined before. */
  firstAt: number | undefined;
}

/** Asks. Throws what the gateway refused with, exit 10 when it was not reached; a dry run does not ask. */
export async function ask(
  context: CommandContext,
  call: { key: string; wishes: ChatWishes; messages: readonly ChatMessage[]; signal?: AbortSignal },
): Promise<OpenAnswer> {
  const { format, ...wishes } = call.wishes;
  const asked: Asked = { ...wishes, messages: call.messages };
  const dialect = chatDialects[format];
  const { url, settings } = await context.target();
  await context.refusePlain(url);
  const send = await fetchFor({
    environment: context.environment,
    caFile: settings.ca_file,
    signal: context.signal,
    ...context.traced,
  });
  const headers = {
    ...dialect.headers(call.key),
    'content-type': 'application/json',
    'accept-language': context.language,
    'user-agent': `tollgate-cli/${version}`,
  };
  const body = JSON.stringify(dialect.body(asked));
  const path = dialect.path(asked);
  await context.beforeWrite({ method: 'POST', path, body });
  const began = performance.now();
  const init = { method: 'POST', headers, body, ...(call.signal ? { signal: call.signal } : {}) };
  const response = await send(`${url}${path}`, init).catch((cause: unknown) => {
    throw notReached(url, cause);
  });
  if (response.ok) {
    const answer = { text: '', model: asked.model, usage: null };
    return { dialect, response, answer, began, firstAt: undefined };
  }
  // Not Tollgate's own answer, or cut: the status says what is known.
  throw refusalOf(response.status, await wholeOf(response).catch(() => undefined));
}

/** Gives out the text as it comes, with a line end behind it, and fills the answer. */
export async function* textsOf(open: OpenAnswer): AsyncGenerator<string> {
  const { response, answer } = open;
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    for await (const text of streamedText(decoded(response), answer, open.dialect)) {
      open.firstAt ??= performance.now();
      yield text;
    }
  } else {
    const body = await wholeOf(response);
    refuseBlocked(body);
    Object.assign(answer, open.dialect.readWhole(body));
    yield answer.text;
  }
  yield '\n';
}

/** What became of an answer, once it has ended. */
export async function rowOf(context: CommandContext, key: string, open: OpenAnswer): Promise<ChatRow> {
  const ms = Math.round(performance.now() - open.began);
  const requestId = open.response.headers.get('x-request-id') ?? '';
  return {
    ...open.answer,
    charge: await chargeOf(context, key, requestId),
    request_id: requestId,
    ms,
    first_ms: open.firstAt === undefined ? ms : Math.round(open.firstAt - open.began),
  };
}

/** The charge of the call from the key's own log: settled a moment after the answer, or seconds where nobody counted. */
async function chargeOf(context: CommandContext, key: string, requestId: string): Promise<number | null> {
  const { url } = await context.target();
  const client = await context.clientFor(url, key);
  for (const pauseMs of [50, 200, 800, 2000]) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const rows = await client.logs.listByKey({}).then(
      ({ items }) => items.filter((row) => row.request_id === requestId),
      () => [],
    );
    if (rows.length > 0) return rows.reduce((sum, { quota }) => sum + quota, 0);
  }
  return null;
}

/** The line under an answer. */
export async function sumUp(context: CommandContext, row: ChatRow): Promise<void> {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const { quotaPerUnit } = await context.site();
  const parts = [
    row.model,
    ...(row.usage === null ? [] : [`${row.usage.prompt_tokens} in`, `${row.usage.completion_tokens} out`]),
    `first ${seconds(row.first_ms)}`,
    seconds(row.ms),
    ...(row.charge === null ? [] : [`$${unitsToUsd(row.charge, quotaPerUnit)}`]),
    row.request_id,
  ];
  context.note(parts.join(context.terminal.unicode ? ' · ' : ' | '));
}
