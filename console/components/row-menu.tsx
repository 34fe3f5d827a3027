/** The one menu of a table, at the row whose button was pressed; on phones a sheet from below. */
import { Menu, Portal } from '@mantine/core';
import '@mantine/core/styles/Menu.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import classes from './data-table.module.css';
import type { RowAction } from './data-table-types.ts';
import { Dialog } from './dialog.tsx';

export interface RowMenuProps {
  readonly anchor: HTMLElement;
  readonly actions: readonly RowAction[];
  readonly isSheet: boolean;
  readonly onClose: () => void;
}

export function RowMenu(props: RowMenuProps) {
  return props.isSheet ? <ActionSheet {...props} /> : <ActionMenu {...props} />;
}

/** What an act does when chosen; undefined for a link that the browser follows by itself. */
function useTake(onClose: () => void): (action: RowAction) => void {
  const navigate = useNavigate();
  return (action) => {
    if (action.refused !== undefined) return;
    onClose();
    if (action.href === undefined) action.onAct();
    else if (/^\/(?!\/)/.test(action.href)) void navigate(action.href);
    else window.open(action.href, '_blank', 'noopener,noreferrer');
  };
}

function ActionMenu({ anchor, actions, onClose }: RowMenuProps) {
  const take = useTake(onClose);
  const box = anchor.getBoundingClientRect();
  useEffect(() => {
    // It stands where the button was: with the button gone elsewhere it would stand beside another row.
    window.addEventListener('scroll', onClose, true);
    return () => window.removeEventListener('scroll', onClose, true);
  }, [onClose]);
  return (
    // Not within a drawer, which would take the window's place in what is fixed to it.
    <Portal>
      <Menu
        opened
        onChange={(isOpen) => {
          if (!isOpen) onClose();
        }}
        position="bottom-end"
        withInitialFocusPlaceholder={false}
        returnFocus={false}
      >
        <Menu.Target>
          <span
            className={classes.anchor}
            style={{ left: box.left, top: box.top, width: box.width, height: box.height }}
          />
        </Menu.Target>
        <Menu.Dropdown aria-label={anchor.getAttribute('aria-label') ?? ''} aria-labelledby={undefined}>
          {actions.map((action) => (
            <Menu.Item
              key={action.key}
              {...(action.isDanger ? { color: 'red' } : {})}
              disabled={action.refused !== undefined}
              {...(action.refused === undefined ? {} : { title: action.refused })}
              onClick={() => take(action)}
            >
              {action.label}
              {action.refused !== undefined && <small className={classes.refused}>{action.refused}</small>}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Portal>
  );
}

function ActionSheet({ actions, onClose }: RowMenuProps) {
  const { t } = useTranslation('list');
  const take = useTake(onClose);
  return (
    <Dialog opened onClose={onClose} title={t('row.actions')}>
      <ul className={classes.sheet}>
        {actions.map((action) => (
          <li key={action.key}>
            <button
              type="button"
              data-danger={action.isDanger}
              disabled={action.refused !== undefined}
              onClick={() => take(action)}
            >
              {action.label}
              {action.refused !== undefined && <small className={classes.refused}>{action.refused}</small>}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
