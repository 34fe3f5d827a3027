/** Why there is no whole answer, in the server's words, and what to do about it. */
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { CopyText } from '../../components/copy.tsx';
import type { Failure } from './conversation.ts';
import classes from './message.module.css';

export interface AnswerFailureProps {
  readonly failure: Failure;
  readonly requestId: string | undefined;
}

export function AnswerFailure({ failure, requestId }: AnswerFailureProps) {
  const { t } = useTranslation('playground');
  return (
    <div className={classes.failure} role="alert">
      <p className={classes.failureText}>{failure.kind === 'told' ? failure.text : t(`failure.${failure.kind}`)}</p>
      <div className={classes.failureFacts}>
        {failure.kind === 'told' && failure.code !== undefined && <code>{failure.code}</code>}
        {failure.kind === 'told' && failure.code === 'insufficient_user_quota' && <Link to="/topup">{t('topUp')}</Link>}
        {requestId !== undefined && <CopyText value={requestId} label={t('requestId')} />}
      </div>
    </div>
  );
}
