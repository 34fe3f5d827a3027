/** A path segment without its percent encoding; as it stands when the encoding is broken. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
