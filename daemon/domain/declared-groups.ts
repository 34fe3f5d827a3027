/** Groups in declared state: one object for what four options say of a group. */
import {
  formatOption,
  type OptionKey,
  type OptionsView,
  type OptionValue,
  type OptionValues,
  optionTable,
} from '../contract/options.ts';
import type { DeclaredGroup } from '../contract/state-document.ts';
import { TollgateError } from '../errors.ts';
import {
  changedFields,
  type DeclaredKind,
  type Fields,
  isSame,
  type KindView,
  type LiveObject,
  type ObjectChange,
  type StateReading,
  type WantedObject,
} from './declared-objects.ts';
import type { OptionWriter } from './option-writer.ts';

export interface DeclaredGroupsDeps {
  readonly writer: Pick<OptionWriter, 'checkedText'>;
  readonly defaults: OptionsView;
}

/** What the four options say of a group. */
interface GroupFields {
  readonly ratio: number | null;
  readonly topup_ratio: number | null;
  readonly usable: boolean;
  readonly description: string;
  readonly ratios_in: Readonly<Record<string, number>>;
}

const groupOptions = ['GroupRatio', 'TopupGroupRatio', 'UserUsableGroups', 'GroupGroupRatio'] as const;

/** Where each field is kept. */
const keptIn = {
  ratio: 'GroupRatio',
  topup_ratio: 'TopupGroupRatio',
  usable: 'UserUsableGroups',
  description: 'UserUsableGroups',
  ratios_in: 'GroupGroupRatio',
} as const satisfies Record<keyof GroupFields, OptionKey>;

export function declaredGroups(deps: DeclaredGroupsDeps): DeclaredKind {
  return { kind: 'group', view: async (reading) => viewGroups(deps, reading) };
}

function viewGroups({ writer, defaults }: DeclaredGroupsDeps, reading: StateReading): KindView {
  const { document, options, writerOf } = reading;
  const declared = Object.entries(document.groups ?? {});
  const live = new Map<string, LiveObject>();
  for (const name of new Set([...namesIn(options), ...namesIn(defaults), ...declared.map(([name]) => name)])) {
    const fields = fieldsOf(options, name);
    live.set(name, {
      target: name,
      key: name,
      fields: { ...fields },
      isThere: !isSame(fields, fieldsOf(defaults, name)),
    });
  }
  const wanted = declared.map(([name, group]): WantedObject => {
    const fields = { ...group };
    const { usable } = { ...fieldsOf(options, name), ...fields };
    if (!usable && fields.description) {
      throw new TollgateError(
        'state_fields_clash',
        { key: name, fields: 'description, usable: false' },
        { field: `groups.${name}.description` },
      );
    }
    return { key: name, target: name, fields };
  });
  return {
    live,
    wanted,
    defaultOf: (target, path) => memberOf(fieldsOf(defaults, target ?? ''), path),
    isRootOnly: (_target, path) => isField(path) && optionTable[keptIn[path]].class === 'root',
    writerOf: (_target, path) => (isField(path) ? writerOf(keptIn[path]) : undefined),
    prepare: (changes) => ({ options: textsAfter(options, changes, live, writer) }),
  };
}

/** Names of groups after these changes; a group exists while it has a ratio. */
export function groupsAfter(options: OptionsView, document: Pick<StateReading['document'], 'groups'>): Set<string> {
  const names = new Set(Object.keys(options.get('GroupRatio')));
  for (const [name, group] of Object.entries<DeclaredGroup>(document.groups ?? {})) {
    if (typeof group.ratio === 'number') names.add(name);
  }
  return names;
}

function namesIn(options: OptionsView): string[] {
  return groupOptions.flatMap((key) => Object.keys(options.get(key)));
}

function fieldsOf(options: OptionsView, name: string): GroupFields {
  const usable = entryOf(options.get('UserUsableGroups'), name);
  return {
    ratio: entryOf(options.get('GroupRatio'), name) ?? null,
    topup_ratio: entryOf(options.get('TopupGroupRatio'), name) ?? null,
    usable: usable !== undefined,
    description: usable ?? '',
    ratios_in: entryOf(options.get('GroupGroupRatio'), name) ?? {},
  };
}

function entryOf<T>(map: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

function isField(path: string): path is keyof GroupFields {
  return Object.hasOwn(keptIn, path);
}

function memberOf(fields: GroupFields, path: string): unknown {
  return isField(path) ? fields[path] : undefined;
}

/** The texts of the options that these changes make different. */
function textsAfter(
  options: OptionsView,
  changes: readonly ObjectChange[],
  live: ReadonlyMap<string, LiveObject>,
  writer: DeclaredGroupsDeps['writer'],
): ReadonlyMap<OptionKey, string> {
  const maps = {
    GroupRatio: new Map(Object.entries(options.get('GroupRatio'))),
    TopupGroupRatio: new Map(Object.entries(options.get('TopupGroupRatio'))),
    UserUsableGroups: new Map(Object.entries(options.get('UserUsableGroups'))),
    GroupGroupRatio: new Map(Object.entries(options.get('GroupGroupRatio'))),
  };
  for (const change of changes) {
    const next = readFields(changedFields(live.get(change.key)?.fields ?? {}, change));
    put(maps.GroupRatio, change.key, next.ratio ?? undefined);
    put(maps.TopupGroupRatio, change.key, next.topup_ratio ?? undefined);
    put(maps.UserUsableGroups, change.key, next.usable ? next.description : undefined);
    put(maps.GroupGroupRatio, change.key, Object.keys(next.ratios_in).length === 0 ? undefined : next.ratios_in);
  }
  const values: OptionValues = {
    GroupRatio: Object.fromEntries(maps.GroupRatio),
    TopupGroupRatio: Object.fromEntries(maps.TopupGroupRatio),
    UserUsableGroups: Object.fromEntries(maps.UserUsableGroups),
    GroupGroupRatio: Object.fromEntries(maps.GroupGroupRatio),
  };
  return new Map(
    groupOptions.flatMap((key) => {
      const text = changedText(key, values, options);
      return text === undefined ? [] : [[key, writer.checkedText(key, text)] as const];
    }),
  );
}

/** The text of an option that is different now; undefined where it says the same. */
export function changedText<K extends OptionKey>(
  key: K,
  values: OptionValues,
  before: OptionsView,
): string | undefined {
  const value: OptionValue<K> | undefined = values[key];
  return value === undefined || isSame(value, before.get(key)) ? undefined : formatOption(key, value);
}

function readFields(fields: Fields): GroupFields {
  const { ratio, topup_ratio, usable, description, ratios_in } = fields;
  return {
    ratio: typeof ratio === 'number' ? ratio : null,
    topup_ratio: typeof topup_ratio === 'number' ? topup_ratio : null,
    usable: usable === true,
    description: typeof description === 'string' ? description : '',
    ratios_in: isRatios(ratios_in) ? ratios_in : {},
  };
}

function isRatios(value: unknown): value is Readonly<Record<string, number>> {
  return typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'number');
}

function put<T>(map: Map<string, T>, name: string, value: T | undefined): void {
  if (value === undefined) map.delete(name);
  else map.set(name, value);
}
