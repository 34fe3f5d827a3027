/** What an audit row says of itself: its object's place in the console, one line, and old and new where it has both. Pure. */

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
  'price.rollback',
  'rate_rule.delete',
  'rate_rule.set',
  'passkey.add',
  'passkey.remove',
  'session.end',
  'session.open',
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
    case 'request':
      return { address: `/log?request_id=${encodeURIComponent(id)}` };
    case 'option':
      return { address: `/setting?option=${encodeURIComponent(id)}`, isOwnDocument: true };
    default:
      return undefined;
  }
}

/** The members of the detail; none for a text that is no object. */
export function membersOf(detail: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(detail);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

export interface Change {
  /** `members`: both are objects, compared by their members; `lines`: texts of several lines; `value`: one of each. */
  readonly kind: 'members' | 'lines' | 'value';
  readonly before: unknown;
  readonly after: unknown;
}

/** Old and new, where the row has both. */
export function changeOf(detail: string): Change | undefined {
  const { old: before, new: after } = membersOf(detail);
  if (typeof before !== 'string' || typeof after !== 'string') return undefined;
  const [one, other] = [objectOf(before), objectOf(after)];
  if (one && other) return { kind: 'members', before: one, after: other };
  return { kind: `${before}${after}`.includes('\n') ? 'lines' : 'value', before, after };
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

/** The detail in one line: `old → new`, else `name: value`, cut where it is long. */
export function summaryOf(detail: string): string {
  const members = membersOf(detail);
  const { old: before, new: after, ...others } = members;
  const hasChange = typeof before === 'string' && typeof after === 'string';
  const parts = Object.entries(hasChange ? others : members)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => `${name}: ${shown(value)}`);
  if (hasChange) parts.unshift(`${shown(before) || '""'} → ${shown(after) || '""'}`);
  return cut(parts.join(' · '), longestLine);
}
