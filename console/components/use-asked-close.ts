/**
 * What was typed into something that lies over the page is not lost by a key or a press beside it: whoever closes it,
 * goes back or reloads is asked first (console.md 1.3).
 */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { confirm } from './confirm.tsx';
import { useUnsavedWork } from './use-unsaved-work.ts';

/** Resolves to true once what was typed may be lost. */
export function useDiscardQuestion(): () => Promise<boolean> {
  const { t } = useTranslation('frame');
  return () => confirm({ kind: 'danger', title: t('state.unsaved'), verb: t('action.discard') });
}

/** For a dialog. @returns closes it, where something was typed once that may be lost */
export function useAskedClose(isTyped: boolean, onClose: () => void): () => Promise<void> {
  const mayLose = useDiscardQuestion();
  useUnsavedWork(isTyped, mayLose, 'entry');
  return async () => {
    if (!isTyped || (await mayLose())) onClose();
  };
}

/** As `useAskedClose`, for a dialog that does not know its fields by itself: what holds them gets `onInput`. */
export function useTypedClose(onClose: () => void): { close: () => Promise<void>; onInput: () => void } {
  const [isTyped, setTyped] = useState(false);
  return { close: useAskedClose(isTyped, onClose), onInput: () => setTyped(true) };
}
