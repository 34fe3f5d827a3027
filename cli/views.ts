/** Columns and fields of each resource (cli.md 1.2, 3). Keys are masked here unless a command reveals them. */
import { roles } from '../daemon/contract/roles.ts';
import type { CommandContext } from './context.ts';
import type { Column, View } from './output/columns.ts';

/** First four and last four characters. */
export function maskKey(key: string): string {
  return key.length <= 8 ? '****' : `${key.slice(0, 4)}****${key.slice(-4)}`;
}

export interface UserRow {
  id: number;
  username: string;
  group: string;
  role: number;
  status: number;
  quota: number;
  used_quota: number;
  request_count: number;
  DeletedAt: string | null;
}

const roleNames = new Map<number, string>(Object.entries(roles).map(([name, role]) => [role, name]));
const userStatuses: Readonly<Record<number, string>> = { 1: 'enabled', 2: 'disabled', 3: 'unavailable' };

/** A word for a role. */
export function roleOf({ role }: { readonly role: number }): string {
  return roleNames.get(role) ?? String(role);
}

/** A word for the state of an account that is not deleted. */
export function userStatusOf({ status }: { readonly status: number }): string {
  return userStatuses[status] ?? String(status);
}

export function userView(context: CommandContext): View<UserRow> {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'ID', value: (row) => row.id, align: 'right', priority: 1 },
      { heading: 'NAME', value: (row) => row.username, priority: 1 },
      { heading: 'GROUP', value: (row) => row.group },
      { heading: 'ROLE', unit: 'word', value: roleOf },
      {
        heading: 'STATUS',
        unit: 'word',
        value: (row) => (row.DeletedAt ? 'deleted' : userStatusOf(row)),
        priority: 2,
      },
      { heading: 'BALANCE', unit: 'money', value: (row) => money(row.quota), align: 'right', priority: 3 },
      { heading: 'USED', unit: 'money', value: (row) => money(row.used_quota), align: 'right', priority: 6 },
      { heading: 'REQUESTS', value: (row) => row.request_count, align: 'right', priority: 7 },
    ],
    jsonMembers: ['setting'],
    id: (row) => row.id,
  };
}

export interface TokenRow {
  id: number;
  name: string;
  key: string;
  status: number;
  remain_quota: number;
  used_quota: number;
  unlimited_quota: boolean;
  expired_time: number;
  group: string;
  model_limits: string;
  model_mapping: string;
  quota_warning_threshold: number;
  rpm_limit: number;
  tpm_limit: number;
  concurrency_limit: number;
}

export const tokenStatuses: Readonly<Record<number, string>> = {
  1: 'enabled',
  2: 'disabled',
  3: 'expired',
  4: 'exhausted',
};

export function tokenView(context: CommandContext): View<TokenRow> {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'ID', value: (row) => row.id, align: 'right', priority: 1 },
      { heading: 'NAME', value: (row) => row.name, priority: 1 },
      { heading: 'KEY', value: (row) => `sk-${row.key}`, priority: 4 },
      { heading: 'STATUS', unit: 'word', value: (row) => tokenStatuses[row.status] ?? row.status, priority: 2 },
      {
        heading: 'LEFT',
        unit: 'money',
        value: (row) => (row.unlimited_quota ? 'unlimited' : money(row.remain_quota)),
        align: 'right',
        priority: 3,
      },
      { heading: 'USED', unit: 'money', value: (row) => money(row.used_quota), align: 'right', priority: 5 },
      {
        heading: 'EXPIRES',
        unit: 'time',
        value: (row) => (row.expired_time === -1 ? 'never' : context.timeText(row.expired_time)),
        priority: 6,
      },
      { heading: 'GROUP', value: (row) => row.group, priority: 7 },
      { heading: 'MODELS', value: (row) => row.model_limits, priority: 8 },
      { heading: 'MAPPING', value: (row) => row.model_mapping, priority: 9 },
      { heading: 'RPM', unit: 'word', value: (row) => row.rpm_limit || 'none', align: 'right', priority: 9 },
      { heading: 'TPM', unit: 'word', value: (row) => row.tpm_limit || 'none', align: 'right', priority: 9 },
      {
        heading: 'CONCURRENT',
        unit: 'word',
        value: (row) => row.concurrency_limit || 'none',
        align: 'right',
        priority: 9,
      },
      {
        heading: 'WARN',
        unit: 'money',
        value: ({ quota_warning_threshold: below }) => (below < 0 ? 'account' : below === 0 ? 'never' : money(below)),
        priority: 9,
      },
    ],
    id: (row) => row.id,
    jsonMembers: ['model_mapping'],
  };
}

