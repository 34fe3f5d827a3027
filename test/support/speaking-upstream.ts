/**
 * A model that is asked in any of four dialects and answers in the same: what it says is given once, the bytes of each
 * dialect are made here, whole or as a stream, as the request asks.
 */
import { isObject, type Json, type JsonObject } from '../../daemon/relay/json.ts';
import { type Answer, jsonAnswer, type RecordedRequest, sseAnswer } from './fake-upstream.ts';

export interface SaidCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

/** One turn of a model. */
export interface Said {
  readonly reasoning?: { readonly text: string; readonly signature: string };
  readonly text?: string;
  readonly calls?: readonly SaidCall[];
  /** Default 12 and 5; of the prompt nothing `cached`. */
  readonly usage?: { readonly prompt: number; readonly completion: number; readonly cached?: number };
}

export type Dialect = 'chat' | 'responses' | 'messages' | 'gemini';

/** The dialect of an upstream call, by its path. */
export function dialectOf({ url }: Pick<RecordedRequest, 'url'>): Dialect {
  const path = url.split('?')[0] ?? '';
  if (path.endsWith('/responses')) return 'responses';
  if (path.endsWith('/messages')) return 'messages';
  return path.includes(':') ? 'gemini' : 'chat';
}

/** A script that says the same, or what the turn says, in the dialect it is asked in. */
export function saying(turn: Said | ((body: JsonObject, index: number) => Said)) {
  return (request: RecordedRequest, index: number): Answer => {
    const body = bodyOf(request);
    const said = typeof turn === 'function' ? turn(body, index) : turn;
    const streamed = body.stream === true || request.url.includes(':streamGenerateContent');
    return answers[dialectOf(request)][streamed ? 'streamed' : 'whole'](said);
  };
}

/** The pieces of an answer that broke off in the middle. */
export function firstHalf({ chunks = [] }: Answer): readonly (string | Buffer)[] {
  return chunks.slice(0, Math.ceil(chunks.length / 2));
}

/** The JSON that reached the upstream. */
export function bodyOf(request: RecordedRequest | undefined): JsonObject {
  const parsed: Json = JSON.parse(request?.body.toString() ?? '');
  if (!isObject(parsed)) throw new Error('no JSON object');
  return parsed;
}

const answers: Record<Dialect, Record<'whole' | 'streamed', (said: Said) => Answer>> = {
  chat: { whole: (said) => jsonAnswer(chatWhole(said)), streamed: (said) => sseAnswer(chatEvents(said)) },
  responses: { whole: (said) => jsonAnswer(response(said)), streamed: (said) => typed(responseEvents(said)) },
  messages: { whole: (said) => jsonAnswer(message(said)), streamed: (said) => typed(messageEvents(said)) },
  gemini: { whole: (said) => jsonAnswer(gemini(said)), streamed: (said) => sseAnswer(geminiEvents(said)) },
};

