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

/**
 * Asks about what was overtaken, if anything was.
 *
 * @returns the members to send, all of them or those that nobody else changed; undefined where the form is to stay
 */
export async function membersToSend<Sent extends object>(
  sent: Sent,
  overtaken: readonly OvertakenMember[],
): Promise<Partial<Sent> | undefined> {
  if (overtaken.length === 0) return sent;
  const { askToOverwrite } = await loadLate(() => import('./overtaken-members.tsx'));
  const answer = await askToOverwrite(overtaken);
  if (answer === 'stay') return undefined;
  if (answer === 'overwrite') return sent;
  const names = new Set(overtaken.map(({ name }) => name));
  // What is left out may be absent: the type says so.
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !names.has(name))) as Partial<Sent>;
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
  const own = await membersToSend(changed, overtaken);
  if (own === undefined || own === changed) return own;
  form.setValues({ ...now, ...own });
  if (Object.keys(own).length > 0) return own;
  form.settle();
  return undefined;
}
