/** What can be done with tokens from their list. */
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { tokens as endpoints, type TokenView } from '../../../daemon/contract/tokens.ts';
import { callsFor } from '../../api/client.ts';
import { showFailure } from '../../api/failures.ts';
import { confirm } from '../../components/confirm.tsx';
import { useCopy } from '../../components/copy.tsx';
import { toast } from '../../components/toast.ts';
import { isKeyHidden, secretOf } from './columns.tsx';

export const tokens = callsFor(endpoints);

export interface TokenActs {
  readonly setStatus: (token: TokenView, status: 1 | 2) => Promise<void>;
  readonly setStatuses: (chosen: readonly TokenView[], status: 1 | 2) => Promise<void>;
  /** True when it was deleted. */
  readonly remove: (token: TokenView) => Promise<boolean>;
  /** True when they were deleted. */
  readonly removeMany: (ids: readonly number[]) => Promise<boolean>;
  readonly copyMany: (chosen: readonly TokenView[], form: 'names' | 'keys') => Promise<void>;
}

export function useTokenActs(): TokenActs {
  const { t } = useTranslation('tokens');
  const queryClient = useQueryClient();
  const copy = useCopy();
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['tokens'] });
  /** True when it was done. */
  const guarded = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      showFailure(error);
      return false;
    } finally {
      await refresh();
    }
  };
  const write = (id: number, status: 1 | 2) => tokens.update({ id, status, status_only: 'true' });
  /** Shown before the answer; the refetch puts the old value back where it was refused. */
  const showStatus = (ids: ReadonlySet<number>, status: 1 | 2) =>
    queryClient.setQueriesData<{ items: TokenView[] }>({ queryKey: ['tokens', 'list'] }, (page) =>
      page ? { ...page, items: page.items.map((one) => (ids.has(one.id) ? { ...one, status } : one)) } : page,
    );
  const setStatus = async (token: TokenView, status: 1 | 2) => {
    await guarded(async () => {
      showStatus(new Set([token.id]), status);
      await write(token.id, status);
      toast.success(t(status === 1 ? 'done.enabled' : 'done.disabled'), {
        undo: async () => {
          await guarded(async () => void (await write(token.id, status === 1 ? 2 : 1)));
        },
      });
    });
  };
  return {
    setStatus,
    setStatuses: async (chosen, status) => {
      await guarded(async () => {
        showStatus(new Set(chosen.map(({ id }) => id)), status);
        for (const { id } of chosen) await write(id, status);
        toast.success(t(status === 1 ? 'done.enabled' : 'done.disabled'));
      });
    },
    remove: async (token) => {
      const isSure = await confirm({
        kind: 'danger',
        title: t('confirm.delete', { name: token.name }),
        text: t('confirm.stops'),
        verb: t('confirm.deleteVerb'),
      });
      if (!isSure) return false;
      return guarded(async () => {
        await tokens.delete({ id: token.id });
        toast.success(t('done.deleted'));
      });
    },
    removeMany: async (ids) => {
      const count = ids.length;
      const isSure = await confirm({
        kind: 'danger',
        title: t('confirm.deleteMany', { count }),
        text: t('confirm.manyStop'),
        verb: t('confirm.deleteManyVerb', { count }),
      });
      if (!isSure) return false;
      return guarded(async () => {
        const deleted = await tokens.deleteBatch({ ids: [...ids] });
        toast.success(t('done.deletedCount', { count: deleted }));
      });
    },
    copyMany: async (chosen, form) => {
      const shown = chosen.filter((token) => !isKeyHidden(token));
      if (shown.length === 0) {
        toast.info(t('none'));
        return;
      }
      const lines = shown.map((token) => (form === 'names' ? `${token.name}    ${secretOf(token)}` : secretOf(token)));
      await copy(lines.join('\n'), { label: t('copiedCount', { count: lines.length }) });
    },
  };
}
