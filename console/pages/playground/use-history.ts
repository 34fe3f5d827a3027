/** Keeps the conversation on the page in this browser, and goes back to earlier ones. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { randomId } from '../../components/random-id.ts';
import { toast } from '../../components/toast.ts';
import { useUser } from '../../session/session.ts';
import { initialParameters } from './call-parameters.ts';
import { ConversationHistory, isStorageFull } from './conversation-history.ts';
import { Conversation } from './conversation-store.ts';
import { type KeptConversation, keptOf, restored } from './kept-conversation.ts';
import type { Side } from './use-sides.ts';

/** A stream changes its turns many times a second. */
const saveAfterMs = 500;

export interface History {
  readonly store: ConversationHistory;
  /** Of the conversation on the page. */
  readonly id: string;
  /** Puts an earlier conversation in the place of the one on the page. */
  readonly open: (kept: KeptConversation) => void;
  /** Begins a new one with the same parameters. */
  readonly begin: () => void;
  /** The same, and what of the one on the page was not kept yet never is. */
  readonly discard: () => void;
}

export function useHistory(sides: readonly Side[], replace: (sides: readonly Side[]) => void): History {
  const userId = useUser()?.id ?? 0;
  const store = useMemo(() => new ConversationHistory(userId), [userId]);
  const [id, setId] = useState(randomId);
  const { t } = useTranslation('playground');
  const isFullTold = useRef(false);
  /** What is still to be kept; called off where the conversation is thrown away. */
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    const save = () => {
      if (waiting.current === undefined) return;
      clearTimeout(waiting.current);
      waiting.current = undefined;
      const kept = keptOf(id, sides.map(turnsOf), Date.now());
      // A browser that keeps nothing (private windows of some) still chats; one that has kept others so far says so.
      void (kept ? store.save([kept]) : store.remove(id)).catch((failure) => {
        if (isStorageFull(failure) && !isFullTold.current) toast.error(t('history.full'));
        isFullTold.current ||= isStorageFull(failure);
      });
    };
    const ends = sides.map(({ conversation }) =>
      conversation.turns.watch(() => {
        waiting.current ??= setTimeout(save, saveAfterMs);
        // A page that is left does not wait for its database: what is whole is kept at once.
        if (!conversation.isRunning()) save();
      }),
    );
    window.addEventListener('pagehide', save);
    return () => {
      for (const end of ends) end();
      window.removeEventListener('pagehide', save);
      save();
    };
  }, [id, sides, store, t]);
  const begin = () => {
    setId(randomId());
    const [first] = sides;
    replace([{ parameters: first?.parameters ?? initialParameters, conversation: new Conversation() }]);
  };
  return {
    store,
    id,
    open: (kept) => {
      setId(kept.id);
      replace(
        kept.sides.map(({ parameters, turns }) => ({ parameters, conversation: new Conversation(restored(turns)) })),
      );
    },
    begin,
    discard: () => {
      clearTimeout(waiting.current);
      waiting.current = undefined;
      begin();
    },
  };
}

function turnsOf({ parameters, conversation }: Side) {
  return { parameters, turns: conversation.turns.get() };
}
