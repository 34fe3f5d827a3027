/** What stands around every page: bar, side bar, footer, and the notices of the site (console.md 4). */
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { ProofHost } from '../account/proof-host.tsx';
import { isAccountDisabled } from '../api/client.ts';
import { ConsentHost } from '../chat-links/consent.tsx';
import { ConfirmHost } from '../components/confirm.tsx';
import { CopyHost } from '../components/copy.tsx';
import { useKeptFocus } from '../components/kept-focus.ts';
import { ToastHost } from '../components/toast-host.tsx';
import type { PageEntry } from '../pages.tsx';
import { lazyLate } from '../session/late-code.ts';
import { otherUserStore } from '../session/session.ts';
import { useStatus } from '../session/status.ts';
import { useStore } from '../session/store.ts';
import { desktopQuery } from '../theme/tokens.ts';
import { AccountChanged } from './account-notices.tsx';
import { Footer } from './footer.tsx';
import classes from './frame.module.css';
import { useNotice } from './notice.ts';
import { useOnceTrue } from './opened-late.ts';
import { useDocumentTitle, useFocusOnChange, useScrollMemory } from './page-title.ts';
import { isPaletteOpen, isShortcutListOpen } from './palette-state.ts';
import { ServerUnknown } from './server-unknown.tsx';
import { useShortcuts } from './shortcuts.ts';
import { SideBar } from './side-bar.tsx';
import { isCollapsed, isMenuOpen, toggleCollapsed } from './side-bar-state.ts';
import { SiteBars } from './site-bars.tsx';
import { useStart } from './start.ts';
import { TopBar } from './top-bar.tsx';

const MenuDrawer = lazyLate(() => import('./menu-drawer.tsx').then((module) => ({ default: module.MenuDrawer })));
const Palette = lazyLate(() => import('./palette.tsx').then((module) => ({ default: module.Palette })));
const ShortcutList = lazyLate(() => import('./shortcut-list.tsx').then((module) => ({ default: module.ShortcutList })));
const NoticeDialog = lazyLate(() => import('./notice-dialog.tsx').then((module) => ({ default: module.NoticeDialog })));
const DisabledDialog = lazyLate(() =>
  import('./disabled-dialog.tsx').then((module) => ({ default: module.DisabledDialog })),
);

/** What lies over the page; each is loaded when it is first wanted. */
function Overlays() {
  const needsMenu = useOnceTrue(useStore(isMenuOpen));
  const needsPalette = useOnceTrue(useStore(isPaletteOpen));
  const isListed = useStore(isShortcutListOpen);
  const isDisabled = useStore(isAccountDisabled);
  const notice = useNotice();
  const needsNotice = useOnceTrue(notice.opensByItself);
  return (
    <>
      <Suspense fallback={null}>{needsMenu && <MenuDrawer />}</Suspense>
      <Suspense fallback={null}>{needsPalette && <Palette />}</Suspense>
      <Suspense fallback={null}>{isListed && <ShortcutList />}</Suspense>
      <Suspense fallback={null}>{isDisabled && <DisabledDialog />}</Suspense>
      <Suspense fallback={null}>{needsNotice && <NoticeDialog text={notice.text} />}</Suspense>
    </>
  );
}

export function Frame({ entry, children }: { entry: PageEntry; children: ReactNode }) {
  const { t } = useTranslation();
  const status = useStatus();
  const start = useStart();
  const title = t(`page.${entry.title}`);
  const isDesktop = useMediaQuery(desktopQuery, false, { getInitialValueInEffect: false });
  const isNarrow = useStore(isCollapsed) || !isDesktop;
  const otherUser = useStore(otherUserStore);
  useDocumentTitle(title, status?.system_name ?? 'Tollgate');
  useFocusOnChange(entry.module);
  useScrollMemory(entry.module);
  useShortcuts();
  useKeptFocus();
  if (otherUser) return <AccountChanged name={otherUser.username} />;
  const hasSideBar = entry.sideBar !== 'hidden';
  return (
    <div className={classes.frame}>
      <a href="#content" className={classes.skip}>
        {t('frame.skip')}
      </a>
      <TopBar hasSideBar={hasSideBar} />
      {hasSideBar && (
        <div className={classes.side}>
          <div className={classes.sideInner}>
            <SideBar isWide={!isNarrow} onToggle={isDesktop ? toggleCollapsed : () => isMenuOpen.set(true)} />
          </div>
        </div>
      )}
      <main className={classes.main} id="content" tabIndex={-1} data-wide={!hasSideBar || undefined}>
        <SiteBars />
        <div className={classes.page}>
          {start.error && !status ? <ServerUnknown text={start.text} onRetry={start.retry} /> : children}
        </div>
        <div aria-live="polite" className={classes.spoken}>
          {title}
        </div>
        {/* Whoever draws there is mounted and goes with it: it is another element once the session was lost. */}
        <div id="overlays" />
        <Overlays />
        <ConfirmHost />
        <ProofHost />
        <ConsentHost />
        <CopyHost />
        <ToastHost />
      </main>
      <Footer />
    </div>
  );
}
