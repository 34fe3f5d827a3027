/** The screens there are, in the order of their tabs; the digit of a screen stays its own, whatever is shown beside it. */
import { roles } from '../../daemon/contract/roles.ts';
import { type Bilingual, both } from '../language.ts';

export type ScreenId = 'overview' | 'channels' | 'users' | 'tokens' | 'codes' | 'logs' | 'settings' | 'account';
/** What is opened over a screen, and closed again. */
export type PageId = 'palette' | 'output' | 'sign-in' | 'channel-keys' | 'batch-codes';

export interface ScreenEntry {
  readonly id: ScreenId;
  /** The digit that opens it. */
  readonly digit: string;
  readonly title: Bilingual;
  /** Who may see it. */
  readonly access: 'admin' | 'user' | 'no admin';
}

export const screenTable: readonly ScreenEntry[] = [
  { id: 'overview', digit: '1', title: both('Overview', '概览'), access: 'user' },
  { id: 'channels', digit: '2', title: both('Channels', '渠道'), access: 'admin' },
  { id: 'users', digit: '3', title: both('Users', '用户'), access: 'admin' },
  { id: 'tokens', digit: '4', title: both('Tokens', '令牌'), access: 'user' },
  { id: 'codes', digit: '5', title: both('Codes', '兑换码'), access: 'admin' },
  { id: 'logs', digit: '6', title: both('Logs', '日志'), access: 'user' },
  { id: 'settings', digit: '7', title: both('Settings', '设置'), access: 'admin' },
  { id: 'account', digit: '7', title: both('Account', '账户'), access: 'no admin' },
];

/** The screens of somebody with this role. */
export function screensFor(role: number): readonly ScreenEntry[] {
  const own = role >= roles.admin ? 'admin' : 'no admin';
  return screenTable.filter(({ access }) => access === 'user' || access === own);
}
