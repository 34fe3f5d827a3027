/** The public state of the site: shown from the last visit's copy at once, then from the answer. */
import * as z from 'zod/mini';
import { StatusView } from '../../daemon/contract/status.ts';
import { readJson, writeJson, writeText } from './storage.ts';
import { Store, useStore } from './store.ts';

const statusKey = 'status';
/** Members that other tools read one by one (console.md 4.8). */
const singly = [
  'quota_per_unit',
  'display_in_currency',
  'chats',
  'enable_drawing',
  'enable_task',
  'enable_data_export',
  'data_export_default_time',
  'mj_notify_enabled',
  'footer_html',
  'system_name',
  'logo',
] as const;

function storedStatus(): StatusView | undefined {
  const parsed = z.safeParse(StatusView, readJson(statusKey));
  return parsed.success ? parsed.data : undefined;
}

export const statusStore = new Store<StatusView | undefined>(storedStatus());
/** True once this page load has heard from the server. */
export const isStatusFresh = new Store(false);

export function statusLoaded(status: StatusView): void {
  writeJson(statusKey, status);
  for (const key of singly) {
    const value = status[key];
    writeText(key, typeof value === 'string' ? value : JSON.stringify(value));
  }
  statusStore.set(status);
  isStatusFresh.set(true);
}

/** The newest known status; undefined before the first answer of a first visit. */
export const useStatus = (): StatusView | undefined => useStore(statusStore);
