/** Tests of a channel's models while a dialog is open, and what earlier ones found. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ChannelTestView, testEndpoints } from '../../../daemon/contract/channel-checks.ts';
import { isForTheLoop } from '../../api/batch.ts';
import { useFailures } from '../../api/failures.ts';
import { type BatchControl, useBatch } from '../../api/use-batch.ts';
import { channels, upstreamWait } from './channel-calls.ts';

export type TestEndpoint = (typeof testEndpoints)[number];
export type TestStream = 'auto' | 'on' | 'off';

export interface TestWish {
  readonly stream: TestStream;
  readonly endpoint: TestEndpoint;
  /** Asks for a tool call whose arguments are known. */
  readonly canary: boolean;
  /** Undefined: the key that a call would get. */
  readonly keyHash: string | undefined;
}

export interface TestResult {
  readonly ok: boolean;
  /** Seconds. */
  readonly time: number;
  readonly message: string;
}

export interface ModelTestResult extends TestResult {
  /**
   * The upstream was asked and failed. What could not be tested, or asked for, may work all the same, and so may a model
   * that failed at a canary: many make no tool calls.
   */
  readonly hasFailed: boolean;
}

export interface ModelTests {
  readonly results: ReadonlyMap<string, ModelTestResult>;
  readonly running: ReadonlySet<string>;
  readonly isRunning: boolean;
  /** Newest last, five at most of each model. */
  readonly history: ReadonlyMap<string, readonly ChannelTestView[]>;
  readonly batch: BatchControl<string>;
  readonly one: (model: string) => Promise<void>;
  readonly start: (models: readonly string[]) => Promise<void>;
}

const shownTests = 5;

export function useModelTests(id: number, { keyHash, ...wish }: TestWish): ModelTests {
  const client = useQueryClient();
  const failure = useFailures();
  const batch = useBatch<string>();
  const [results, setResults] = useState<ReadonlyMap<string, ModelTestResult>>(new Map());
  const [running, setRunning] = useState<ReadonlySet<string>>(new Set());
  const { data } = useQuery({
    queryKey: ['channels', 'tests', id],
    queryFn: ({ signal }) => channels.tests({ id }, { signal }),
  });
  const history = useMemo(() => byModel(data ?? []), [data]);
  const test = async (model: string, signal?: AbortSignal): Promise<void> => {
    setRunning((before) => new Set(before).add(model));
    try {
      const options = { ...upstreamWait, ...(signal ? { signal } : {}) };
      const {
        success: ok,
        time,
        message,
        code,
      } = await (keyHash === undefined
        ? channels.test({ id, model, ...wish }, options)
        : channels.testKey({ id, key_hash: keyHash, model, ...wish }, options));
      setResults((before) =>
        new Map(before).set(model, {
          ok,
          hasFailed: code === 'channel_test_failed' && !wish.canary,
          time,
          message,
        }),
      );
    } catch (error) {
      if (isForTheLoop(error, signal)) throw error;
      const message = failure(error);
      if (message === undefined) return;
      setResults((before) => new Map(before).set(model, { ok: false, hasFailed: false, time: 0, message }));
    } finally {
      setRunning((before) => new Set([...before].filter((other) => other !== model)));
    }
  };
  const refresh = () => client.invalidateQueries({ queryKey: ['channels', 'tests', id] });
  return {
    results,
    running,
    isRunning: batch.progress?.isRunning ?? false,
    history,
    batch,
    one: async (model) => {
      await test(model);
      await refresh();
    },
    start: async (models) => {
      await batch.start(models, test);
      await refresh();
    },
  };
}

/** @param tests newest first */
function byModel(tests: readonly ChannelTestView[]): Map<string, ChannelTestView[]> {
  const found = new Map<string, ChannelTestView[]>();
  for (const test of tests) {
    const own = found.get(test.model) ?? [];
    if (own.length < shownTests) found.set(test.model, [test, ...own]);
  }
  return found;
}
