/** The conversation as a program that makes the next call of it. */
import { SegmentedControl } from '@mantine/core';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/copy.tsx';
import { Dialog } from '../../components/section.tsx';
import { useStatus } from '../../session/status.ts';
import { callSnippet, type SnippetKind, snippetKinds, snippetNames } from './call-snippets.ts';
import classes from './code-dialog.module.css';
import { contextOf } from './conversation.ts';
import { requestBody } from './request-body.ts';
import type { Side } from './use-sides.ts';

export function CodeDialog({ side, onClose }: { readonly side: Side; readonly onClose: () => void }) {
  const { t } = useTranslation('playground');
  const status = useStatus();
  const [kind, setKind] = useState<SnippetKind>('curl');
  const origin = (status?.server_address || window.location.origin).replace(/\/+$/, '');
  const code = callSnippet(kind, origin, requestBody(side.parameters, contextOf(side.conversation.turns.get(), '')));
  return (
    <Dialog opened onClose={onClose} title={t('code.title')} size={720}>
      <div className={classes.dialog}>
        <SegmentedControl
          aria-label={t('code.form')}
          value={kind}
          onChange={setKind}
          data={snippetKinds.map((value) => ({ value, label: snippetNames[value] }))}
        />
        <div className={classes.code}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard */}
          <section className={classes.scroll} tabIndex={0} aria-label={t('code.title')}>
            <pre>
              <code>{code}</code>
            </pre>
          </section>
          <span className={classes.copy}>
            <CopyButton value={code} label={snippetNames[kind]} />
          </span>
        </div>
        <p className={classes.hint}>{t('code.hint')}</p>
      </div>
    </Dialog>
  );
}
