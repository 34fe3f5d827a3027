/**
 * Tool names under the rules of each dialect, and the way back to the name that the client used.
 */
import { createHash } from 'node:crypto';
import type { ChatTool, ToolCallKind } from './chat.ts';

/** Letters that a dialect forbids become `_`; overlong names are cut and keep six hex digits of their hash. */
function fit(name: string, forbidden: RegExp, longest: number): string {
  const plain = name.replace(forbidden, '_');
  return plain.length <= longest ? plain : `${plain.slice(0, longest - 6)}${hex(name, 6)}`;
}

function hex(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/** `^[A-Za-z0-9_-]{1,128}$` */
export function anthropicToolName(name: string): string {
  return fit(name, /[^A-Za-z0-9_-]/g, 128);
}

/** `^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$` */
export function geminiToolName(name: string): string {
  const begun = /^[A-Za-z_]/.test(name) ? name : `_${name}`;
  return fit(begun, /[^A-Za-z0-9_.:-]/g, 64);
}

/** `^[A-Za-z0-9_-]{1,64}$` */
export function openAiToolName(name: string): string {
  return fit(name, /[^A-Za-z0-9_-]/g, 64);
}

/** Anthropic's rule for call ids; the same for a call and its result because it depends on the id alone. */
export function anthropicCallId(id: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `toolu_${hex(id, 24)}`;
}

/** OpenAI's rule for call ids, whose length depends on the wire; the same for a call and its result. */
export function openAiCallId(id: string, longest: number): string {
  return id.length <= longest ? id : `call_${hex(id, 24)}`;
}

/** The name under which a grouped tool is offered where there are no groups. */
export function flatToolName(name: string, namespace: string | undefined): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}__${name}`;
}

/** The names of a choice as their tools are offered where there are no groups: a choice names no group. */
export function offeredNames(names: readonly string[], tools: readonly ChatTool[]): readonly string[] {
  const offered = new Map<string, Set<string>>();
  for (const tool of tools) {
    if (tool.kind !== 'function' && tool.kind !== 'custom') continue;
    const flat = flatToolName(tool.name, tool.namespace);
    const known = offered.get(tool.name);
    if (known === undefined) offered.set(tool.name, new Set([flat]));
    else known.add(flat);
  }
  return [...new Set(names)].flatMap((name) => {
    const found = offered.get(name);
    return found === undefined || found.has(name) ? name : [...found];
  });
}

/** A tool as the client knows it. */
export interface KnownTool {
  readonly name: string;
  readonly namespace?: string;
  readonly kind: ToolCallKind;
}

/** Finds the client's tool for a name that an upstream used. */
export class ToolNames {
  readonly #byName = new Map<string, KnownTool>();

  constructor(tools: readonly ChatTool[]) {
    for (const tool of tools) {
      const known = knownTool(tool);
      if (known === undefined) continue;
      const flat = flatToolName(known.name, known.namespace);
      for (const spelling of [flat, anthropicToolName(flat), geminiToolName(flat), openAiToolName(flat)]) {
        if (!this.#byName.has(spelling)) this.#byName.set(spelling, known);
      }
    }
  }

  /** The client's tool; a function of that very name when the client offered none such. */
  find(name: string): KnownTool {
    return this.#byName.get(name) ?? { name, kind: 'function' };
  }
}

/** Names under which the tools without a name of their own are offered as functions. */
export const clientToolNames = {
  'local-shell': 'local_shell',
  shell: 'shell',
  'apply-patch': 'apply_patch',
  'tool-search': 'tool_search',
} as const;

function knownTool(tool: ChatTool): KnownTool | undefined {
  if (tool.kind === 'hosted') return undefined;
  if (tool.kind === 'function' || tool.kind === 'custom') {
    const { name, kind, namespace } = tool;
    return namespace === undefined ? { name, kind } : { name, kind, namespace };
  }
  return { name: clientToolNames[tool.kind], kind: tool.kind };
}
