/**
 * What a new site still needs (console.md 6.2), for its administrator until the first call; each step ticks itself, in
 * whatever order they are done.
 */
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { channels as channelEndpoints } from '../../../daemon/contract/channels.ts';
import { prices as priceEndpoints } from '../../../daemon/contract/prices.ts';
import { tokens as tokenEndpoints } from '../../../daemon/contract/tokens.ts';
import { callsFor } from '../../api/client.ts';
import { Section } from '../../components/section.tsx';
import { useStatus } from '../../session/status.ts';
import classes from './dashboard.module.css';

const calls = callsFor({
  channels: channelEndpoints.list,
  prices: priceEndpoints.list,
  tokens: tokenEndpoints.list,
});

/** Opened as documents of their own, as all links to the settings are. */
const isSetting = (address: string): boolean => address.startsWith('/setting');

function useSteps() {
  const status = useStatus();
  const channels = useQuery({
    queryKey: ['set-up', 'channels'],
    queryFn: ({ signal }) => calls.channels({ page: 1, page_size: 100 }, { signal }),
  });
  const hasChannel = (channels.data?.total ?? 0) > 0;
  const isTested = channels.data?.items.some((row) => row.test_time > 0) ?? false;
  const unpriced = useQuery({
    queryKey: ['set-up', 'unpriced'],
    queryFn: ({ signal }) => calls.prices({ unset: true, page: 1, page_size: 1 }, { signal }),
    // Who uses a site alone needs no prices.
    enabled: hasChannel && status?.self_use_mode_enabled === false,
  });
  const isPriced = hasChannel && (status?.self_use_mode_enabled === true || unpriced.data?.total === 0);
  const tokens = useQuery({
    queryKey: ['set-up', 'tokens'],
    queryFn: ({ signal }) => calls.tokens({ page: 1, page_size: 1 }, { signal }),
  });
  return [
    { key: 'address', to: '/setting?tab=system&section=server', isDone: status?.server_address !== '' },
    { key: 'channel', to: '/channel/add', isDone: hasChannel },
    { key: 'test', to: '/channel', isDone: isTested },
    { key: 'prices', to: '/setting?tab=operation&price=unset', isDone: isPriced },
    { key: 'key', to: '/token?edit=new', isDone: (tokens.data?.total ?? 0) > 0 },
  ] as const;
}

export function SetUpSteps() {
  const { t } = useTranslation('dashboard');
  const steps = [{ key: 'signIn', to: undefined, isDone: true } as const, ...useSteps()];
  return (
    <Section title={t('setUp.title')}>
      <ol className={classes.setUp}>
        {steps.map(({ key, to, isDone }) => {
          const Icon = isDone ? IconCircleCheck : IconCircle;
          const name = t(`setUp.${key}`);
          return (
            <li key={key}>
              <Icon
                size={20}
                stroke={1.75}
                color={isDone ? 'var(--tone-green-text)' : 'var(--muted)'}
                aria-label={t(isDone ? 'setUp.done' : 'setUp.open')}
                role="img"
              />
              {to === undefined || isDone ? (
                name
              ) : isSetting(to) ? (
                <a href={to}>{name}</a>
              ) : (
                <Link to={to}>{name}</Link>
              )}
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
