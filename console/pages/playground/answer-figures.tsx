/** How long an answer took, how many tokens it has, and what it cost. */
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { formatCount, formatDuration, formatInteger } from '../../components/format.ts';
import { Quota } from '../../components/quota.tsx';
import { isAdmin, useUser } from '../../session/session.ts';
import type { Answer } from './conversation.ts';
import classes from './message.module.css';

export function AnswerFigures({ answer }: { readonly answer: Answer }) {
  const { t } = useTranslation('playground');
  const user = useUser();
  const { firstMs, totalMs, usage, quota, requestId } = answer;
  const perSecond = tokensPerSecond(answer);
  return (
    <span className={classes.figures}>
      {firstMs !== undefined && <span>{t('figure.first', { time: formatDuration(firstMs / 1000) })}</span>}
      {totalMs !== undefined && <span>{t('figure.total', { time: formatDuration(totalMs / 1000) })}</span>}
      {usage && (
        <span
          title={t('figure.tokensTitle', {
            prompt: formatInteger(usage.prompt),
            completion: formatInteger(usage.completion),
          })}
        >
          {t('figure.tokens', { prompt: formatCount(usage.prompt), completion: formatCount(usage.completion) })}
        </span>
      )}
      {perSecond !== undefined && <span>{t('figure.rate', { rate: formatCount(perSecond) })}</span>}
      {quota !== undefined && <Quota value={quota} />}
      {quota !== undefined && requestId !== undefined && isAdmin(user) && (
        <Link to={`/log?range=&request_id=${encodeURIComponent(requestId)}`}>{t('log')}</Link>
      )}
    </span>
  );
}

/** While they came in; the wait for the first does not count. */
function tokensPerSecond({ firstMs, totalMs, usage }: Answer): number | undefined {
  if (firstMs === undefined || totalMs === undefined || !usage || usage.completion === 0) return undefined;
  const seconds = (totalMs - firstMs) / 1000;
  return seconds > 0.05 ? Math.round(usage.completion / seconds) : undefined;
}
