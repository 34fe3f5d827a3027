/** What can be done to codes in their list: each act says what came of it, and the list is asked anew. */
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { RedemptionView } from '../../../daemon/contract/redemptions.ts';
import { showFailure } from '../../api/failures.ts';
import { confirm } from '../../components/confirm.tsx';
import { useCopy } from '../../components/copy.tsx';
import { toast } from '../../components/toast.ts';
import { codeStatus, redemptions, redemptionsKey } from './redemption-calls.ts';

interface Page {
  readonly items: readonly RedemptionView[];
}

export function useRedemptionActs() {
  const { t } = useTranslation(['redemptions', 'frame']);
  const queryClient = useQueryClient();
  const copy = useCopy();
  const refresh = () => queryClient.invalidateQueries({ queryKey: [redemptionsKey] });

  /** In the rows on screen, ahead of the answer. */
  const showStatus = (id: number, status: number) =>
    queryClient.setQueriesData<Page>(
      { queryKey: [redemptionsKey, 'list'] },
      (page) => page && { ...page, items: page.items.map((row) => (row.id === id ? { ...row, status } : row)) },
    );

  const setStatus = async (row: RedemptionView, status: number, isUndo = false): Promise<void> => {
    const before = status === codeStatus.unused ? codeStatus.disabled : codeStatus.unused;
    showStatus(row.id, status);
    try {
      await redemptions.update({ id: row.id, status, status_only: 'true' });
      const text =
        status === codeStatus.unused ? t('done.enabled', { name: row.name }) : t('done.disabled', { name: row.name });
      toast.success(text, isUndo ? {} : { undo: () => setStatus(row, before, true) });
    } catch (error) {
      showStatus(row.id, before);
      showFailure(error);
    }
    await refresh();
  };

  /** Asks first, then says how many there were; true when they are deleted. */
  const removeAfter = async (
    question: { readonly title: string; readonly text?: string; readonly verb: string },
    act: () => Promise<unknown>,
  ): Promise<boolean> => {
    if (!(await confirm({ kind: 'danger', ...question }))) return false;
    try {
      const count = await act();
      toast.success(typeof count === 'number' ? t('done.deletedMany', { count }) : t('done.deleted'));
      await refresh();
      return true;
    } catch (error) {
      showFailure(error);
      return false;
    }
  };

  const remove = (row: RedemptionView) =>
    removeAfter(
      { title: t('ask.delete', { name: row.name }), text: t('ask.lasting'), verb: t('frame:action.delete') },
      () => redemptions.delete({ id: row.id }),
    );

  /** True when they are deleted. */
  const removeDisabled = async (): Promise<boolean> => {
    try {
      const { total } = await redemptions.list({ status: codeStatus.disabled, page: 1, page_size: 1 });
      if (total > 0) {
        return await removeAfter(
          {
            title: t('ask.deleteDisabled', { count: total }),
            text: t('ask.lasting'),
            verb: t('ask.deleteVerb', { count: total }),
          },
          () => redemptions.deleteDisabled(),
        );
      }
      toast.info(t('done.noDisabled'));
    } catch (error) {
      showFailure(error);
    }
    return false;
  };

  const copySelected = async (rows: readonly RedemptionView[]) => {
    if (rows.length === 0) return toast.error(t('refused.noSelection'));
    const lines = rows.map(({ name, key }) => `${name}    ${key}`).join('\n');
    await copy(lines, { label: t('done.codes', { count: rows.length }) });
    return undefined;
  };

  /** True when they are disabled. */
  const disableSelected = async (rows: readonly RedemptionView[]): Promise<boolean> => {
    if (rows.length === 0) {
      toast.error(t('refused.noSelection'));
      return false;
    }
    try {
      const count = await redemptions.disableBatch({ ids: rows.map(({ id }) => id) });
      toast.success(t('done.disabledMany', { count }));
      await refresh();
      return true;
    } catch (error) {
      showFailure(error);
      return false;
    }
  };

  return { refresh, setStatus, remove, removeDisabled, copySelected, disableSelected };
}
