/** Items of an input that stand for what the upstream keeps, and say nothing without it (relay.md 5.10, 13.5). */
import type { JsonObject } from '../../json.ts';

/** Kinds whose outcome the upstream has, though it shows some of it. */
const hostedCalls: ReadonlySet<unknown> = new Set([
  'code_interpreter_call',
  'computer_call',
  'file_search_call',
  'mcp_approval_request',
  'mcp_call',
  'mcp_list_tools',
  'web_search_call',
]);

/** True for an item that is nothing but an id; its type may be left out. */
export function isItemReference(item: JsonObject): boolean {
  const { type = null, role = null, content = null } = item;
  return (
    type === 'item_reference' || (type === null && role === null && content === null && typeof item.id === 'string')
  );
}

/** True for a reference, and for an item that cannot be understood without what its upstream has under its id. */
export function standsForKept(item: JsonObject): boolean {
  const { type, content } = item;
  if (type === 'reasoning') {
    const isShown = Array.isArray(content) && content.length > 0;
    return !isShown && typeof item.encrypted_content !== 'string';
  }
  if (type === 'image_generation_call') return typeof item.result !== 'string';
  return hostedCalls.has(type) || isItemReference(item);
}
