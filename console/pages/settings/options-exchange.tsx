/** Gives the user the file of options, and asks whether what one says is to be taken; loaded when that is wanted. */
import type { TFunction } from 'i18next';
import type { OptionKey } from '../../../daemon/contract/options.ts';
import { confirm } from '../../components/confirm.tsx';
import { downloadFile } from '../../components/csv-download.ts';
import { toast } from '../../components/toast.ts';
import type { OptionRows } from './option-draft.ts';
import { exportedOptions, type OptionsFile, readOptionsFile } from './options-file.ts';
import classes from './options-transfer.module.css';

export function saveOptionsFile(rows: OptionRows): void {
  downloadFile('tollgate-options.json', exportedOptions(rows), 'application/json');
}

export interface OptionsImport {
  readonly rows: OptionRows;
  readonly isRefused: (key: OptionKey, value: string) => boolean;
  readonly t: TFunction<'settings'>;
}

/** The changes that are to be made; none where there are none, or they are not wanted. */
export async function importedChanges(
  file: File,
  { rows, isRefused, t }: OptionsImport,
): Promise<OptionsFile['changes']> {
  const found = readOptionsFile(await file.text(), rows, { isRefused });
  if (!found) {
    toast.error(t('transfer.notRead'));
    return [];
  }
  if (found.changes.length === 0) {
    toast.info(t('transfer.same'));
    return [];
  }
  const isSure = await confirm({
    kind: 'plain',
    title: t('transfer.title'),
    text: (
      <>
        <span className={classes.line}>{t('transfer.taken', { count: found.changes.length })}</span>
        {found.unknown.length > 0 && (
          <span className={classes.line}>{t('transfer.unknown', { keys: found.unknown.join(', ') })}</span>
        )}
        {found.refused.length > 0 && (
          <span className={classes.line}>{t('transfer.refused', { keys: found.refused.join(', ') })}</span>
        )}
      </>
    ),
    verb: t('transfer.verb', { count: found.changes.length }),
  });
  return isSure ? found.changes : [];
}
