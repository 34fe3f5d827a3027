/**
 * Declared state (cli.md 4): plans what a document would change and makes it so, in one transaction with the rules that
 * hold for single changes. Who owns which object and field is kept here, so that nobody needs a state file.
 */
import type { Bus } from '../cluster/bus.ts';
import { isOptionKey, type OptionKey } from '../contract/options.ts';
import { roles } from '../contract/roles.ts';
import type { StateDocument, StateKind } from '../contract/state-document.ts';
import { TollgateError } from '../errors.ts';
import type { ParsedOptions } from '../snapshots/options-view.ts';
import type { Database, Stores } from '../store/database.ts';
import type { StateObjectRecord } from '../store/state-sets.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import type { ChannelCooling } from './channel-cooling.ts';
import { type ExportedState, exportDocument } from './declared-export.ts';
import { type GuardLimits, guardsOf } from './declared-guards.ts';
import {
  canonicalText,
  type DeclaredKind,
  digestOf,
  type LastWriter,
  type LiveObject,
  type ObjectChange,
  type Prepared,
  type StateReading,
} from './declared-objects.ts';
import { type Allowance, type Claim, type KindPlan, type Owner, planKind, type StateProblem } from './declared-plan.ts';
import type { OptionWriter } from './option-writer.ts';
import { viewOf } from './options.ts';

export interface DeclaredStateDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  /** In the order in which they are written: what others refer to comes first. */
  readonly kinds: readonly DeclaredKind[];
  /** The options in force on this node. */
  readonly current: () => ParsedOptions;
  readonly optionWriter: OptionWriter;
  readonly cooling: Pick<ChannelCooling, 'clear'>;
  /** Keyed hash, so that an id of a plan says nothing of the secrets in it. */
  readonly digest: (text: string) => string;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

export interface StateWish extends GuardLimits, Omit<Allowance, 'setName'> {
  readonly document: StateDocument;
}

export interface StateApplication extends StateWish {
  /** Of the plan that was agreed to; undefined takes the plan as it comes. */
  readonly planId: string | undefined;
  readonly message: string;
}

export interface StatePlan {
  readonly setName: string;
  readonly id: string;
  /** Rises with every change of what a document may hold. */
  readonly revision: number;
  readonly changes: readonly ObjectChange[];
  readonly orphans: readonly (LiveObject & { readonly kind: StateKind })[];
  readonly unmanaged: readonly (LiveObject & { readonly kind: StateKind })[];
  readonly problems: readonly StateProblem[];
  /** Secrets that go with an address that changes. */
  readonly lostSecrets: readonly OptionKey[];
  /** Who wrote a field last that this set did not. */
  writerOf(change: ObjectChange, path: string): LastWriter | undefined;
}

/** A plan with all that is needed to make it so. */
interface Draft extends StatePlan {
  readonly claims: readonly Claim[];
  readonly prepared: readonly Prepared[];
  readonly options: ReadonlyMap<OptionKey, string | undefined>;
  readonly owned: readonly StateObjectRecord[];
}

/** Topics of revisions that a document may touch, in the order in which their locks are taken. */
const topics = ['options', 'channels', 'rate_rules', 'alerts'] as const;
type Topic = (typeof topics)[number];

const topicOf: Readonly<Record<StateKind, Topic>> = {
  option: 'options',
  group: 'options',
  price: 'options',
  limit: 'options',
  rate_rule: 'rate_rules',
  alert_rule: 'alerts',
  alert_target: 'alerts',
  channel: 'channels',
};

export class DeclaredState {
  readonly #deps: DeclaredStateDeps;

  constructor(deps: DeclaredStateDeps) {
    this.#deps = deps;
  }

  /** What applying the document would change. Throws what the document cannot say. */
  plan(actor: Actor, wish: StateWish): Promise<StatePlan> {
    return this.#deps.database.snapshot((stores) => this.#draft(stores, actor, wish));
  }

