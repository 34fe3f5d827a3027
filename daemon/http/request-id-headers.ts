/** How every answer names its request (relay.md 17.1). */
export function requestIdHeaders(id: string): Record<string, string> {
  return { 'X-Request-Id': id, 'X-Oneapi-Request-Id': id };
}
