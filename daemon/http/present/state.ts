/** Declared state on the wire; of secrets only that they are there. */
import { formatError, type Language } from '../../contract/error-codes.ts';
import { formatOptionWarnings } from '../../contract/option-warnings.ts';
import type {
  StateObject,
  StateObjectChange,
  StateOwnedObject,
  StatePlanView,
  StateSetView,
} from '../../contract/state.ts';
import type { StateKind } from '../../contract/state-document.ts';
import {
  type FieldDifference,
  type LiveObject,
  type ObjectChange,
  SecretDigests,
} from '../../domain/declared-objects.ts';
import type { StateSet } from '../../domain/declared-sets.ts';
import type { StatePlan } from '../../domain/declared-state.ts';
import type { StateObjectRecord } from '../../store/state-sets.ts';

export function presentStatePlan(plan: StatePlan, language: Language, unmanaged: 'told' | 'left out'): StatePlanView {
  const { changes, orphans, problems } = plan;
  const count = (...actions: ObjectChange['action'][]) =>
    changes.filter(({ action }) => actions.includes(action)).length;
  return {
    set: plan.setName,
    revision: plan.revision,
    plan_id: plan.id,
    changes: changes.map((change) => presentChange(change, plan)),
    orphans: orphans.map(presentObject),
    unmanaged: unmanaged === 'told' ? plan.unmanaged.map(presentObject) : [],
    guards: problems.map(({ code, params, kind, key, lift }) => {
      return { code, message: formatError(code, params, language), kind: kind ?? null, key, lift };
    }),
    warnings: plan.lostSecrets.map((key) => {
      const code = 'secret_goes';
      return { code, message: formatOptionWarnings([{ code, params: { key } }], language) };
    }),
    summary: {
      create: count('create'),
      change: count('update', 'adopt'),
      delete: count('delete'),
      orphans: orphans.length,
    },
  };
}

function presentChange(change: ObjectChange, plan: StatePlan): StateObjectChange {
  const { action, kind, key, id, fields } = change;
  return {
    action,
    kind,
    key,
    id: id ?? null,
    fields: fields.map((field) => {
      const writer = action === 'create' ? undefined : plan.writerOf(change, field.path);
      return { path: field.path, ...valuesOf(field), reset: field.isReset, changed_by: writer ?? null };
    }),
  };
}

function valuesOf({ path, from, to }: FieldDifference): { from: unknown; to: unknown; secret: boolean } {
  const isSecret = from instanceof SecretDigests || to instanceof SecretDigests;
  if (!isSecret) return { from: from ?? null, to: to ?? null, secret: false };
  const [before, after] = [digestsOf(from), digestsOf(to)];
  if (path !== 'keys') return { from: maskOf(before), to: maskOf(after), secret: true };
  const kept = after.filter((digest) => before.includes(digest)).length;
  return {
    from: { removed: before.length - kept, kept },
    to: { added: after.length - kept, kept },
    secret: true,
  };
}

function digestsOf(value: unknown): readonly string[] {
  return value instanceof SecretDigests ? value.digests : [];
}

function maskOf(digests: readonly string[]): string | null {
  return digests.length === 0 ? null : '***';
}

function presentObject({ kind, key, id }: LiveObject & { readonly kind: StateKind }): StateObject {
  return { kind, key, id: id ?? null };
}

export function presentStateSet({ name, appliedAt, actorName, message, objects }: StateSet): StateSetView {
  return { name, objects: objects.length, applied_at: appliedAt, applied_by: actorName, message };
}

export function presentOwnedObject({ kind, key, target, fields }: StateObjectRecord): StateOwnedObject {
  const named: Readonly<Record<string, string>> = JSON.parse(fields);
  return { kind, key, id: kind === 'channel' ? Number(target) : null, fields: Object.keys(named).sort() };
}
