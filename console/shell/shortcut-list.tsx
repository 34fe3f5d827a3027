/** Which keys do what. */
import { useTranslation } from 'react-i18next';
import { Dialog } from '../components/dialog.tsx';
import { mayOpen, pages } from '../pages.tsx';
import { useUser } from '../session/session.ts';
import { isShortcutListOpen } from './palette-state.ts';
import classes from './shortcut-list.module.css';
import { goTo } from './shortcuts.ts';

const control = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl';

function Row({ keys, text }: { keys: readonly string[]; text: string }) {
  return (
    <div className={classes.row}>
      <dt className={classes.keys}>
        {keys.map((key) => (
          <kbd key={key} className={classes.key}>
            {key}
          </kbd>
        ))}
      </dt>
      <dd>{text}</dd>
    </div>
  );
}

export function ShortcutList() {
  const { t } = useTranslation();
  const user = useUser();
  const targets = Object.entries(goTo).flatMap(([key, path]) => {
    const entry = pages.find((candidate) => candidate.path === path);
    return entry && mayOpen(entry, user) ? [{ key, title: t(`page.${entry.title}`) }] : [];
  });
  return (
    <Dialog opened onClose={() => isShortcutListOpen.set(false)} title={t('shortcut.title')} size={620}>
      <dl className={classes.list}>
        <Row keys={[control, 'K']} text={t('frame.palette')} />
        <Row keys={['?']} text={t('shortcut.title')} />
        <Row keys={['/']} text={t('shortcut.filter')} />
        <Row keys={['n']} text={t('shortcut.new')} />
        <Row keys={['r']} text={t('shortcut.refresh')} />
        <Row keys={['j', 'k']} text={t('shortcut.rows')} />
        <Row keys={['Enter']} text={t('shortcut.open')} />
        <Row keys={['x']} text={t('shortcut.select')} />
        <Row keys={['[', ']']} text={t('shortcut.pages')} />
        <Row keys={[control, 'Enter']} text={t('shortcut.submit')} />
        {targets.map(({ key, title }) => (
          <Row key={key} keys={['g', key]} text={title} />
        ))}
      </dl>
    </Dialog>
  );
}
