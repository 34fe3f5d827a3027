/** Own relay keys by the name or number of an argument. */
import type { TokenView } from '../daemon/contract/tokens.ts';
import type { CommandContext } from './context.ts';
import { both } from './language.ts';
import { walk } from './paging.ts';
import { resolve } from './references.ts';

/** The endpoints behind `findToken` and `searchTokens`. */
export const tokenCalls = ['tokens.get', 'tokens.search', 'tokens.list'] as const;

/** The own key an argument names. Throws exit 6 for none. */
export async function findToken(context: CommandContext, reference: string): Promise<TokenView> {
  const client = await context.client();
  return resolve(reference, {
    word: both('token', '令牌'),
    notFound: 'token_not_found',
    byId: (id) => client.tokens.get({ id }),
    search: (keyword) => searchTokens(context, keyword),
    nameOf: (row) => row.name,
    idOf: (row) => row.id,
  });
}

/** Every own key whose name contains this, newest first: the server's search tells of the newest hundred alone. */
export async function searchTokens(context: CommandContext, keyword: string): Promise<TokenView[]> {
  const { tokens } = await context.client();
  const { items, total } = await tokens.search({ keyword });
  if (items.length >= total) return items;
  const found: TokenView[] = [];
  const page = (page: number, page_size: number) => tokens.list({ page, page_size });
  for await (const row of walk({ page, keyOf: ({ id }) => id, limit: undefined })) {
    if (row.name.toLowerCase().includes(keyword.toLowerCase())) found.push(row);
  }
  return found;
}
