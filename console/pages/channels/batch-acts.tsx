/** What is done to the selected channels at once. */
import { Button } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showFailure } from '../../api/failures.ts';
import { type BatchProgress, useBatch } from '../../api/use-batch.ts';
import { BatchProgressBar } from '../../components/batch-progress.tsx';
import { confirm } from '../../components/confirm.tsx';
import { lazyPart } from '../../components/late-part.tsx';
import { toast } from '../../components/toast.ts';
import { useToldFailures } from './batch-failures.tsx';
import { channels, upstreamWait } from './channel-calls.ts';
import { noteTest, setTesting } from './row-notes.ts';
import { patchRows, refreshRows } from './use-channels.ts';

const TagDialog = lazyPart(() => import('./tag-dialog.tsx').then((m) => ({ default: m.TagDialog })));

export interface BatchActsProps {
  readonly ids: readonly number[];
  readonly onDone: () => void;
  /** Some of them were refused: these. */
  readonly onRefused: (ids: readonly number[]) => void;
}

export function BatchActs({ ids, onDone, onRefused }: BatchActsProps) {
  const { t } = useTranslation('channels');
  const client = useQueryClient();
  const batch = useBatch<number>();
  const tellFailures = useToldFailures();
  /** Says how the loop that was begun last ended, also when it is taken up again after a stop. */
  const tell = useRef<(progress: BatchProgress<number>) => void>(undefined);
  const [isTagging, setTagging] = useState(false);
  const [running, setRunning] = useState<string>();
  const run = async (name: string, act: () => Promise<void>) => {
    setRunning(name);
    try {
      await act();
    } catch (error) {
      showFailure(error);
    } finally {
      setRunning(undefined);
      await refreshRows(client);
    }
  };
  /** False, and said, while nothing is selected. */
  const isAnySelected = (problem: 'none' | 'noneToDelete' | 'noneToTag'): boolean => {
    if (ids.length === 0) toast.info(t(problem));
    return ids.length > 0;
  };
  const setStatus = async (status: 1 | 2, wanted: readonly number[], isUndo = false) => {
    /** Those that had another status: whoever was disabled already is not enabled by taking it back. */
    const changed: number[] = [];
    tell.current = ({ done, total, failures }) => {
      const count = done - failures.length;
      // As with one channel, what the daemon disabled comes back as disabled by hand.
      const before = [...changed];
      const undo = () => setStatus(status === 1 ? 2 : 1, before, true);
      if (count > 0) {
        const text = t(status === 1 ? 'done.enabledMany' : 'done.disabledMany', { count });
        toast.success(text, isUndo || before.length === 0 ? {} : { undo });
      }
      if (done < total) return;
      batch.clear();
      if (failures.length === 0) return;
      tellFailures(total, failures);
      onRefused(failures.map(({ item }) => item));
    };
    await run(status === 1 ? 'enable' : 'disable', async () => {
      const enabled = await enabledAmong(wanted);
      const act = async (id: number, signal: AbortSignal) => {
        await channels.setStatus({ id, status }, { signal });
        patchRows(client, new Set([id]), { status });
        if (enabled.has(id) !== (status === 1)) changed.push(id);
      };
      tell.current?.(await batch.start(wanted, act));
    });
  };
  const switchSelected = async (status: 1 | 2) => {
    if (isAnySelected('none')) await setStatus(status, ids);
  };
  const test = async () => {
    if (!isAnySelected('none')) return;
    let failed = 0;
    tell.current = ({ done, total, failures }) => {
      toast.info(t('done.testedMany', { count: done, failures: failed + failures.length }));
      if (done === total) batch.clear();
    };
    await run('test', async () => {
      const act = async (id: number, signal: AbortSignal) => {
        setTesting(id, true);
        try {
          const answer = await channels.test({ id }, { ...upstreamWait, signal });
          noteTest(id, answer.success ? undefined : answer.message);
          if (!answer.success) failed += 1;
        } finally {
          setTesting(id, false);
        }
      };
      tell.current?.(await batch.start(ids, act));
    });
  };
  const remove = async () => {
    if (!isAnySelected('noneToDelete')) return;
    const verb = t('confirm.deleteManyVerb', { count: ids.length });
    const text = t('confirm.deleteMany', { count: ids.length });
    if (!(await confirm({ kind: 'danger', title: verb, text, verb }))) return;
    await run('delete', async () => {
      const count = await channels.deleteBatch({ ids: [...ids] });
      toast.success(t('done.deletedMany', { count }));
      onDone();
    });
  };
  const tag = () => {
    if (isAnySelected('noneToTag')) setTagging(true);
  };
  const resume = async () => {
    let progress: BatchProgress<number> | undefined;
    await run('resume', async () => {
      progress = await batch.resume();
      if (progress) tell.current?.(progress);
    });
    return progress;
  };
  const button = { size: 'xs', variant: 'default' } as const;
  return (
    <>
      <Button {...button} onClick={() => switchSelected(1)} loading={running === 'enable'}>
        {t('act.enable')}
      </Button>
      <Button {...button} onClick={() => switchSelected(2)} loading={running === 'disable'}>
        {t('act.disable')}
      </Button>
      <Button {...button} onClick={tag}>
        {t('act.setTag')}
      </Button>
      <Button {...button} onClick={test} loading={running === 'test'}>
        {t('act.test')}
      </Button>
      <Button {...button} color="red" variant="light" onClick={remove} loading={running === 'delete'}>
        {t('act.delete')}
      </Button>
      <BatchProgressBar batch={{ ...batch, resume }} />
      <Suspense fallback={null}>
        {isTagging && (
          <TagDialog
            ids={ids}
            onClose={() => setTagging(false)}
            onDone={() => {
              setTagging(false);
              onDone();
              void refreshRows(client);
            }}
          />
        )}
      </Suspense>
    </>
  );
}

/** The ids a call may name. */
const askedAtOnce = 100;

/** Which of the channels are enabled now; those that were chosen on another page are no row any more. */
async function enabledAmong(ids: readonly number[]): Promise<ReadonlySet<number>> {
  const enabled = new Set<number>();
  for (let from = 0; from < ids.length; from += askedAtOnce) {
    const asked = ids.slice(from, from + askedAtOnce).join(',');
    const { items } = await channels.list({ ids: asked, status: 'enabled', page: 1, page_size: askedAtOnce });
    for (const { id } of items) enabled.add(id);
  }
  return enabled;
}
