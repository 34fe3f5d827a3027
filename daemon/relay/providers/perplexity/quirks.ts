/** How the Agent API differs from OpenAI's Responses. Source: providers/perplexity.md, read 2026-11. */
import { asObject, asObjects } from '../../formats/fields.ts';
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

const unknown = [
  'include',
  'metadata',
  'parallel_tool_calls',
  'service_tier',
  'user',
  'truncation',
  'prompt_cache_key',
];

export function fitAgent(body: JsonObject): void {
  const asked = typeof body.model === 'string' ? body.model : '';
  const preset = presets[asked];
  if (preset !== undefined) {
    body.preset ??= preset;
    body.model = sonar;
  }
  if (asked === 'sonar') {
    body.model = sonar;
    const tools = asObjects(body.tools);
    // Sonar always searched; the model that follows it decides by itself whether to use the tool.
    if (!tools.some((tool) => tool.type === 'web_search')) body.tools = [...tools, { type: 'web_search' }];
  }
  removeFields(body, unknown);
  if (asObject(body.reasoning)?.effort === 'none') delete body.reasoning;
  fitOutput(body);
}

/** Schemas stand in `response_format`, as chat completions write them; plain JSON cannot be asked for. */
function fitOutput(body: JsonObject): void {
  const text = asObject(body.text);
  if (text === undefined) return;
  delete body.text;
  const { type, ...schema } = asObject(text.format) ?? {};
  if (type === 'json_schema') body.response_format ??= { type, json_schema: schema };
}
