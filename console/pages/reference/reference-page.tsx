/** The API reference (console.md 6.26), made from the OpenAPI document that the daemon answers to this reader. */
import { Button, Skeleton, TextInput } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Skeleton.css';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { membersOf, operationsOf } from '../../../daemon/contract/openapi-reader.ts';
import { reference as endpoints } from '../../../daemon/contract/reference.ts';
import { callsFor } from '../../api/client.ts';
import { ErrorPanel, PageHeader } from '../../components/section.tsx';
import { useUser } from '../../session/session.ts';
import { useStatus } from '../../session/status.ts';
import { isMeant, wordsOf } from './call-search.ts';
import { CallTree } from './call-tree.tsx';
import { CallView } from './call-view.tsx';
import { ErrorTable } from './error-table.tsx';
import type { ExampleCall, ExampleLanguage } from './examples.ts';
import classes from './reference.module.css';
import { relayCalls } from './relay-calls.ts';
import { StartView } from './start-view.tsx';

const reference = callsFor({ openapi: endpoints.openapi });
/** Parameter of the address: the call that is shown, or `errors`. */
const chosenParameter = 'call';

export function Page() {
  const { t } = useTranslation(['reference', 'frame']);
  const user = useUser();
  const status = useStatus();
  const [search] = useSearchParams();
  const [query, setQuery] = useState('');
  const [example, setExample] = useState<ExampleLanguage>('curl');
  // What is in it depends on who asks.
  const document = useQuery({
    queryKey: ['reference', user?.id],
    queryFn: ({ signal }) => reference.openapi({}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const management = useMemo(() => operationsOf(document.data ?? {}), [document.data]);
  const relay = useMemo(() => relayCalls((title) => t(`relay.${title}`)), [t]);
  const errors = membersOf(document.data?.['x-error-codes']);
  const chosen = search.get(chosenParameter) ?? undefined;
  const all: readonly ExampleCall[] = [...relay, ...management];
  const call = all.find(({ id }) => id === chosen);
  const isSearching = wordsOf(query).length > 0;
  const origin = (status?.server_address || window.location.origin).replace(/\/+$/, '');
  const addressOf = (id: string) => (id === 'start' ? '/reference' : `/reference?${chosenParameter}=${id}`);
  const tree = useChosenInSight(call?.id);
  const hasView = chosen !== undefined;
  return (
    <>
      <PageHeader
        title={t('frame:page.reference')}
        secondary={
          <Button variant="default" component="a" href="/api/openapi.json" download="openapi.json">
            {t('download')}
          </Button>
        }
      />
      <div className={classes.layout} data-chosen={hasView || undefined}>
        <section className={classes.tree} ref={tree} aria-label={t('contents')}>
          <search className={classes.search}>
            <TextInput
              type="search"
              aria-label={t('search.label')}
              placeholder={t('search.label')}
              leftSection={<IconSearch size={16} stroke={1.75} />}
              value={query}
              onChange={(event) => setQuery(event.currentTarget.value)}
              data-filter="call"
            />
          </search>
          <CallTree
            relay={relay.filter((one) => isMeant(one, query))}
            management={management.filter((one) => isMeant(one, query))}
            chosen={chosen}
            isSearching={isSearching}
            addressOf={addressOf}
          />
          {document.isPending && <Skeleton height={200} />}
        </section>
        <div className={classes.main}>
          {hasView && (
            <Link className={classes.back ?? ''} to={addressOf('start')}>
              {t('all')}
            </Link>
          )}
          {document.isError && <ErrorPanel error={document.error} onRetry={() => void document.refetch()} />}
          {call ? (
            <CallView
              call={call}
              errors={errors}
              origin={origin}
              user={user}
              example={example}
              onExample={setExample}
            />
          ) : chosen === 'errors' ? (
            <article className={classes.view} aria-labelledby="reference-errors">
              <h2 id="reference-errors" className={classes.heading}>
                {t('page.errors')}
              </h2>
              <ErrorTable codes={Object.keys(errors)} errors={errors} label={t('page.errors')} />
            </article>
          ) : chosen !== undefined && document.isPending ? (
            <Skeleton height={320} />
          ) : chosen === undefined ? (
            <StartView origin={origin} />
          ) : (
            // Where the document did not come nobody knows.
            document.isSuccess && <p className={classes.dim}>{t('gone')}</p>
          )}
        </div>
      </div>
    </>
  );
}

/** Scrolls the tree, and nothing else, to the call that the address names. */
function useChosenInSight(chosen: string | undefined) {
  const tree = useRef<HTMLElement>(null);
  useEffect(() => {
    const box = tree.current;
    const item = chosen === undefined ? null : box?.querySelector<HTMLElement>('[aria-current]');
    if (!box || !item) return;
    const above = item.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (above < 0 || above > box.clientHeight - item.offsetHeight) box.scrollTop += above - box.clientHeight / 2;
  }, [chosen]);
  return tree;
}
