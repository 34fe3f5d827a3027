/** Signing a command line in (cli.md 2): who asks, for what, and the answer of whoever sits here. */
import { Alert, Skeleton } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Skeleton.css';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { type CliSignInView, cliSignIns as endpoints } from '../../../daemon/contract/cli-sign-ins.ts';
import { wishedScopes } from '../../../daemon/contract/scopes.ts';
import { callsFor } from '../../api/client.ts';
import { lazyPart } from '../../components/late-part.tsx';
import { useUser } from '../../session/session.ts';
import { CliCodeForm } from './cli-code-form.tsx';
import { type LoopbackRequest, loopbackAddress, readRequest } from './cli-request.ts';
import { FrontCard } from './front-card.tsx';

const { find, approve, deny, authorize } = endpoints;
const calls = callsFor({ find, approve, deny, authorize });

/** Loaded once there is somebody to look at. */
const CliReview = lazyPart(() => import('./cli-review.tsx').then((module) => ({ default: module.CliReview })));

/** How the sign-in ended; `carried` where the program on this machine was told by this browser. */
type End = 'approved' | 'denied' | 'carried';

export function Page() {
  const { t } = useTranslation('cli');
  const [query] = useSearchParams();
  const [end, setEnd] = useState<End>();
  const request = readRequest(query);
  return (
    <FrontCard title={t('title')} isWide>
      <Suspense fallback={<Skeleton height={320} />}>
        {end !== undefined ? (
          <Alert color={end === 'denied' ? 'gray' : 'green'} role="status">
            {t(`end.${end}`)}
          </Alert>
        ) : request === 'broken' ? (
          <Alert color="red">{t('broken')}</Alert>
        ) : request === undefined ? (
          <Elsewhere onEnd={setEnd} />
        ) : (
          <Here request={request} onEnd={setEnd} />
        )}
      </Suspense>
    </FrontCard>
  );
}

/** A program that shows a code somewhere else. */
function Elsewhere({ onEnd }: { onEnd: (end: End) => void }) {
  const [waiting, setWaiting] = useState<{ code: string; program: CliSignInView }>();
  if (waiting === undefined) {
    const look = async (code: string) => setWaiting({ code, program: await calls.find({ user_code: code }) });
    return <CliCodeForm onTyped={look} />;
  }
  const { code, program } = waiting;
  return (
    <CliReview
      asked={{
        name: program.name,
        scopes: program.scopes,
        expiresAt: program.expires_at,
        origin: {
          address: program.ip,
          isOwn: program.same_address,
          program: program.user_agent,
          at: program.created_at,
        },
      }}
      onApprove={() => calls.approve({ user_code: code }).then(() => onEnd('approved'))}
      onDeny={() => calls.deny({ user_code: code }).then(() => onEnd('denied'))}
    />
  );
}

/** A program on this machine, which has opened this page. */
function Here({ request, onEnd }: { request: LoopbackRequest; onEnd: (end: End) => void }) {
  const user = useUser();
  const { name, scopes, expiresAt, challenge } = request;
  const approveIt = async () => {
    const { code } = await calls.authorize({ name, scopes: [...scopes], expires_at: expiresAt, challenge });
    onEnd('carried');
    window.location.assign(loopbackAddress(request, { code }));
  };
  const denyIt = async () => {
    onEnd('denied');
    window.location.assign(loopbackAddress(request, { error: 'access_denied' }));
  };
  return (
    <CliReview
      asked={{ name, scopes: wishedScopes(scopes, user?.role ?? 0), expiresAt, origin: undefined }}
      onApprove={approveIt}
      onDeny={denyIt}
    />
  );
}
