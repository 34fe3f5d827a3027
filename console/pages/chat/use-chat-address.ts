/** The address of a chat site, filled with a key; where that cannot be, the way to the tokens. */
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { showFailure } from '../../api/failures.ts';
import { type ChatLink, chatLinksOf } from '../../chat-links/chat-links.ts';
import { dismissConsent } from '../../chat-links/consent.tsx';
import { handOver } from '../../chat-links/hand-over.ts';
import { toast } from '../../components/toast.ts';
import { isStatusFresh, useStatus } from '../../session/status.ts';
import { useStore } from '../../session/store.ts';

const beforeLeavingMs = 1500;

export interface ChatAddress {
  readonly link: ChatLink | undefined;
  /** Undefined until it is filled, and where it cannot be. */
  readonly url: string | undefined;
  readonly isTokenMissing: boolean;
}

/** @param choose among the saved links that are sites; undefined for none */
export function useChatAddress(choose: (links: readonly ChatLink[]) => ChatLink | undefined): ChatAddress {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isFresh = useStore(isStatusFresh);
  const chats = useStatus()?.chats;
  const links = chats && chatLinksOf(chats);
  const found = links && choose(links);
  const link = found?.isPage ? found : undefined;
  const key = isFresh ? (link ? `${link.index} ${link.url}` : 'none') : undefined;
  const [answer, setAnswer] = useState<{ readonly key: string; readonly url?: string }>();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the link, which is another object each time
  useEffect(() => {
    if (key === undefined) return undefined;
    const leave = () => void navigate('/token', { replace: true });
    if (link === undefined) {
      toast.error(t('error.chatLink'));
      leave();
      return undefined;
    }
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    void handOver(link)
      .then((handed) => {
        if (isOver) return;
        if (handed.kind === 'url') setAnswer({ key, url: handed.url });
        else if (handed.kind === 'noToken') {
          setAnswer({ key });
          timer = setTimeout(leave, beforeLeavingMs);
        } else {
          if (handed.kind === 'unusable') toast.error(t('error.chatLink'));
          leave();
        }
      })
      .catch((error: unknown) => {
        if (isOver) return;
        showFailure(error);
        leave();
      });
    return () => {
      isOver = true;
      clearTimeout(timer);
      dismissConsent();
    };
  }, [key, navigate, t]);

  const mine = answer?.key === key ? answer : undefined;
  return { link, url: mine?.url, isTokenMissing: mine !== undefined && mine.url === undefined };
}
