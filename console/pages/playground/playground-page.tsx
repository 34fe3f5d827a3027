/** The playground (console.md 6.18): chats with a model, or with two beside each other, on the own balance. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import {
  IconAdjustments,
  IconCode,
  IconColumns2,
  IconHistory,
  IconMessagePlus,
  IconSquareX,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { account as endpoints } from '../../../daemon/contract/account.ts';
import { callsFor } from '../../api/client.ts';
import { lazyPart } from '../../components/late-part.tsx';
import { Dialog, EmptyState, ErrorPanel, PageHeader } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { usePhone } from '../../components/use-phone.ts';
import { useUser } from '../../session/session.ts';
import { groupAmong, modelAmong } from './call-parameters.ts';
import { Chat } from './chat.tsx';
import { ParametersPanel } from './parameters-panel.tsx';
import classes from './playground-page.module.css';
import { useHistory } from './use-history.ts';
import { type Side, useSides } from './use-sides.ts';

const account = callsFor({ groups: endpoints.groups, models: endpoints.models });
const CodeDialog = lazyPart(() => import('./code-dialog.tsx').then((module) => ({ default: module.CodeDialog })));
const HistoryDialog = lazyPart(() =>
  import('./history-dialog.tsx').then((module) => ({ default: module.HistoryDialog })),
);
const longMs = 300_000;

export function Page() {
  // The texts of parts that messages bring: fetched later, they would put a skeleton in the place of the whole page.
  const { t } = useTranslation(['playground', 'frame']);
  const user = useUser();
  const isPhone = usePhone();
  const { sides, change, toggleComparison, replace } = useSides();
  const history = useHistory(sides, replace);
  const [isHistoryOpen, setHistoryOpen] = useState(false);
  const [place, setPlace] = useState(0);
  const [isPanelOpen, setPanelOpen] = useState(false);
  const [isCodeOpen, setCodeOpen] = useState(false);
  const groups = useQuery({
    queryKey: ['account', 'groups'],
    queryFn: ({ signal }) => account.groups({}, { signal }),
    staleTime: longMs,
  });
  const models = useQuery({
    queryKey: ['account', 'models'],
    queryFn: ({ signal }) => account.models({}, { signal }),
    staleTime: longMs,
  });
  useExpiredNotice();

  const known = models.data ?? [];
  const called = sides.map(({ conversation, parameters }): Side => {
    const model = modelAmong(known, parameters.model) ?? '';
    const group = groupAmong(Object.keys(groups.data ?? {}), parameters.group, user?.group ?? '');
    return { conversation, parameters: { ...parameters, model, group } };
  });
  const isComparing = called.length > 1;
  const chosen = Math.min(place, called.length - 1);
  const side = called[chosen];
  const error = groups.error ?? models.error;
  const panel = side && (
    <ParametersPanel
      parameters={side.parameters}
      onChange={(changed) => change(chosen, changed)}
      groups={groups.data}
      models={models.data}
      sides={isComparing ? called.map(({ parameters }) => parameters.model) : undefined}
      place={chosen}
      onPlace={setPlace}
    />
  );
  return (
    <>
      <PageHeader
        title={t('frame:page.playground')}
        secondary={
          <>
            {isPhone && (
              <Button
                variant="default"
                leftSection={<IconAdjustments size={16} stroke={1.75} />}
                onClick={() => setPanelOpen(true)}
              >
                {t('parameters')}
              </Button>
            )}
            <Button
              variant="default"
              leftSection={<IconMessagePlus size={16} stroke={1.75} />}
              onClick={() => history.begin()}
            >
              {t('history.begin')}
            </Button>
            <Button
              variant="default"
              leftSection={<IconHistory size={16} stroke={1.75} />}
              onClick={() => setHistoryOpen(true)}
            >
              {t('history.open')}
            </Button>
            <Button
              variant="default"
              leftSection={
                isComparing ? <IconSquareX size={16} stroke={1.75} /> : <IconColumns2 size={16} stroke={1.75} />
              }
              onClick={toggleComparison}
            >
              {isComparing ? t('compare.end') : t('compare.start')}
            </Button>
            <Button
              variant="default"
              leftSection={<IconCode size={16} stroke={1.75} />}
              disabled={known.length === 0}
              onClick={() => setCodeOpen(true)}
            >
              {t('code.open')}
            </Button>
          </>
        }
      />
      {error && (
        <ErrorPanel
          error={error}
          onRetry={() => {
            void groups.refetch();
            void models.refetch();
          }}
        />
      )}
      {models.data?.length === 0 ? (
        <EmptyState text={t('noModel')}>
          <Link to="/pricing">{t('frame:page.pricing')}</Link>
        </EmptyState>
      ) : (
        <div className={classes.page}>
          {!isPhone && (
            <section className={classes.panel} aria-label={t('parameters')}>
              {panel}
            </section>
          )}
          <Chat sides={called} isReady={known.length > 0 && groups.isSuccess} place={chosen} onPlace={setPlace} />
        </div>
      )}
      <Dialog opened={isPhone && isPanelOpen} onClose={() => setPanelOpen(false)} title={t('parameters')}>
        {panel}
      </Dialog>
      <Suspense fallback={null}>
        {isHistoryOpen && <HistoryDialog history={history} onClose={() => setHistoryOpen(false)} />}
        {isCodeOpen && side && <CodeDialog side={side} onClose={() => setCodeOpen(false)} />}
      </Suspense>
    </>
  );
}

/** Somebody was sent here because a session had ended; said once. */
function useExpiredNotice(): void {
  const { t } = useTranslation('playground');
  const [search, setSearch] = useSearchParams();
  const isExpired = search.has('expired');
  useEffect(() => {
    if (!isExpired) return;
    toast.error(t('expired'));
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete('expired');
        return next;
      },
      { replace: true },
    );
  }, [isExpired, setSearch, t]);
}
