/** What was typed into the settings outlives a lost session, as what was typed into a form does (console.md 4.3, rule 4). */
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { isOptionKey, optionKeys } from '../../../daemon/contract/options.ts';
import { type DraftPlace, keepDraft, takeDraft } from '../../components/form-draft.ts';
import { toast } from '../../components/toast.ts';
import { loadLate } from '../../session/late-code.ts';
import { isTakenAway, userStore } from '../../session/session.ts';
import { changesAmong, isSecret, type OptionRows } from './option-draft.ts';
import type { SettingsBoard } from './settings-board.ts';

function placeOf(user: number): DraftPlace {
  return { path: window.location.pathname, user, form: 'options' };
}

export function useKeptDrafts(board: SettingsBoard, rows: OptionRows): void {
  const { t } = useTranslation('frame');
  const latest = useRef({ rows, t });
  latest.current = { rows, t };
  useEffect(() => {
    const user = userStore.get()?.id;
    if (user === undefined) return undefined;
    const place = placeOf(user);
    const { prices, ...texts } = takeDraft(place) ?? {};
    const kept = Object.entries(texts);
    for (const [key, text] of kept) {
      if (isOptionKey(key) && typeof text === 'string' && !isSecret(key)) board.setDraft(key, text);
    }
    if (kept.length > 0) toast.info(latest.current.t('state.draftRestored'));
    if (prices !== undefined) {
      void loadLate(() => import('./prices/restored-prices.ts')).then(({ takePricesAgain }) =>
        takePricesAgain(board, prices, latest.current.rows),
      );
    }
    return () => {
      if (!isTakenAway()) return;
      const changes = changesAmong(optionKeys, latest.current.rows, board.drafts.get());
      const secrets = optionKeys.filter(isSecret);
      const edited = board.pricesToKeep?.() ?? [];
      if (changes.length + edited.length > 0) {
        const typed = Object.fromEntries(changes.map(({ key, value }) => [key, value]));
        keepDraft(place, { ...typed, ...(edited.length > 0 ? { prices: edited } : {}) }, secrets);
      }
    };
  }, [board]);
}
