/** Accounts elsewhere that lead to this one. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SelfView } from '../../../daemon/contract/account.ts';
import { oauth as endpoints } from '../../../daemon/contract/oauth.ts';
import { callsFor } from '../../api/client.ts';
import { showFailure } from '../../api/failures.ts';
import { queryClient } from '../../api/query-client.ts';
import { shortenMiddle } from '../../components/format.ts';
import { Section } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { useStatus } from '../../session/status.ts';
import { isOAuthProvider } from '../../sign-in/oauth-address.ts';
import { leaveFor } from '../../sign-in/oauth-providers.ts';
import { ProviderIcon, type SignInWay } from '../../sign-in/provider-icon.tsx';
import { TelegramWidget } from '../../sign-in/telegram-widget.tsx';
import { WechatDialog } from '../../sign-in/wechat-dialog.tsx';
import { type Binding, bindingsOf } from './bindings.ts';
import { EmailDialog } from './email-dialog.tsx';
import classes from './personal-page.module.css';
import { useTelegramBinding } from './use-telegram-binding.ts';

const oauth = callsFor({ bindWechat: endpoints.bindWechat });

export function BindingsTab({ self }: { self: SelfView }) {
  const { t } = useTranslation('personal');
  const status = useStatus();
  const [opened, setOpened] = useState<SignInWay>();
  const [leaving, setLeaving] = useState<SignInWay>();
  useTelegramBinding();

  const begin = async (way: SignInWay) => {
    if (!isOAuthProvider(way) || !status) return setOpened(way);
    setLeaving(way);
    try {
      await leaveFor(way, status);
    } catch (error) {
      setLeaving(undefined);
      showFailure(error);
    }
  };

  return (
    <Section title={t('bindings.title')} description={t('bindings.description')}>
      <ul className={classes.rows}>
        {bindingsOf(self, status).map(({ way, value, isOn }) => (
          <li key={way} className={classes.row}>
            <span className={classes.rowMark}>
              <ProviderIcon way={way} size={20} />
            </span>
            <div className={classes.rowText}>
              <div className={classes.rowName}>{t(`bindings.way.${way}`)}</div>
              <div className={classes.rowValue} title={value}>
                {value === '' ? t('bindings.none') : way === 'email' ? value : shortenMiddle(value, 24)}
              </div>
            </div>
            <Act way={way} value={value} isOn={isOn} isLeaving={leaving === way} onBegin={begin} />
          </li>
        ))}
      </ul>
      {opened === 'telegram' && status && (
        <TelegramWidget botName={status.telegram_bot_name} returnAddress="/personal?tab=bindings" />
      )}
      {opened === 'email' && <EmailDialog current={self.email} onClose={() => setOpened(undefined)} />}
      {opened === 'wechat' && status && (
        <WechatDialog
          title={t('bindings.wechatTitle')}
          submitLabel={t('bindings.bind')}
          image={status.wechat_qrcode}
          onClose={() => setOpened(undefined)}
          onCode={async (code) => {
            await oauth.bindWechat({ code });
            await queryClient.invalidateQueries({ queryKey: ['self'] });
            toast.success(t('bindings.wechatDone'));
            setOpened(undefined);
          }}
        />
      )}
    </Section>
  );
}

interface ActProps extends Binding {
  readonly isLeaving: boolean;
  readonly onBegin: (way: SignInWay) => void;
}

function Act({ way, value, isOn, isLeaving, onBegin }: ActProps) {
  const { t } = useTranslation('personal');
  if (!isOn) return <span className={classes.plain}>{t('bindings.off')}</span>;
  // What is bound elsewhere stays bound; only the address can be changed.
  if (value !== '' && way !== 'email') return null;
  return (
    <Button
      variant="default"
      size="xs"
      loading={isLeaving}
      aria-label={t('bindings.actFor', {
        act: value === '' ? t('bindings.bind') : t('bindings.change'),
        way: t(`bindings.way.${way}`),
      })}
      onClick={() => onBegin(way)}
    >
      {value === '' ? t('bindings.bind') : t('bindings.change')}
    </Button>
  );
}
