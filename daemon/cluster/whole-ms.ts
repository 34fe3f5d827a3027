/** Milliseconds as Redis takes them: whole, at least one. */
export function wholeMs(ms: number): number {
  return Math.max(1, Math.ceil(ms));
}
