/** Side bar and links of the site over the page, on phones and tablets (console.md 1.7). */
import { Drawer } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Drawer.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useStatus } from '../session/status.ts';
import { useStore } from '../session/store.ts';
import classes from './menu-drawer.module.css';
import { useOpenedLater } from './opened-late.ts';
import { SideBarGroups } from './side-bar.tsx';
import { isMenuOpen } from './side-bar-state.ts';
import { SiteLinks } from './top-bar.tsx';

const close = () => isMenuOpen.set(false);

export function MenuDrawer() {
  const { t } = useTranslation();
  const name = useStatus()?.system_name ?? 'Tollgate';
  const { pathname } = useLocation();
  const last = useRef(pathname);
  // Whatever leads to another page closes it.
  useEffect(() => {
    if (last.current === pathname) return;
    last.current = pathname;
    close();
  }, [pathname]);
  return (
    <Drawer
      opened={useOpenedLater(useStore(isMenuOpen))}
      onClose={close}
      position="left"
      size={280}
      transitionProps={{ transition: 'slide-right', duration: 180, timingFunction: 'ease-out' }}
      title={name}
      closeButtonProps={{ 'aria-label': t('frame.closeMenu') }}
      classNames={{ title: classes.title ?? '', body: classes.body ?? '' }}
    >
      <SiteLinks className={classes.links} onFollow={close} />
      <SideBarGroups />
    </Drawer>
  );
}
