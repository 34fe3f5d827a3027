/** Rate rules in declared state: one object for whom and which model a rule is for. */
import { TollgateError } from '../errors.ts';
import type { RateRuleRecord } from '../store/rate-rules.ts';
import { groupsAfter } from './declared-groups.ts';
import type { DeclaredKind, KindView, LiveObject, StateReading, WantedObject } from './declared-objects.ts';
import type { RateRuleInput, RateRuleService } from './rate-rule-edits.ts';

export interface DeclaredRateRulesDeps {
  readonly rules: Pick<RateRuleService, 'setIn' | 'deleteIn' | 'nameOf'>;
}

export function declaredRateRules(deps: DeclaredRateRulesDeps): DeclaredKind {
  return { kind: 'rate_rule', view: (reading) => viewRules(deps, reading) };
}

async function viewRules({ rules }: DeclaredRateRulesDeps, reading: StateReading): Promise<KindView> {
  const { stores, document, options } = reading;
  const records = await stores.rateRules.all();
  const byTarget = new Map(records.map((record) => [targetOf(record), record]));
  const users = new Map((await stores.users.findMany(userIds(records))).map(({ id, username }) => [id, username]));
  const live = new Map<string, LiveObject>();
  for (const [target, record] of byTarget) {
    const key = `${whoOf(record, users)} ${record.model}`;
    live.set(target, { target, key, fields: { ratio: record.ratio }, isThere: true });
  }
  const groups = groupsAfter(options, document);
  const inputs = new Map<string, RateRuleInput>();
  const wanted: WantedObject[] = [];
  for (const [at, { who, model, ratio }] of (document.rate_rules ?? []).entries()) {
    const input = { ...(await subjectOf(reading, who)), model, ratio };
    await rules.nameOf(stores, input, groups);
    const target = targetOf(input);
    if (inputs.has(target)) {
      throw new TollgateError('state_twice', { key: `${who} ${model}` }, { field: `rate_rules.${at}` });
    }
    inputs.set(target, input);
    wanted.push({ key: `${who} ${model}`, target, fields: { ratio } });
  }
  return {
    live,
    wanted,
    defaultOf: () => undefined,
    isRootOnly: () => false,
    writerOf: (target) => {
      const record = byTarget.get(target);
      return record && { name: record.actorName, at: record.updatedAt };
    },
    prepare: (changes) => ({
      write: async (within, actor) => {
        for (const { action, target = '' } of changes) {
          const input = inputs.get(target);
          const record = byTarget.get(target);
          if (action === 'delete' && record) await rules.deleteIn(within, actor, record.id);
          else if (input) await rules.setIn(within, actor, { ...input, groups });
        }
        return new Map();
      },
    }),
  };
}

type Place = Pick<RateRuleRecord, 'subjectKind' | 'subject' | 'model'>;

function targetOf({ subjectKind, subject, model }: Place): string {
  return `${subjectKind}:${subject} ${model}`;
}

function userIds(records: readonly RateRuleRecord[]): number[] {
  return records.flatMap(({ subjectKind, subject }) => (subjectKind === 'user' ? [Number(subject)] : []));
}

/** Users go by their names, which outlive their ids in another database. */
function whoOf({ subjectKind, subject }: RateRuleRecord, users: ReadonlyMap<number, string>): string {
  const name = subjectKind === 'user' ? (users.get(Number(subject)) ?? subject) : subject;
  return `${subjectKind}:${name}`;
}

/** Throws `user_not_found`. */
async function subjectOf(
  { stores }: StateReading,
  who: string,
): Promise<Pick<RateRuleInput, 'subjectKind' | 'subject'>> {
  const name = who.slice(who.indexOf(':') + 1);
  if (who.startsWith('group:')) return { subjectKind: 'group', subject: name };
  if (who.startsWith('token:')) return { subjectKind: 'token', subject: name };
  const user = await stores.users.findByUsername(name);
  if (!user) throw new TollgateError('user_not_found', {}, { field: 'rate_rules' });
  return { subjectKind: 'user', subject: String(user.id) };
}
