/** The ways to sign in without a password of ours; each is drawn only while the site has it switched on. */
import { Button, Divider } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Divider.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/UnstyledButton.css';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { oauth as endpoints } from '../../../daemon/contract/oauth.ts';
import type { StatusView } from '../../../daemon/contract/status.ts';
import { callsFor } from '../../api/client.ts';
import { showFailure } from '../../api/failures.ts';
import { lazyPart } from '../../components/late-part.tsx';
import type { OAuthProvider } from '../../sign-in/oauth-address.ts';
import { leaveFor, providersOn, rememberInvite } from '../../sign-in/oauth-providers.ts';
import { ProviderIcon } from '../../sign-in/provider-icon.tsx';
import { keepForReturn } from '../../sign-in/return-address.ts';
import classes from './third-party.module.css';
import { useEntry } from './use-entry.tsx';

const oauth = callsFor(endpoints);
const TelegramWidget = lazyPart(() =>
  import('../../sign-in/telegram-widget.tsx').then((module) => ({ default: module.TelegramWidget })),
);
const WechatDialog = lazyPart(() =>
  import('../../sign-in/wechat-dialog.tsx').then((module) => ({ default: module.WechatDialog })),
);

export function hasThirdParty(status: StatusView): boolean {
  return providersOn(status).length > 0 || status.wechat_login || status.telegram_oauth;
}

export function ThirdParty({ status, isAlone = false }: { status: StatusView; isAlone?: boolean }) {
  const { t } = useTranslation('front');
  const { returnTo, come, stepOn } = useEntry();
  const [leaving, setLeaving] = useState<OAuthProvider>();
  const [opened, setOpened] = useState<'wechat' | 'telegram'>();

  const leave = async (provider: OAuthProvider) => {
    setLeaving(provider);
    try {
      await leaveFor(provider, status, returnTo);
    } catch (error) {
      setLeaving(undefined);
      showFailure(error);
    }
  };

  return (
    <div className={classes.ways}>
      {!isAlone && <Divider label={t('login.or')} className={classes.divider} />}
      {providersOn(status).map((provider) => (
        <Button
          key={provider}
          variant="default"
          fullWidth
          leftSection={<ProviderIcon way={provider} />}
          loading={leaving === provider}
          onClick={() => leave(provider)}
        >
          {t(`login.with.${provider}`)}
        </Button>
      ))}
      {status.wechat_login && (
        <Button
          variant="default"
          fullWidth
          leftSection={<ProviderIcon way="wechat" />}
          onClick={() => setOpened('wechat')}
        >
          {t('login.with.wechat')}
        </Button>
      )}
      {status.telegram_oauth &&
        (opened === 'telegram' ? (
          <Suspense fallback={<div className={classes.waiting} />}>
            <TelegramWidget botName={status.telegram_bot_name} returnAddress="/login" />
          </Suspense>
        ) : (
          <Button
            variant="default"
            fullWidth
            leftSection={<ProviderIcon way="telegram" />}
            onClick={() => {
              keepForReturn(returnTo);
              setOpened('telegram');
            }}
          >
            {t('login.with.telegram')}
          </Button>
        ))}
      <Suspense fallback={null}>
        {opened === 'wechat' && (
          <WechatDialog
            title={t('login.wechatTitle')}
            submitLabel={t('login.submit')}
            image={status.wechat_qrcode}
            onClose={() => setOpened(undefined)}
            onCode={async (code) => {
              try {
                await rememberInvite();
                come(await oauth.wechat({ code }), '/');
              } catch (error) {
                if (!(await stepOn(error, '/'))) throw error;
              }
            }}
          />
        )}
      </Suspense>
    </div>
  );
}
