/** How the Agent API differs from OpenAI's Responses. Source: providers/perplexity.md, read 2026-11. */
import { asObject, asObjects, entryOf } from '../../formats/fields.ts';
import type { JsonObject } from '../../json.ts';
import { removeFields } from '../wire-edits.ts';

const sonar = 'perplexity/sonar';

/** Names of the models that clients still ask for, and the preset that does what each did. */
const presets: Readonly<Record<string, string>> = {
  'sonar-pro': 'fast',
  'sonar-reasoning': 'low',
  'sonar-reasoning-pro': 'low',
  'sonar-deep-research': 'high',
};

/** Members of the search tool that clients of the old chat completions set beside the messages. */
const filters = [
  'search_domain_filter',
  'search_recency_filter',
  'search_after_date_filter',
  'search_before_date_filter',
  'last_updated_after_filter',
  'last_updated_before_filter',
];

/** What chat clients may say that chat completions do not name. */
export const chatWords: ReadonlySet<string> = new Set([
  ...filters,
  ...['models', 'preset', 'max_steps', 'language_preference', 'skills'],
  ...['web_search', 'fetch_url', 'people_search', 'finance_search', 'sandbox', 'mcp'],
]);

const unknown = [
  'include',
  'metadata',
  'parallel_tool_calls',
  'service_tier',
  'user',
  'truncation',
  'prompt_cache_key',
  'top_logprobs',
];

export function fitAgent(body: JsonObject): void {
  const asked = typeof body.model === 'string' ? body.model : '';
  const preset = entryOf(presets, asked);
  if (preset !== undefined) {
    body.preset ??= preset;
    body.model = sonar;
  }
  if (asked === 'sonar') body.model = sonar;
  // Sonar always searched; the model that follows it decides by itself whether to use the tool.
  fitSearch(body, asked === 'sonar');
  removeFields(body, unknown);
  fitEffort(body);
  fitOutput(body);
}

/** Its scale begins after `none` and ends at `xhigh`. */
function fitEffort(body: JsonObject): void {
  const reasoning = asObject(body.reasoning);
  if (reasoning?.effort === 'none') delete body.reasoning;
  if (reasoning?.effort === 'max') body.reasoning = { ...reasoning, effort: 'xhigh' };
}

/** The search tool, with the filters that stand beside the messages; what the tool itself says comes first. */
function fitSearch(body: JsonObject, searches: boolean): void {
  const said: JsonObject = {};
  for (const name of filters) {
    const value = body[name];
    if (value !== undefined) said[name] = value;
    delete body[name];
  }
  const isFiltered = Object.keys(said).length > 0;
  if (!isFiltered && !searches) return;
  const tools = asObjects(body.tools);
  const all = tools.some(isSearch) ? tools : [...tools, { type: 'web_search' }];
  body.tools = all.map((tool) =>
    isFiltered && isSearch(tool) ? { ...tool, filters: { ...said, ...asObject(tool.filters) } } : tool,
  );
}

function isSearch(tool: JsonObject): boolean {
  return tool.type === 'web_search';
}

/** Schemas stand in `response_format`, as chat completions write them; plain JSON cannot be asked for. */
function fitOutput(body: JsonObject): void {
  const text = asObject(body.text);
  if (text === undefined) return;
  delete body.text;
  const { type, ...schema } = asObject(text.format) ?? {};
  if (type === 'json_schema') body.response_format ??= { type, json_schema: schema };
}
