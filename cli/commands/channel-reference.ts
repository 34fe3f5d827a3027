/** Finding the channel that an argument names. */
import type { CommandContext } from '../context.ts';
import { both } from '../language.ts';
import { resolve } from '../references.ts';

/** The channel an argument names. */
export async function findChannel(context: CommandContext, reference: string) {
  const client = await context.client();
  return resolve(reference, {
    word: both('channel', '渠道'),
    notFound: 'channel_not_found',
    byId: (id) => client.channels.get({ id }),
    search: async (keyword) => (await client.channels.search({ keyword })).items,
    nameOf: (row) => row.name,
    idOf: (row) => row.id,
  });
}
