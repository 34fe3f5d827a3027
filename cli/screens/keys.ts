/**
 * What keys do (cli.md 5.3): one table that the handler, the footer and the list of keys go by. A screen's actions are a
 * record over the actions of its keys, so that a key without an effect does not compile.
 */
import { roles } from '../../daemon/contract/roles.ts';
import { type Bilingual, both, type Say } from '../language.ts';
import type { PageId, ScreenId } from './screen-table.ts';

/** Screens and pages have keys. */
type TableId = ScreenId | PageId;

export interface Binding {
  /** Names as `press.ts` gives them; the first is shown. */
  readonly keys: readonly string[];
  readonly action: string;
  readonly text: Bilingual;
  /** Changes something on the server, so that a profile for reading only does not have it. */
  readonly writes?: true;
  /** For administrators alone. */
  readonly admin?: true;
}

/** Keys of every screen; the frame acts on them itself. */
export const frameKeys = [
  { keys: [']'], action: 'next-screen', text: both('next screen', '下一屏') },
  { keys: ['['], action: 'previous-screen', text: both('previous screen', '上一屏') },
  { keys: [':'], action: 'palette', text: both('command', '命令') },
  { keys: ['r'], action: 'refresh', text: both('refresh now', '立即刷新') },
  { keys: ['p'], action: 'pause', text: both('pause', '暂停') },
  { keys: ['c'], action: 'copy-command', text: both('copy the command shown', '复制所示命令') },
  { keys: ['?'], action: 'help', text: both('keys', '按键') },
  { keys: ['q'], action: 'quit', text: both('quit', '退出') },
  { keys: ['C-c'], action: 'leave', text: both('leave at once', '立即离开') },
  { keys: ['C-z'], action: 'suspend', text: both('suspend', '挂起') },
  { keys: ['C-l'], action: 'redraw', text: both('redraw', '重绘') },
] as const satisfies readonly Binding[];

const filterKey = { keys: ['/'], action: 'filter', text: both('filter', '筛选') } as const satisfies Binding;
const scrollKeys = [
  { keys: ['Up', 'k'], action: 'up', text: both('up', '上移') },
  { keys: ['Down', 'j'], action: 'down', text: both('down', '下移') },
  { keys: ['PgUp'], action: 'page-up', text: both('page up', '上一页') },
  { keys: ['PgDn'], action: 'page-down', text: both('page down', '下一页') },
  { keys: ['g', 'Home'], action: 'first', text: both('first', '首行') },
  { keys: ['G', 'End'], action: 'last', text: both('last', '末行') },
] as const satisfies readonly Binding[];
const listKeys = [
  ...scrollKeys,
  { keys: ['Enter'], action: 'open', text: both('open', '打开') },
  { keys: ['Tab', 'S-Tab'], action: 'pane', text: both('other pane', '切换窗格') },
  { keys: ['Esc'], action: 'back', text: both('back, or no filter', '返回或清除筛选') },
] as const satisfies readonly Binding[];

