/** Runs over past charges, portion by portion: what they would come to by other prices, and booking that. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { noCharges, type RerateReport, withPortion } from '../../../../daemon/contract/price-rerate.ts';
import type { PriceRerateView } from '../../../../daemon/contract/price-work.ts';
import { useFailures } from '../../../api/failures.ts';
import type { SentPrices } from './price-entry.ts';
import { priceWork } from './price-work.ts';

/** A draft is only looked at: nobody is charged by prices that are not in force. */
export type ReratePrices = { readonly version: number } | { readonly draft: SentPrices };

export const rerateKeys = ['user', 'model', 'group'] as const;

/** Charges from one unix second to before another. */
export interface RerateQuestion {
  readonly start_timestamp: number;
  readonly end_timestamp: number;
  readonly by: (typeof rerateKeys)[number];
}

export interface RerateOutcome {
  readonly report: RerateReport;
  /** False where it was stopped or failed. */
  readonly isWhole: boolean;
}

export interface RerateRun {
  /** Undefined while nothing runs; else what the portions so far come to. */
  readonly underWay: RerateReport | undefined;
  readonly problem: string | undefined;
  /** Undefined where it was stopped or failed. */
  readonly preview: (question: RerateQuestion) => Promise<RerateReport | undefined>;
  /** Of one that was stopped or failed, what is known to be booked by then; running again does the rest. */
  readonly book: (question: RerateQuestion, note: string) => Promise<RerateOutcome>;
  readonly stop: () => void;
}

/** Five hundred rows are booked in a transaction each. */
const portionWaitMs = 300_000;

export function useRerate(prices: ReratePrices): RerateRun {
  const failure = useFailures();
  const queryClient = useQueryClient();
  const [underWay, setUnderWay] = useState<RerateReport>();
  const [problem, setProblem] = useState<string>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const run = async (question: RerateQuestion & { book?: true; note?: string }): Promise<RerateOutcome> => {
    const { signal } = (running.current = new AbortController());
    let report = noCharges;
    let after: string | null = null;
    setProblem(undefined);
    try {
      do {
        setUnderWay(report);
        const portion: PriceRerateView = await priceWork.rerate(
          { ...prices, ...question, after },
          { timeoutMs: portionWaitMs, signal },
        );
        report = withPortion(report, portion);
        after = portion.next;
      } while (after !== null);
      return { report, isWhole: true };
    } catch (error) {
      setProblem(failure(error));
      return { report, isWhole: false };
    } finally {
      setUnderWay(undefined);
    }
  };
  return {
    underWay,
    problem,
    preview: async (question) => {
      const { report, isWhole } = await run(question);
      return isWhole ? report : undefined;
    },
    book: async (question, note) => {
      const outcome = await run({ ...question, book: true, note });
      // Balances, charges and sums have moved everywhere, also where it was stopped.
      void queryClient.invalidateQueries();
      return outcome;
    },
    stop: () => running.current?.abort(),
  };
}
