/**
 * A channel's parameter override as rows that can be edited, and back (relay.md 12.5). What no control shows stays in
 * `source`, so that it is written as it was; an operation that the controls cannot tell is a row of JSON.
 */
import { parseObject } from '../../components/mapping-rows.ts';
import { randomId } from '../../components/random-id.ts';

export type Members = Readonly<Record<string, unknown>>;

/** Which controls a mode has; `value` says how its value is written. */
interface ModeControls {
  readonly path?: 'path' | 'name';
  /** Two paths, or two texts. */
  readonly ends?: 'paths' | 'texts';
  readonly value?: 'json' | 'text' | 'refusal';
  readonly keepOrigin?: true;
}

export const modes = {
  set: { path: 'path', value: 'json', keepOrigin: true },
  delete: { path: 'path' },
  move: { ends: 'paths' },
  copy: { ends: 'paths' },
  prepend: { path: 'path', value: 'json', keepOrigin: true },
  append: { path: 'path', value: 'json', keepOrigin: true },
  trim_prefix: { path: 'path', value: 'text' },
  trim_suffix: { path: 'path', value: 'text' },
  ensure_prefix: { path: 'path', value: 'text' },
  ensure_suffix: { path: 'path', value: 'text' },
  trim_space: { path: 'path' },
  to_lower: { path: 'path' },
  to_upper: { path: 'path' },
  replace: { path: 'path', ends: 'texts' },
  regex_replace: { path: 'path', ends: 'texts' },
  return_error: { value: 'refusal' },
  set_header: { path: 'name', value: 'text' },
  delete_header: { path: 'name' },
} as const satisfies Readonly<Record<string, ModeControls>>;
export type Mode = keyof typeof modes;
export const modeNames = Object.keys(modes) as Mode[];

export const conditionModes = ['full', 'prefix', 'suffix', 'contains', 'gt', 'gte', 'lt', 'lte', 'exists'] as const;
export type ConditionMode = (typeof conditionModes)[number];

/** The members of a refusal that the operator writes. */
export const refusalNames = ['message', 'status_code', 'code', 'type'] as const;
type RefusalTexts = Readonly<Record<(typeof refusalNames)[number], string>>;

export interface ConditionRow {
  /** Tells rows apart wherever they stand. */
  readonly id: string;
  readonly source: Members;
  readonly path: string;
  readonly mode: ConditionMode;
  /** JSON; "" for none. */
  readonly value: string;
  readonly invert: boolean;
  readonly pass_missing_key: boolean;
}

export interface OperationRow {
  readonly kind: 'operation';
  readonly id: string;
  /** As it was read, less what another mode had no use for. */
  readonly source: Members;
  readonly mode: Mode;
  readonly path: string;
  readonly from: string;
  readonly to: string;
  /** JSON or plain text, as the mode has it. */
  readonly value: string;
  readonly refusal: RefusalTexts;
  readonly keep_origin: boolean;
  readonly logic: 'OR' | 'AND';
  readonly conditions: readonly ConditionRow[];
}

/** An operation as its JSON. */
export interface JsonRow {
  readonly kind: 'json';
  readonly id: string;
  readonly text: string;
}

export type OverrideRow = OperationRow | JsonRow;

/** An override that is being edited. */
export interface OverrideDraft {
  /** It was an object of names and values, and is written as one for as long as its rows are no more than that. */
  readonly isFlat: boolean;
  /** What stood beside `operations`, which no call reads. */
  readonly beside: Members;
  readonly rows: readonly OverrideRow[];
}

/** The draft of a text; undefined for a text that is no JSON object, which has to be mended as text first. */
export function readOverride(text: string): OverrideDraft | undefined {
  if (text.trim() === '') return { isFlat: false, beside: {}, rows: [] };
  const members = parseObject(text);
  if (members === undefined) return undefined;
  const { operations, ...beside } = members;
  if (Array.isArray(operations)) return { isFlat: false, beside, rows: operations.map(readRow) };
  const rows = Object.entries(members).map(([name, value]) => readRow({ mode: 'set', path: pathOf(name), value }));
  return { isFlat: true, beside: {}, rows };
}

