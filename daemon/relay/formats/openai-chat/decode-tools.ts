/**
 * Tools, tool choice and output format of the chat wire.
 */
import type { ChatTool, HostedToolKind, OutputFormat, ToolChoice } from '../../canonical/chat.ts';
import type { Json, JsonObject } from '../../json.ts';
import { readCacheMark } from '../cache-mark.ts';
import { asFlag, asObject, asObjects, asText, asWord, invalid, onlyObjects, present } from '../fields.ts';

/**
 * `tools` or the old `functions`. Tools written as other dialects write them (flat, or with `input_schema`) are
 * understood, because some clients post them here (relay.md 5.2).
 */
export function decodeTools(value: Json | undefined): ChatTool[] {
  return onlyObjects(value, 'tools').map((tool, at) => {
    const custom = asObject(tool.custom) ?? (tool.type === 'custom' && asWord(tool.name) ? tool : undefined);
    if (custom !== undefined) {
      return present({
        kind: 'custom',
        name: asText(custom.name) ?? '',
        description: asText(custom.description),
        format: asObject(custom.format),
      });
    }
    const spoken = asObject(tool.function) ?? tool;
    const name = asWord(spoken.name);
    const isFunction = tool.type === undefined || tool.type === 'function' || asObject(tool.input_schema) !== undefined;
    if (isFunction) {
      if (name === undefined) throw invalid(`tools[${at}].function.name`, 'is required');
      return present({
        kind: 'function',
        name,
        description: asText(spoken.description),
        parameters: asObject(spoken.parameters) ?? asObject(spoken.input_schema),
        strict: asFlag(spoken.strict),
        cache: readCacheMark(tool.cache_control) ?? readCacheMark(spoken.cache_control),
      });
    }
    const type = asText(tool.type) ?? '';
    return { kind: 'hosted', hosted: hostedKind(type), dialect: 'openai-chat', name: type, settings: tool };
  });
}

function hostedKind(type: string): HostedToolKind {
  if (/web_?search|google_?search/i.test(type)) return 'web-search';
  if (/code_?(interpreter|execution)/i.test(type)) return 'code-execution';
  return type === 'mcp' ? 'mcp' : 'other';
}

/** A word, a forced function or custom tool, a list of allowed tools, or the old `function_call`. */
export function decodeToolChoice(value: Json | undefined): ToolChoice | undefined {
  if (value === 'auto' || value === 'none' || value === 'required') return { mode: value };
  if (value === 'any') return { mode: 'required' };
  const choice = asObject(value);
  if (choice === undefined) return undefined;
  const allowed = asObject(choice.allowed_tools);
  if (allowed !== undefined) {
    const names = asObjects(allowed.tools).flatMap((tool) => nameOf(tool) ?? []);
    return { mode: allowed.mode === 'required' ? 'required' : 'auto', names };
  }
  const name = nameOf(choice);
  if (name !== undefined) return { mode: 'required', names: [name] };
  if (choice.type === 'auto' || choice.type === 'none') return { mode: choice.type };
  if (choice.type === 'any' || choice.type === 'required') return { mode: 'required' };
  return { mode: 'hosted', dialect: 'openai-chat', raw: choice };
}

/** `parallel_tool_calls`, or what clients of the Messages API say inside their choice; undefined: the model decides. */
export function decodeParallelCalls({ parallel_tool_calls, tool_choice }: JsonObject): boolean | undefined {
  const isSerial = asObject(tool_choice)?.disable_parallel_tool_use === true;
  return asFlag(parallel_tool_calls) ?? (isSerial ? false : undefined);
}

function nameOf(tool: JsonObject): string | undefined {
  return asWord(asObject(tool.function)?.name) ?? asWord(asObject(tool.custom)?.name) ?? asWord(tool.name);
}

export function decodeOutputFormat(value: Json | undefined): OutputFormat | undefined {
  const format = asObject(value);
  if (format?.type === 'text') return { kind: 'text' };
  if (format?.type === 'json_object') return { kind: 'json-object' };
  if (format?.type !== 'json_schema') return undefined;
  const described = asObject(format.json_schema) ?? format;
  return present({
    kind: 'json-schema',
    schema: asObject(described.schema) ?? {},
    name: asWord(described.name),
    description: asText(described.description),
    strict: asFlag(described.strict),
  });
}
