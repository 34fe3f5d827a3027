/** How third-party clients of many sites say whose token they send (management-api.md 2.3, 9). */

/** They send all of these at once. */
export const idHeaders = [
  'Veloera-User',
  'New-Api-User',
  'X-Api-User',
  'voapi-user',
  'User-id',
  'Rix-Api-User',
  'neo-api-user',
  'X-ModelFlare-User',
];

export function ids(id: number, more: Record<string, string> = {}): Record<string, string> {
  return { ...Object.fromEntries(idHeaders.map((name) => [name, String(id)])), ...more };
}
