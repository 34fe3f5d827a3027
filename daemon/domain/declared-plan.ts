/**
 * What a document would change of one kind of objects: three-way between what is live, what is wanted, and what the set
 * named when it was last applied (cli.md 4.2). Pure.
 */
import type { ErrorCode } from '../contract/error-codes.ts';
import type { StateKind } from '../contract/state-document.ts';
import type { ErrorParams } from '../errors.ts';
import {
  digestOf,
  type FieldDifference,
  isSame,
  type KindView,
  type LiveObject,
  type ObjectChange,
  type WantedObject,
} from './declared-objects.ts';

/** Who owns an object. */
export interface Owner {
  readonly setName: string;
  /** What the set calls it. */
  readonly key: string;
  /** Digest by field, of what it named when it was last applied. */
  readonly fields: Readonly<Record<string, string>>;
}

/** What a caller allows. */
export interface Allowance {
  readonly setName: string;
  /** Whether orphans are deleted. */
  readonly orphans: 'keep' | 'delete';
  readonly adopt: boolean;
  readonly takeOver: boolean;
}

/** What a set owns after the plan. */
export interface Claim {
  readonly kind: StateKind;
  readonly key: string;
  /** Undefined until the object is made. */
  readonly target: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
}

/** Why a plan is refused. */
export interface StateProblem {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly kind: StateKind | undefined;
  readonly key: string;
  /** Member of the call that lifts it; "" where nothing does. */
  readonly lift: string;
}

export interface KindPlan {
  readonly kind: StateKind;
  readonly view: KindView;
  readonly changes: readonly ObjectChange[];
  readonly orphans: readonly LiveObject[];
  readonly unmanaged: readonly LiveObject[];
  readonly claims: readonly Claim[];
  readonly problems: readonly StateProblem[];
}

/** @param owners by target, of this kind. */
export function planKind(
  kind: StateKind,
  view: KindView,
  { owners, allowed }: { readonly owners: ReadonlyMap<string, Owner>; readonly allowed: Allowance },
): KindPlan {
  const changes: ObjectChange[] = [];
  const claims: Claim[] = [];
  const problems: StateProblem[] = [];
  const named = new Set<string>();
  for (const wanted of view.wanted) {
    const { key, target } = wanted;
    if (target !== undefined) named.add(target);
    const owner = target === undefined ? undefined : owners.get(target);
    const isOwn = owner?.setName === allowed.setName;
    if (owner && !isOwn && !allowed.takeOver) {
      problems.push({ code: 'state_owned', params: { kind, key, owner: owner.setName }, kind, key, lift: 'take_over' });
    }
    const change = changeOf(kind, view, { wanted, owner: isOwn ? owner : undefined, isOwned: owner !== undefined });
    if (change) changes.push(change);
    if (change?.action === 'adopt' && !allowed.adopt) {
      problems.push({ code: 'state_adopt', params: { kind, key }, kind, key, lift: 'adopt' });
    }
    claims.push({ kind, key, target, fields: namedFields(wanted) });
  }
  const orphans: LiveObject[] = [];
  for (const [target, owner] of owners) {
    const live = view.live.get(target);
    if (owner.setName !== allowed.setName || named.has(target) || !live?.isThere) continue;
    orphans.push({ ...live, key: owner.key });
    if (allowed.orphans === 'delete') changes.push(deletion(kind, view, { live, key: owner.key }));
    else claims.push({ kind, key: owner.key, target, fields: owner.fields });
  }
  const unmanaged = [...view.live.values()].filter(
    ({ target, isThere }) => isThere && !owners.has(target) && !named.has(target),
  );
  return { kind, view, changes, orphans: allowed.orphans === 'delete' ? [] : orphans, unmanaged, claims, problems };
}

function changeOf(
  kind: StateKind,
  view: KindView,
  { wanted, owner, isOwned }: { wanted: WantedObject; owner: Owner | undefined; isOwned: boolean },
): ObjectChange | undefined {
  const { key, target } = wanted;
  const live = target === undefined ? undefined : view.live.get(target);
  // Null is a value: an entry that everybody has was taken away here.
  const liveValue = (path: string) => {
    const own = live?.fields[path];
    return own === undefined ? view.defaultOf(target, path) : own;
  };
  const fields: FieldDifference[] = [];
  for (const [path, to] of Object.entries(wanted.fields)) {
    const from = liveValue(path);
    if (!live || !isSame(from, to)) fields.push({ path, from, to, isReset: false });
  }
  for (const path of Object.keys(owner?.fields ?? {})) {
    if (Object.hasOwn(wanted.fields, path) || wanted.kept?.includes(path)) continue;
    const to = view.defaultOf(target, path);
    const from = liveValue(path);
    if (to !== undefined && live && !isSame(from, to)) fields.push({ path, from, to, isReset: true });
  }
  if (live && fields.length === 0) return undefined;
  const action = !live || isNothing(kind, live) ? 'create' : isOwned || !live.isThere ? 'update' : 'adopt';
  return { action, kind, key, target, id: live?.id, fields };
}

/** Kinds whose objects are gone when they are deleted; those of all others go back to what everybody has. */
const removedKinds: ReadonlySet<StateKind> = new Set(['rate_rule', 'alert_target', 'channel']);
/** Kinds whose objects always are. */
const standingKinds: ReadonlySet<StateKind> = new Set(['option', 'alert_rule']);

/** A name that could be set and is not, such as a model without a price. */
function isNothing(kind: StateKind, { isThere, fields }: LiveObject): boolean {
  if (isThere || standingKinds.has(kind)) return false;
  return Object.values(fields).every((value) => !value || isSame(value, {}));
}

function deletion(kind: StateKind, view: KindView, { live, key }: { live: LiveObject; key: string }): ObjectChange {
  const told = removedKinds.has(kind) ? [] : Object.entries(live.fields);
  const fields = told.flatMap(([path, from]): FieldDifference[] => {
    const to = view.defaultOf(live.target, path);
    return to === undefined || isSame(from, to) ? [] : [{ path, from, to, isReset: true }];
  });
  return { action: 'delete', kind, key, target: live.target, id: live.id, fields };
}

function namedFields({ fields, implied = [], kept = [] }: WantedObject): Record<string, string> {
  const own = Object.entries(fields).filter(([path]) => !implied.includes(path));
  return Object.fromEntries([
    ...own.map(([path, value]) => [path, digestOf(value)]),
    ...kept.map((path) => [path, '']),
  ]);
}
