/** What can be done to the keys of a channel. */
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelKeyView } from '../../../daemon/contract/channel-keys.ts';
import { findChannelType } from '../../../daemon/contract/channel-types.ts';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { isForTheLoop } from '../../api/batch.ts';
import { showFailure, useFailures } from '../../api/failures.ts';
import { confirm } from '../../components/confirm.tsx';
import { downloadFile } from '../../components/csv-download.ts';
import { toast } from '../../components/toast.ts';
import { channels, upstreamWait } from './channel-calls.ts';
import type { TestResult } from './use-model-tests.ts';

/** What keys of channels can be limited in: requests and tokens a minute, calls at once. */
export const keyLimits = ['cap', 'tpm', 'concurrency'] as const;
/** 0 is no limit. */
export type KeyLimits = Readonly<Record<(typeof keyLimits)[number], number>>;

export interface KeyActs {
  readonly setStatus: (key: ChannelKeyView, status: 1 | 2) => Promise<void>;
  /** True once they are kept. */
  readonly setLimits: (key: ChannelKeyView, limits: Partial<KeyLimits>) => Promise<boolean>;
  readonly test: (hash: string, signal?: AbortSignal) => Promise<void>;
  /** All keys as a file, one a line; asks for a fresh proof. */
  readonly saveAll: (channel: Pick<ChannelView, 'name' | 'type'>) => Promise<void>;
  /** True once they are gone. */
  readonly remove: (hashes: readonly string[]) => Promise<boolean>;
}

export const keysQueryKey = (id: number) => ['channels', 'keys', id] as const;

export function useKeyActs(id: number): {
  readonly acts: KeyActs;
  readonly results: ReadonlyMap<string, TestResult>;
  readonly testing: ReadonlySet<string>;
} {
  const { t } = useTranslation('channel-tools');
  const client = useQueryClient();
  const failure = useFailures();
  const [results, setResults] = useState<ReadonlyMap<string, TestResult>>(new Map());
  const [testing, setTesting] = useState<ReadonlySet<string>>(new Set());
  const acts = useMemo<KeyActs>(() => {
    const put = (hash: string, patch: Partial<ChannelKeyView>) =>
      client.setQueryData<ChannelKeyView[]>(keysQueryKey(id), (keys) =>
        keys?.map((key) => (key.key_hash === hash ? { ...key, ...patch } : key)),
      );
    const refresh = () => client.invalidateQueries({ queryKey: keysQueryKey(id) });
    const change = async (key: ChannelKeyView, wish: { status: number } | Partial<KeyLimits>): Promise<boolean> => {
      put(key.key_hash, wish);
      try {
        put(key.key_hash, await channels.setKey({ id, key_hash: key.key_hash, ...wish }));
        return true;
      } catch (error) {
        put(key.key_hash, key);
        showFailure(error);
        // Somebody else, or the daemon, may have changed or deleted it meanwhile.
        void refresh();
        return false;
      }
    };
    return {
      setStatus: async (key, status) => {
        if (!(await change(key, { status }))) return;
        const undo = () => change({ ...key, status }, { status: key.status === 1 ? 1 : 2 }).then(() => undefined);
        toast.success(t(status === 1 ? 'keys.enabledDone' : 'keys.disabledDone', { place: key.position + 1 }), {
          undo,
        });
      },
      setLimits: async (key, limits) => {
        const isKept = await change(key, limits);
        if (isKept) toast.success(t('keys.capDone', { place: key.position + 1 }));
        return isKept;
      },
      test: async (hash, signal) => {
        setTesting((before) => new Set(before).add(hash));
        try {
          const options = { ...upstreamWait, ...(signal ? { signal } : {}) };
          const { success: ok, time, message } = await channels.testKey({ id, key_hash: hash }, options);
          setResults((before) => new Map(before).set(hash, { ok, time, message }));
        } catch (error) {
          if (isForTheLoop(error, signal)) throw error;
          const message = failure(error);
          if (message === undefined) return;
          setResults((before) => new Map(before).set(hash, { ok: false, time: 0, message }));
        } finally {
          setTesting((before) => new Set([...before].filter((other) => other !== hash)));
          void refresh();
        }
      },
      saveAll: async ({ name, type }) => {
        try {
          const { key } = await channels.revealKey({ id });
          const isJson = findChannelType(type)?.keyForm === 'json';
          downloadFile(
            `${name}-keys.${isJson ? 'json' : 'txt'}`,
            isJson ? key : `${key.split(',').join('\n')}\n`,
            isJson ? 'application/json' : 'text/plain;charset=utf-8',
          );
        } catch (error) {
          showFailure(error);
        }
      },
      remove: async (hashes) => {
        const verb = t('keys.deleteVerb', { count: hashes.length });
        if (!(await confirm({ kind: 'danger', title: verb, text: t('keys.deleteText'), verb }))) return false;
        try {
          const count = await channels.removeKeys({ id, key_hashes: [...hashes] });
          toast.success(t('keys.deleted', { count }));
          return true;
        } catch (error) {
          showFailure(error);
          return false;
        } finally {
          void refresh();
        }
      },
    };
  }, [id, client, t, failure]);
  return { acts, results, testing };
}
