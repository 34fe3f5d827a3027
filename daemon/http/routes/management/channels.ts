/** Routes of channels (management-api.md 3.10). */

import { formatError, type Language } from '../../../contract/error-codes.ts';
import { contract } from '../../../contract/index.ts';
import type { ChannelCheckService, TestOutcome } from '../../../domain/channel-checks.ts';
import type { ChannelTagService } from '../../../domain/channel-tags.ts';
import type { ChannelService, FoundChannels } from '../../../domain/channels.ts';
import type { ModelCatalog } from '../../../domain/models.ts';
import type { RoutingDryRun } from '../../../gateway/dry-run.ts';
import { implement, type Route } from '../../implement.ts';
import { presentChannelTest, presentDryRun } from '../../present/channel-insight.ts';
import { presentChannel } from '../../present/channels.ts';
import { presentModel } from '../../present/models.ts';

export interface ChannelRouteDeps {
  readonly channels: ChannelService;
  readonly tags: ChannelTagService;
  readonly checks: ChannelCheckService;
  readonly dryRun: RoutingDryRun;
  readonly catalog: ModelCatalog;
  /** Bare names of the models of enabled channels. */
  readonly enabledModels: () => string[];
}

export const channelRoutes = ({
  channels,
  tags,
  checks,
  dryRun,
  catalog,
  enabledModels,
}: ChannelRouteDeps): Route[] => [
  implement(contract.channels.list, async ({ input, page }) => {
    const { status, type, group } = input;
    const filter = { status, type, group };
    return presentFound(await channels.list({ filter, order: orderOf(input), unit: unitOf(input), window: page }));
  }),
  implement(contract.channels.search, async ({ input }) => {
    const { keyword, group, model } = input;
    return presentFound(await channels.search({ keyword, group, model, order: orderOf(input), unit: unitOf(input) }));
  }),
  implement(contract.channels.get, async ({ actor, input }) => {
    const { record, key } = await channels.get(actor, input.id);
    return presentChannel(record, key);
  }),
  implement(contract.channels.revealKey, async ({ actor, input }) => ({
    key: await channels.revealKey(actor, input.id),
  })),
  implement(contract.channels.create, async ({ actor, input }) => {
    const items = (await channels.create(actor, input)).map((record) => presentChannel(record));
    const [only] = items;
    return input.mode !== 'batch' && only ? only : { ids: items.map(({ id }) => id), items };
  }),
  implement(contract.channels.copy, async ({ actor, input }) => {
    const { id } = await channels.copy(actor, input.id, { suffix: input.suffix ?? undefined });
    return { id };
  }),
  implement(contract.channels.update, async ({ actor, input }) =>
    presentChannel(await channels.update(actor, input.id, input)),
  ),
  implement(contract.channels.setStatus, async ({ actor, input }) =>
    presentChannel(await channels.update(actor, input.id, { status: input.status })),
  ),
  implement(contract.channels.delete, async ({ actor, input }) => channels.delete(actor, input.id)),
  implement(contract.channels.deleteBatch, async ({ actor, input }) => channels.deleteBatch(actor, input.ids ?? [])),
  implement(contract.channels.deleteDisabled, async ({ actor }) => channels.deleteDisabled(actor)),
  implement(contract.channels.setTags, async ({ actor, input }) => tags.setTags(actor, input.ids ?? [], input.tag)),
  implement(contract.channels.editTag, async ({ actor, input }) => tags.editTag(actor, input)),
  implement(contract.channels.enableTag, async ({ actor, input }) => tags.enableTag(actor, input.tag)),
  implement(contract.channels.disableTag, async ({ actor, input }) => tags.disableTag(actor, input.tag)),
  implement(contract.channels.fix, async ({ actor }) => tags.rebuildAbilities(actor)),
  implement(contract.channels.builtInModels, () => catalog.all().map(presentModel)),
  implement(contract.channels.enabledModels, () => enabledModels()),
  implement(contract.channels.fetchModels, async ({ input }) => [...(await checks.fetchModels(input.id))]),
  implement(contract.channels.fetchModelsDraft, async ({ input }) => {
    const { type, base_url, key } = input;
    return [...(await checks.fetchDraftModels({ type, baseUrl: base_url ?? '', key: key ?? '' }))];
  }),
  implement(contract.channels.test, async ({ actor, input, request }) => {
    const { model, stream } = input;
    return presentTest(await checks.test(actor, input.id, { model, stream }), request.language);
  }),
  implement(contract.channels.testAll, async ({ actor }) => checks.startRun(actor)),
  implement(contract.channels.tests, async ({ input: { id, model, since } }) =>
    (await checks.history(id, { model, since })).map(presentChannelTest),
  ),
  implement(contract.channels.explain, async ({ input, request }) => {
    const { user_id, token_id, group, model } = input;
    const endpoint = input.endpoint || '/v1/chat/completions';
    const question = { userId: user_id ?? undefined, tokenId: token_id ?? undefined, group: group || undefined };
    return presentDryRun(await dryRun.explain({ ...question, model, endpoint }), endpoint, request.language);
  }),
  implement(contract.channels.updateBalance, async ({ input }) => ({ balance: await checks.updateBalance(input.id) })),
  implement(contract.channels.updateBalances, async () => checks.updateBalances()),
];

/** A failed test is an answer of its own, because its time must be told too (management-api.md 1.1). */
function presentTest({ code, reason, timeMs }: TestOutcome, language: Language) {
  const time = Math.round(timeMs) / 1000;
  if (code === undefined) return { success: true, message: '', time };
  return { success: false, message: formatError(code, { reason }, language), code, time };
}

const orderOf = (input: { readonly id_sort: boolean }) => (input.id_sort ? 'id' : 'priority');
const unitOf = (input: { readonly tag_mode: boolean }) => (input.tag_mode ? 'tag' : 'channel');

function presentFound({ items, total, typeCounts }: FoundChannels) {
  const type_counts = Object.fromEntries([...typeCounts].map(([type, count]) => [String(type), count]));
  return { items: items.map((record) => presentChannel(record)), total, type_counts };
}
