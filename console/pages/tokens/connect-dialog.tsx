/** Ready settings of a token for programs that people use (console.md 6.11). The key is text only after a click. */
import { Button, SegmentedControl } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { account } from '../../../daemon/contract/account.ts';
import type { TokenView } from '../../../daemon/contract/tokens.ts';
import { callsFor } from '../../api/client.ts';
import { cherryStudioLink } from '../../chat-links/filled-link.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Dialog } from '../../components/section.tsx';
import { usePhone } from '../../components/use-phone.ts';
import { useStatus } from '../../session/status.ts';
import { isKeyHidden, secretOf } from './columns.tsx';
import { type Program, programNames, programs, settingsOf } from './connect-settings.ts';
import classes from './tokens.module.css';

const calls = callsFor({ models: account.models });

export function ConnectDialog({ token, onClose }: { readonly token: TokenView; readonly onClose: () => void }) {
  const { t } = useTranslation('tokens');
  const isPhone = usePhone();
  const [program, setProgram] = useState<Program>('claudeCode');
  const [isKeyShown, setKeyShown] = useState(false);
  const origin = (useStatus()?.server_address || window.location.origin).replace(/\/+$/, '');
  const own = useQuery({ queryKey: ['own-models'], queryFn: ({ signal }) => calls.models({}, { signal }) });
  const limits = token.model_limits.split(',').filter(Boolean);
  const models = token.model_limits_enabled ? limits : (own.data ?? []);
  const isHidden = isKeyHidden(token);
  const textWith = (key: string) => settingsOf(program, { origin, models, key });
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('connect.title', { name: token.name })}
      size={720}
      footer={
        <>
          <Button
            variant="default"
            disabled={token.status !== 1}
            onClick={() =>
              void import('../../chat-links/open-chat.ts').then(({ openChat }) => openChat(cherryStudioLink, token))
            }
          >
            {t('connect.open', { name: cherryStudioLink.name })}
          </Button>
          {!isHidden && (
            <Button onClick={() => setKeyShown(!isKeyShown)}>{t(isKeyShown ? 'connect.hide' : 'connect.show')}</Button>
          )}
        </>
      }
    >
      <SegmentedControl
        fullWidth
        orientation={isPhone ? 'vertical' : 'horizontal'}
        aria-label={t('connect.program')}
        value={program}
        onChange={(value) => setProgram(programs.find((one) => one === value) ?? 'claudeCode')}
        data={programs.map((value) => ({ value, label: programNames[value] }))}
      />
      <div className={classes.settings}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard */}
        <section tabIndex={0} aria-label={programNames[program]}>
          <pre>{textWith(isKeyShown ? secretOf(token) : 'sk-…')}</pre>
        </section>
        <CopyButton
          value={textWith(isHidden ? 'sk-…' : secretOf(token))}
          name={t('connect.copy', { name: programNames[program] })}
        />
      </div>
      {isHidden && <p className={classes.try}>{t('key.once')}</p>}
    </Dialog>
  );
}
