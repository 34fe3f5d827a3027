/** Where a provider sends the browser back to (console.md 6.7). */
import { Alert, Anchor, Loader } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Anchor.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Text.css';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router-dom';
import { ApiError } from '../../../daemon/contract/client.ts';
import { oauth as endpoints } from '../../../daemon/contract/oauth.ts';
import { callsFor } from '../../api/client.ts';
import { useFailures } from '../../api/failures.ts';
import { toast } from '../../components/toast.ts';
import { isAdmin, userStore } from '../../session/session.ts';
import { isOAuthProvider, type OAuthProvider } from '../../sign-in/oauth-address.ts';
import { takeReturn } from '../../sign-in/return-address.ts';
import { FrontCard } from './front-card.tsx';
import { NotFound } from './not-found.tsx';
import classes from './oauth-page.module.css';
import { useEntry } from './use-entry.tsx';

const oauth = callsFor({ github: endpoints.github, oidc: endpoints.oidc, linuxdo: endpoints.linuxdo });

/** Milliseconds for which an outcome is shown before the page goes on. */
const outcomeShown = 1500;

export function Page() {
  const { provider } = useParams();
  return isOAuthProvider(provider) ? <Callback provider={provider} /> : <NotFound />;
}

type Outcome = { readonly kind: 'failed' | 'stale' | 'bound'; readonly text: string };

function Callback({ provider }: { provider: OAuthProvider }) {
  const { t } = useTranslation('front');
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const { come, stepOn } = useEntry();
  const failure = useFailures();
  const [outcome, setOutcome] = useState<Outcome>();
  const isAsked = useRef(false);
  const wished = useRef<string>(undefined);

  useEffect(() => {
    // The code works once: whatever changes afterwards, it is not sent again.
    if (isAsked.current) return;
    isAsked.current = true;
    const given = givenBy(query);
    if (given.code === undefined && given.error === undefined) {
      return setOutcome({ kind: 'stale', text: t('oauth.stateInvalid') });
    }
    const kept = takeReturn();
    wished.current = kept;
    oauth[provider](given).then(
      ({ message, data }) => {
        if (data !== null) return come(data, '/token', kept);
        if (message !== 'bind') return setOutcome({ kind: 'stale', text: t('oauth.stateInvalid') });
        // A toast does not outlive the document that an administrator is sent to.
        if (isAdmin(userStore.get())) return setOutcome({ kind: 'bound', text: t('oauth.bound') });
        toast.success(t('oauth.bound'), { extra: <Link to="/personal?tab=bindings">{t('oauth.toBindings')}</Link> });
        toSettings(navigate);
      },
      async (error: unknown) => {
        if (await stepOn(error, '/token', kept)) return;
        const told = given.error === 'access_denied' ? undefined : failure(error);
        setOutcome(
          error instanceof ApiError && error.code === 'oauth_state'
            ? { kind: 'stale', text: t('oauth.stateInvalid') }
            : { kind: 'failed', text: told ?? t('oauth.denied') },
        );
      },
    );
  }, [provider, query, navigate, come, stepOn, failure, t]);

  useEffect(() => {
    if (outcome === undefined) return;
    const goOn = () => {
      // The page goes on before anybody has read why; there it can be read as long as it takes.
      if (outcome.kind !== 'bound') toast.error(outcome.text, { isLasting: true });
      // Whoever wanted to see a page still does, by another way in.
      if (userStore.get() || wished.current === undefined) toSettings(navigate);
      else navigate(`/login?returnTo=${encodeURIComponent(wished.current)}`, { replace: true });
    };
    const timer = setTimeout(goOn, outcomeShown);
    return () => clearTimeout(timer);
  }, [outcome, navigate]);

  return (
    <FrontCard title={t('login.submit')}>
      {outcome === undefined ? (
        <div role="status" className={classes.processing}>
          <Loader size={20} aria-hidden />
          <span>{t('oauth.processing')}</span>
        </div>
      ) : (
        <div className={classes.outcome}>
          <Alert color={outcome.kind === 'bound' ? 'green' : 'red'}>{outcome.text}</Alert>
          {outcome.kind === 'bound' ? (
            <Anchor component={Link} to="/personal?tab=bindings">
              {t('oauth.toBindings')}
            </Anchor>
          ) : (
            <p className={classes.next} role="status">
              {t('oauth.redirecting')}
            </p>
          )}
          {outcome.kind === 'stale' && (
            <Anchor component={Link} to="/login">
              {t('oauth.again')}
            </Anchor>
          )}
        </div>
      )}
    </FrontCard>
  );
}

function givenBy(query: URLSearchParams): {
  code?: string;
  state?: string;
  error?: string;
  error_description?: string;
} {
  const names = ['code', 'state', 'error', 'error_description'] as const;
  return Object.fromEntries(names.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])));
}

/** Signed-out visitors and ordinary users are sent on from there; it is served as a document of its own. */
function toSettings(navigate: ReturnType<typeof useNavigate>): void {
  if (isAdmin(userStore.get())) window.location.replace('/setting');
  else navigate('/setting', { replace: true });
}
