/** Who asks to be signed in, from where, since when, and what it will be able to do; and the answer. */
import { Alert, Button } from '@mantine/core';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Scope, type ScopedResource, scopedResources } from '../../../daemon/contract/scopes.ts';
import { useFailures } from '../../api/failures.ts';
import { formatRelative, formatTime } from '../../components/format.ts';
import { Tag } from '../../components/tag.tsx';
import { useUser } from '../../session/session.ts';
import classes from './cli-page.module.css';
import cardClasses from './front-card.module.css';

/** A program as it presents itself, and what the server knows of it. */
export interface AskingProgram {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** When the token would end, unix seconds. */
  readonly expiresAt: number;
  /** Undefined for one on this machine. */
  readonly origin:
    | { readonly address: string; readonly isOwn: boolean; readonly program: string; readonly at: number }
    | undefined;
}

export interface CliReviewProps {
  readonly asked: AskingProgram;
  readonly onApprove: () => Promise<void>;
  readonly onDeny: () => Promise<void>;
}

export function CliReview({ asked, onApprove, onDeny }: CliReviewProps) {
  const { t, i18n } = useTranslation('cli');
  const failure = useFailures();
  const user = useUser();
  const [problem, setProblem] = useState<string>();
  const [sending, setSending] = useState<'approve' | 'deny'>();
  const { name, scopes, expiresAt, origin } = asked;

  const answer = async (which: 'approve' | 'deny') => {
    if (sending !== undefined) return;
    setProblem(undefined);
    setSending(which);
    try {
      await (which === 'approve' ? onApprove() : onDeny());
    } catch (error) {
      setSending(undefined);
      setProblem(failure(error));
    }
  };

  return (
    <div className={cardClasses.form}>
      <p className={classes.lead}>{t('review.lead')}</p>
      <Alert color={origin?.isOwn === false ? 'red' : 'orange'} title={t('review.warningTitle')}>
        {origin === undefined
          ? t('review.warningHere')
          : origin.isOwn
            ? t('review.warningElsewhere')
            : t('review.warningOtherAddress', { address: origin.address })}
      </Alert>
      <dl className={classes.facts}>
        <Fact label={t('review.name')}>
          <bdi>{name}</bdi>
        </Fact>
        <Fact label={t('review.origin')}>
          {origin === undefined ? (
            t('review.thisMachine')
          ) : (
            <>
              {origin.address} {!origin.isOwn && <Tag tone="red">{t('review.otherAddress')}</Tag>}
              <div className={classes.detail}>
                <bdi>{origin.program}</bdi>
              </div>
            </>
          )}
        </Fact>
        {origin !== undefined && (
          <Fact label={t('review.asked')}>
            {formatTime(origin.at)}
            <span className={classes.detail}> {formatRelative(origin.at, Date.now() / 1000, i18n.language)}</span>
          </Fact>
        )}
        <Fact label={t('review.account')}>{user?.username}</Fact>
        <Rights label={t('review.writes')} scopes={scopes.filter((scope) => scope.endsWith(':write'))} tone="blue" />
        <Rights label={t('review.reads')} scopes={scopes.filter((scope) => scope.endsWith(':read'))} tone="grey" />
        <Fact label={t('review.until')}>{formatTime(expiresAt)}</Fact>
      </dl>
      <p className={classes.lead}>{t('review.revocable')}</p>
      {problem !== undefined && <Alert color="red">{problem}</Alert>}
      <div className={classes.acts}>
        <Button
          variant="default"
          loading={sending === 'deny'}
          disabled={sending === 'approve'}
          onClick={() => void answer('deny')}
        >
          {t('review.deny')}
        </Button>
        <Button loading={sending === 'approve'} disabled={sending === 'deny'} onClick={() => void answer('approve')}>
          {t('review.approve')}
        </Button>
      </div>
    </div>
  );
}

/** What a token reaches, in words; nothing where that is nothing. */
function Rights({ label, scopes, tone }: { label: string; scopes: readonly Scope[]; tone: 'blue' | 'grey' }) {
  const { t } = useTranslation('personal');
  if (scopes.length === 0) return null;
  return (
    <Fact label={label}>
      <span className={classes.scopes}>
        {scopes.map((scope) => (
          <Tag key={scope} tone={tone} title={scope}>
            {t(`machineTokens.resource.${resourceOf(scope)}`)}
          </Tag>
        ))}
      </span>
    </Fact>
  );
}

function resourceOf(scope: Scope): ScopedResource {
  return scopedResources.find((resource) => scope.startsWith(`${resource}:`)) ?? 'state';
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
