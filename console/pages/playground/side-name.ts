/** `A · gpt-4o`: how one of two compared sides is called. */
export function sideName(index: number, model: string): string {
  return `${String.fromCharCode(65 + index)} · ${model}`;
}
