/**
 * Tools that the client runs but that are no JSON functions (custom, shell, patch), offered as functions to
 * formats that know nothing else, and their calls turned back (relay.md 13.5).
 */
import { argumentsObject } from '../canonical/arguments.ts';
import type {
  ChatItem,
  ChatRequest,
  ChatTool,
  ClientTool,
  CustomTool,
  FunctionTool,
  HostedTool,
  ToolCallItem,
} from '../canonical/chat.ts';
import { clientToolNames, flatToolName, type ToolNames } from '../canonical/tool-names.ts';
import type { JsonObject } from '../json.ts';
import { asObject, asWord } from './fields.ts';

/** The tool as a function of flat name; hosted tools have no such form. */
export function functionForm(tool: Exclude<ChatTool, HostedTool>): FunctionTool {
  if (tool.kind === 'function') return { ...tool, name: flatToolName(tool.name, tool.namespace) };
  return tool.kind === 'custom' ? customForm(tool) : clientForm(tool);
}

/** The arguments of a call in function form: free text becomes the one property `input`. */
export function functionInput(kind: 'function' | string, input: string): string {
  return kind === 'custom' ? JSON.stringify({ input }) : input;
}

/** The request for a wire that knows functions alone: custom tools, and their calls and results, are of that form. */
export function inFunctionForm(request: ChatRequest): ChatRequest {
  const tools = request.tools.map((tool) => (tool.kind === 'custom' ? functionForm(tool) : tool));
  const items = request.items.map((item): ChatItem => {
    if ((item.type !== 'tool-call' && item.type !== 'tool-result') || item.kind !== 'custom') return item;
    if (item.type === 'tool-result') return { ...item, kind: 'function' };
    return { ...item, kind: 'function', input: functionInput(item.kind, item.input) };
  });
  return { ...request, tools, items };
}

/** The call as the client's own tool: its name, namespace and kind, free text out of its function form. */
export function callFor(item: ToolCallItem, names: ToolNames): ToolCallItem {
  const tool = names.find(item.name);
  const isWrapped = tool.kind === 'custom' && item.kind === 'function';
  const input = isWrapped ? freeInput(item.input) : item.input;
  const kind = item.kind === 'function' ? tool.kind : item.kind;
  const namespace = tool.namespace ?? item.namespace;
  const call = { ...item, kind, name: tool.name, input };
  return namespace === undefined ? call : { ...call, namespace };
}

/** The free text of a custom tool from the arguments of its function form. */
export function freeInput(argumentText: string): string {
  const value = argumentsObject(argumentText);
  if (typeof value.input === 'string') return value.input;
  return typeof value._raw === 'string' ? value._raw : argumentText;
}

function customForm(tool: CustomTool): FunctionTool {
  const grammar = asWord(tool.format?.definition) ?? asWord(asObject(tool.format?.grammar)?.definition);
  const rule = grammar === undefined ? '' : `\n\nThe input must follow this grammar:\n${grammar}`;
  return {
    kind: 'function',
    name: flatToolName(tool.name, tool.namespace),
    description: `${tool.description ?? ''}${rule}`.trim(),
    parameters: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
  };
}

const text: JsonObject = { type: 'string' };
const texts: JsonObject = { type: 'array', items: text };
const whole: JsonObject = { type: 'integer' };

/** Arguments as the vendor documents the actions of its client-run tools. */
const clientForms: Readonly<Record<ClientTool['kind'], { description: string; parameters: JsonObject }>> = {
  'local-shell': {
    description: 'Runs a command on the local machine',
    parameters: {
      type: 'object',
      properties: { command: texts, working_directory: text, timeout_ms: whole, env: { type: 'object' }, user: text },
      required: ['command'],
    },
  },
  shell: {
    description: 'Runs shell commands and returns their output',
    parameters: {
      type: 'object',
      properties: { commands: texts, timeout_ms: whole, max_output_length: whole },
      required: ['commands'],
    },
  },
  'apply-patch': {
    description: 'Creates, updates or deletes a file; create_file and update_file take a diff in V4A form',
    parameters: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: text,
        diff: text,
      },
      required: ['type', 'path'],
    },
  },
  'tool-search': {
    description: 'Searches the tools that can be loaded',
    parameters: { type: 'object', properties: { query: text }, required: ['query'] },
  },
};

function clientForm(tool: ClientTool): FunctionTool {
  const form = clientForms[tool.kind];
  const parameters = asObject(tool.settings.parameters) ?? form.parameters;
  const description = asWord(tool.settings.description) ?? form.description;
  return { kind: 'function', name: clientToolNames[tool.kind], description, parameters };
}
