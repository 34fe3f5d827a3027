/** Account ids that a provider counts. */

/** The member `id` as text; throws unless it is a positive number. */
export function numericId(user: Readonly<Record<string, unknown>>): string {
  const { id } = user;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0) throw new Error('the provider named no account');
  return String(id);
}
