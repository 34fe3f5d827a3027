/** The price maps as the JSON that is stored. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import { showFailure } from '../../../api/failures.ts';
import { confirm } from '../../../components/confirm.tsx';
import { DiffView } from '../../../components/diff-view.tsx';
import { toast } from '../../../components/toast.ts';
import { useStore } from '../../../session/store.ts';
import { OptionField } from '../option-field.tsx';
import { optionCalls, optionsQuery, useSaveOptions } from '../save-options.ts';
import { pressBelowFields } from '../save-section.tsx';
import type { SectionBodyProps } from '../section-part.ts';
import { keysOf } from '../sections.ts';
import { useSettings } from '../settings-context.tsx';
import { mapOf } from './price-entry.ts';
import classes from './prices.module.css';

export function JsonPrices({ section, sought }: SectionBodyProps) {
  const { t } = useTranslation(['settings-prices', 'frame']);
  const { rows, board } = useSettings();
  const row = rows.get('ModelRatio');
  const saving = useStore(board.saving);
  const { saveDrafts } = useSaveOptions();
  const queryClient = useQueryClient();
  const reset = useMutation({
    mutationFn: () => optionCalls.resetModelRatio(),
    onSuccess: async () => {
      board.forget(['ModelRatio']);
      await queryClient.invalidateQueries(optionsQuery);
      toast.success(t('reset.done'));
    },
    onError: showFailure,
  });
  const askReset = async () => {
    const isSure = await confirm({
      kind: 'danger',
      title: t('reset.act'),
      text: (
        <>
          {t('reset.text')}
          <div className={classes.diff}>
            <DiffView
              kind="table"
              label={t('reset.diff')}
              before={mapOf(row?.value ?? '')}
              after={mapOf(row?.default ?? '')}
            />
          </div>
        </>
      ),
      verb: t('reset.act'),
    });
    if (isSure) reset.mutate();
  };
  return (
    <>
      <div className={classes.fields}>
        {section.fields.map((field) => (
          <OptionField key={field.key} field={field} isSought={field.key === sought} />
        ))}
      </div>
      <div className={classes.acts}>
        <Button
          variant="light"
          loading={keysOf(section).some((key) => saving.has(key))}
          {...pressBelowFields(() => saveDrafts(keysOf(section)))}
        >
          {t('save')}
        </Button>
        <Button variant="outline" color="red" loading={reset.isPending} onClick={() => void askReset()}>
          {t('reset.act')}
        </Button>
      </div>
    </>
  );
}
