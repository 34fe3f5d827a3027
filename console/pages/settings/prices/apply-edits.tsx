/** Applies what was edited in the tables, drops it, or shows what past calls would have cost by it. */
import { Button } from '@mantine/core';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { lazyPart } from '../../../components/late-part.tsx';
import { figureProblem } from './price-entry.ts';
import classes from './prices.module.css';
import type { PriceEditing } from './use-price-edits.ts';

const RerateDialog = lazyPart(() => import('./rerate-dialog.tsx').then((module) => ({ default: module.RerateDialog })));

export function ApplyEdits({ editing }: { editing: PriceEditing }) {
  const { t } = useTranslation(['settings-prices', 'settings-price-work']);
  const { editCount, wrong, isApplying } = editing;
  const [isTrying, setTrying] = useState(false);
  return (
    <>
      {wrong.map(({ name, figure, text }) => (
        <p key={`${figure} ${name}`} className={classes.problem}>
          {t('apply.wrong', {
            name,
            figure: t(`column.${figure}`),
            text,
            reason: t(`cell.${figureProblem(text) ?? 'number'}`),
          })}
        </p>
      ))}
      <div className={classes.acts}>
        <Button onClick={() => void editing.apply()} loading={isApplying}>
          {t('apply.act')}
        </Button>
        {editCount > 0 && (
          <>
            <Button variant="default" onClick={() => setTrying(true)} disabled={isApplying || wrong.length > 0}>
              {t('settings-price-work:rerate.draftAct')}
            </Button>
            <Button variant="default" onClick={editing.discard} disabled={isApplying}>
              {t('apply.discard', { count: editCount })}
            </Button>
          </>
        )}
      </div>
      <Suspense fallback={null}>
        {isTrying && <RerateDialog prices={{ draft: editing.draft() }} onClose={() => setTrying(false)} />}
      </Suspense>
    </>
  );
}
