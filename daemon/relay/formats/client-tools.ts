/**
 * Tools that the client runs but that are no JSON functions (custom, shell, patch), offered as functions to
 * formats that know nothing else, and their calls turned back (relay.md 13.5).
 */
import { argumentsObject } from '../canonical/arguments.ts';
import type { ChatTool, ClientTool, CustomTool, FunctionTool, HostedTool } from '../canonical/chat.ts';
import { clientToolNames, flatToolName } from '../canonical/tool-names.ts';
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
