/** The current notice below the bell. */
import { Popover } from '@mantine/core';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/Popover.css';
import { lazyLate } from '../session/late-code.ts';
import type { BarMenuBodyProps } from './bar-menu.tsx';
import { Anchor } from './bar-menu-frame.tsx';
import classes from './notice.module.css';
import { noticeSeen, useNotice } from './notice.ts';
import { useOpenedLater } from './opened-late.ts';

const RichText = lazyLate(() => import('../components/rich-text.tsx').then((module) => ({ default: module.RichText })));

export function NoticePanel({ opened, onClose, label, placeClass }: BarMenuBodyProps) {
  const { t } = useTranslation();
  const { text } = useNotice();
  useEffect(() => {
    if (opened && text) noticeSeen(text);
  }, [opened, text]);
  return (
    <Popover
      opened={useOpenedLater(opened)}
      onDismiss={onClose}
      position="bottom-end"
      width={360}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Anchor place={placeClass} />
      </Popover.Target>
      <Popover.Dropdown aria-label={label} className={classes.panel ?? ''} tabIndex={-1} data-autofocus>
        {text.trim() === '' ? (
          <p className={classes.empty}>{t('frame.noNotice')}</p>
        ) : (
          <Suspense fallback={null}>
            <RichText text={text} kind="admin" />
          </Suspense>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