  /**
   * Makes the live state what the document says, all or nothing. Throws as `plan`, the code of the first guard, and
   * `state_plan_stale` where the plan that was agreed to does not hold any more.
   */
  async apply(actor: Actor, wish: StateApplication): Promise<StatePlan> {
    const { bus, cooling, database } = this.#deps;
    const { plan, raised } = await database.transaction(async (stores) => {
      const first = await this.#draft(stores, actor, wish);
      const touched = topics.filter((topic) => first.changes.some(({ kind }) => topicOf[kind] === topic));
      // The bumps come before the plan that counts: their row locks make writers of all nodes wait for each other.
      const raised = new Map<Topic, number>();
      for (const topic of touched) raised.set(topic, await stores.revisions.bump(topic));
      const plan = touched.length === 0 ? first : await this.#draft(stores, actor, wish);
      const expected = wish.planId ?? first.id;
      if (plan.id !== expected) throw new TollgateError('state_plan_stale');
      const [refusal] = plan.problems;
      if (refusal) throw new TollgateError(refusal.code, refusal.params);
      await this.#write(stores, actor, { plan, wish, raised });
      return { plan, raised };
    });
    for (const [topic, revision] of raised) await bus.announce(topic, revision);
    for (const { id } of changedChannels(plan)) cooling.clear(id);
    return plan;
  }

