/**
 * What OpenAI demands of tools and calls and other dialects do not: letters and length of names, length of call ids,
 * and schemas that tell their properties; and that none but users show pictures.
 */
import type { ChatItem, ChatRequest, ChatTool, ToolChoice } from './chat.ts';
import { withPicturesFromUsers } from './own-pictures.ts';
import { flatToolName, offeredNames, openAiCallId, openAiToolName } from './tool-names.ts';

/**
 * The request with the tools, calls, results and pictures of another dialect under OpenAI's rules. Answers find the way back by
 * `ToolNames`; ids of calls stay on the way to the vendor.
 * @param longestCallId letters
 */
export function underOpenAiRules(request: ChatRequest, longestCallId: 40 | 64): ChatRequest {
  const { toolChoice } = request;
  return {
    ...request,
    items: withPicturesFromUsers(request.items).map((item) => fittedItem(item, longestCallId)),
    tools: request.tools.map(fittedTool),
    ...(toolChoice === undefined ? {} : { toolChoice: fittedChoice(toolChoice, request.tools) }),
  };
}

function fittedChoice(choice: ToolChoice, tools: readonly ChatTool[]): ToolChoice {
  if (choice.mode === 'hosted' || choice.names === undefined) return choice;
  return { ...choice, names: offeredNames(choice.names, tools).map(openAiToolName) };
}

function fittedItem(item: ChatItem, longestCallId: number): ChatItem {
  if (item.type === 'tool-result') return { ...item, callId: openAiCallId(item.callId, longestCallId) };
  if (item.type !== 'tool-call') return item;
  return { ...withFittedName(item), callId: openAiCallId(item.callId, longestCallId) };
}

function fittedTool(tool: ChatTool): ChatTool {
  if (tool.kind === 'custom') return withFittedName(tool);
  if (tool.kind !== 'function') return tool;
  const { parameters } = tool;
  if (parameters === undefined) return withFittedName(tool);
  // A function without arguments is often given as an object and no more, and refused.
  const { type, properties } = parameters;
  const told = { ...parameters, type: type ?? 'object', properties: properties ?? {} };
  return withFittedName({ ...tool, parameters: told });
}

/** A name that fits stays in its namespace. */
function withFittedName<T extends { readonly name: string; readonly namespace?: string }>(
  named: T,
): T | (Omit<T, 'namespace'> & { readonly name: string }) {
  const flat = flatToolName(named.name, named.namespace);
  const name = openAiToolName(flat);
  if (name === flat) return named;
  const { namespace: _, ...alone } = named;
  return { ...alone, name };
}
