/** What the owner of a log row may see of it (relay.md 16.2, management-api.md 3.14). */
import type { LogRecord } from '../store/logs.ts';

/** Rows are shown to users under an opaque small number that is no key. */
const SHOWN_IDS = 1024;

/** Members of `other` that no user sees. */
const HIDDEN = ['admin_info'] as const;
const MAPPED_MODEL = 'upstream_model_name';

/**
 * The row without channel, cost, operator's facts and true id.
 * @param options.mappedModel `hidden` removes the name sent upstream too (option `HideMappedModel`).
 */
export function userLogView(row: LogRecord, options: { readonly mappedModel: 'shown' | 'hidden' }): LogRecord {
  const hidden: readonly string[] = options.mappedModel === 'hidden' ? [...HIDDEN, MAPPED_MODEL] : HIDDEN;
  return { ...row, id: row.id % SHOWN_IDS, channelId: 0, cost: 0, other: withoutMembers(row.other, hidden) };
}

/** Text that is no JSON object is dropped rather than shown unread. */
function withoutMembers(text: string, names: readonly string[]): string {
  if (text === '') return '';
  let members: unknown;
  try {
    members = JSON.parse(text);
  } catch {
    return '';
  }
  if (typeof members !== 'object' || members === null || Array.isArray(members)) return '';
  return JSON.stringify(Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name))));
}
