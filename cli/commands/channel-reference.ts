/** Finding the channels that arguments name. Lists are asked, never single channels: those come with their keys. */
import type { ChannelView } from '../../daemon/contract/channels.ts';
import type { CommandContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { both } from '../language.ts';
import { walk } from '../paging.ts';
import { resolve } from '../references.ts';

/** What `--status` takes. */
export const channelStates = ['enabled', 'disabled', 'auto', 'cooling'] as const;

/** The number of a channel type by name or number. Throws exit 3. */
export async function channelTypeOf(wish: string): Promise<number> {
  const { parseChannelType } = await import('../../daemon/contract/channel-types.ts');
  const type = parseChannelType(wish)?.type;
  if (type !== undefined) return type;
  throw usageError(both(`no channel type ${wish}`, `没有渠道类型 ${wish}`), {
    field: '--type',
    hint: both('tollgate channel types', 'tollgate channel types'),
  });
}

/** The endpoints behind `findChannel`. */
export const findCalls = ['channels.list', 'channels.search'] as const;

/** The channel an argument names. Throws exit 6 for none. */
export async function findChannel(context: CommandContext, reference: string): Promise<ChannelView> {
  const client = await context.client();
  return resolve(reference, {
    word: both('channel', '渠道'),
    notFound: 'channel_not_found',
    byId: async (id) => {
      const [row] = (await client.channels.list({ ids: String(id) })).items;
      if (row) return row;
      const text = both(`there is no channel ${id}`, `没有编号为 ${id} 的渠道`);
      throw new CliError('channel_not_found', exitCodes.notFound, text);
    },
    search: async (keyword) => (await client.channels.search({ keyword })).items,
    nameOf: (row) => row.name,
    idOf: (row) => row.id,
  });
}

/** All channels of a filter, page by page. */
export async function* allChannels(
  context: CommandContext,
  filter: { readonly tag?: string | undefined; readonly status?: 'enabled' | 'disabled' | undefined } = {},
): AsyncGenerator<ChannelView> {
  const client = await context.client();
  yield* walk({
    page: (page, page_size) => client.channels.list({ ...filter, id_sort: true, page, page_size }),
    keyOf: (row) => row.id,
    limit: undefined,
    progress: () => context.startProgress('items'),
  });
}
