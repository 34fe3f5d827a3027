/** Setting and removing rate rules: who they may be for, and that every node learns of it. */
import type { Bus } from '../cluster/bus.ts';
import type { OptionsView } from '../contract/options.ts';
import { TollgateError } from '../errors.ts';
import type { Database, Stores } from '../store/database.ts';
import type { RateRuleRecord, RateSubjectKind } from '../store/rate-rules.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';

/** A rule with what people call its subject; "" where that is gone. */
export interface NamedRateRule extends RateRuleRecord {
  readonly subjectName: string;
}

export interface RateRuleInput {
  readonly subjectKind: RateSubjectKind;
  /** An id as text, or the name of a user group. */
  readonly subject: string;
  /** A name, `prefix*` or `*`. */
  readonly model: string;
  readonly ratio: number;
  /** What it replaces, null for no rule; undefined where that does not matter. */
  readonly expectedRatio?: number | null | undefined;
}

export interface RateRuleServiceDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  readonly options: () => OptionsView;
  /** Unix seconds. */
  readonly nowSeconds: () => number;
}

/** Every node holds all of them in memory. */
const mostRules = 10_000;

export class RateRuleService {
  readonly #deps: RateRuleServiceDeps;

  constructor(deps: RateRuleServiceDeps) {
    this.#deps = deps;
  }

  /** All rules, by subject, then by model. */
  async list(): Promise<NamedRateRule[]> {
    const { stores } = this.#deps.database;
    const rules = await stores.rateRules.all();
    const names = await subjectNames(stores, rules);
    return rules.map((rule) => ({ ...rule, subjectName: names.get(keyOf(rule)) ?? '' }));
  }

  /**
   * Sets the ratio of a subject on a model, in the place of one that is there. Throws `user_not_found`,
   * `token_not_found`, `group_unknown`, `rate_rules_full`, `rate_rule_changed`.
   */
  async set(actor: Actor, input: RateRuleInput): Promise<NamedRateRule> {
    const { rule, revision } = await this.#deps.database.transaction(async (stores) => {
      // The bump comes first: its row lock makes writers of all nodes wait for each other.
      const revision = await stores.revisions.bump('rate_rules');
      return { rule: await this.setIn(stores, actor, input), revision };
    });
    await this.#deps.bus.announce('rate_rules', revision);
    return rule;
  }

  /** As `set`, within a transaction that has raised the revision and announces it; `groups` as for `nameOf`. */
  async setIn(
    stores: Stores,
    actor: Actor,
    { groups, expectedRatio, ...input }: RateRuleInput & { readonly groups?: ReadonlySet<string> },
  ): Promise<NamedRateRule> {
    const subjectName = await this.nameOf(stores, input, groups);
    const before = await stores.rateRules.find(input);
    if (expectedRatio !== undefined && (before?.ratio ?? null) !== expectedRatio) {
      throw new TollgateError('rate_rule_changed');
    }
    if (!before && (await stores.rateRules.count()) >= mostRules) {
      throw new TollgateError('rate_rules_full', { count: mostRules });
    }
    const written = await stores.rateRules.set({
      ...input,
      updatedAt: this.#deps.nowSeconds(),
      actorId: actor.userId,
      actorName: actor.username,
    });
    if (!written) throw new TollgateError('internal_error');
    await this.#audit(stores, actor, { action: 'rate_rule.set', rule: written, old: before?.ratio });
    return { ...written, subjectName };
  }

  /** Throws `rate_rule_not_found`. */
  async delete(actor: Actor, id: number): Promise<void> {
    const revision = await this.#deps.database.transaction(async (stores) => {
      const revision = await stores.revisions.bump('rate_rules');
      await this.deleteIn(stores, actor, id);
      return revision;
    });
    await this.#deps.bus.announce('rate_rules', revision);
  }

  /** As `delete`, within a transaction that has raised the revision and announces it. */
  async deleteIn(stores: Stores, actor: Actor, id: number): Promise<void> {
    const rule = await stores.rateRules.delete(id);
    if (!rule) throw new TollgateError('rate_rule_not_found');
    await this.#audit(stores, actor, { action: 'rate_rule.delete', rule, old: rule.ratio });
  }

  /**
   * What people call a subject; `groups` where they are about to be others than those in force. Throws `group_unknown`,
   * `user_not_found`, `token_not_found`.
   */
  async nameOf(stores: Stores, { subjectKind, subject }: Subject, groups?: ReadonlySet<string>): Promise<string> {
    if (subjectKind === 'group') {
      const known = groups?.has(subject) ?? Object.hasOwn(this.#deps.options().get('GroupRatio'), subject);
      if (known) return subject;
      throw new TollgateError('group_unknown', { group: subject }, { field: 'subject' });
    }
    const isId = /^[1-9]\d{0,9}$/.test(subject) && Number(subject) <= 2_147_483_647;
    const names = isId ? await subjectNames(stores, [{ subjectKind, subject }]) : undefined;
    const name = names?.get(keyOf({ subjectKind, subject }));
    if (name !== undefined) return name;
    throw new TollgateError(subjectKind === 'user' ? 'user_not_found' : 'token_not_found', {}, { field: 'subject' });
  }

  async #audit(
    stores: Stores,
    actor: Actor,
    act: { action: 'rate_rule.set' | 'rate_rule.delete'; rule: RateRuleRecord; old: number | undefined },
  ): Promise<void> {
    const { action, rule, old } = act;
    const detail = {
      model: rule.model,
      old: old ?? null,
      new: action === 'rate_rule.set' ? rule.ratio : null,
    };
    const event = { action, target: `rate_rule:${keyOf(rule)}`, detail };
    await stores.audits.append(auditBy(actor, event, this.#deps.nowSeconds()));
  }
}

type Subject = Pick<RateRuleRecord, 'subjectKind' | 'subject'>;

function keyOf({ subjectKind, subject }: Subject): string {
  return `${subjectKind}:${subject}`;
}

/** By subject: usernames, names of keys, names of groups; what is gone has none. */
async function subjectNames(stores: Stores, subjects: readonly Subject[]): Promise<Map<string, string>> {
  const idsOf = (kind: RateSubjectKind) => [
    ...new Set(subjects.filter(({ subjectKind }) => subjectKind === kind).map(({ subject }) => Number(subject))),
  ];
  const [users, tokens] = await Promise.all([
    stores.users.findMany(idsOf('user')),
    stores.tokens.findMany(idsOf('token')),
  ]);
  return new Map([
    ...users.map(({ id, username }): [string, string] => [`user:${id}`, username]),
    ...tokens.map(({ id, name }): [string, string] => [`token:${id}`, name]),
    ...subjects
      .filter(({ subjectKind }) => subjectKind === 'group')
      .map((group): [string, string] => [keyOf(group), group.subject]),
  ]);
}