export const screenKeys = {
  overview: [
    { ...filterKey, admin: true },
    ...scrollKeys,
    { keys: ['Enter'], action: 'open', text: both('open', '打开'), admin: true },
    { keys: ['Esc'], action: 'back', text: both('no filter', '清除筛选'), admin: true },
  ],
  channels: [
    { keys: ['Space'], action: 'select', text: both('select', '选择') },
    { keys: ['t'], action: 'test', text: both('test', '测试'), writes: true },
    { keys: ['x'], action: 'switch', text: both('enable/disable', '启用/禁用'), writes: true },
    { keys: ['e'], action: 'edit', text: both('edit', '编辑'), writes: true },
    { keys: ['n'], action: 'new', text: both('new', '新建'), writes: true },
    { keys: ['K'], action: 'keys', text: both('keys', '密钥') },
    { keys: ['b'], action: 'balance', text: both('balance', '余额'), writes: true },
    { keys: ['w'], action: 'why', text: both('why', '路由') },
    { keys: ['m'], action: 'models', text: both('models', '模型差异') },
    { keys: ['#'], action: 'tag', text: both('tag', '标签'), writes: true },
    { keys: ['d'], action: 'delete', text: both('delete', '删除'), writes: true },
    filterKey,
    { keys: ['T'], action: 'test-all', text: both('test all', '测试全部'), writes: true },
    { keys: ['a'], action: 'select-all', text: both('all', '全选') },
    { keys: ['s'], action: 'sort', text: both('sort', '排序') },
    { keys: ['E'], action: 'export', text: both('export', '导出') },
    { keys: ['y'], action: 'copy', text: both('copy keys', '复制密钥'), writes: true },
    { keys: ['o'], action: 'browse', text: both('console', '控制台') },
    ...listKeys,
  ],
  users: [
    { keys: ['x'], action: 'switch', text: both('enable/disable', '启用/禁用'), writes: true },
    { keys: ['+'], action: 'quota', text: both('balance', '余额'), writes: true },
    { keys: ['n'], action: 'new', text: both('new', '新建'), writes: true },
    { keys: ['P'], action: 'promote', text: both('promote', '提升'), writes: true },
    { keys: ['D'], action: 'demote', text: both('demote', '降级'), writes: true },
    { keys: ['S'], action: 'sessions', text: both('sessions', '会话') },
    { keys: ['d'], action: 'delete', text: both('delete', '删除'), writes: true },
    filterKey,
    ...listKeys,
  ],
  tokens: [
    { keys: ['n'], action: 'new', text: both('new', '新建'), writes: true },
    { keys: ['e'], action: 'edit', text: both('edit', '编辑'), writes: true },
    { keys: ['y'], action: 'copy', text: both('copy key', '复制密钥'), writes: true },
    { keys: ['t'], action: 'try', text: both('try it', '试用'), writes: true },
    { keys: ['x'], action: 'switch', text: both('enable/disable', '启用/禁用'), writes: true },
    { keys: ['d'], action: 'delete', text: both('delete', '删除'), writes: true },
    filterKey,
    ...listKeys,
  ],
  codes: [
    { keys: ['n'], action: 'new', text: both('new codes', '新建'), writes: true },
    { keys: ['x'], action: 'disable', text: both('disable unused', '禁用未使用的'), writes: true },
    { keys: ['d'], action: 'delete', text: both('delete by name', '按名称删除'), writes: true },
    { keys: ['E'], action: 'export', text: both('export by name', '按名称导出') },
    filterKey,
    { keys: ['A'], action: 'all', text: both('all codes', '全部兑换码') },
    ...listKeys,
  ],
  logs: [
    { keys: ['f'], action: 'follow', text: both('newest', '最新') },
    filterKey,
    { keys: ['y'], action: 'copy', text: both('copy id', '复制编号') },
    { keys: ['w'], action: 'why', text: both('why', '路由'), admin: true },
    { keys: ['E'], action: 'export', text: both('export', '导出') },
    ...listKeys,
  ],
  settings: [
    { keys: ['e'], action: 'edit', text: both('edit', '编辑'), writes: true },
    { keys: ['u'], action: 'unset', text: both('default', '恢复默认'), writes: true },
    filterKey,
    { keys: ['P'], action: 'profiles', text: both('profiles', '服务器配置') },
    { keys: ['D'], action: 'doctor', text: both('doctor', '诊断') },
    ...listKeys,
  ],
  account: [
    { keys: ['e'], action: 'edit', text: both('notices', '提醒设置'), writes: true },
    { keys: ['n'], action: 'redeem', text: both('redeem a code', '使用兑换码'), writes: true },
    { keys: ['b'], action: 'check-in', text: both('check in', '签到'), writes: true },
    { keys: ['w'], action: 'orders', text: both('orders', '订单') },
    { keys: ['S'], action: 'sessions', text: both('sessions', '会话') },
    { keys: ['P'], action: 'profiles', text: both('profiles', '服务器配置') },
  ],
  'channel-keys': [
    { keys: ['n'], action: 'add', text: both('add', '添加'), writes: true },
    { keys: ['t'], action: 'test', text: both('test', '测试'), writes: true },
    { keys: ['T'], action: 'test-all', text: both('test all', '测试全部'), writes: true },
    { keys: ['x'], action: 'switch', text: both('enable/disable', '启用/禁用'), writes: true },
    { keys: ['y'], action: 'copy', text: both('copy', '复制'), writes: true },
    { keys: ['d'], action: 'delete', text: both('remove', '移除'), writes: true },
    { keys: ['Space'], action: 'select', text: both('select', '选择') },
    { keys: ['a'], action: 'select-all', text: both('all', '全选') },
    { keys: ['Esc'], action: 'back', text: both('back', '返回') },
    ...scrollKeys,
  ],
  'batch-codes': [
    { keys: ['x'], action: 'switch', text: both('enable/disable', '启用/禁用'), writes: true },
    { keys: ['d'], action: 'delete', text: both('delete', '删除'), writes: true },
    filterKey,
    ...listKeys,
  ],
  // Pages that write take their keys themselves.
  palette: [],
  'sign-in': [],
  output: [
    { keys: ['Esc'], action: 'back', text: both('close', '关闭') },
    { keys: ['e'], action: 'edit', text: both('change the command', '修改命令') },
    { keys: ['o'], action: 'outside', text: both('run on the terminal', '在终端中运行') },
    ...scrollKeys,
  ],
} as const satisfies Readonly<Record<TableId, readonly Binding[]>>;

