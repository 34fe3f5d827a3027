/** Routes of relay keys (management-api.md 3.11). */
import { contract } from '../../../contract/index.ts';
import type { TokenService } from '../../../domain/tokens.ts';
import { implement, type Route } from '../../implement.ts';
import { presentToken } from '../../present/tokens.ts';

export const tokenRoutes = (tokens: TokenService): Route[] => [
  implement(contract.tokens.list, async ({ actor, page }) => {
    const { items, total } = await tokens.list(actor, page);
    return { items: items.map(presentToken), total };
  }),
  implement(contract.tokens.search, async ({ actor, input }) => {
    const { items, total } = await tokens.search(actor, input);
    return { items: items.map(presentToken), total };
  }),
  implement(contract.tokens.get, async ({ actor, input }) => presentToken(await tokens.get(actor, input.id))),
  implement(contract.tokens.revealKey, async ({ actor, input }) => ({ key: await tokens.revealKey(actor, input.id) })),
  implement(contract.tokens.create, async ({ actor, input }) =>
    presentToken(await tokens.create(actor, input, input.budgets ?? [])),
  ),
  implement(contract.tokens.update, async ({ actor, input }) =>
    presentToken(
      input.status_only === undefined
        ? await tokens.update(actor, input.id, input)
        : await tokens.setStatus(actor, input.id, Number(input.status)),
    ),
  ),
  implement(contract.tokens.delete, async ({ actor, input }) => tokens.delete(actor, input.id)),
  implement(contract.tokens.deleteBatch, async ({ actor, input }) => tokens.deleteBatch(actor, input.ids ?? [])),
];
