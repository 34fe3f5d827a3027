/** The chat links of the side bar. */
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { type ChatLink, chatLinksOf } from '../chat-links/chat-links.ts';
import { toast } from '../components/toast.ts';
import { useStatus } from '../session/status.ts';
import { Store } from '../session/store.ts';

/** Said once a visit. */
const hasComplained = new Store(false);

/** Empty while nothing is known or nothing can be used; the latter is said once. */
export function useChatLinks(): readonly ChatLink[] {
  const { t } = useTranslation();
  const chats = useStatus()?.chats;
  const links = chats ? chatLinksOf(chats) : [];
  const isBroken = links === undefined;
  useEffect(() => {
    if (!isBroken || hasComplained.get()) return;
    hasComplained.set(true);
    toast.error(t('error.chats'));
  }, [isBroken, t]);
  return links ?? [];
}
