/**
 * Pictures that a model made, where only users may show any: OpenAI refuses them in the model's own turns (`Image URLs are
 * only allowed for messages with role 'user'`, openai-node 1030, 2024-09), and so does Anthropic (`'image' blocks are not
 * permitted within assistant turns`, Semoss 2323, 2026-04).
 */
import type { ChatItem } from './chat.ts';
import type { ImagePart } from './content.ts';

/** The items with each such picture before what the user says next to it. */
export function withPicturesFromUsers(items: readonly ChatItem[]): readonly ChatItem[] {
  const shown: ChatItem[] = [];
  let held: ImagePart[] = [];
  for (const item of items) {
    if (item.type === 'assistant') {
      const words = item.parts.filter((part) => part.type !== 'image');
      for (const part of item.parts) if (part.type === 'image') held.push(part);
      if (words.length === item.parts.length) shown.push(item);
      else if (words.length > 0) shown.push({ ...item, parts: words });
    } else if (item.type === 'user' && held.length > 0) {
      shown.push({ ...item, parts: [...held, ...item.parts] });
      held = [];
    } else shown.push(item);
  }
  if (held.length > 0) shown.push({ type: 'user', parts: held });
  return shown;
}
