/**
 * Every page once: path, code, who may see it, where the side bar shows it. Router, side bar, palette and the browser
 * tests derive from this table (console.md 4.2, 4.9).
 */
import type { ComponentType } from 'react';
import type { LoginView } from '../daemon/contract/account.ts';
import type { StatusView } from '../daemon/contract/status.ts';
import { isAdmin } from './session/session.ts';

export type Access = 'public' | 'user' | 'admin';
export type MenuGroup = 'chat' | 'console' | 'admin' | 'personal';

export interface PageEntry {
  readonly path: string;
  /** Module under `pages/` that exports `Page`. */
  readonly module: string;
  readonly access: Access;
  /** Key of the title in the `frame` catalogue, under `page`. */
  readonly title: string;
  /** Absent: not in the side bar. */
  readonly menu?: MenuGroup;
  /** Of `shell/page-icons.tsx`. */
  readonly icon?: string;
  /** `hidden` where the page takes the whole width. */
  readonly sideBar?: 'hidden';
  /** Links lead here by a document of its own, since it is served under another content policy. */
  readonly document?: 'own';
  /** Absent: always shown to those who may see it. */
  readonly visible?: (status: StatusView, user: LoginView | undefined) => boolean;
}

export const pages: readonly PageEntry[] = [
  { path: '/', module: 'front/home-page', access: 'public', title: 'home', sideBar: 'hidden' },
  { path: '/setup', module: 'front/setup-page', access: 'public', title: 'setup', sideBar: 'hidden' },
  { path: '/login', module: 'front/login-page', access: 'public', title: 'login' },
  { path: '/register', module: 'front/register-page', access: 'public', title: 'register' },
  { path: '/reset', module: 'front/reset-page', access: 'public', title: 'reset' },
  { path: '/user/reset', module: 'front/reset-confirm-page', access: 'public', title: 'reset' },
  { path: '/oauth/:provider', module: 'front/oauth-page', access: 'public', title: 'oauth' },
  { path: '/cli', module: 'front/cli-page', access: 'user', title: 'cli', sideBar: 'hidden' },
  { path: '/pricing', module: 'pricing/pricing-page', access: 'public', title: 'pricing' },
  { path: '/about', module: 'front/about-page', access: 'public', title: 'about' },
  {
    path: '/playground',
    module: 'playground/playground-page',
    access: 'user',
    title: 'playground',
    menu: 'chat',
    icon: 'playground',
  },
  { path: '/chat', module: 'chat/chat-page', access: 'user', title: 'chat', sideBar: 'hidden' },
  { path: '/chat/:id', module: 'chat/chat-page', access: 'user', title: 'chat', sideBar: 'hidden' },
  { path: '/chat2link', module: 'chat/chat-link-page', access: 'user', title: 'chat', sideBar: 'hidden' },
  {
    path: '/detail',
    module: 'dashboard/dashboard-page',
    access: 'user',
    title: 'dashboard',
    menu: 'console',
    icon: 'dashboard',
    visible: (status) => status.enable_data_export,
  },
  { path: '/token', module: 'tokens/tokens-page', access: 'user', title: 'tokens', menu: 'console', icon: 'tokens' },
  { path: '/log', module: 'logs/logs-page', access: 'user', title: 'log', menu: 'console', icon: 'log' },
  {
    path: '/midjourney',
    module: 'works/drawings-page',
    access: 'user',
    title: 'drawings',
    menu: 'console',
    icon: 'drawings',
    visible: (status) => status.enable_drawing,
  },
  {
    path: '/task',
    module: 'works/tasks-page',
    access: 'user',
    title: 'tasks',
    menu: 'console',
    icon: 'tasks',
    visible: (status) => status.enable_task,
  },
  {
    path: '/channel',
    module: 'channels/channels-page',
    access: 'admin',
    title: 'channels',
    menu: 'admin',
    icon: 'channels',
  },
  { path: '/channel/add', module: 'channels/channels-page', access: 'admin', title: 'channels' },
  { path: '/channel/edit/:id', module: 'channels/channels-page', access: 'admin', title: 'channels' },
  {
    path: '/redemption',
    module: 'redemptions/redemptions-page',
    access: 'admin',
    title: 'redemptions',
    menu: 'admin',
    icon: 'redemptions',
  },
  { path: '/user', module: 'users/users-page', access: 'admin', title: 'users', menu: 'admin', icon: 'users' },
  { path: '/user/edit', module: 'users/users-page', access: 'admin', title: 'users' },
  { path: '/user/edit/:id', module: 'users/users-page', access: 'admin', title: 'users' },
  { path: '/order', module: 'orders/orders-page', access: 'admin', title: 'orders', menu: 'admin', icon: 'orders' },
  { path: '/audit', module: 'audit/audit-page', access: 'admin', title: 'audit', menu: 'admin', icon: 'audit' },
  { path: '/system', module: 'health/health-page', access: 'admin', title: 'health', menu: 'admin', icon: 'health' },
  {
    path: '/setting',
    module: 'settings/settings-page',
    access: 'admin',
    title: 'settings',
    menu: 'admin',
    icon: 'settings',
    document: 'own',
  },
  {
    path: '/reference',
    module: 'reference/reference-page',
    access: 'public',
    title: 'reference',
    menu: 'console',
    icon: 'reference',
  },
  { path: '/topup', module: 'wallet/wallet-page', access: 'user', title: 'wallet', menu: 'personal', icon: 'wallet' },
  {
    path: '/personal',
    module: 'personal/personal-page',
    access: 'user',
    title: 'personal',
    menu: 'personal',
    icon: 'personal',
  },
];

/** Pages and drawings of the not-found kind are no entry: every other path is one. */
export const notFound: PageEntry = { path: '*', module: 'front/not-found-page', access: 'public', title: 'notFound' };

export type PageModule = { readonly Page: ComponentType };

const modules = import.meta.glob<PageModule>('./pages/**/*-page.tsx');

/** Loads the code of a page; undefined for one that is not built. */
export function loaderOf({ module }: PageEntry): (() => Promise<PageModule>) | undefined {
  return modules[`./pages/${module}.tsx`];
}

export function mayOpen({ access }: PageEntry, user: LoginView | undefined): boolean {
  return access === 'public' || (access === 'user' ? user !== undefined : isAdmin(user));
}
