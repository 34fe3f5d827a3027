/** The price of a model under all the names that the channels know it by (relay.md 15.2). */
import type { Price, PriceBook, PriceNames } from '../domain/pricing.ts';
import { withoutPrefix } from '../relay/model-names.ts';
import type { AbilityView } from '../snapshots/channel-index.ts';
import { namesOn } from './call-template.ts';
import type { Endpoint } from './exchange.ts';

/** The price that the tables hold for a model; undefined when they hold none. */
export function listedPrice(
  book: PriceBook,
  asked: { readonly model: string; readonly priceEnding: Endpoint['priceEnding'] },
  candidates: readonly AbilityView[],
): Price | undefined {
  const { model, priceEnding: ending } = asked;
  const names = { client: model, bare: bareOn(candidates, model), ending };
  return book.find(names, { unpriced: false }) ?? mappedPrice(book, names, candidates);
}

/** Tasks have no tokens: priced by them, they would be had for nothing (relay.md 8.9). */
export function isPayable(price: Price, { capability }: Pick<Endpoint, 'capability'>): boolean {
  return capability !== 'tasks' || price.mode === 'fixed' || price.rates.isFree;
}

/** The name without the prefix of the channel that offers it first. */
export function bareOn(candidates: readonly AbilityView[], model: string): string {
  return withoutPrefix(model, candidates[0]?.channel.record.modelPrefix ?? '');
}

/** An alias without a price of its own costs what the model behind it costs. */
function mappedPrice(
  book: PriceBook,
  { client, ending }: Pick<PriceNames, 'client' | 'ending'>,
  candidates: readonly AbilityView[],
): Price | undefined {
  for (const { channel } of candidates) {
    const names = namesOn(channel, client);
    if (names === undefined) continue;
    const price = book.find({ client, bare: names.bare, upstream: names.upstream, ending }, { unpriced: false });
    if (price !== undefined) return price;
  }
  return undefined;
}
