/**
 * What a new site still needs (console.md 6.2), until all of it is there or nobody wants to see it any more; each step
 * ticks itself, in whatever order they are done.
 */
import { ActionIcon, Box } from '@mantine/core';
import { IconCircle, IconCircleCheck, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
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

/** A call that was answered says more of channels and keys than they do themselves, and spares two calls of this page. */
function useSteps(isCalled: boolean) {
  const status = useStatus();
  const channels = useQuery({
    queryKey: ['set-up', 'channels'],
    queryFn: ({ signal }) => calls.channels({ page: 1, page_size: 100 }, { signal }),
    enabled: !isCalled,
  });
  const hasChannel = isCalled || (channels.data?.total ?? 0) > 0;
  const isTested = isCalled || (channels.data?.items.some((row) => row.test_time > 0) ?? false);
  // Who uses a site alone needs no prices.
  const needsPrices = status?.self_use_mode_enabled === false;
  const unpriced = useQuery({
    queryKey: ['set-up', 'unpriced'],
    queryFn: ({ signal }) => calls.prices({ unset: true, page: 1, page_size: 1 }, { signal }),
    enabled: hasChannel && needsPrices,
  });
  const isPriced = hasChannel && (!needsPrices || unpriced.data?.total === 0);
  const tokens = useQuery({
    queryKey: ['set-up', 'tokens'],
    queryFn: ({ signal }) => calls.tokens({ page: 1, page_size: 1 }, { signal }),
    enabled: !isCalled,
  });
  const steps = [
    { key: 'address', to: '/setting?tab=system&section=server', isDone: status?.server_address !== '' },
    { key: 'channel', to: '/channel/add', isDone: hasChannel },
    { key: 'test', to: '/channel', isDone: isTested },
    { key: 'prices', to: '/setting?tab=operation&price=unset', isDone: isPriced },
    { key: 'key', to: '/token?edit=new', isDone: isCalled || (tokens.data?.total ?? 0) > 0 },
  ] as const;
  const isKnown = status !== undefined && (isPriced || unpriced.isSuccess);
  return { steps, isKnown, isDone: steps.every((step) => step.isDone) };
}

export interface SetUpStepsProps {
  /** Nobody has called yet: the steps are all that there is to see. */
  readonly isNew: boolean;
  /** They are done, or sent away. */
  readonly onEnd: () => void;
}

export function SetUpSteps({ isNew, onEnd }: SetUpStepsProps) {
  const { t } = useTranslation('dashboard');
  const { steps: own, isKnown, isDone } = useSteps(!isNew);
  const isOver = isDone && !isNew;
  useEffect(() => {
    if (isOver) onEnd();
  }, [isOver, onEnd]);
  // Beside figures they come only once it is certain that something is missing.
  if (!isNew && (!isKnown || isOver)) return null;
  const steps = [{ key: 'signIn', to: undefined, isDone: true } as const, ...own];
  return (
    <Box mb={isNew ? 0 : 'lg'}>
      <Section
        title={t('setUp.title')}
        actions={
          !isNew && (
            <ActionIcon variant="subtle" aria-label={t('setUp.hide')} title={t('setUp.hide')} onClick={onEnd}>
              <IconX size={16} stroke={1.75} />
            </ActionIcon>
          )
        }
      >
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
    </Box>
  );
}
