/** Opens a chat link from a menu: a program by its link, a site in a window of its own. */
import i18next from 'i18next';
import type { TokenView } from '../../daemon/contract/tokens.ts';
import { showFailure } from '../api/failures.ts';
import { toast } from '../components/toast.ts';
import { userStore } from '../session/session.ts';
import type { ChatLink } from './chat-links.ts';
import { handOver } from './hand-over.ts';

/** @param token the one of a row; the first enabled one when absent */
export async function openChat(link: ChatLink, token?: TokenView): Promise<void> {
  if (userStore.get() === undefined) {
    window.location.assign('/login');
    return;
  }
  try {
    const answer = await handOver(link, token);
    if (answer.kind === 'noToken') toast.error(i18next.t('error.noToken'));
    if (answer.kind === 'unusable') toast.error(i18next.t('error.chatLink'));
    if (answer.kind !== 'url') return;
    if (link.isPage) window.open(answer.url, '_blank', 'noopener,noreferrer');
    else window.location.assign(answer.url);
  } catch (error) {
    showFailure(error);
  }
}