  /** What is live, or what one set owns of it. Throws `state_set_not_found`. */
  async export(
    actor: Actor,
    wish: {
      readonly kinds: readonly StateKind[];
      readonly tag: string | undefined;
      readonly setName: string | undefined;
    },
  ): Promise<ExportedState> {
    return this.#deps.database.snapshot(async (stores) => {
      const { setName, tag } = wish;
      const sets = await stores.stateSets.all();
      if (setName !== undefined && !sets.some(({ name }) => name === setName)) {
        throw new TollgateError('state_set_not_found', { name: setName });
      }
      const [only, another] = sets;
      const name = setName ?? (only && !another ? only.name : 'main');
      const owned = await stores.stateSets.objects(setName);
      const reading = await this.#reading(stores, actor, { apiVersion: 'tollgate/v1', set: name }, owned);
      const targets = new Set(owned.map(({ kind, target }) => placeOf(kind, target)));
      const kinds = [];
      for (const { kind, view, readers } of this.#deps.kinds.filter((one) => wish.kinds.includes(one.kind))) {
        if (readers === 'root' && actor.role < roles.root) continue;
        const seen = await view(reading);
        const objects = [...seen.live.values()].filter(
          ({ target, isThere, fields }) =>
            isThere &&
            (setName === undefined || targets.has(placeOf(kind, target))) &&
            (tag === undefined || kind !== 'channel' || fields.tag === tag),
        );
        kinds.push({ kind, view: seen, objects });
      }
      return exportDocument(name, kinds);
    });
  }

  async #draft(stores: Stores, actor: Actor, wish: StateWish): Promise<Draft> {
    const { document } = wish;
    const records = await stores.stateSets.objects();
    const owned = records.filter(({ setName }) => setName === document.set);
    const reading = await this.#reading(stores, actor, document, records);
    const allowed = { ...wish, setName: document.set };
    const plans: KindPlan[] = [];
    const prepared: Prepared[] = [];
    for (const { kind, view, readers } of this.#deps.kinds) {
      const plan = planKind(kind, await view(reading), { owners: ownersOf(records, kind), allowed });
      plans.push(readers === 'root' && actor.role < roles.root ? withoutValues(plan) : plan);
      prepared.push(await plan.view.prepare(plan.changes));
    }
    const options = new Map(prepared.flatMap((one) => [...(one.options ?? [])]));
    const changes = plans.flatMap((plan) => plan.changes);
    const claims = plans.flatMap((plan) => plan.claims);
    const problems = guardsOf(plans, { actor, options: reading.options, limits: wish, owned: owned.length });
    const orphans = plans.flatMap(({ kind, orphans: own }) => own.map((object) => ({ ...object, kind })));
    const owners = new Map(records.map((record) => [placeOf(record.kind, record.target), record]));
    const lastWriters = await this.#channelWriters(stores, changes);
    const writerOf = (change: ObjectChange, path: string): LastWriter | undefined => {
      const { kind, target, fields } = change;
      if (target === undefined) return undefined;
      const owner = owners.get(placeOf(kind, target));
      const named = owner?.setName === document.set ? readFields(owner.fields)[path] : undefined;
      const from = fields.find((field) => field.path === path)?.from;
      if (named !== undefined && (named === '' || named === digestOf(from))) return undefined;
      const view = plans.find((plan) => plan.kind === kind)?.view;
      return view?.writerOf(target, path) ?? lastWriters.get(`${kind}:${target}`);
    };
    return {
      setName: document.set,
      id: this.#deps.digest(canonicalText({ set: document.set, changes, claims, orphans })).slice(0, 16),
      revision: await this.#revision(stores),
      changes,
      orphans,
      unmanaged: plans.flatMap(({ kind, unmanaged }) => unmanaged.map((object) => ({ ...object, kind }))),
      problems,
      lostSecrets: await this.#lostSecrets(stores, actor, options),
      writerOf,
      claims,
      prepared,
      options,
      owned,
    };
  }

  async #reading(
    stores: Stores,
    actor: Actor,
    document: StateDocument,
    records: readonly StateObjectRecord[],
  ): Promise<StateReading> {
    const texts = new Map<OptionKey, string>();
    for (const { key, value } of await stores.options.all()) if (isOptionKey(key)) texts.set(key, value);
    const writers = new Map((await stores.optionChanges.all()).map((change) => [change.key, change]));
    const current = this.#deps.current();
    const targets = new Map(
      records
        .filter(({ setName }) => setName === document.set)
        .map(({ kind, key, target }) => [placeOf(kind, key), target]),
    );
    const keys = new Map(records.map(({ kind, key, target }) => [placeOf(kind, target), key]));
    return {
      stores,
      actor,
      document,
      options: viewOf(texts, { get: (key) => (texts.has(key) ? current.get(key) : current.defaultOf(key)) }),
      texts,
      writerOf: (key) => {
        const change = writers.get(key);
        return change && { name: change.actorName, at: change.updatedAt };
      },
      ownedTarget: (kind, key) => targets.get(placeOf(kind, key)),
      ownedKey: (kind, target) => keys.get(placeOf(kind, target)),
    };
  }

  async #revision(stores: Stores): Promise<number> {
    const revisions = await stores.revisions.byTopic();
    return topics.reduce((sum, topic) => sum + (revisions.get(topic) ?? 0), 0);
  }

  async #channelWriters(stores: Stores, changes: readonly ObjectChange[]): Promise<ReadonlyMap<string, LastWriter>> {
    const targets = changes.flatMap(({ kind, id }) =>
      kind === 'channel' && id !== undefined ? [`channel:${id}`] : [],
    );
    const rows = await stores.audits.lastOf(targets);
    return new Map(rows.map(({ target, actorName: name, createdAt: at }) => [target, { name, at }]));
  }

  async #lostSecrets(
    stores: Stores,
    actor: Actor,
    options: ReadonlyMap<OptionKey, string | undefined>,
  ): Promise<OptionKey[]> {
    const lost = new Set<OptionKey>();
    for (const [key, text] of options) {
      for (const secret of await this.#deps.optionWriter.secretsLostWith(stores, { actor, key, text })) {
        if (options.get(secret) === undefined) lost.add(secret);
      }
    }
    return [...lost];
  }

  async #write(
    stores: Stores,
    actor: Actor,
    { plan, wish, raised }: { plan: Draft; wish: StateApplication; raised: ReadonlyMap<Topic, number> },
  ): Promise<void> {
    const { optionWriter } = this.#deps;
    const { message, document } = wish;
    if (plan.options.size > 0) {
      const reason = { cause: 'edit', note: message === '' ? `set ${document.set}` : message } as const;
      await optionWriter.replaceAll(stores, actor, { texts: plan.options, reason });
    }
    const made = new Map<string, string>();
    for (const [at, { kind }] of this.#deps.kinds.entries()) {
      if (!plan.changes.some((change) => change.kind === kind)) continue;
      const targets = await plan.prepared[at]?.write?.(stores, actor);
      for (const [key, target] of targets ?? []) made.set(placeOf(kind, key), target);
    }
    const ended = changedChannels(plan).map(({ id }) => id);
    const revision = raised.get('channels');
    if (ended.length > 0 && revision !== undefined) await stores.coolingEnds.note(ended, revision);
    await this.#own(stores, actor, { plan, made, message });
    await this.#audit(stores, actor, { plan, made, message });
  }

  /** Notes what the set owns from now on; a plan that changes nothing about it leaves the rows as they are. */
  async #own(
    stores: Stores,
    actor: Actor,
    { plan, made, message }: { plan: Draft; made: ReadonlyMap<string, string>; message: string },
  ): Promise<void> {
    const owned = plan.claims.flatMap(({ kind, key, target, fields }): StateObjectRecord[] => {
      const place = target ?? made.get(placeOf(kind, key)) ?? (kind === 'channel' ? undefined : key);
      if (place === undefined) return [];
      return [{ kind, key, target: place, setName: plan.setName, fields: JSON.stringify(fields) }];
    });
    const isNew = (await stores.stateSets.find(plan.setName)) === undefined;
    if (!isNew && plan.changes.length === 0 && isSameOwnership(owned, plan.owned)) return;
    await stores.stateSets.save({
      name: plan.setName,
      appliedAt: this.#deps.nowSeconds(),
      actorId: actor.userId,
      actorName: actor.username,
      message,
    });
    await stores.stateSets.replaceObjects(plan.setName, owned);
  }

  async #audit(
    stores: Stores,
    actor: Actor,
    { plan, made, message }: { plan: Draft; made: ReadonlyMap<string, string>; message: string },
  ): Promise<void> {
    const now = this.#deps.nowSeconds();
    const rows = plan.changes.map(({ action, kind, key, target, fields }) => {
      const place = target ?? made.get(placeOf(kind, key)) ?? key;
      const detail = { set: plan.setName, plan: plan.id, key, fields: fields.map(({ path }) => path), message };
      return auditBy(actor, { action: `state.${action}`, target: `${kind}:${place}`, detail }, now);
    });
    await stores.audits.appendAll(rows);
  }
}