/** The text of a draft; "" for no rows. Only for a draft without a mistake. */
export function overrideText({ isFlat, beside, rows }: OverrideDraft): string {
  const operations = rows.map((row) => (row.kind === 'json' ? JSON.parse(row.text) : operationOf(row)));
  if (operations.length === 0 && Object.keys(beside).length === 0) return '';
  const names = rows.map(plainName);
  // A name given twice has no place in an object; nor has `operations`, whose list would be taken for rows.
  const isStillFlat = isFlat && new Set(names).size === names.length && !names.some((name) => name === undefined);
  const whole = isStillFlat
    ? Object.fromEntries(operations.map((operation, index) => [names[index], operation.value]))
    : { ...beside, operations };
  return JSON.stringify(whole, null, 2);
}

/** What a new row of the list starts as. */
export function newRow(): OperationRow {
  return operationRow({ mode: 'set' }, 'set');
}

export function newCondition(): ConditionRow {
  return conditionRow({}, 'full');
}

/** The row under another mode; members that only the old one had are gone, unknown ones stay. */
export function withMode(row: OperationRow, mode: Mode): OperationRow {
  const { path: _path, from: _from, to: _to, value: _value, keep_origin: _keep, ...source } = row.source;
  const [old, next]: readonly ModeControls[] = [modes[row.mode], modes[mode]];
  // What is a text in one is JSON in the other.
  const value = old?.value === next?.value ? row.value : '';
  return { ...row, source, mode, value };
}

/** The list with its row at `index` moved by one place; the same list at either end. */
export function moved<Row>(rows: readonly Row[], index: number, by: -1 | 1): readonly Row[] {
  const row = rows[index];
  if (row === undefined || rows[index + by] === undefined) return rows;
  const next = rows.filter((_, at) => at !== index);
  next.splice(index + by, 0, row);
  return next;
}

/** Members that no control of the row shows. */
export function keptMembers({ source, mode }: OperationRow): string[] {
  const controls: ModeControls = modes[mode];
  const shown = [
    ...['mode', 'conditions', 'logic'],
    ...(controls.path ? ['path'] : []),
    ...(controls.ends ? ['from', 'to'] : []),
    ...(controls.value ? ['value'] : []),
    ...(controls.keepOrigin ? ['keep_origin'] : []),
  ];
  return Object.keys(source).filter((name) => !shown.includes(name));
}

/** What conditions may read beside the body; the model of a sample is its own. */
const factNames = [
  'user_group',
  'using_group',
  'original_model',
  'upstream_model',
  'retry_index',
  'channel_id',
] as const;
export type FactName = (typeof factNames)[number];

/** The facts that the rows' conditions read. */
export function factsRead(rows: readonly OverrideRow[]): FactName[] {
  const conditions = rows.flatMap((row) => (row.kind === 'operation' ? row.conditions : []));
  return factNames.filter((name) => conditions.some(({ path }) => path === name));
}

/** Facts for the preview, of the texts of their fields; an empty one is not there. */
export function factsOf(texts: Readonly<Partial<Record<FactName, string>>>, names: readonly FactName[]) {
  const filled = names.flatMap((name) => {
    const text = texts[name]?.trim() ?? '';
    if (text === '') return [];
    return [[name, name === 'retry_index' || name === 'channel_id' ? Number(text) : text] as const];
  });
  return Object.fromEntries(filled);
}

/** Members of the rows whose text cannot be written, such as `value` or `conditions.0.value`, by the row's id. */
export function mistakesOf(rows: readonly OverrideRow[]): ReadonlyMap<string, readonly string[]> {
  const mistakes = rows.map((row): [string, string[]] => {
    if (row.kind === 'json') return [row.id, isJson(row.text) ? [] : ['json']];
    const controls: ModeControls = modes[row.mode];
    const ofConditions = row.conditions.flatMap(({ mode, value }, index) =>
      mode === 'exists' || value.trim() === '' || isJson(value) ? [] : [`conditions.${index}.value`],
    );
    const isValueWrong = controls.value === 'json' && row.value.trim() !== '' && !isJson(row.value);
    const status = row.refusal.status_code.trim();
    const isStatusWrong = controls.value === 'refusal' && status !== '' && !/^\d{1,6}$/.test(status);
    return [
      row.id,
      [...(isValueWrong ? ['value'] : []), ...(isStatusWrong ? ['value.status_code'] : []), ...ofConditions],
    ];
  });
  return new Map(mistakes.filter(([, members]) => members.length > 0));
}