/** What the keys of a screen do. */
export type ActionOf<S extends TableId> = (typeof screenKeys)[S][number]['action'];
export type FrameAction = (typeof frameKeys)[number]['action'];

/** The keys of a screen for whoever is there; without those that write where nothing may be written. */
export function bindingsOf(
  screen: TableId,
  { readOnly, role }: { readonly readOnly: boolean; readonly role: number },
): readonly Binding[] {
  const own: readonly Binding[] = screenKeys[screen];
  return own.filter(({ writes, admin }) => !(readOnly && writes === true) && (role >= roles.admin || admin !== true));
}

/** What a key does on this screen; undefined for nothing. */
export function actionAt(bindings: readonly Binding[], key: string): string | undefined {
  return bindings.find(({ keys }) => keys.includes(key))?.action;
}

/** Whether a key is one of the frame's, and for what. */
export function frameActionAt(key: string): FrameAction | undefined {
  return frameKeys.find(({ keys }) => keys.some((known) => known === key))?.action;
}

const shownKeys: Readonly<Record<string, string>> = { Up: '↑', Down: '↓', 'S-Tab': 'Shift-Tab' };

/** A key as people read it. */
export function shownKey(key: string): string {
  return shownKeys[key] ?? key.replace(/^C-(.)$/, (_, letter: string) => `Ctrl-${letter.toUpperCase()}`);
}

/** Keys that everybody knows, left to the list of keys. */
const unsaid = new Set(['up', 'down', 'page-up', 'page-down', 'first', 'last', 'back']);
const alwaysSaid: readonly FrameAction[] = ['help', 'quit'];
const saidWithRoom: readonly FrameAction[] = ['palette', 'refresh', 'pause', 'next-screen'];

/** What the bottom line may say, the most telling first, and what it always ends with. */
export function footerWords(
  bindings: readonly Binding[],
  say: Say,
): { first: readonly string[]; end: readonly string[] } {
  const word = ({ keys: [key = ''], text }: Binding) => `${shownKey(key)} ${say(text)}`;
  const wordsOf = (actions: readonly FrameAction[]) =>
    actions.flatMap((action) => frameKeys.filter((binding) => binding.action === action)).map(word);
  const own = bindings.filter(({ action }) => !unsaid.has(action)).map(word);
  return { first: [...own, ...wordsOf(saidWithRoom)], end: wordsOf(alwaysSaid) };
}
