/** Alerts in declared state: rules by kind, which always are, and targets by id, which are made and deleted. */
import { alertKinds } from '../contract/alert-kinds.ts';
import type { AlertRule, AlertTarget, SentAlertRule, SentAlertTarget } from '../contract/alerts.ts';
import { roles } from '../contract/roles.ts';
import { type DeclaredAlertTarget, keep, type SentSecret } from '../contract/state-document.ts';
import { TollgateError } from '../errors.ts';
import type { AlertService } from './alerts.ts';
import {
  atPlace,
  type DeclaredKind,
  type Fields,
  isSame,
  type KindView,
  type LiveObject,
  type ObjectChange,
  SecretDigests,
  type StateReading,
  type WantedObject,
} from './declared-objects.ts';

export interface DeclaredAlertsDeps {
  readonly alerts: Pick<AlertService, 'changed' | 'book'>;
  /** Keyed hash of a secret. */
  readonly digest: (secret: string) => string;
}

export function declaredAlertRules(deps: DeclaredAlertsDeps): DeclaredKind {
  return { kind: 'alert_rule', readers: 'root', view: (reading) => viewRules(deps, reading) };
}

export function declaredAlertTargets(deps: DeclaredAlertsDeps): DeclaredKind {
  return { kind: 'alert_target', readers: 'root', view: (reading) => viewTargets(deps, reading) };
}

/** Alerts are root's alone, also to look at: a plan would tell what they are. Throws `forbidden_role`. */
function refuseOthers({ actor, document }: StateReading): void {
  if (document.alerts && actor.role < roles.root) throw new TollgateError('forbidden_role', {}, { field: 'alerts' });
}

async function viewRules({ alerts }: DeclaredAlertsDeps, reading: StateReading): Promise<KindView> {
  refuseOthers(reading);
  const { stores, document } = reading;
  const kept = await alerts.book.readIn(stores);
  const { defaults } = alerts.book;
  const live = new Map<string, LiveObject>();
  for (const rule of kept.rules) {
    const fields = ruleFields(rule);
    const isThere = !isSame(fields, standardOf(defaults.rules, rule.kind));
    live.set(rule.kind, { target: rule.kind, key: rule.kind, fields, isThere });
  }
  const wanted = alertKinds.flatMap((kind): WantedObject[] => {
    const rule = document.alerts?.rules?.[kind];
    return rule === undefined ? [] : [{ key: kind, target: kind, fields: { ...rule } }];
  });
  return {
    live,
    wanted,
    defaultOf: (target, path) => standardOf(defaults.rules, target ?? '')[path],
    isRootOnly: () => true,
    writerOf: () => undefined,
    prepare: (changes) => {
      const sent = changes.flatMap(({ key, fields }): SentAlertRule[] => {
        const kind = alertKinds.find((known) => known === key);
        return kind === undefined ? [] : [{ kind, ...Object.fromEntries(fields.map(({ path, to }) => [path, to])) }];
      });
      const change = { rules: sent, targets: undefined };
      atPlace('alerts.rules', () => alerts.changed(kept, change));
      return {
        write: async (within) => {
          await alerts.book.changeIn(within, (now) => alerts.changed(now, change));
          return new Map();
        },
      };
    },
  };
}

function ruleFields({ kind: _kind, ...fields }: AlertRule): Fields {
  return fields;
}

function standardOf(rules: readonly AlertRule[], kind: string): Fields {
  const rule = rules.find((one) => one.kind === kind);
  return rule ? ruleFields(rule) : {};
}

