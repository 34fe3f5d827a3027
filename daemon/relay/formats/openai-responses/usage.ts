/**
 * Usage of the Responses wire: its token names, and the hosted tools that are charged by the call (relay.md 5.10, 14.1).
 */
import { type ToolCounts, type ToolImage, type ToolName, tokenCount, type Usage } from '../../canonical/usage.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asObjects, asWord, entryOf, present } from '../fields.ts';
import { readOpenAiUsage } from '../openai-chat/read-usage.ts';

/** Usage of a whole answer, or of the event that ends a stream; undefined when it carries none. */
export function findResponsesUsage(body: Json): Usage | undefined {
  const fields = asObject(body);
  if (fields === undefined) return undefined;
  const response = asObject(fields.response) ?? fields;
  const usage = readOpenAiUsage(response.usage);
  if (usage !== undefined) usage.tools = countToolCalls(response);
  return usage;
}

/** What the image tool paints with unless it is told otherwise. Source: Azure's recorded answers, which name it. */
const usualPainter = 'gpt-image-1';

/** Calls of charged tools that ran; each container of the code interpreter counts once. */
export function countToolCalls(response: JsonObject): ToolCounts {
  const count = new ToolCallCount(response.tools);
  for (const item of asObjects(response.output)) count.add(item);
  return { ...count.counts(), ...toldCalls(asObject(asObject(response.usage)?.tool_calls_details) ?? {}) };
}

/** The same while a stream runs: each call is looked at once, however many there are. */
export class ToolCallCount {
  readonly #tools: readonly JsonObject[];
  readonly #search: 'web_search' | 'web_search_preview';
  readonly #counts: ToolCounts = {};
  readonly #images: ToolImage[] = [];
  readonly #containers = new Set<string>();

  /** @param tools what they were asked to be, as the response repeats it */
  constructor(tools: Json | undefined) {
    this.#tools = asObjects(tools);
    const isPreview = this.#tools.some(({ type }) => String(type).startsWith('web_search_preview'));
    this.#search = isPreview ? 'web_search_preview' : 'web_search';
  }

  add(item: JsonObject): void {
    if (!hasRun(item)) return;
    switch (item.type) {
      case 'web_search_call':
        this.#note(this.#search);
        break;
      case 'file_search_call':
        this.#note('file_search');
        break;
      case 'image_generation_call':
        this.#note('image_generation');
        this.#images.push(...describedImage(item, this.#tools));
        break;
      case 'code_interpreter_call':
        this.#containers.add(typeof item.container_id === 'string' ? item.container_id : String(item.id));
        break;
    }
  }

  /** What has come so far; the list of images grows with what comes. */
  counts(): ToolCounts {
    const counts = { ...this.#counts };
    if (this.#containers.size > 0) counts.code_interpreter = this.#containers.size;
    if (this.#images.length > 0) counts.images = this.#images;
    return counts;
  }

  #note(name: 'web_search' | 'web_search_preview' | 'file_search' | 'image_generation'): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;
  }
}

/** A picture that is there was made, whatever its status says: in streams it stays `generating` (recorded from Azure). */
function hasRun({ type, status, result }: JsonObject): boolean {
  if (status === undefined || status === 'completed') return true;
  return type === 'image_generation_call' && status !== 'failed' && asWord(result) !== undefined;
}

/** Empty where the call says nothing of its picture. */
function describedImage(item: JsonObject, tools: readonly JsonObject[]): ToolImage[] {
  const size = asWord(item.size);
  const quality = asWord(item.quality);
  if (size === undefined && quality === undefined) return [];
  const tool = tools.find(({ type }) => type === 'image_generation');
  return [present({ model: asWord(tool?.model) ?? usualPainter, size, quality })];
}

/** What counts of a finished call, without what it found or made: kept while a stream runs that may yet break off. */
export function callWithoutResult({ type, id, status, container_id, size, quality, result }: JsonObject): JsonObject {
  const made = asWord(result) === undefined ? undefined : 'made';
  return present({ type, id, status, container_id, size, quality, result: made });
}

/** Perplexity's names for its tools, which it counts itself. Source: providers/perplexity.md, read 2026-11. */
const toldNames: Readonly<Record<string, ToolName>> = {
  search_web: 'web_search',
  web_search: 'web_search',
  image_search: 'image_search',
  fetch_url: 'fetch_url',
  people_search: 'people_search',
  finance_search: 'finance_search',
};

/** Calls that the vendor counts, by tool: `{search_web: {invocation: 1}}`. */
function toldCalls(details: JsonObject): ToolCounts {
  const counts: ToolCounts = {};
  for (const [word, told] of Object.entries(details)) {
    const name = entryOf(toldNames, word);
    const count = tokenCount(asObject(told)?.invocation);
    if (name !== undefined && count > 0) counts[name] = (counts[name] ?? 0) + count;
  }
  return counts;
}
