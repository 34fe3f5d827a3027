/**
 * A row that somebody else saved while its form was open (console.md 1.3). Only changed members are sent, so that what
 * others did to the rest stays; what both changed is asked about before it is saved over.
 */
import { loadLate } from '../session/late-code.ts';
import { changedMembers } from './form-values.ts';
import type { ContractForm } from './use-contract-form.ts';

/** Members that are no plain text. */
export type Kinds<Values> = { readonly [K in keyof Values]?: 'balance' | 'amount' | 'moment' | 'expiry' };

/** A member that was changed on both sides, to other values. */
export interface OvertakenMember {
  readonly name: string;
  readonly kind: Kinds<Record<string, unknown>>[string];
  readonly theirs: unknown;
  readonly mine: unknown;
}

/** Of a balance only what was added counts: calls take from it all the time. */
export function overtakenMembers<Values extends object>(
  base: Values,
  now: Values,
  changed: Partial<Values>,
  kinds: Kinds<Values>,
): OvertakenMember[] {
  const theirs = changedMembers(base, now);
  const apart = changedMembers<Partial<Values>>(now, changed);
  return Object.keys(apart).flatMap((key): OvertakenMember[] => {
    // `Object.keys` knows no keys: those of an object of this type are its members.
    const name = key as keyof Values;
    if (!(name in theirs) || (kinds[name] === 'balance' && Number(now[name]) < Number(base[name]))) return [];
    return [{ name: key, kind: kinds[name], theirs: now[name], mine: changed[name] }];
  });
}

export async function askAbout(overtaken: readonly OvertakenMember[]): Promise<'overwrite' | 'theirs' | 'stay'> {
  const { askToOverwrite } = await loadLate(() => import('./overtaken-members.tsx'));
  return askToOverwrite(overtaken);
}

/**
 * @param readNow asks for the row as it is now
 * @returns the members to send; undefined where nothing is to be sent
 */
export async function afterAsking<Values extends Record<string, unknown>>(
  form: ContractForm<Values>,
  changed: Partial<Values>,
  readNow: () => Promise<Values>,
  kinds: Kinds<Values> = {},
): Promise<Partial<Values> | undefined> {
  const now = await readNow();
  const overtaken = overtakenMembers(form.getInitialValues(), now, changed, kinds);
  if (overtaken.length === 0) return changed;
  const answer = await askAbout(overtaken);
  if (answer === 'overwrite') return changed;
  if (answer === 'stay') return undefined;
  const names = new Set(overtaken.map(({ name }) => name));
  const own = Object.fromEntries(Object.entries(changed).filter(([name]) => !names.has(name)));
  form.setValues({ ...now, ...own });
  if (Object.keys(own).length > 0) return own as Partial<Values>;
  form.settle();
  return undefined;
}
