/** What keeps a plan from being applied although every single change of it would be allowed (cli.md 4.2). */
import type { OptionsView } from '../contract/options.ts';
import { roles } from '../contract/roles.ts';
import type { Actor } from './actor.ts';
import { changedFields, type KindView, type ObjectChange } from './declared-objects.ts';
import type { KindPlan, StateProblem } from './declared-plan.ts';
import { priceChangesOf } from './declared-prices.ts';
import { kindFlipsOf, risesOver } from './price-sync.ts';

/** What a caller lifts. */
export interface GuardLimits {
  /** Undefined takes the standard. */
  readonly maxDeletes: number | undefined;
  /** Percent; undefined takes the standard. */
  readonly maxPriceRise: number | undefined;
  readonly priceKinds: 'keep' | 'change';
  readonly emptyGroups: 'refuse' | 'allow';
}

const standardDeletes = 5;
const standardDeleteShare = 0.1;
const standardRise = 50;

export function guardsOf(
  plans: readonly KindPlan[],
  facts: {
    readonly actor: Actor;
    readonly options: OptionsView;
    readonly limits: GuardLimits;
    /** How many objects the set owns. */
    readonly owned: number;
  },
): StateProblem[] {
  const { actor, options, limits, owned } = facts;
  const all = plans.flatMap(({ changes }) => changes);
  return [
    ...plans.flatMap(({ problems }) => problems),
    ...deleteGuards(all, limits, owned),
    ...plans.flatMap((plan) => (plan.kind === 'price' ? priceGuards(plan, options, limits) : [])),
    ...groupGuards(plans, limits),
    ...(actor.role >= roles.root ? [] : plans.flatMap(rootGuards)),
  ];
}

function deleteGuards(changes: readonly ObjectChange[], { maxDeletes }: GuardLimits, owned: number): StateProblem[] {
  const count = changes.filter(({ action }) => action === 'delete').length;
  const max = maxDeletes ?? Math.max(standardDeletes, Math.floor(owned * standardDeleteShare));
  if (count <= max) return [];
  return [{ code: 'state_deletes', params: { count, max }, kind: undefined, key: '', lift: 'max_deletes' }];
}

function priceGuards({ changes, view }: KindPlan, options: OptionsView, limits: GuardLimits): StateProblem[] {
  const entries = priceChangesOf(changes, view.live);
  const max = limits.maxPriceRise ?? standardRise;
  const flips = kindFlipsOf(entries, options);
  // A price by call and one by token cannot be compared.
  const rises = risesOver(entries, max, options).filter(({ name }) => !flips.includes(name));
  const kind = 'price';
  return [
    ...(limits.priceKinds === 'change' ? [] : flips).map((key): StateProblem => {
      return { code: 'state_price_kind', params: { key }, kind, key, lift: 'change_kind' };
    }),
    ...rises.map(({ name: key, rise }): StateProblem => {
      return { code: 'state_price_rise', params: { key, rise, max }, kind, key, lift: 'max_price_rise' };
    }),
  ];
}

function groupGuards(plans: readonly KindPlan[], { emptyGroups }: GuardLimits): StateProblem[] {
  const groups = plans.find(({ kind }) => kind === 'group');
  const channels = plans.find(({ kind }) => kind === 'channel');
  if (!groups || !channels) return [];
  const next = new Map([...groups.view.live].map(([name, { fields }]) => [name, fields]));
  for (const change of groups.changes) next.set(change.key, changedFields(next.get(change.key) ?? {}, change));
  const isDefaultGone = groups.changes.some(({ key }) => key === 'default') && next.get('default')?.ratio === null;
  const served = servedGroups(channels.view, channels.changes);
  const emptied = [...servedGroups(channels.view, [])].filter(
    (name) => !served.has(name) && typeof next.get(name)?.ratio === 'number',
  );
  const kind = 'group';
  return [
    ...(isDefaultGone ? [{ code: 'state_group_default', params: {}, kind, key: 'default', lift: '' } as const] : []),
    ...(emptyGroups === 'allow' ? [] : emptied).map((key): StateProblem => {
      return { code: 'state_group_empty', params: { key }, kind, key, lift: 'empty_groups' };
    }),
  ];
}

/** Groups that have an enabled channel after these changes. */
function servedGroups({ live }: KindView, changes: readonly ObjectChange[]): Set<string> {
  const fields = new Map([...live].map(([target, channel]) => [target, channel.fields]));
  for (const change of changes) {
    const place = change.target ?? `new ${change.key}`;
    if (change.action === 'delete') fields.delete(place);
    else fields.set(place, changedFields(fields.get(place) ?? { status: 'enabled', groups: ['default'] }, change));
  }
  const enabled = [...fields.values()].filter(({ status }) => status === 'enabled');
  return new Set(enabled.flatMap(({ groups }) => (Array.isArray(groups) ? groups.map(String) : [])));
}

function rootGuards({ kind, view, changes }: KindPlan): StateProblem[] {
  return changes
    .filter(({ target, fields }) => {
      // What is removed as a whole tells no fields.
      const paths = fields.length === 0 ? [''] : fields.map(({ path }) => path);
      return paths.some((path) => view.isRootOnly(target, path));
    })
    .map(({ key }) => ({ code: 'state_root_needed', params: { kind, key }, kind, key, lift: '' }));
}
