/** Routes of channel rows, of what is done to many of them, and of routing (management-api.md 3.10). */
import type { ChannelView } from '../../../contract/channels.ts';
import { contract } from '../../../contract/index.ts';
import type { ChannelTagService } from '../../../domain/channel-tags.ts';
import type { ChannelService, FoundChannels } from '../../../domain/channels.ts';
import type { ModelCatalog } from '../../../domain/models.ts';
import type { StepUp } from '../../../domain/step-up.ts';
import type { RoutingDryRun } from '../../../gateway/dry-run.ts';
import { previewOverride } from '../../../gateway/override-preview.ts';
import type { ChannelRecord } from '../../../store/channels.ts';
import { implement, type Route } from '../../implement.ts';
import { presentDryRun, presentOverridePreview } from '../../present/channel-insight.ts';
import { type ChannelBeside, presentChannel } from '../../present/channels.ts';
import { presentModel } from '../../present/models.ts';

export interface ChannelRouteDeps {
  readonly channels: ChannelService;
  readonly tags: ChannelTagService;
  readonly stepUp: Pick<StepUp, 'require'>;
  readonly dryRun: RoutingDryRun;
  readonly catalog: ModelCatalog;
  /** What is known of a channel by the node that answers. */
  readonly standingOf: (channelId: number) => Pick<ChannelBeside, 'cooling' | 'keyCounts'>;
  /** Bare names of the models of enabled channels. */
  readonly enabledModels: () => string[];
}

export const channelRoutes = (deps: ChannelRouteDeps): Route[] => [
  ...rowRoutes(deps),
  ...bulkRoutes(deps.channels, deps.tags),
  ...routingRoutes(deps),
];

const rowRoutes = ({ channels, stepUp, standingOf }: ChannelRouteDeps): Route[] => {
  const present = (record: ChannelRecord) => presentChannel(record, standingOf(record.id));
  return [
    implement(contract.channels.list, async ({ input, page }) => {
      const { status, type, group, tag, ids } = input;
      const filter = { status, type, group, tag, ids: ids?.split(',').map(Number) };
      const found = await channels.list({ filter, order: orderOf(input), unit: unitOf(input), window: page });
      return { ...presentFound(found, present), ...(channels.hidesKeys ? { keys_hidden: true } : {}) };
    }),
    implement(contract.channels.search, async ({ input }) => {
      const { keyword, group, model } = input;
      const found = await channels.search({ keyword, group, model, order: orderOf(input), unit: unitOf(input) });
      return presentFound(found, present);
    }),
    implement(contract.channels.get, async ({ actor, input }) => {
      const { record, key } = await channels.get(actor, input.id);
      return presentChannel(record, { ...standingOf(record.id), key });
    }),
    implement(contract.channels.revealKey, async ({ actor, input }) => ({
      key: await channels.revealKey(actor, input.id, input.key_hash ?? undefined),
    })),
    implement(contract.channels.create, async ({ actor, input }) => {
      const items = (await channels.create(actor, input)).map(present);
      const [only] = items;
      return input.mode !== 'batch' && only ? only : { ids: items.map(({ id }) => id), items };
    }),
    implement(contract.channels.copy, async ({ actor, input }) => {
      const { id } = await channels.copy(actor, input.id, { suffix: input.suffix ?? undefined });
      return { id };
    }),
    implement(contract.channels.update, async ({ actor, input, session }) => {
      // Whoever has the keys sent to another host reads them there.
      if (await channels.movesKeys(input.id, input)) await stepUp.require(actor, session.id, 'channel_key');
      return present(await channels.update(actor, input.id, input));
    }),
    implement(contract.channels.setStatus, async ({ actor, input }) =>
      present(await channels.update(actor, input.id, { status: input.status })),
    ),
    implement(contract.channels.setModelStatus, async ({ actor, input: { id, model, status } }) =>
      present(await channels.setModelStatus(actor, id, { model, status })),
    ),
    implement(contract.channels.delete, async ({ actor, input }) => channels.delete(actor, input.id)),
  ];
};

const bulkRoutes = (channels: ChannelService, tags: ChannelTagService): Route[] => [
  implement(contract.channels.deleteBatch, async ({ actor, input }) => channels.deleteBatch(actor, input.ids ?? [])),
  implement(contract.channels.deleteDisabled, async ({ actor }) => channels.deleteDisabled(actor)),
  implement(contract.channels.tags, async () => [...(await tags.known())]),
  implement(contract.channels.setTags, async ({ actor, input }) => tags.setTags(actor, input.ids ?? [], input.tag)),
  implement(contract.channels.editTag, async ({ actor, input }) => tags.editTag(actor, input)),
  implement(contract.channels.enableTag, async ({ actor, input }) => tags.enableTag(actor, input.tag)),
  implement(contract.channels.disableTag, async ({ actor, input }) => tags.disableTag(actor, input.tag)),
  implement(contract.channels.fix, async ({ actor }) => tags.rebuildAbilities(actor)),
];

const routingRoutes = ({ catalog, enabledModels, dryRun }: ChannelRouteDeps): Route[] => [
  implement(contract.channels.builtInModels, () => catalog.all().map(presentModel)),
  implement(contract.channels.enabledModels, () => enabledModels()),
  implement(contract.channels.explain, async ({ input, request }) => {
    const { user_id, token_id, group, model } = input;
    const endpoint = input.endpoint || '/v1/chat/completions';
    const question = { userId: user_id ?? undefined, tokenId: token_id ?? undefined, group: group || undefined };
    return presentDryRun(await dryRun.explain({ ...question, model, endpoint }), endpoint, request.language);
  }),
  implement(contract.channels.previewOverride, ({ input }) => {
    const given = Object.entries(input.facts ?? {});
    const facts = given.flatMap(([name, fact]) => (fact === null || fact === undefined ? [] : [[name, fact] as const]));
    const sample = { override: input.param_override, body: input.body, facts: Object.fromEntries(facts) };
    return presentOverridePreview(previewOverride(sample));
  }),
];

const orderOf = (input: { readonly id_sort: boolean }) => (input.id_sort ? 'id' : 'priority');
const unitOf = (input: { readonly tag_mode: boolean }) => (input.tag_mode ? 'tag' : 'channel');

function presentFound(found: FoundChannels, present: (record: ChannelRecord) => ChannelView) {
  const { items, total, typeCounts, untagged } = found;
  const type_counts = Object.fromEntries([...typeCounts].map(([type, count]) => [String(type), count]));
  return { items: items.map(present), total, type_counts, ...(untagged === undefined ? {} : { untagged }) };
}
