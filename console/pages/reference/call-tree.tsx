/** All calls by their groups; each is a link, so that one can be shared. */
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Operation } from '../../../daemon/contract/openapi-reader.ts';
import { byTag } from './call-search.ts';
import { Method } from './method.tsx';
import classes from './reference.module.css';
import { useTagName } from './use-tag-name.ts';

export interface CallTreeProps {
  readonly relay: readonly Operation[];
  readonly management: readonly Operation[];
  readonly chosen: string | undefined;
  readonly isSearching: boolean;
  /** The address that shows a page of the reference. */
  readonly addressOf: (chosen: string) => string;
}

export function CallTree({ relay, management, chosen, isSearching, addressOf }: CallTreeProps) {
  const { t } = useTranslation('reference');
  const part = (title: string, calls: readonly Operation[]) =>
    calls.length > 0 && (
      <>
        <h2 className={classes.part}>{title}</h2>
        {byTag(calls).map(([tag, members]) => (
          <Group key={tag} tag={tag} calls={members} {...{ chosen, isSearching, addressOf }} />
        ))}
      </>
    );
  return (
    <>
      {!isSearching && (
        <ul className={classes.pages}>
          {(['start', 'errors'] as const).map((page) => (
            <li key={page}>
              <Link
                className={classes.page ?? ''}
                to={addressOf(page)}
                aria-current={(chosen ?? 'start') === page ? 'page' : undefined}
                preventScrollReset
              >
                {t(`page.${page}`)}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {part(t('part.relay'), relay)}
      {part(t('part.management'), management)}
      {isSearching && relay.length + management.length === 0 && <p className={classes.dim}>{t('search.none')}</p>}
    </>
  );
}

interface GroupProps extends Pick<CallTreeProps, 'chosen' | 'isSearching' | 'addressOf'> {
  readonly tag: string;
  readonly calls: readonly Operation[];
}

function Group({ tag, calls, chosen, isSearching, addressOf }: GroupProps) {
  const tagName = useTagName();
  const isOpen = isSearching || calls.some(({ id }) => id === chosen);
  return (
    // Its key changes with what should be open; in between, the reader opens and closes.
    <details key={String(isOpen)} open={isOpen} className={classes.group}>
      <summary>
        {tagName(tag)} <span className={classes.dim}>{calls.length}</span>
      </summary>
      <ul className={classes.calls}>
        {calls.map(({ id, method, path }) => (
          <li key={id}>
            <Link
              className={classes.call ?? ''}
              to={addressOf(id)}
              aria-current={id === chosen ? 'page' : undefined}
              preventScrollReset
            >
              <Method method={method} />
              <code className={classes.callPath} title={path}>
                {path.replace(/^\/api/, '')}
              </code>
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}
