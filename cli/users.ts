/** Finding the user that an argument names: an id, a user name, or an e-mail address. */
import type { UserView } from '../daemon/contract/users.ts';
import type { CommandContext } from './context.ts';
import { both } from './language.ts';
import { walk } from './paging.ts';
import { resolve } from './references.ts';

export async function findUser(context: CommandContext, reference: string) {
  const client = await context.client();
  const isAddress = reference.includes('@');
  const nameOf = (row: UserView) => (isAddress ? row.email : row.username);
  return resolve(reference, {
    word: both('user', '用户'),
    notFound: 'user_not_found',
    byId: (id) => client.users.get({ id }),
    // Names that contain this one may be so many that it is on none of the first pages.
    search: async (keyword) => {
      const found: UserView[] = [];
      const page = (page: number, page_size: number) => client.users.search({ keyword, page, page_size });
      for await (const row of walk({ page, keyOf: ({ id }) => id, limit: undefined })) {
        if (nameOf(row) !== keyword) continue;
        found.push(row);
        // Addresses may be shared, names are not.
        if (!isAddress) break;
      }
      return found;
    },
    nameOf,
    idOf: (row) => row.id,
  });
}
