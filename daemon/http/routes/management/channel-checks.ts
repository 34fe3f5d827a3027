/** Routes that reach the upstream of a channel: tests, model lists, balances (management-api.md 3.10). */
import { contract } from '../../../contract/index.ts';
import type { ChannelCheckService } from '../../../domain/channel-checks.ts';
import type { ChannelDrafts } from '../../../domain/channel-drafts.ts';
import { implement, type Route } from '../../implement.ts';
import { presentChannelTest, presentTest } from '../../present/channel-checks.ts';

export interface ChannelCheckRouteDeps {
  readonly checks: ChannelCheckService;
  readonly drafts: ChannelDrafts;
}

export const channelCheckRoutes = ({ checks, drafts }: ChannelCheckRouteDeps): Route[] => [
  implement(contract.channels.test, async ({ actor, input, request }) => {
    const { id, ...wish } = input;
    return presentTest(await checks.test(actor, id, wish), request.language);
  }),
  implement(contract.channels.testDraft, async ({ actor, input, request }) => {
    const { channel, channel_id: id, ...wish } = input;
    const draft = await drafts.view(channel, id ?? undefined);
    return presentTest(await checks.testDraft(actor, draft, wish), request.language);
  }),
  implement(contract.channels.testAll, async ({ actor }) => checks.startRun(actor)),
  implement(contract.channels.testRun, async () => ({ running: await checks.isRunning() })),
  implement(contract.channels.tests, async ({ input: { id, ...of } }) =>
    (await checks.history(id, of)).map(presentChannelTest),
  ),
  implement(contract.channels.fetchModels, async ({ input }) => [...(await checks.fetchModels(input.id))]),
  implement(contract.channels.fetchModelsDraft, async ({ input }) => {
    const { type, base_url, key } = input;
    return [...(await checks.fetchDraftModels({ type, baseUrl: base_url ?? '', key: key ?? '' }))];
  }),
  implement(contract.channels.updateBalance, async ({ input }) => ({ balance: await checks.updateBalance(input.id) })),
  implement(contract.channels.updateBalances, async () => checks.updateBalances()),
];
