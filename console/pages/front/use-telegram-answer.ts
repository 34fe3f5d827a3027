import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { oauth as endpoints } from '../../../daemon/contract/oauth.ts';
import { callsFor } from '../../api/client.ts';
import { useFailures } from '../../api/failures.ts';
import { takeReturn } from '../../sign-in/return-address.ts';
import { takeTelegramWait, telegramAnswerIn, withoutTelegramAnswer } from '../../sign-in/telegram-answer.ts';
import { useEntry } from './use-entry.tsx';

const oauth = callsFor({ telegram: endpoints.telegram });

/** Signs in with the answer that Telegram's widget left in the address; the text of a refusal. */
export function useTelegramAnswer(): string | undefined {
  const { t } = useTranslation('sign-in');
  const [query, setQuery] = useSearchParams();
  const { come, stepOn } = useEntry();
  const failure = useFailures();
  const [problem, setProblem] = useState<string>();
  const isTaken = useRef(false);
  useEffect(() => {
    const answer = telegramAnswerIn(query);
    if (!answer || isTaken.current) return;
    isTaken.current = true;
    setQuery(withoutTelegramAnswer(query), { replace: true });
    if (!takeTelegramWait(window.location.pathname)) return setProblem(t('telegram.notAsked'));
    const kept = takeReturn();
    oauth.telegram(answer).then(
      (user) => come(user, '/', kept),
      async (error: unknown) => {
        if (!(await stepOn(error, '/', kept))) setProblem(failure(error));
      },
    );
  }, [query, setQuery, come, stepOn, failure, t]);
  return problem;
}