/**
 * Which row a refusal of the server names, and which member of it; undefined where it is about the whole.
 * @param field such as `param_override.operations.0.path`, or `param_override.top_k` of a flat object
 */
export function refusedPlace(
  field: string | undefined,
  rows: readonly OverrideRow[],
): { readonly id: string; readonly member: string } | undefined {
  const place = /^param_override\.(.+)$/s.exec(field ?? '')?.[1];
  if (place === undefined) return undefined;
  const [, index, member] = /^operations\.(\d+)(?:\.(.*))?$/s.exec(place) ?? [];
  const row = index === undefined ? rows.find((one) => plainName(one) === place) : rows[Number(index)];
  return row && { id: row.id, member: member ?? '' };
}

/** The place of a refusal by the numbers that the dialog shows, which count from 1; undefined for what is no operation. */
export function shownPlace(
  field: string,
): { readonly operation: number; readonly condition: number | undefined; readonly member: string } | undefined {
  const found = /^param_override\.operations\.(\d+)(?:\.conditions\.(\d+))?(?:\.(.*))?$/s.exec(field);
  if (!found) return undefined;
  const [, operation, condition, member = ''] = found;
  return {
    operation: Number(operation) + 1,
    condition: condition === undefined ? undefined : Number(condition) + 1,
    member,
  };
}

function readRow(entry: unknown): OverrideRow {
  const row = isMembers(entry) ? rowOf(entry) : undefined;
  return row ?? { kind: 'json', id: randomId(), text: JSON.stringify(entry, null, 2) };
}

/** Undefined where some member is of another kind than its control. */
function rowOf(entry: Members): OperationRow | undefined {
  const mode = modeNames.find((name) => name === entry.mode);
  if (mode === undefined) return undefined;
  const controls: ModeControls = modes[mode];
  const { path, from, to, value, keep_origin: keep, logic, conditions } = entry;
  const areTexts = [path, from, to].every((member) => member === undefined || typeof member === 'string');
  const isValueTold =
    value === undefined ||
    (controls.value !== 'text' && controls.value !== 'refusal') ||
    (controls.value === 'text' ? typeof value === 'string' : isRefusal(value));
  const isLogic = logic === undefined || logic === 'OR' || logic === 'AND';
  const list = conditions === undefined || Array.isArray(conditions) ? (conditions ?? []) : [conditions];
  if (!areTexts || !isValueTold || !isFlag(keep) || !isLogic || !list.every(isCondition)) return undefined;
  return operationRow(entry, mode);
}

function operationRow(source: Members, mode: Mode): OperationRow {
  const { path = '', from = '', to = '', value, keep_origin: keep, logic, conditions = [] } = source;
  const controls: ModeControls = modes[mode];
  const refusal: Members = controls.value === 'refusal' && isMembers(value) ? value : {};
  const texts = refusalNames.map((name) => [name, String(refusal[name] ?? '')]);
  return {
    kind: 'operation',
    id: randomId(),
    source,
    mode,
    path: String(path),
    from: String(from),
    to: String(to),
    value: controls.value === 'json' ? jsonText(value) : typeof value === 'string' ? value : '',
    refusal: Object.fromEntries(texts) as RefusalTexts,
    keep_origin: keep === true,
    logic: logic === 'AND' ? 'AND' : 'OR',
    // A single condition is often written without its list.
    conditions: [conditions].flat().flatMap((entry) => (isCondition(entry) ? conditionRow(entry, entry.mode) : [])),
  };
}

