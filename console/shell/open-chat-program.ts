/** Opens a chat program by its link, with a key of the user where the link asks for one (console.md 4.5, 6.19). */
import i18next from 'i18next';
import { tokens as endpoints } from '../../daemon/contract/tokens.ts';
import { callsFor } from '../api/client.ts';
import { showFailure } from '../api/failures.ts';
import { confirm } from '../components/confirm.tsx';
import { toast } from '../components/toast.ts';
import { userStore } from '../session/session.ts';
import { statusStore } from '../session/status.ts';
import type { ChatLink } from './chat-links.ts';

const calls = callsFor({ list: endpoints.list, revealKey: endpoints.revealKey });
const enabled = 1;

/** With the placeholders filled in. */
function filled(url: string, key: string): string {
  const address = statusStore.get()?.server_address || window.location.origin;
  return url.replaceAll('{address}', encodeURIComponent(address)).replaceAll('{key}', `sk-${key}`);
}

export async function openChatProgram({ name, url }: ChatLink): Promise<void> {
  if (userStore.get() === undefined) {
    window.location.assign('/login');
    return;
  }
  try {
    const { items } = await calls.list({ page: 1, page_size: 100 });
    const token = items.find(({ status }) => status === enabled);
    if (!token) {
      toast.error(i18next.t('error.noToken'));
      return;
    }
    const isWanted = await confirm({
      kind: 'plain',
      title: name,
      text: i18next.t('frame.handOver', { token: token.name, program: url.split(':')[0] }),
      verb: i18next.t('frame.useToken'),
    });
    if (isWanted) window.location.assign(filled(url, (await calls.revealKey({ id: token.id })).key));
  } catch (error) {
    showFailure(error);
  }
}
