import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { oauth as endpoints } from '../../../daemon/contract/oauth.ts';
import { callsFor } from '../../api/client.ts';
import { showFailure } from '../../api/failures.ts';
import { queryClient } from '../../api/query-client.ts';
import { toast } from '../../components/toast.ts';
import { telegramAnswerIn, withoutTelegramAnswer } from '../../sign-in/telegram-answer.ts';

const oauth = callsFor({ bind: endpoints.bindTelegram });

/** Binds with the answer that Telegram's widget left in the address. */
export function useTelegramBinding(): void {
  const { t } = useTranslation('personal');
  const [query, setQuery] = useSearchParams();
  const isTaken = useRef(false);
  useEffect(() => {
    const answer = telegramAnswerIn(query);
    if (!answer || isTaken.current) return;
    isTaken.current = true;
    setQuery(withoutTelegramAnswer(query), { replace: true });
    oauth
      .bind(answer)
      .then(async () => {
        toast.success(t('bindings.done'));
        await queryClient.invalidateQueries({ queryKey: ['self'] });
      })
      .catch(showFailure);
  }, [query, setQuery, t]);
}
