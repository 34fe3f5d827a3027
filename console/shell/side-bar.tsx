/** Groups of pages at the left (console.md 4.5); drawn from the table of pages. */
import {
  IconChevronDown,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconMessages,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router-dom';
import { useDisabledChannels } from '../api/use-disabled-channels.ts';
import type { ChatLink } from '../chat-links/chat-links.ts';
import type { MenuGroup, PageEntry } from '../pages.tsx';
import { useUser } from '../session/session.ts';
import { useStatus } from '../session/status.ts';
import { useStore } from '../session/store.ts';
import { useChatLinks } from './chat-links.ts';
import { PageIcon } from './page-icons.tsx';
import classes from './side-bar.module.css';
import { isCurrent, prefetch, sideBarGroups } from './side-bar-entries.ts';
import { closedGroups, isMenuOpen, toggleGroup } from './side-bar-state.ts';
import { useIdle } from './use-idle.ts';

const closeMenu = () => isMenuOpen.set(false);
/** On a low screen the entry of the page may lie below what is seen of the bar. */
const bringIntoSight = (entry: HTMLElement | null) => entry?.scrollIntoView({ block: 'nearest' });

function Entry({ entry, count }: { entry: PageEntry; count: number }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const title = t(`page.${entry.title}`);
  const link = {
    className: classes.entry,
    title,
    onClick: closeMenu,
    onPointerEnter: () => prefetch(entry),
    onFocus: () => prefetch(entry),
    ...(isCurrent(entry.path, pathname) ? { 'aria-current': 'page' as const, ref: bringIntoSight } : {}),
  };
  const inside = (
    <>
      <PageIcon name={entry.icon} />
      <span className={classes.label}>{title}</span>
      {count > 0 && (
        <span className={classes.count} title={t('frame.disabledChannels', { count })}>
          <span aria-hidden>{count}</span>
          <span className={classes.hidden}>{t('frame.disabledChannels', { count })}</span>
        </span>
      )}
    </>
  );
  return (
    <li>
      {entry.document === 'own' ? (
        // Served under another content policy, so the document is loaded anew.
        <a href={entry.path} {...link}>
          {inside}
        </a>
      ) : (
        <Link to={entry.path} {...link}>
          {inside}
        </Link>
      )}
    </li>
  );
}

function ChatEntry({ link }: { link: ChatLink }) {
  const { pathname } = useLocation();
  const inside = <span className={classes.label}>{link.name}</span>;
  if (!link.isPage) {
    return (
      <li>
        <button
          type="button"
          className={classes.subEntry}
          onClick={() => {
            closeMenu();
            void import('../chat-links/open-chat.ts').then(({ openChat }) => openChat(link));
          }}
        >
          {inside}
        </button>
      </li>
    );
  }
  const address = `/chat/${link.index}`;
  return (
    <li>
      <Link
        to={address}
        className={classes.subEntry}
        onClick={closeMenu}
        {...(pathname === address ? { 'aria-current': 'page' as const } : {})}
      >
        {inside}
      </Link>
    </li>
  );
}

function Chats({ links }: { links: readonly ChatLink[] }) {
  const { t } = useTranslation();
  const isOpen = !useStore(closedGroups).includes('chats');
  return (
    <li className={classes.chats}>
      <button
        type="button"
        className={classes.entry}
        aria-expanded={isOpen}
        title={t('frame.chats')}
        onClick={() => toggleGroup('chats')}
      >
        <IconMessages size={16} stroke={1.75} aria-hidden />
        <span className={classes.label}>{t('frame.chats')}</span>
        <IconChevronDown className={classes.chevron ?? ''} size={14} stroke={1.75} aria-hidden />
      </button>
      {isOpen && (
        <ul className={classes.list}>
          {links.map((link) => (
            <ChatEntry key={link.index} link={link} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Group({ group, entries, count }: { group: MenuGroup; entries: readonly PageEntry[]; count: number }) {
  const { t } = useTranslation();
  const links = useChatLinks();
  const isOpen = !useStore(closedGroups).includes(group);
  return (
    <section className={classes.group} aria-label={t(`group.${group}`)}>
      <button type="button" className={classes.heading} aria-expanded={isOpen} onClick={() => toggleGroup(group)}>
        <span>{t(`group.${group}`)}</span>
        <IconChevronDown className={classes.chevron ?? ''} size={14} stroke={1.75} aria-hidden />
      </button>
      <ul className={classes.list} data-closed={!isOpen || undefined}>
        {entries.map((entry) => (
          <Entry key={entry.path} entry={entry} count={entry.path === '/channel' ? count : 0} />
        ))}
        {group === 'chat' && links.length > 0 && <Chats links={links} />}
      </ul>
    </section>
  );
}

/** The groups alone, for the side bar and for the drawer of phones. */
export function SideBarGroups() {
  const status = useStatus();
  const user = useUser();
  const count = useDisabledChannels(useIdle());
  return sideBarGroups(status, user).map(({ group, entries }) => (
    <Group key={group} group={group} entries={entries} count={count} />
  ));
}

export function SideBar({ isWide, onToggle }: { isWide: boolean; onToggle: () => void }) {
  const { t } = useTranslation();
  const label = isWide ? t('frame.collapse') : t('frame.expand');
  const Icon = isWide ? IconLayoutSidebarLeftCollapse : IconLayoutSidebarLeftExpand;
  return (
    <nav className={classes.nav} data-narrow={!isWide || undefined} aria-label={t('frame.sideBar')}>
      <div className={classes.groups}>
        <SideBarGroups />
      </div>
      <div className={classes.foot}>
        <button type="button" className={classes.entry} aria-expanded={isWide} title={label} onClick={onToggle}>
          <Icon size={16} stroke={1.75} aria-hidden />
          <span className={classes.label}>{label}</span>
        </button>
      </div>
    </nav>
  );
}
