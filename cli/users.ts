/** Finding the user that an argument names: an id, a user name, or an e-mail address. */
import type { CommandContext } from './context.ts';
import { both } from './language.ts';
import { resolve } from './references.ts';

export async function findUser(context: CommandContext, reference: string) {
  const client = await context.client();
  return resolve(reference, {
    word: both('user', '用户'),
    notFound: 'user_not_found',
    byId: (id) => client.users.get({ id }),
    search: async (keyword) => (await client.users.search({ keyword, page_size: 100 })).items,
    nameOf: (row) => (reference.includes('@') ? row.email : row.username),
    idOf: (row) => row.id,
  });
}