async function viewTargets({ alerts, digest }: DeclaredAlertsDeps, reading: StateReading): Promise<KindView> {
  refuseOthers(reading);
  const { stores, document } = reading;
  const kept = await alerts.book.readIn(stores);
  const standard = new Map(alerts.book.defaults.targets.map((target) => [target.id, targetFields(target, digest)]));
  const live = new Map<string, LiveObject>();
  for (const target of kept.targets) {
    const fields = targetFields(target, digest);
    const isThere = !isSame(fields, standard.get(target.id));
    live.set(target.id, { target: target.id, key: target.id, fields, isThere });
  }
  const declared = new Map(Object.entries<DeclaredAlertTarget>(document.alerts?.targets ?? {}));
  return {
    live,
    wanted: [...declared].map(([id, target]) => wantedTarget(id, target, digest)),
    defaultOf: (_target, path) => standardTarget[path],
    isRootOnly: () => true,
    writerOf: () => undefined,
    prepare: (changes) => {
      const change = { rules: [], targets: sentTargets(kept.targets, changes, declared) };
      atPlace('alerts.targets', () => alerts.changed(kept, change));
      return {
        write: async (within) => {
          await alerts.book.changeIn(within, (now) => alerts.changed(now, change));
          return new Map();
        },
      };
    },
  };
}

const standardTarget: Fields = {
  name: '',
  enabled: true,
  dialect: null,
  language: null,
  kinds: [],
  address: '',
  secret_address: null,
  secret: null,
};

function targetFields({ id: _id, address, secret, ...plain }: AlertTarget, digest: (secret: string) => string): Fields {
  const hide = (text: string) => (text === '' ? null : new SecretDigests([digest(text)]));
  const isRobot = plain.type === 'robot';
  return {
    ...plain,
    address: isRobot ? '' : address,
    secret_address: isRobot ? hide(address) : null,
    secret: hide(secret),
  };
}

const secretMembers = ['secret_address', 'secret'] as const;

function wantedTarget(id: string, target: DeclaredAlertTarget, digest: (secret: string) => string): WantedObject {
  const { secret_address: _address, secret: _secret, ...plain } = target;
  const secrets: Record<string, unknown> = {};
  for (const member of secretMembers) {
    const value = plainSecret(target[member]);
    if (value !== undefined) secrets[member] = new SecretDigests([digest(value)]);
  }
  const kept = secretMembers.filter((member) => target[member] === keep);
  return { key: id, target: id, fields: { ...plain, ...secrets }, kept };
}

function plainSecret(secret: SentSecret | undefined): string | undefined {
  return typeof secret === 'object' ? secret.value : undefined;
}

/** The whole list, as it is sent to change it: what is not touched is named alone, and so kept. */
function sentTargets(
  kept: readonly AlertTarget[],
  changes: readonly ObjectChange[],
  declared: ReadonlyMap<string, DeclaredAlertTarget>,
): SentAlertTarget[] {
  const byKey = new Map(changes.map((change) => [change.key, change]));
  const stay = kept.flatMap((target): SentAlertTarget[] => {
    const change = byKey.get(target.id);
    if (change?.action === 'delete') return [];
    return [sentTarget(target.id, target.type, { change, declared: declared.get(target.id) })];
  });
  const made = changes
    .filter(({ action, key }) => action !== 'delete' && !kept.some(({ id }) => id === key))
    .map((change) => sentTarget(change.key, undefined, { change, declared: declared.get(change.key) }));
  return [...stay, ...made];
}

function sentTarget(
  id: string,
  type: AlertTarget['type'] | undefined,
  { change, declared }: { change: ObjectChange | undefined; declared: DeclaredAlertTarget | undefined },
): SentAlertTarget {
  const to = new Map((change?.fields ?? []).map((field) => [field.path, field]));
  const sent: SentAlertTarget = { id, type: declared?.type ?? type ?? 'mail' };
  if (!change) return sent;
  const own = declared ?? { type: sent.type };
  return {
    ...sent,
    ...(to.has('name') ? { name: own.name ?? '' } : {}),
    ...(to.has('enabled') ? { enabled: own.enabled ?? true } : {}),
    ...(to.has('dialect') ? { dialect: own.dialect ?? null } : {}),
    ...(to.has('language') ? { language: own.language ?? null } : {}),
    ...(to.has('kinds') ? { kinds: own.kinds ?? [] } : {}),
    ...(to.has('address') && own.address !== undefined ? { address: own.address } : {}),
    ...(to.has('secret_address') ? addressOf(plainSecret(own.secret_address)) : {}),
    ...(to.has('secret') ? { secret: plainSecret(own.secret) ?? null } : {}),
  };
}

function addressOf(address: string | undefined): { address?: string } {
  return address === undefined ? {} : { address };
}
