import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { oauth as endpoints } from '../../../daemon/contract/oauth.ts';
import { callsFor } from '../../api/client.ts';
import { showFailure } from '../../api/failures.ts';
import { queryClient } from '../../api/query-client.ts';
import { toast } from '../../components/toast.ts';
import { takeTelegramWait, telegramAnswerIn, withoutTelegramAnswer } from '../../sign-in/telegram-answer.ts';

const oauth = callsFor({ bind: endpoints.bindTelegram });

/** Binds with the answer that Telegram's widget left in the address. */
export function useTelegramBinding(): void {
  const { t } = useTranslation(['personal', 'sign-in']);
  const [query, setQuery] = useSearchParams();
  const isTaken = useRef(false);
  useEffect(() => {
    const answer = telegramAnswerIn(query);
    if (!answer || isTaken.current) return;
    isTaken.current = true;
    setQuery(withoutTelegramAnswer(query), { replace: true });
    if (!takeTelegramWait(window.location.pathname)) {
      toast.error(t('sign-in:telegram.notAsked'), { isLasting: true });
      return;
    }
    oauth
      .bind(answer)
      .then(async () => {
        toast.success(t('bindings.done'));
        await queryClient.invalidateQueries({ queryKey: ['self'] });
      })
      .catch(showFailure);
  }, [query, setQuery, t]);
}
