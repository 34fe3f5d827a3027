/** How the four dialects of the relay are asked for a conversation, and how their answers are read. */
import { under } from './members.ts';

export const chatFormats = ['chat', 'responses', 'messages', 'gemini'] as const;
export type ChatFormatName = (typeof chatFormats)[number];

export interface ChatImage {
  /** `image/png` and the like. */
  readonly mime: string;
  readonly base64: string;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  readonly images?: readonly ChatImage[];
}

/** What is asked. */
export interface Asked {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly delivery: 'streamed' | 'whole';
}

export interface ChatAnswer {
  text: string;
  /** As the answer names it. */
  model: string;
  usage: { prompt_tokens: number; completion_tokens: number } | null;
}

/** What one event says. */
export interface ChatStep {
  readonly text: string;
  /** The answer ends with this event. */
  readonly isLast: boolean;
}

export interface ChatDialect {
  /** With its query. */
  path(asked: Asked): string;
  /** Where the key goes. */
  headers(key: string): Readonly<Record<string, string>>;
  body(asked: Asked): unknown;
  /** Reads an event that is no error, and fills the answer. */
  readEvent(event: unknown, answer: ChatAnswer): ChatStep;
  readWhole(body: unknown): ChatAnswer;
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

/** The two counts under a member; null where they are not both there. */
function usageOf(counts: unknown, [input, output]: readonly [string, string]): ChatAnswer['usage'] {
  const [prompt, completion] = [under(counts, input), under(counts, output)];
  if (typeof prompt !== 'number' || typeof completion !== 'number') return null;
  return { prompt_tokens: prompt, completion_tokens: completion };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const dataUrl = ({ mime, base64 }: ChatImage) => `data:${mime};base64,${base64}`;
const systemOf = (messages: readonly ChatMessage[]) => messages.find(({ role }) => role === 'system')?.content;
const turnsOf = (messages: readonly ChatMessage[]) => messages.filter(({ role }) => role !== 'system');

/** What a message, or a piece of one, says; a refusal is an answer too, in a member of its own. */
const chatText = (message: unknown) => textOr(under(message, 'content'), '') + textOr(under(message, 'refusal'), '');

const openAi: ChatDialect = {
  path: () => '/v1/chat/completions',
  headers: bearer,
  body: ({ model, messages, maxTokens, temperature, delivery }) => ({
    model,
    messages: messages.map(({ role, content, images = [] }) => ({
      role,
      content:
        images.length === 0
          ? content
          : [
              { type: 'text', text: content },
              ...images.map((image) => ({ type: 'image_url', image_url: { url: dataUrl(image) } })),
            ],
    })),
    max_tokens: maxTokens,
    temperature,
    ...(delivery === 'streamed' ? { stream: true, stream_options: { include_usage: true } } : {}),
  }),
  readEvent(event, answer) {
    answer.model = textOr(under(event, 'model'), answer.model) || answer.model;
    answer.usage = usageOf(under(event, 'usage'), ['prompt_tokens', 'completion_tokens']) ?? answer.usage;
    return { text: chatText(under(event, 'choices', 0, 'delta')), isLast: false };
  },
  readWhole: (body) => ({
    text: chatText(under(body, 'choices', 0, 'message')),
    model: textOr(under(body, 'model'), ''),
    usage: usageOf(under(body, 'usage'), ['prompt_tokens', 'completion_tokens']),
  }),
};

/** What a part of a message says. */
function partText(part: unknown): string {
  const type = under(part, 'type');
  if (type === 'output_text') return textOr(under(part, 'text'), '');
  return type === 'refusal' ? textOr(under(part, 'refusal'), '') : '';
}

/** Texts of the message items of a response, one behind another. */
function outputText(response: unknown): string {
  const output = under(response, 'output');
  const parts = (Array.isArray(output) ? output : []).flatMap((item: unknown): unknown[] => {
    const content = under(item, 'content');
    return under(item, 'type') === 'message' && Array.isArray(content) ? content : [];
  });
  return parts.map(partText).join('');
}

const responseOf = (response: unknown) => ({
  model: textOr(under(response, 'model'), ''),
  usage: usageOf(under(response, 'usage'), ['input_tokens', 'output_tokens']),
});

const responses: ChatDialect = {
  path: () => '/v1/responses',
  headers: bearer,
  body: ({ model, messages, maxTokens, temperature, delivery }) => ({
    model,
    instructions: systemOf(messages),
    input: turnsOf(messages).map(({ role, content, images = [] }) => ({
      role,
      content: [
        { type: role === 'assistant' ? 'output_text' : 'input_text', text: content },
        ...images.map((image) => ({ type: 'input_image', image_url: dataUrl(image) })),
      ],
    })),
    max_output_tokens: maxTokens,
    temperature,
    // Nothing of a trial need be kept upstream.
    store: false,
    ...(delivery === 'streamed' ? { stream: true } : {}),
  }),
  readEvent(event, answer) {
    const type = under(event, 'type');
    const isSaid = type === 'response.output_text.delta' || type === 'response.refusal.delta';
    if (isSaid) return { text: textOr(under(event, 'delta'), ''), isLast: false };
    const isLast = type === 'response.completed' || type === 'response.incomplete';
    if (isLast) {
      const { model, usage } = responseOf(under(event, 'response'));
      answer.model = model || answer.model;
      answer.usage = usage;
    }
    return { text: '', isLast };
  },
  readWhole: (body) => ({ ...responseOf(body), text: outputText(body) }),
};

/** The dialect wants a limit; enough for a trial, and within that of every model. */
const messagesLimit = 4096;

const messages: ChatDialect = {
  path: () => '/v1/messages',
  headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  body: (asked) => ({
    model: asked.model,
    system: systemOf(asked.messages),
    messages: turnsOf(asked.messages).map(({ role, content, images = [] }) => ({
      role,
      content: [
        ...images.map(({ mime, base64 }) => ({
          type: 'image',
          source: { type: 'base64', media_type: mime, data: base64 },
        })),
        { type: 'text', text: content },
      ],
    })),
    max_tokens: asked.maxTokens ?? messagesLimit,
    temperature: asked.temperature,
    ...(asked.delivery === 'streamed' ? { stream: true } : {}),
  }),
  readEvent(event, answer) {
    const type = under(event, 'type');
    if (type === 'message_start') {
      answer.model = textOr(under(event, 'message', 'model'), answer.model) || answer.model;
      answer.usage = usageOf(under(event, 'message', 'usage'), ['input_tokens', 'output_tokens']);
    }
    if (type === 'message_delta') {
      const counts = { input_tokens: answer.usage?.prompt_tokens, ...membersOf(under(event, 'usage')) };
      answer.usage = usageOf(counts, ['input_tokens', 'output_tokens']) ?? answer.usage;
    }
    const text = under(event, 'delta', 'type') === 'text_delta' ? textOr(under(event, 'delta', 'text'), '') : '';
    return { text, isLast: type === 'message_stop' };
  },
  readWhole(body) {
    const content = under(body, 'content');
    const blocks = Array.isArray(content) ? content : [];
    return {
      text: blocks.map((block) => (under(block, 'type') === 'text' ? textOr(under(block, 'text'), '') : '')).join(''),
      model: textOr(under(body, 'model'), ''),
      usage: usageOf(under(body, 'usage'), ['input_tokens', 'output_tokens']),
    };
  },
};

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A chunk or a whole answer, which look the same; thoughts are not said. */
function geminiPart(body: unknown): ChatAnswer & { isLast: boolean } {
  const parts = under(body, 'candidates', 0, 'content', 'parts');
  const said = (Array.isArray(parts) ? parts : []).filter((part) => under(part, 'thought') !== true);
  const counts = under(body, 'usageMetadata');
  const [answered, thought] = [under(counts, 'candidatesTokenCount'), under(counts, 'thoughtsTokenCount')];
  const completion = typeof answered === 'number' ? answered + (typeof thought === 'number' ? thought : 0) : undefined;
  return {
    text: said.map((part) => textOr(under(part, 'text'), '')).join(''),
    model: textOr(under(body, 'modelVersion'), ''),
    usage: usageOf({ prompt: under(counts, 'promptTokenCount'), completion }, ['prompt', 'completion']),
    isLast: typeof under(body, 'candidates', 0, 'finishReason') === 'string',
  };
}

const gemini: ChatDialect = {
  path: ({ model, delivery }) =>
    `/v1beta/models/${encodeURIComponent(model)}:${delivery === 'streamed' ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  headers: (key) => ({ 'x-goog-api-key': key }),
  body: (asked) => {
    const system = systemOf(asked.messages);
    return {
      ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      contents: turnsOf(asked.messages).map(({ role, content, images = [] }) => ({
        role: role === 'assistant' ? 'model' : 'user',
        parts: [
          { text: content },
          ...images.map(({ mime, base64 }) => ({ inlineData: { mimeType: mime, data: base64 } })),
        ],
      })),
      generationConfig: { maxOutputTokens: asked.maxTokens, temperature: asked.temperature },
    };
  },
  readEvent(event, answer) {
    const { text, model, usage, isLast } = geminiPart(event);
    answer.model = model || answer.model;
    answer.usage = usage ?? answer.usage;
    return { text, isLast };
  },
  readWhole(body) {
    const { text, model, usage } = geminiPart(body);
    return { text, model, usage };
  },
};

export const chatDialects: Readonly<Record<ChatFormatName, ChatDialect>> = {
  chat: openAi,
  responses,
  messages,
  gemini,
};
