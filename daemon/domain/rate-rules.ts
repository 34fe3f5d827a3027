/**
 * Rate rules (REQ-21, relay.md 15.3): a ratio of its own for a user, a user group or a token, on a model, a prefix or
 * all models. The rule that fits a call best replaces the ratio of whatever group serves it.
 */
import type { RateRuleRecord } from '../store/rate-rules.ts';
import { Decimal } from './decimal.ts';
import type { GroupRatio } from './price-book.ts';

/** Who calls which model. */
export interface RatedCall {
  /** Undefined where there is no key, as in the playground. */
  readonly tokenId: number | undefined;
  readonly userId: number;
  /** The user's own group, whichever serves the call. */
  readonly userGroup: string;
  /** The name that clients write, prefix of a channel included; of an alias, what it stands for. */
  readonly model: string;
}

/** A rule with the factor that calls are charged by. */
export interface RateRule extends GroupRatio {
  readonly record: RateRuleRecord;
  /** As `other.rate_rule` names it: `token:7 gpt-*`. */
  readonly rateRule: string;
}

/** The rules of one subject. */
interface SubjectRules {
  readonly exact: Map<string, RateRule>;
  /** Longest first. */
  readonly prefixes: { readonly prefix: string; readonly rule: RateRule }[];
  any: RateRule | undefined;
}

/** Rules as they are asked; immutable once built. */
export class RateTable {
  readonly #bySubject = new Map<string, SubjectRules>();

  constructor(records: readonly RateRuleRecord[]) {
    for (const record of records) this.#add(record);
    for (const { prefixes } of this.#bySubject.values()) prefixes.sort((a, b) => b.prefix.length - a.prefix.length);
  }

  /**
   * The rule of this call; undefined when none fits. What names the model best wins: its whole name before a prefix,
   * a longer prefix before a shorter one, any prefix before `*`; among equals, token before user before group.
   */
  find({ tokenId, userId, userGroup, model }: RatedCall): RateRule | undefined {
    const subjects = [
      tokenId === undefined ? undefined : this.#bySubject.get(`token:${tokenId}`),
      this.#bySubject.get(`user:${userId}`),
      this.#bySubject.get(`group:${userGroup}`),
    ];
    let best: { readonly length: number; readonly rule: RateRule } | undefined;
    for (const subject of subjects) {
      const exact = subject?.exact.get(model);
      if (exact) return exact;
    }
    for (const subject of subjects) {
      const found = subject?.prefixes.find(({ prefix }) => model.startsWith(prefix));
      if (found && (!best || found.prefix.length > best.length))
        best = { length: found.prefix.length, rule: found.rule };
    }
    return best?.rule ?? subjects.find((subject) => subject?.any)?.any;
  }

  #add(record: RateRuleRecord): void {
    const { subjectKind, subject, model, ratio } = record;
    const key = `${subjectKind}:${subject}`;
    const rules: SubjectRules = this.#bySubject.get(key) ?? { exact: new Map(), prefixes: [], any: undefined };
    this.#bySubject.set(key, rules);
    const exact = Decimal.of(ratio);
    const rule: RateRule = { ratio, exact, missing: false, rateRule: `${key} ${model}`, record };
    if (model === '*') rules.any = rule;
    else if (model.endsWith('*')) rules.prefixes.push({ prefix: model.slice(0, -1), rule });
    else rules.exact.set(model, rule);
  }
}

const tables = new WeakMap<readonly RateRuleRecord[], RateTable>();

/** The table of a snapshot's rules; built once for each list. */
export function rateTableOf(records: readonly RateRuleRecord[]): RateTable {
  let table = tables.get(records);
  if (!table) {
    table = new RateTable(records);
    tables.set(records, table);
  }
  return table;
}