function conditionRow(source: Members, mode: ConditionMode = 'full'): ConditionRow {
  const { path = '', value, invert, pass_missing_key: passes } = source;
  return {
    id: randomId(),
    source,
    path: String(path),
    mode,
    value: jsonText(value),
    invert: invert === true,
    pass_missing_key: passes === true,
  };
}

function operationOf(row: OperationRow): Members {
  const controls: ModeControls = modes[row.mode];
  const { source } = row;
  return written(source, {
    mode: row.mode,
    ...(controls.path ? { path: row.path } : {}),
    ...(controls.ends ? { from: row.from, to: row.to } : {}),
    ...(controls.value === 'text' ? { value: unless('', row.value, source.value) } : {}),
    ...(controls.value === 'json' ? { value: valueIn(row.value) } : {}),
    ...(controls.value === 'refusal' ? { value: refusalOf(row) } : {}),
    ...(controls.keepOrigin ? { keep_origin: unless(false, row.keep_origin, source.keep_origin) } : {}),
    logic: unless('OR', row.logic, source.logic),
    conditions: row.conditions.length === 0 && source.conditions === undefined ? undefined : conditionsOf(row),
  });
}

function conditionsOf({ conditions }: OperationRow): Members[] {
  return conditions.map(({ source, path, mode, value, invert, pass_missing_key: passes }) =>
    written(source, {
      path,
      mode: unless('full', mode, source.mode),
      value: mode === 'exists' ? source.value : valueIn(value),
      invert: unless(false, invert, source.invert),
      pass_missing_key: unless(false, passes, source.pass_missing_key),
    }),
  );
}

function refusalOf({ refusal, source }: OperationRow): Members {
  const old = isMembers(source.value) ? source.value : {};
  const { message, status_code: status, code, type } = refusal;
  return written(old, {
    message,
    status_code: status.trim() === '' ? undefined : Number(status),
    // A code that was a number stays one.
    code: code === '' ? undefined : code === String(old.code) ? old.code : code,
    type: type === '' ? undefined : type,
  });
}

/** In the order in which it was read; members that are undefined are left out. */
function written(source: Members, changed: Members): Members {
  return Object.fromEntries(Object.entries({ ...source, ...changed }).filter(([, value]) => value !== undefined));
}

/** What goes without saying is said only where it was. */
function unless<Value>(usual: Value, value: Value, old: unknown): Value | undefined {
  return value === usual && old === undefined ? undefined : value;
}

/** The name that a row sets in a flat object; undefined for a row that is more than that. */
function plainName(row: OverrideRow): string | undefined {
  if (row.kind === 'json' || row.mode !== 'set' || row.keep_origin) return undefined;
  if (row.conditions.length > 0 || keptMembers(row).length > 0 || row.value.trim() === '') return undefined;
  const name = row.path.replaceAll('\\.', '.');
  return pathOf(name) === row.path && name !== '' && name !== 'operations' ? name : undefined;
}

/** The path of a name: its dots lead nowhere. */
function pathOf(name: string): string {
  return name.replaceAll('.', '\\.');
}

/** "" for none. */
function jsonText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, typeof value === 'object' ? 2 : 0);
}

function valueIn(text: string): unknown {
  return text.trim() === '' ? undefined : JSON.parse(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isFlag(value: unknown): value is boolean | undefined {
  return value === undefined || typeof value === 'boolean';
}

function isRefusal(value: unknown): boolean {
  if (!isMembers(value)) return false;
  const { message, status_code: status, code, type } = value;
  const isText = (member: unknown) => member === undefined || typeof member === 'string';
  const isStatus = status === undefined || (Number.isInteger(status) && Number(status) >= 0);
  return isText(message) && isText(type) && isStatus && (isText(code) || typeof code === 'number');
}

function isCondition(value: unknown): value is Members & { readonly mode?: ConditionMode } {
  if (!isMembers(value)) return false;
  const { path, mode, invert, pass_missing_key: passes } = value;
  const isMode = mode === undefined || conditionModes.some((name) => name === mode);
  return isMode && (path === undefined || typeof path === 'string') && isFlag(invert) && isFlag(passes);
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
