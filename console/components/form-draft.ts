/**
 * Unsaved values outlive a lost session (console.md 4.3, rule 4): written when the form goes away because of it, taken
 * up by the same user's same form on the same path.
 */
import * as z from 'zod/mini';

const Draft = z.object({ user: z.int(), form: z.string(), values: z.record(z.string(), z.unknown()) });

export interface DraftPlace {
  readonly path: string;
  readonly user: number;
  readonly form: string;
}

const keyOf = ({ path }: DraftPlace): string => `draft:${path}`;

/** Keeps values for the return; members named in `secrets` are left out. */
export function keepDraft(place: DraftPlace, values: object, secrets: readonly string[]): void {
  const kept = Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.includes(name)));
  try {
    sessionStorage.setItem(keyOf(place), JSON.stringify({ user: place.user, form: place.form, values: kept }));
  } catch {
    // A browser that keeps nothing: the values are lost with the session.
  }
}

/** The values that were kept for this form, once. */
export function takeDraft(place: DraftPlace): Record<string, unknown> | undefined {
  try {
    const text = sessionStorage.getItem(keyOf(place));
    if (text === null) return undefined;
    const parsed = z.safeParse(Draft, JSON.parse(text));
    if (parsed.success && parsed.data.form !== place.form) return undefined;
    sessionStorage.removeItem(keyOf(place));
    return parsed.success && parsed.data.user === place.user ? parsed.data.values : undefined;
  } catch {
    return undefined;
  }
}