/** Events that carry their type as the name too. */
function typed(events: readonly JsonObject[]): Answer {
  return {
    headers: { 'content-type': 'text/event-stream' },
    chunks: events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`),
  };
}

const counts = ({ usage }: Said) => ({ prompt: 12, completion: 5, cached: 0, ...usage });

function chatUsage(said: Said): JsonObject {
  const { prompt, completion, cached } = counts(said);
  const details = cached === 0 ? {} : { prompt_tokens_details: { cached_tokens: cached } };
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion, ...details };
}

function chatMessage({ text, reasoning, calls }: Said): JsonObject {
  return {
    role: 'assistant',
    content: text ?? null,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning.text }),
    ...(calls === undefined ? {} : { tool_calls: chatCalls(calls) }),
  };
}

function chatCalls(calls: readonly SaidCall[]): Json[] {
  return calls.map(({ id, name, args }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
}

function chatWhole(said: Said): JsonObject {
  const finish = said.calls === undefined ? 'stop' : 'tool_calls';
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'upstream-model',
    choices: [{ index: 0, message: chatMessage(said), finish_reason: finish }],
    usage: chatUsage(said),
  };
}

function chatEvents(said: Said): unknown[] {
  const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'upstream-model' };
  const delta = (fields: JsonObject, finish: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta: fields, finish_reason: finish }],
  });
  return [
    delta({ role: 'assistant', content: '' }),
    ...(said.reasoning === undefined ? [] : [delta({ reasoning_content: said.reasoning.text })]),
    ...pieces(said.text).map((content) => delta({ content })),
    ...(said.calls === undefined ? [] : [delta({ tool_calls: chatCalls(said.calls) })]),
    delta({}, said.calls === undefined ? 'stop' : 'tool_calls'),
    { ...base, choices: [], usage: chatUsage(said) },
    '[DONE]',
  ];
}

/** A text in two pieces. */
function pieces(text: string | undefined): string[] {
  if (text === undefined) return [];
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((piece) => piece !== '');
}

function messageBlocks({ reasoning, text, calls = [] }: Said): JsonObject[] {
  return [
    ...(reasoning === undefined
      ? []
      : [{ type: 'thinking', thinking: reasoning.text, signature: reasoning.signature } satisfies JsonObject]),
    ...(text === undefined ? [] : [{ type: 'text', text } satisfies JsonObject]),
    ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }) satisfies JsonObject),
  ];
}

function message(said: Said): JsonObject {
  const { prompt, completion, cached } = counts(said);
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'upstream-model',
    content: messageBlocks(said),
    stop_reason: said.calls === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: {
      input_tokens: prompt - cached,
      output_tokens: completion,
      ...(cached === 0 ? {} : { cache_read_input_tokens: cached }),
    },
  };
}

function messageEvents(said: Said): JsonObject[] {
  const { completion } = counts(said);
  const { usage, ...whole } = message(said);
  const opening = { ...whole, content: [], stop_reason: null };
  return [
    { type: 'message_start', message: { ...opening, usage: { ...Object(usage), output_tokens: 1 } } },
    ...messageBlocks(said).flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: emptied(block) },
      ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: said.calls === undefined ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage: { output_tokens: completion },
    },
    { type: 'message_stop' },
  ];
}

function emptied(block: JsonObject): JsonObject {
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return { ...block, input: {} };
}

function deltasOf(block: JsonObject): JsonObject[] {
  if (block.type === 'text') return pieces(String(block.text)).map((text) => ({ type: 'text_delta', text }));
  if (block.type === 'thinking') {
    return [
      ...pieces(String(block.thinking)).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: block.signature ?? '' },
    ];
  }
  return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
}

function gemini(said: Said): JsonObject {
  const { prompt, completion, cached } = counts(said);
  const signature = said.reasoning === undefined ? {} : { thoughtSignature: said.reasoning.signature };
  const parts: JsonObject[] = [
    ...(said.reasoning === undefined ? [] : [{ text: said.reasoning.text, thought: true }]),
    ...(said.text === undefined ? [] : [{ text: said.text }]),
    // Gemini puts the signature on the first call of a turn.
    ...(said.calls ?? []).map(({ id, name, args }, index) => ({
      functionCall: { id, name, args },
      ...(index === 0 ? signature : {}),
    })),
  ];
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: prompt,
      candidatesTokenCount: completion,
      totalTokenCount: prompt + completion,
      ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    },
    modelVersion: 'upstream-model',
    responseId: 'r1',
  };
}

/** Thoughts and text piece by piece; calls, the end and the counts come last. */
function geminiEvents(said: Said): JsonObject[] {
  const parts: JsonObject[] = [
    ...(said.reasoning === undefined ? [] : [{ text: said.reasoning.text, thought: true }]),
    ...pieces(said.text).map((text) => ({ text })),
  ];
  const { candidates, ...rest } = gemini(said);
  const [whole] = Array.isArray(candidates) ? candidates.filter(isObject) : [];
  const content = isObject(whole?.content) ? whole.content : {};
  const calls = Array.isArray(content.parts) ? content.parts.filter((part) => isObject(part) && !('text' in part)) : [];
  return [
    ...parts.map((part) => ({ candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }] })),
    { ...rest, candidates: [{ content: { role: 'model', parts: calls }, finishReason: 'STOP', index: 0 }] },
  ];
}

function responseItems({ reasoning, text, calls = [] }: Said): JsonObject[] {
  return [
    ...(reasoning === undefined
      ? []
      : [
          {
            type: 'reasoning',
            id: 'rs_1',
            summary: [{ type: 'summary_text', text: reasoning.text }],
            encrypted_content: reasoning.signature,
          } satisfies JsonObject,
        ]),
    ...(text === undefined
      ? []
      : [
          {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          } satisfies JsonObject,
        ]),
    ...calls.map(
      ({ id, name, args }, index) =>
        ({
          type: 'function_call',
          id: `fc_${index}`,
          call_id: id,
          name,
          arguments: JSON.stringify(args),
          status: 'completed',
        }) satisfies JsonObject,
    ),
  ];
}

function response(said: Said): JsonObject {
  const { prompt, completion, cached } = counts(said);
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    model: 'upstream-model',
    output: responseItems(said),
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage: {
      input_tokens: prompt,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: completion,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: prompt + completion,
    },
  };
}

function responseEvents(said: Said): JsonObject[] {
  const opened = { ...response(said), status: 'in_progress', output: [], usage: null };
  const events: JsonObject[] = [
    { type: 'response.created', response: opened },
    ...responseItems(said).flatMap((item, index) => itemEvents(item, index)),
    { type: 'response.completed', response: response(said) },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

function itemEvents(item: JsonObject, index: number): JsonObject[] {
  const at = { output_index: index, item_id: item.id ?? '' };
  const added = { type: 'response.output_item.added', output_index: index };
  const done: JsonObject = { type: 'response.output_item.done', output_index: index, item };
  if (item.type === 'function_call') {
    return [
      { ...added, item: { ...item, arguments: '', status: 'in_progress' } },
      { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments ?? '' },
      { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments ?? '' },
      done,
    ];
  }
  if (item.type !== 'message') return [{ ...added, item }, done];
  const [part] = Array.isArray(item.content) ? item.content : [];
  const text = isObject(part) ? String(part.text) : '';
  const content = { ...at, content_index: 0 };
  return [
    { ...added, item: { ...item, content: [], status: 'in_progress' } },
    { type: 'response.content_part.added', ...content, part: { type: 'output_text', text: '', annotations: [] } },
    ...pieces(text).map((delta) => ({ type: 'response.output_text.delta', ...content, delta })),
    { type: 'response.output_text.done', ...content, text },
    { type: 'response.content_part.done', ...content, part: part ?? null },
    done,
  ];
}