function placeOf(kind: StateKind, name: string): string {
  return `${kind} ${name}`;
}

function ownersOf(records: readonly StateObjectRecord[], kind: StateKind): ReadonlyMap<string, Owner> {
  return new Map(
    records
      .filter((record) => record.kind === kind)
      .map(({ target, setName, key, fields }) => [target, { setName, key, fields: readFields(fields) }]),
  );
}

/** Written by this program alone. */
function readFields(text: string): Readonly<Record<string, string>> {
  const fields: Readonly<Record<string, string>> = JSON.parse(text);
  return fields;
}

/** What may be told of a kind to those who may not see it: that the set owns something of it. */
function withoutValues(plan: KindPlan): KindPlan {
  return { ...plan, unmanaged: [], changes: plan.changes.map((change) => ({ ...change, fields: [] })) };
}

function changedChannels({ changes }: StatePlan): { readonly id: number }[] {
  return changes.flatMap(({ kind, id, action }) =>
    kind === 'channel' && id !== undefined && action !== 'delete' ? [{ id }] : [],
  );
}

function isSameOwnership(after: readonly StateObjectRecord[], before: readonly StateObjectRecord[]): boolean {
  const texts = (records: readonly StateObjectRecord[]) =>
    records
      .map(({ kind, target, key, fields }) => [kind, target, key, canonicalText(JSON.parse(fields))].join('\n'))
      .sort();
  return canonicalText(texts(after)) === canonicalText(texts(before));
}