export interface ChannelRow {
  id: number;
  name: string;
  type: number;
  status: number;
  group: string;
  priority: number;
  weight: number;
  models: string;
  response_time: number;
  balance: number;
  used_quota: number;
  tag: string | null;
  key: string;
  base_url: string;
  /** Seconds; 0 = not cooling. */
  cooling: number;
}

/** A word for the state of a channel or of one of its keys. */
export function channelStatus(row: { readonly status: number; readonly cooling: number }): string {
  if (row.status === 1 && row.cooling > 0) return 'cooling';
  return channelStatuses[row.status] ?? String(row.status);
}

const channelStatuses: Readonly<Record<number, string>> = { 0: 'unknown', 1: 'enabled', 2: 'disabled', 3: 'auto' };

export async function channelView(context: CommandContext): Promise<View<ChannelRow>> {
  const money = context.moneyCells();
  const { findChannelType } = await import('../daemon/contract/channel-types.ts');
  const columns: Column<ChannelRow>[] = [
    { heading: 'ID', value: (row) => row.id, align: 'right', priority: 1 },
    { heading: 'NAME', value: (row) => row.name, priority: 1 },
    { heading: 'TYPE', value: (row) => findChannelType(row.type)?.name ?? row.type, priority: 3 },
    { heading: 'STATUS', unit: 'word', value: channelStatus, priority: 2 },
    { heading: 'GROUP', value: (row) => row.group, priority: 5 },
    { heading: 'PRI', value: (row) => row.priority, align: 'right', priority: 6 },
    { heading: 'WT', value: (row) => row.weight, align: 'right', priority: 6 },
    { heading: 'MODELS', value: (row) => row.models, priority: 4 },
    { heading: 'MS', value: (row) => row.response_time || '', align: 'right', priority: 7 },
    { heading: 'BALANCE', value: (row) => row.balance || '', align: 'right', priority: 8 },
    { heading: 'USED', unit: 'money', value: (row) => money(row.used_quota), align: 'right', priority: 8 },
    { heading: 'TAG', value: (row) => row.tag, priority: 9 },
  ];
  return {
    columns,
    jsonMembers: ['model_mapping', 'status_code_mapping', 'setting', 'param_override', 'other_info'],
    hidden: ['key'],
    id: (row) => row.id,
  };
}

export interface LogRow {
  id: number;
  request_id: string;
  created_at: number;
  type: number;
  username: string;
  token_name: string;
  model_name: string;
  group: string;
  channel: number;
  prompt_tokens: number;
  completion_tokens: number;
  use_time: number;
  quota: number;
  content: string;
  other: string;
}

/** Seconds until the first token, out of a row's `other`; "" where it says none. */
export function firstTokenSeconds(other: string): string {
  const found = /"frt":(\d+)/.exec(other)?.[1];
  return found === undefined ? '' : (Number(found) / 1000).toFixed(1);
}

export function logView(context: CommandContext): View<LogRow> {
  const money = context.moneyCells();
  return {
    columns: [
      { heading: 'TIME', unit: 'time', value: (row) => context.agoText(row.created_at), priority: 1 },
      { heading: 'USER', value: (row) => row.username, priority: 5 },
      { heading: 'TOKEN', value: (row) => row.token_name, priority: 6 },
      { heading: 'MODEL', value: (row) => row.model_name, priority: 2 },
      { heading: 'CH', value: (row) => row.channel || '', align: 'right', priority: 7 },
      { heading: 'IN', value: (row) => row.prompt_tokens, align: 'right', priority: 3 },
      { heading: 'OUT', value: (row) => row.completion_tokens, align: 'right', priority: 3 },
      { heading: 'S', value: (row) => row.use_time, align: 'right', priority: 7 },
      { heading: 'FIRST', value: (row) => firstTokenSeconds(row.other), align: 'right', priority: 8 },
      { heading: '$', unit: 'money', value: (row) => money(row.quota), align: 'right', priority: 2 },
      { heading: 'NOTE', value: (row) => row.content, priority: 9 },
    ],
    jsonMembers: ['other'],
    id: (row) => row.request_id || row.id,
  };
}
