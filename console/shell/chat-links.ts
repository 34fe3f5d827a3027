/** Links to chat sites that the operator saved; each entry is a map of one name to one address. */
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../components/toast.ts';
import { useStatus } from '../session/status.ts';
import { Store } from '../session/store.ts';

export interface ChatLink {
  readonly name: string;
  readonly index: number;
  readonly url: string;
  /** False for a link that opens a program. */
  readonly isPage: boolean;
}

/** Undefined when the list cannot be used. */
export function chatLinksOf(chats: readonly Readonly<Record<string, string>>[]): readonly ChatLink[] | undefined {
  const links: ChatLink[] = [];
  for (const [index, entry] of chats.entries()) {
    const [pair, ...others] = Object.entries(entry);
    if (pair === undefined || others.length > 0) return undefined;
    const [name, url] = pair;
    if (name === '' || !/^[a-z][a-z\d+.-]*:/i.test(url) || /^(?:javascript|data|vbscript|file|blob):/i.test(url)) {
      return undefined;
    }
    links.push({ name, index, url, isPage: /^https?:/i.test(url) });
  }
  return links;
}

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
