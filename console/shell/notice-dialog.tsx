/** A notice that is new opens by itself, once, and over nobody's work. */
import { Button } from '@mantine/core';
import { Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/UnstyledButton.css';
import { Dialog } from '../components/dialog.tsx';
import { lazyLate } from '../session/late-code.ts';
import { isDue, muteNotices, noticeSeen } from './notice.ts';

const RichText = lazyLate(() => import('../components/rich-text.tsx').then((module) => ({ default: module.RichText })));

/** Where somebody is: what is typed next would go to the notice, and Enter close it unread. */
const work = '[role=dialog],input:focus,textarea:focus';
/** Long enough for a drawer that the address itself opens, or it would come to lie over the notice. */
const lookEveryMs = 1500;

export function NoticeDialog({ text }: { text: string }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.querySelector(work)) return;
      clearInterval(timer);
      if (isDue(text)) setOpen(true);
    }, lookEveryMs);
    return () => clearInterval(timer);
  }, [text]);
  const close = () => {
    noticeSeen(text);
    setOpen(false);
  };
  return (
    <Dialog
      opened={isOpen}
      onClose={close}
      title={t('frame.notices')}
      footer={
        <>
          <Button
            variant="default"
            onClick={() => {
              muteNotices();
              close();
            }}
          >
            {t('frame.notToday')}
          </Button>
          <Button onClick={close}>{t('action.close')}</Button>
        </>
      }
    >
      <Suspense fallback={null}>
        <RichText text={text} kind="admin" />
      </Suspense>
    </Dialog>
  );
}
