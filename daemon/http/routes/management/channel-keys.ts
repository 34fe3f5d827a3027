/** Routes of the keys of a channel (cli.md 7.2, E8). */
import { contract } from '../../../contract/index.ts';
import type { ChannelCheckService } from '../../../domain/channel-checks.ts';
import type { ChannelKeyService } from '../../../domain/channel-key-rows.ts';
import { implement, type Route } from '../../implement.ts';
import { presentTest } from '../../present/channel-checks.ts';
import { presentChannelKey } from '../../present/channel-keys.ts';

export interface ChannelKeyRouteDeps {
  readonly keys: ChannelKeyService;
  readonly checks: ChannelCheckService;
}

export const channelKeyRoutes = ({ keys, checks }: ChannelKeyRouteDeps): Route[] => [
  implement(contract.channels.keys, async ({ input }) => (await keys.list(input.id)).map(presentChannelKey)),
  implement(contract.channels.addKeys, async ({ actor, input }) => {
    const { added, known, rows } = await keys.add(actor, input.id, input.key);
    return { added, known, keys: rows.map(presentChannelKey) };
  }),
  implement(contract.channels.setKey, async ({ actor, input: { id, key_hash, ...wish } }) =>
    presentChannelKey(await keys.change(actor, id, { keyHash: key_hash, ...wish })),
  ),
  implement(contract.channels.removeKey, async ({ actor, input }) => {
    await keys.remove(actor, input.id, [input.key_hash]);
  }),
  implement(contract.channels.removeKeys, async ({ actor, input }) => keys.remove(actor, input.id, input.key_hashes)),
  implement(contract.channels.testKey, async ({ actor, input, request }) => {
    const { id, key_hash: keyHash, ...wish } = input;
    return presentTest(await checks.testKey(actor, id, { ...wish, keyHash }), request.language);
  }),
  implement(contract.channels.clearCooling, async ({ actor, input }) => keys.clearCooling(actor, input.id)),
];
