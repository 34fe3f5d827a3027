/** `chat`: tries a relay key with one question, the answer on standard output as it comes. */
import type { Command } from 'commander';
import { type ChatAnswer, refusalOf, streamedText, wholeAnswer } from '../chat-answer.ts';
import { type Flags, leaf, type Runtime } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { fetchFor } from '../fetch.ts';
import { textOf, wordsOf } from '../flags.ts';
import { unitsToUsd } from '../input/money.ts';
import { both } from '../language.ts';
import type { View } from '../output/columns.ts';
import { relayKeyOf } from '../relay-key.ts';
import { version } from '../version.ts';

interface ChatRow extends ChatAnswer {
  /** Quota; null while the log does not show the call. */
  charge: number | null;
  request_id: string;
  ms: number;
  /** Until the first text. */
  first_ms: number;
}

const chatView: View<ChatRow> = {
  columns: [
    { heading: 'TEXT', value: (row) => row.text },
    { heading: 'MODEL', value: (row) => row.model },
    { heading: 'CHARGE', value: (row) => row.charge, align: 'right' },
  ],
  fields: ['text', 'model', 'usage', 'charge', 'request_id', 'ms', 'first_ms'],
  id: (row) => row.text,
};

function numberOf(value: unknown, field: string): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isFinite(number) && number >= 0 && value !== '') return number;
  throw usageError(both(`${field} takes a number`, `${field} 须为数字`), { field });
}

/** The words, with what stands in a pipe behind them. Throws exit 3 for nothing. */
async function promptOf(context: CommandContext, words: readonly string[], flags: Flags): Promise<string> {
  const isPiped = !context.terminal.stdin && flags.key !== '-';
  const piped = isPiped ? (await context.value('-', 'prompt')).trimEnd() : '';
  const prompt = [words.join(' '), piped].filter((part) => part !== '').join('\n\n');
  if (prompt !== '') return prompt;
  throw usageError(both('nothing to ask', '没有要提的问题'), {
    hint: both('tollgate chat --model gpt-4o "Say hi"', 'tollgate chat --model gpt-4o "你好"'),
  });
}

function requestBody(prompt: string, flags: Flags) {
  const model = textOf(flags.model);
  if (model === undefined) throw usageError(both('--model is needed', '需要 --model'), { field: '--model' });
  const system = textOf(flags.system);
  const isStreamed = flags.stream !== false;
  return {
    model,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: prompt },
    ],
    max_tokens: numberOf(flags.maxTokens, '--max-tokens'),
    temperature: numberOf(flags.temperature, '--temperature'),
    ...(isStreamed ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

async function ask(context: CommandContext, key: string, body: unknown): Promise<Response> {
  const { url, settings } = await context.target();
  await context.refusePlain(url);
  const call = await fetchFor({
    environment: context.environment,
    caFile: settings.ca_file,
    signal: context.signal,
  });
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'accept-language': context.language,
    'user-agent': `tollgate-cli/${version}`,
  };
  const address = `${url}/v1/chat/completions`;
  const response = await call(address, { method: 'POST', headers, body: JSON.stringify(body) }).catch(
    (cause: unknown) => {
      throw new CliError('not_reached', exitCodes.unavailable, both(`${url} was not reached`, `无法连接 ${url}`), {
        cause,
      });
    },
  );
  if (response.ok) return response;
  const text = await response.text();
  let refused: unknown;
  try {
    refused = JSON.parse(text);
  } catch {
    // Not Tollgate's own answer; the status says what is known.
  }
  throw refusalOf(response.status, refused);
}

/** The charge of the call from the key's own log; settlement ends a moment after the answer. */
async function chargeOf(context: CommandContext, key: string, requestId: string): Promise<number | null> {
  const { url } = await context.target();
  const client = await context.clientFor(url, key);
  for (const pauseMs of [50, 200, 800]) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const rows = await client.logs.listByKey({}).then(
      ({ items }) => items.filter((row) => row.request_id === requestId),
      () => [],
    );
    if (rows.length > 0) return rows.reduce((sum, { quota }) => sum + quota, 0);
  }
  return null;
}

async function* decoded(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) yield decoder.decode(bytes, { stream: true });
}

async function sumUp(context: CommandContext, row: ChatRow): Promise<void> {
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

async function chat(context: CommandContext, words: readonly string[], flags: Flags): Promise<void> {
  const key = await relayKeyOf(context, { source: textOf(flags.key), own: textOf(flags.token) });
  const body = requestBody(await promptOf(context, words, flags), flags);
  const began = performance.now();
  const response = await ask(context, key, body);
  if (flags.raw === true) return context.printer.stream(decoded(response));
  const answer: ChatAnswer = { text: '', model: body.model, usage: null };
  const isShownAsItComes = !['json', 'ndjson', 'yaml'].includes(context.printer.format);
  let firstMs: number | undefined;
  async function* texts(): AsyncGenerator<string> {
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      for await (const text of streamedText(decoded(response), answer)) {
        firstMs ??= performance.now() - began;
        yield text;
      }
    } else {
      Object.assign(answer, wholeAnswer(await response.json()));
      yield answer.text;
    }
    yield '\n';
  }
  if (isShownAsItComes) await context.printer.stream(texts());
  else for await (const _text of texts());
  const ms = Math.round(performance.now() - began);
  const requestId = response.headers.get('x-request-id') ?? '';
  const row: ChatRow = {
    ...answer,
    charge: await chargeOf(context, key, requestId),
    request_id: requestId,
    ms,
    first_ms: Math.round(firstMs ?? ms),
  };
  if (isShownAsItComes) await sumUp(context, row);
  else await context.printer.one(row, chatView);
}

export function registerChatCommand(program: Command, runtime: Runtime): void {
  const say = (pair: { en: string; zh: string }) => pair[runtime.language];
  leaf(
    program
      .command('chat')
      .argument('[prompt...]')
      .option('-m, --model <model>', say(both('model to ask', '模型')))
      .option('--token <token>', say(both('an own token by id or name', '本人的令牌（编号或名称）')))
      .option('--key <source>', say(both('relay key: - or env:NAME (TOLLGATE_API_KEY)', '密钥来源：- 或 env:NAME')))
      .option('--system <text>', say(both('system prompt', '系统提示词')))
      .option('--max-tokens <n>', say(both('answer tokens at most', '输出 token 上限')))
      .option('--temperature <n>', say(both('sampling temperature', '采样温度')))
      .option('--no-stream', say(both('wait for the whole answer', '等待完整响应'))),
    runtime,
    {
      summary: both(
        'Ask a model once and show what it cost; a pipe is added to the prompt',
        '向模型提问并显示费用；管道内容附在问题之后',
      ),
      examples: ['chat -m gpt-4o "Say hi"', 'chat -m gpt-4o --token laptop "review this" < changes.diff'],
      calls: ['logs.listByKey', 'tokens.revealKey', 'tokens.search', 'status.get'],
    },
    (context, [prompt], flags) => chat(context, wordsOf(prompt), flags),
  );
}
