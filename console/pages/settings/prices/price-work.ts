/** Calls of price work, and changes of prices as rows of a comparison. */
import { useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useCallback } from 'react';
import { priceMemberOf } from '../../../../daemon/contract/price-members.ts';
import { type PriceDifferenceView, priceWork as workEndpoints } from '../../../../daemon/contract/price-work.ts';
import type { PriceChangeView, PriceMember } from '../../../../daemon/contract/prices.ts';
import { callsFor } from '../../../api/client.ts';
import type { DiffRow } from '../../../components/diff-values.ts';
import { optionsQuery } from '../save-options.ts';

export const priceWork = callsFor(workEndpoints);

export const versionsKey = ['price-versions'] as const;

/** A sync touches every model there is: more rows than anybody reads would only be slow. */
const mostRows = 300;

type Texts = TFunction<'settings-price-work'>;

export function changeRows(changes: readonly PriceChangeView[], t: Texts): DiffRow[] {
  return changes
    .slice(0, mostRows)
    .map(({ model_name, member, old, new: now }) => rowOf(`${model_name} · ${t(`field.${member}`)}`, old, now));
}

const members: Readonly<Record<string, PriceMember>> = priceMemberOf;

export function differenceRows(differences: readonly PriceDifferenceView[], t: Texts): DiffRow[] {
  return differences.slice(0, mostRows).map(({ option, name, old, new: now }) => {
    const member = members[option];
    const field = member === undefined ? option : t(`field.${member}`);
    return rowOf(name === '' ? field : `${name} · ${field}`, old, now);
  });
}

function rowOf(name: string, before: number | string | null, after: number | string | null): DiffRow {
  return { name, ...(before === null ? {} : { before }), ...(after === null ? {} : { after }) };
}

/** Asks again for whatever shows prices. */
export function usePricesChanged(): () => Promise<void> {
  const queryClient = useQueryClient();
  return useCallback(async () => {
    await Promise.all(
      [versionsKey, optionsQuery.queryKey, ['pricing']].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
    );
  }, [queryClient]);
}
