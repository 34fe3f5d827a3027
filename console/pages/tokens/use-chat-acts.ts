/** Opens the saved chat links with the token of a row. */
import { useTranslation } from 'react-i18next';
import type { TokenView } from '../../../daemon/contract/tokens.ts';
import { chatLinksOf } from '../../chat-links/chat-links.ts';
import type { RowAction } from '../../components/data-table-types.ts';
import { toast } from '../../components/toast.ts';
import { useStatus } from '../../session/status.ts';

/** One entry for each link; where there is none, one that says what is wrong. */
export function useChatActs(): (token: TokenView, refused: string | undefined) => readonly RowAction[] {
  const { t } = useTranslation(['tokens', 'frame']);
  const chats = useStatus()?.chats;
  const links = chats && chatLinksOf(chats);
  return (token, refused) => {
    if (chats === undefined) return [];
    if (links === undefined || links.length === 0) {
      const text = links === undefined ? t('frame:error.chatLink') : t('chat.none');
      return [{ key: 'chat', label: t('chat.act'), onAct: () => toast.error(text) }];
    }
    return links.map((link) => ({
      key: `chat-${link.index}`,
      label: t('chat.with', { name: link.name }),
      refused: token.status === 2 ? t('chat.disabled') : refused,
      onAct: () => void import('../../chat-links/open-chat.ts').then(({ openChat }) => openChat(link, token)),
    }));
  };
}
