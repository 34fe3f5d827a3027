/** Enter sends and Shift+Enter breaks the line; an Enter that ends a composition (Chinese, Japanese) does neither. */
export function isSendKey({
  key,
  shiftKey,
  isComposing,
  keyCode,
}: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'isComposing' | 'keyCode'>): boolean {
  // Safari ends the composition before it tells of the key, but keeps the code that stands for it.
  return key === 'Enter' && !shiftKey && !isComposing && keyCode !== 229;
}
