/** What the palette can reach: the pages of this role, what can be done at once, and records by their names. */
import { useTranslation } from 'react-i18next';
import type { FoundObjectView } from '../../daemon/contract/search.ts';
import { useCopy } from '../components/copy.tsx';
import { currentLanguage, switchLanguage } from '../i18n/index.ts';
import { loaderOf, mayOpen, type PageEntry, pages } from '../pages.tsx';
import { isAdmin, useUser } from '../session/session.ts';
import { useStatus } from '../session/status.ts';
import { useColorSwitch } from './color-switch.tsx';
import { useFoundObjects } from './palette-objects.ts';
import type { PaletteEntry } from './palette-ranking.ts';
import { isShortcutListOpen } from './palette-state.ts';
import { signOut } from './sign-out.ts';
import { useLeave } from './use-leave.ts';

const isOpenable = (entry: PageEntry): boolean =>
  loaderOf(entry) !== undefined && !entry.path.includes(':') && (entry.menu !== undefined || entry.title !== 'oauth');

/** Request ids look like nothing else, least of all like a key that was pasted: a time to the second, then letters. */
const looksLikeRequestId = (text: string): boolean => /^20\d{12}\w{6,50}$/.test(text);

/** The page whose name stands above what was found of a kind. */
const pageOf = { channel: 'channels', user: 'users', token: 'tokens', redemption: 'redemptions' } as const;

function addressOf({ kind, id, name }: FoundObjectView): string {
  if (kind === 'channel') return `/channel/edit/${id}`;
  if (kind === 'user') return `/user/edit/${id}`;
  if (kind === 'token') return `/token?edit=${id}`;
  return `/redemption?keyword=${encodeURIComponent(name)}`;
}

export function usePaletteEntries(keyword: string): {
  fixed: readonly PaletteEntry[];
  found: readonly PaletteEntry[];
} {
  const { t } = useTranslation();
  const leave = useLeave();
  const user = useUser();
  const status = useStatus();
  const copy = useCopy();
  const { toggle } = useColorSwitch();
  const objects = useFoundObjects(user ? keyword : '');

  const open = (entry: PageEntry) => {
    if (entry.document === 'own') window.location.assign(entry.path);
    else leave(entry.path);
  };
  const seen = new Set<string>();
  const pageEntries = pages
    .filter((entry) => isOpenable(entry) && mayOpen(entry, user))
    .filter((entry) => entry.visible === undefined || (status !== undefined && entry.visible(status, user)))
    .filter(({ module }) => !seen.has(module) && seen.add(module))
    .filter(({ path }) => !(user && (path === '/login' || path === '/register' || path === '/reset')))
    .filter(({ path }) => path !== '/setup' && path !== '/user/reset' && !path.startsWith('/chat'))
    .map((entry) => ({
      id: entry.path,
      label: t(`page.${entry.title}`),
      description: entry.path,
      group: t('palette.pages'),
      run: () => open(entry),
    }));
  const action = (id: string, label: string, run: () => void): PaletteEntry => ({
    id,
    label,
    group: t('palette.actions'),
    run,
  });
  const address = status?.server_address || window.location.origin;
  const actions = [
    ...(user ? [action('new-token', t('palette.newToken'), () => leave('/token?edit=new'))] : []),
    ...(isAdmin(user) ? [action('new-channel', t('palette.newChannel'), () => leave('/channel/add'))] : []),
    action('theme', t('palette.switchTheme'), toggle),
    action('language', t('palette.switchLanguage'), () => {
      void switchLanguage(currentLanguage() === 'zh' ? 'en' : 'zh');
    }),
    action('address', t('palette.copyAddress'), () => void copy(address)),
    action('shortcuts', t('palette.shortcuts'), () => isShortcutListOpen.set(true)),
    ...(user
      ? [
          action('sign-out', t('action.signOut'), () => {
            void signOut().then((isOver) => {
              if (isOver) leave('/login');
            });
          }),
        ]
      : []),
  ];
  const found = objects.map((object) => ({
    id: `${object.kind}-${object.id}`,
    label: object.name === '' ? `#${object.id}` : object.name,
    description: `#${object.id}`,
    group: t(`page.${pageOf[object.kind]}`),
    run: () => {
      leave(addressOf(object));
    },
  }));
  const request = looksLikeRequestId(keyword)
    ? [
        {
          id: 'request-id',
          label: t('palette.openLog'),
          description: keyword,
          group: t('page.log'),
          run: () => {
            leave(`/log?range=&request_id=${encodeURIComponent(keyword)}`);
          },
        },
      ]
    : [];
  return { fixed: [...pageEntries, ...actions], found: [...request, ...found] };
}
