/** What an audit row says of itself: its object's place in the console, one line, and old and new where it has both. Pure. */
import { changedRows, type DiffRow } from '../../components/diff-values.ts';

/** Acts with a name in the catalogue; a newer daemon may have others. */
export const knownActions = [
  'alert.set',
  'budget.delete',
  'budget.set',
  'channel.cooling_clear',
  'channel.copy',
  'channel.create',
  'channel.delete',
  'channel.disable',
  'channel.enable',
  'channel.export_keys',
  'channel.fix',
  'channel.import',
  'channel.key_cap',
  'channel.key_disable',
  'channel.key_enable',
  'channel.key_read',
  'channel.key_remove',
  'channel.keys_add',
  'channel.model_disable',
  'channel.model_enable',
  'channel.tag',
  'channel.tag_disable',
  'channel.tag_edit',
  'channel.tag_enable',
  'channel.update',
  'cli_sign_in.approve',
  'cli_sign_in.deny',
  'ledger.invalid-amount',
  'ledger.rejected',
  'log.content_read',
  'log.delete',
  'machine_token.create',
  'machine_token.revoke',
  'machine_token.rotate',
  'mail.test',
  'option.set',
  'order.complete',
  'order.query',
  'price.rerate',
  'price.rollback',
  'rate_rule.delete',
  'rate_rule.set',
  'passkey.add',
  'passkey.remove',
  'redemption.create',
  'redemption.delete',
  'redemption.disable',
  'redemption.enable',
  'redemption.update',
  'session.end',
  'session.open',
  'state.adopt',
  'state.create',
  'state.delete',
  'state.forget',
  'state.update',
  'system.import',
  'system.restore',
  'system.setup',
  'two_factor.disable',
  'two_factor.enable',
  'two_factor.recovery_codes',
  'two_factor.reset',
  'user.access_token',
  'user.bind',
  'user.create',
  'user.delete',
  'user.demote',
  'user.disable',
  'user.enable',
  'user.promote',
  'user.purge',
  'user.quota',
  'user.reset',
  'user.self_delete',
  'user.self_update',
  'user.update',
] as const;

/** Key in the catalogue: what a point would nest is cut by a line instead. */
export function actionKey(action: string): string | undefined {
  return knownActions.some((known) => known === action) ? action.replace(/[.-]/g, '_') : undefined;
}

export interface TargetPlace {
  readonly address: string;
  /** The settings are a document of their own. */
  readonly isOwnDocument?: boolean;
}

/** Where the console shows the object of a row; undefined where it does not. */
export function placeOf(target: string): TargetPlace | undefined {
  const [, kind = '', id = ''] = /^([a-z]+):(.+)$/s.exec(target) ?? [];
  const isNumber = /^[1-9]\d*$/.test(id);
  switch (kind) {
    case 'channel':
      return isNumber ? { address: `/channel/edit/${id}` } : undefined;
    case 'user':
      return isNumber ? { address: `/user/edit/${id}` } : undefined;
    case 'order':
      return { address: `/order?keyword=${encodeURIComponent(id)}` };
    case 'redemption':
      return isNumber ? { address: `/redemption?keyword=${id}` } : undefined;
    case 'request':
      return { address: `/log?range=&request_id=${encodeURIComponent(id)}` };
    case 'option':
      return { address: `/setting?option=${encodeURIComponent(id)}`, isOwnDocument: true };
    default:
      return undefined;
  }
}

/** The members of the detail; none for a text that is no object. */
function membersOf(detail: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(detail);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

export type Change =
  /** Both are objects, compared by their members. */
  | { readonly kind: 'members'; readonly rows: readonly DiffRow[] }
  /** `lines`: texts of several lines; `value`: one of each. */
  | { readonly kind: 'lines' | 'value'; readonly before: string; readonly after: string };

/** Old and new, where the row has both. */
export function changeOf(detail: string): Change | undefined {
  const { old: before, new: after } = membersOf(detail);
  if (typeof before !== 'string' || typeof after !== 'string') return undefined;
  const [one, other] = [objectOf(before), objectOf(after)];
  if (one && other) return { kind: 'members', rows: memberRows(one, other) };
  return { kind: `${before}${after}`.includes('\n') ? 'lines' : 'value', before, after };
}

const hidden = '***';

/** Members that differ; and secrets, of which both sides are hidden and which stand there because they changed. */
function memberRows(before: object, after: object): DiffRow[] {
  const secrets = Object.entries(after)
    .filter(([name, value]) => value === hidden && Reflect.get(before, name) === hidden)
    .map(([name]) => ({ name, before: hidden, after: hidden }));
  return [...changedRows(before, after, []), ...secrets];
}

function objectOf(text: string): object | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const longestPart = 60;
const longestLine = 160;

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return cut(text.replace(/\s+/g, ' '), longestPart);
}

const arrow = (before: unknown, after: unknown): string =>
  `${shown(before ?? '') || '""'} → ${shown(after ?? '') || '""'}`;

/** The detail in one line: what changed, then `name: value`, cut where it is long. */
export function summaryOf(detail: string): string {
  const change = changeOf(detail);
  const parts = Object.entries(restOf(detail, change))
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => `${name}: ${shown(value)}`);
  if (change?.kind === 'members')
    parts.unshift(...change.rows.map((row) => `${row.name}: ${arrow(row.before, row.after)}`));
  else if (change) parts.unshift(arrow(change.before, change.after));
  return cut(parts.join(' · '), longestLine);
}

/** The members beside old and new, without the lists of names that the change says itself. */
export function restOf(detail: string, change: Change | undefined): Readonly<Record<string, unknown>> {
  const members = membersOf(detail);
  if (change === undefined) return members;
  const { old: _old, new: _new, ...others } = members;
  if (change.kind !== 'members') return others;
  const { fields: _fields, changed: _changed, ...rest } = others;
  return rest;
}
