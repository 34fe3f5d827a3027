/** Finding records by name (console.md 1.5). */
import { contract } from '../../../contract/index.ts';
import type { ObjectSearch } from '../../../domain/object-search.ts';
import { implement, type Route } from '../../implement.ts';

export const searchRoutes = (search: ObjectSearch): Route[] => [
  implement(contract.search.find, async ({ actor, input }) => {
    const found = await search.find(actor, input.keyword ?? '');
    return found.map(({ kind, id, name }) => ({ kind, id, name }));
  }),
];
