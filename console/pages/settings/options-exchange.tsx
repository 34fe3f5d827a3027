/** Gives the user the file of options, and asks whether what one says is to be taken; loaded when that is wanted. */
import type { TFunction } from 'i18next';
import type { OptionKey } from '../../../daemon/contract/options.ts';
import { confirm } from '../../components/confirm.tsx';
import { downloadFile } from '../../components/csv-download.ts';
import { toast } from '../../components/toast.ts';
import { exportedOptions, readOptionsFile } from './options-file.ts';
import classes from './options-transfer.module.css';
import type { Settings } from './settings-context.tsx';

export function saveOptionsFile({ rows }: Settings): void {
  downloadFile('tollgate-options.json', exportedOptions(rows), 'application/json');
}

interface Judge {
  /** What is wrong with a value. */
  readonly problem: (key: OptionKey, value: string) => unknown;
  readonly t: TFunction<'settings'>;
}

/** Makes drafts of what a file says, once it is wanted. */
export async function takeOptionsFile(file: File, settings: Settings, { problem, t }: Judge): Promise<void> {
  const { rows, board, isRoot } = settings;
  const found = readOptionsFile(await file.text(), rows, {
    isRefused: (key, value) => (!isRoot && rows.get(key)?.class === 'root') || problem(key, value) !== undefined,
  });
  if (!found) {
    toast.error(t('transfer.notRead'));
    return;
  }
  if (found.changes.length === 0) {
    toast.info(t('transfer.same'));
    return;
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
  if (!isSure) return;
  for (const { key, value } of found.changes) board.setDraft(key, value);
}
