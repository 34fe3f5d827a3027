/** The free JSON of a request with marks on its numbers (`exact-numbers.ts`): schemas, arguments, results. */
import { isTextInput } from './arguments.ts';
import type { ChatItem, ChatRequest, ChatTool, OutputFormat, ToolCallKind } from './chat.ts';
import { markNumbers } from './exact-numbers.ts';

/** What of a request is JSON of the client's own, as values and not as text. */
export interface FreeJson {
  readonly schemas: boolean;
  /** Arguments or results in the conversation. */
  readonly objects: boolean;
}

/** @param textArguments the dialect has the arguments of functions as text, which loses nothing */
export function freeJsonOf(request: ChatRequest, textArguments: boolean): FreeJson {
  const isText = ({ kind }: { readonly kind: ToolCallKind }) => textArguments && isTextInput(kind);
  return {
    schemas: request.output?.kind === 'json-schema' || request.tools.some(hasParameters),
    objects: request.items.some(
      (item) =>
        (item.type === 'tool-call' && !isText(item)) || (item.type === 'tool-result' && item.value !== undefined),
    ),
  };
}

function hasParameters(tool: ChatTool): boolean {
  return tool.kind === 'function' && tool.parameters !== undefined;
}

/** The request with the free JSON of `again`, which was read from the same body with its numbers marked. */
export function withMarkedParts(request: ChatRequest, again: ChatRequest): ChatRequest {
  if (again.items.length !== request.items.length || again.tools.length !== request.tools.length) return request;
  const output = outputOf(request.output, again.output);
  return {
    ...request,
    items: request.items.map((item, at) => itemOf(item, again.items[at])),
    tools: request.tools.map((tool, at) => toolOf(tool, again.tools[at])),
    ...(output === undefined ? {} : { output }),
    numbers: 'marked',
  };
}

function itemOf(item: ChatItem, again: ChatItem | undefined): ChatItem {
  if (item.type === 'tool-call' && again?.type === 'tool-call') return { ...item, input: again.input };
  if (item.type !== 'tool-result' || again?.type !== 'tool-result' || again.value === undefined) return item;
  return { ...item, value: again.value, parts: again.parts };
}

function toolOf(tool: ChatTool, again: ChatTool | undefined): ChatTool {
  if (tool.kind !== 'function' || again?.kind !== 'function' || again.parameters === undefined) return tool;
  return { ...tool, parameters: again.parameters };
}

function outputOf(output: OutputFormat | undefined, again: OutputFormat | undefined): OutputFormat | undefined {
  if (output?.kind !== 'json-schema' || again?.kind !== 'json-schema') return output;
  return { ...output, schema: again.schema };
}

/**
 * The items with marks in text that a wire has as objects: arguments, and with `results` those of calls, too. The very
 * same ones where no number needs a mark.
 */
export function withMarkedTexts(items: readonly ChatItem[], { results }: { readonly results: boolean }) {
  let isMarked = false;
  const marked = items.map((item): ChatItem => {
    const made = markedItem(item, results);
    isMarked ||= made !== item;
    return made;
  });
  return isMarked ? marked : items;
}

function markedItem(item: ChatItem, results: boolean): ChatItem {
  if (item.type === 'tool-call' && item.kind !== 'custom') {
    const input = markedObject(item.input);
    return input === undefined ? item : { ...item, input };
  }
  if (item.type !== 'tool-result' || !results || item.value !== undefined) return item;
  const parts = item.parts.map((part) => {
    const text = part.type === 'text' ? markedObject(part.text) : undefined;
    return part.type === 'text' && text !== undefined ? { ...part, text } : part;
  });
  return parts.every((part, at) => part === item.parts[at]) ? item : { ...item, parts };
}

const container = /^\s*[[{]/;

function markedObject(text: string): string | undefined {
  return container.test(text) ? markNumbers(text) : undefined;
}
