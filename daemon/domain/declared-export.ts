/** The live state as a document: sorted, without defaults, with the names of secrets in their place. Pure. */
import type { StateKind } from '../contract/state-document.ts';
import { type Fields, isSame, type KindView, type LiveObject, SecretDigests } from './declared-objects.ts';

export interface ExportedState {
  /** In the shape of a file. */
  readonly document: Readonly<Record<string, unknown>>;
  /** Names of environment variables that it refers to. */
  readonly secrets: readonly string[];
}

type Section = 'options' | 'groups' | 'prices' | 'rate_rules' | 'limits' | 'alerts' | 'channels';

/** The objects of each kind that are to be written. */
export type ExportedKinds = readonly {
  readonly kind: StateKind;
  readonly view: KindView;
  readonly objects: readonly LiveObject[];
}[];

export function exportDocument(setName: string, kinds: ExportedKinds): ExportedState {
  const secrets = new Set<string>();
  const sections: Partial<Record<Section, unknown>> = {};
  const alerts: Record<string, unknown> = {};
  for (const { kind, view, objects } of kinds) {
    if (objects.length === 0) continue;
    const sorted = [...objects].sort((one, other) => (one.key < other.key ? -1 : 1));
    const written = sorted.map(({ key, target, id, fields }) => {
      // Of several that share a name, the id alone says which is meant.
      const isShared = kind === 'channel' && key === `${String(fields.name)}-${id}`;
      const own = ownFields(fields, (path) => view.defaultOf(target, path));
      return [key, referred(kind, key, isShared ? { id, ...own } : own, secrets)] as const;
    });
    if (kind === 'option') sections.options = Object.fromEntries(written.map(([key, { value }]) => [key, value]));
    else if (kind === 'rate_rule') sections.rate_rules = written.map(([key, fields]) => ruleOf(key, fields));
    else if (kind === 'alert_rule') alerts.rules = Object.fromEntries(written);
    else if (kind === 'alert_target') alerts.targets = Object.fromEntries(written);
    else
      sections[sectionOf[kind]] = Object.fromEntries(written.map(([key, fields]) => [key, withoutName(key, fields)]));
  }
  if (Object.keys(alerts).length > 0) sections.alerts = alerts;
  const { options, groups, prices, rate_rules, limits, channels } = sections;
  const ordered = { options, groups, prices, rate_rules, limits, alerts: sections.alerts, channels };
  const present = Object.entries(ordered).filter(([, section]) => section !== undefined);
  return {
    document: { apiVersion: 'tollgate/v1', set: setName, ...Object.fromEntries(present) },
    secrets: [...secrets].sort(),
  };
}

const sectionOf = { group: 'groups', price: 'prices', limit: 'limits', channel: 'channels' } as const;

/** Those that say something, by name. */
function ownFields(fields: Fields, defaultOf: (path: string) => unknown): Fields {
  const own = Object.entries(fields).filter(([path, value]) => !isSame(value, defaultOf(path)));
  return Object.fromEntries(own.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A channel that is called as the document calls it needs no name. */
function withoutName(key: string, { name, ...fields }: Fields): Fields {
  return name === undefined || name === key ? fields : { name, ...fields };
}

function ruleOf(key: string, fields: Fields): Fields {
  const at = key.lastIndexOf(' ');
  return { who: key.slice(0, at), model: key.slice(at + 1), ...fields };
}

/** Secrets as references to environment variables that are named after them. */
function referred(kind: StateKind, key: string, fields: Fields, secrets: Set<string>): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([path, value]) => {
      if (!(value instanceof SecretDigests)) return [path, value];
      const stem = kind === 'option' ? key : kind === 'channel' ? `${key}_KEY` : `${key}_${path}`;
      const names = value.digests.map((_digest, at) => {
        const name = unusedName(environmentName(kind === 'channel' ? `${stem}_${at + 1}` : stem), secrets);
        secrets.add(name);
        return name;
      });
      const references = names.map((name) => `env:${name}`);
      return [path, kind === 'channel' ? references : references[0]];
    }),
  );
}

/** The name, or with a number behind it where another secret has it: `a-b` and `a.b` come to the same. */
function unusedName(name: string, used: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}_${number}`;
    if (!used.has(candidate)) return candidate;
  }
}

/** `openai-main_KEY_1` becomes `OPENAI_MAIN_KEY_1`; letters that no shell takes become underscores. */
function environmentName(text: string): string {
  const name = text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
  return /^\d/.test(name) ? `_${name}` : name;
}
