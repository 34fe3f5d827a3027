/** How much is not saved, with a look at it; leaving the page asks first. */
import { Button } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { optionKeys } from '../../../daemon/contract/options.ts';
import { confirm } from '../../components/confirm.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { useUnsavedWork } from '../../components/use-unsaved-work.ts';
import { useStore } from '../../session/store.ts';
import { mayLeave } from '../../session/unsaved-work.ts';
import { changesAmong } from './option-draft.ts';
import { useSaveOptions } from './save-options.ts';
import { useSettings } from './settings-context.tsx';
import classes from './unsaved-bar.module.css';

const UnsavedDialog = lazyPart(() =>
  import('./unsaved-dialog.tsx').then((module) => ({ default: module.UnsavedDialog })),
);

/** A link of the console that a click is about to follow away from this page. */
function leavingLink(event: MouseEvent): HTMLAnchorElement | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || link.target === '_blank' || link.origin !== window.location.origin) return undefined;
  return link.pathname === window.location.pathname ? undefined : link;
}

export function UnsavedBar() {
  const { t } = useTranslation(['settings', 'frame']);
  const { rows, board } = useSettings();
  const drafts = useStore(board.drafts);
  const saving = useStore(board.saving);
  const { saveDrafts } = useSaveOptions();
  const navigate = useNavigate();
  const [isShown, setIsShown] = useState(false);
  const changes = useMemo(() => changesAmong(optionKeys, rows, drafts), [rows, drafts]);
  const edits = useStore(board.priceEdits);
  const wrongPrices = useStore(board.wrongPrices);
  const unsaved = changes.length + new Set([...edits.keys(), ...wrongPrices.map(({ name }) => name)]).size;
  const isDirty = changes.length > 0;
  const isLeavingAsked = unsaved > 0;
  const save = () => saveDrafts(optionKeys);
  useHotkeys([['mod+S', () => void save()]], []);

  const ask = async () => {
    const isSure = await confirm({
      kind: 'danger',
      title: t('unsaved.count', { count: unsaved }),
      text: t('frame:state.unsaved'),
      verb: t('frame:action.discard'),
    });
    if (isSure) {
      board.forget(optionKeys);
      board.forgetPrices();
    }
    return isSure;
  };
  useUnsavedWork(isLeavingAsked, ask);

  useEffect(() => {
    if (!isLeavingAsked) return undefined;
    const onClick = (event: MouseEvent) => {
      const link = leavingLink(event);
      if (!link) return;
      event.preventDefault();
      event.stopPropagation();
      void mayLeave().then((isSure) => {
        if (isSure) navigate(`${link.pathname}${link.search}${link.hash}`);
      });
    };
    document.addEventListener('click', onClick, { capture: true });
    return () => document.removeEventListener('click', onClick, { capture: true });
  }, [isLeavingAsked, navigate]);

  return (
    <>
      {isDirty && (
        <section className={classes.bar} aria-label={t('unsaved.mark')}>
          <span className={classes.count} aria-live="polite">
            {t('unsaved.count', { count: changes.length })}
          </span>
          <Button variant="subtle" onClick={() => setIsShown(true)}>
            {t('unsaved.diff')}
          </Button>
          <Button variant="default" onClick={() => board.forget(optionKeys)}>
            {t('unsaved.discard')}
          </Button>
          <Button onClick={() => void save()} loading={saving.size > 0}>
            {t('frame:action.save')}
          </Button>
        </section>
      )}
      <Suspense fallback={null}>
        {isShown && <UnsavedDialog changes={changes} onClose={() => setIsShown(false)} />}
      </Suspense>
    </>
  );
}
