/** Bar above every page (console.md 4.4). */
import { IconBell, IconCommand, IconLanguage, IconMenu2 } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, NavLink, useLocation } from 'react-router-dom';
import { warningThreshold } from '../account/notice-settings.ts';
import { useSelf } from '../api/use-self.ts';
import { Avatar } from '../components/avatar.tsx';
import { formatQuota, formatQuotaExact } from '../components/format.ts';
import { useMoneyUnits } from '../components/quota.tsx';
import { useUser } from '../session/session.ts';
import { useStatus } from '../session/status.ts';
import { useStore } from '../session/store.ts';
import { BarMenu } from './bar-menu.tsx';
import { Brand } from './brand.tsx';
import { ColorSwitch } from './color-switch.tsx';
import { useNotice } from './notice.ts';
import { openPalette } from './palette-state.ts';
import { consoleAddress } from './side-bar-entries.ts';
import { isMenuOpen } from './side-bar-state.ts';
import classes from './top-bar.module.css';

/** Of colours and language. */
const lookClass = `${classes.icon} ${classes.look}`;

/** The links of the site, for the bar and for the drawer of phones. */
export function SiteLinks({ className, onFollow }: { className: string | undefined; onFollow?: () => void }) {
  const { t } = useTranslation();
  const status = useStatus();
  const link = (to: string, text: string, isExact = true) => (
    <li key={text}>
      <NavLink to={to} end={isExact} onClick={() => onFollow?.()}>
        {text}
      </NavLink>
    </li>
  );
  return (
    <ul className={className}>
      {link('/', t('page.home'))}
      {link(consoleAddress(status), t('frame.console'))}
      {link('/pricing', t('page.pricing'))}
      {status?.docs_link && (
        <li>
          <a href={status.docs_link} target="_blank" rel="noopener">
            {t('frame.docs')}
          </a>
        </li>
      )}
      {link('/about', t('page.about'))}
    </ul>
  );
}

function Balance() {
  const { t } = useTranslation();
  const { data: self } = useSelf();
  const units = useMoneyUnits();
  const status = useStatus();
  if (!self) return null;
  const amount = formatQuota(self.quota, units);
  const isLow = self.quota <= warningThreshold(self.setting);
  return (
    <Link
      to="/topup"
      className={classes.balance}
      data-low={isLow || undefined}
      aria-label={t('frame.balance', { amount })}
      title={status ? formatQuotaExact(self.quota, units) : amount}
    >
      {amount}
    </Link>
  );
}

function Account({ name }: { name: string }) {
  const { t } = useTranslation();
  return (
    <BarMenu
      label={t('frame.account', { name })}
      className={classes.account}
      load={() => import('./account-menu.tsx').then((module) => ({ default: module.AccountMenu }))}
    >
      <Avatar name={name} />
      <span className={classes.accountName}>{name}</span>
    </BarMenu>
  );
}

function Entrance() {
  const { t } = useTranslation();
  const status = useStatus();
  const { pathname } = useLocation();
  const mayRegister = status?.register_enabled && !status.self_use_mode_enabled;
  return (
    <>
      {pathname !== '/login' && (
        <Link to="/login" className={classes.signIn}>
          {t('action.signIn')}
        </Link>
      )}
      {mayRegister && (
        <Link to="/register" className={classes.signUp}>
          {t('action.signUp')}
        </Link>
      )}
    </>
  );
}

function Notices() {
  const { t } = useTranslation();
  const { isNew } = useNotice();
  const [wasOpened, setOpened] = useState(false);
  const isMarked = isNew && !wasOpened;
  return (
    <BarMenu
      label={isMarked ? t('frame.newNotice') : t('frame.notices')}
      className={classes.icon}
      kind="dialog"
      onOpen={() => setOpened(true)}
      load={() => import('./notice-panel.tsx').then((module) => ({ default: module.NoticePanel }))}
    >
      <IconBell size={18} stroke={1.75} aria-hidden />
      {isMarked && <span className={classes.dot} />}
    </BarMenu>
  );
}

function Languages(): ReactNode {
  const { t } = useTranslation();
  return (
    <BarMenu
      label={t('frame.language')}
      className={lookClass}
      load={() => import('./language-menu.tsx').then((module) => ({ default: module.LanguageMenu }))}
    >
      <IconLanguage size={18} stroke={1.75} aria-hidden />
    </BarMenu>
  );
}

export function TopBar({ hasSideBar }: { hasSideBar: boolean }) {
  const { t } = useTranslation();
  const user = useUser();
  const isOpen = useStore(isMenuOpen);
  // Until somebody set the site up every address leads back to the form, so nothing is offered that leads away.
  const isSetUp = useStatus()?.setup !== false;
  // One landmark of navigation a page: the links are it where there is no side bar.
  const Links = hasSideBar ? 'div' : 'nav';
  return (
    <header className={classes.bar}>
      {isSetUp && (
        <button
          type="button"
          className={classes.menu}
          aria-label={isOpen ? t('frame.closeMenu') : t('frame.openMenu')}
          aria-expanded={isOpen}
          onClick={() => isMenuOpen.set(!isOpen)}
        >
          <IconMenu2 size={20} stroke={1.75} aria-hidden />
        </button>
      )}
      <Brand />
      {isSetUp && (
        <Links className={classes.linkPlace} {...(hasSideBar ? {} : { 'aria-label': t('frame.topLinks') })}>
          <SiteLinks className={classes.links} />
        </Links>
      )}
      <div className={classes.tools}>
        {isSetUp && (
          <>
            {user && <Balance />}
            <button
              type="button"
              className={`${classes.icon} ${classes.paletteButton}`}
              aria-label={t('frame.palette')}
              data-tip={t('frame.palette')}
              onClick={openPalette}
            >
              <IconCommand size={18} stroke={1.75} aria-hidden />
            </button>
            <Notices />
          </>
        )}
        <ColorSwitch className={lookClass} />
        <Languages />
        {isSetUp && (user ? <Account name={user.username} /> : <Entrance />)}
      </div>
    </header>
  );
}
