/** Routes of the first run. */
import { contract } from '../../../contract/index.ts';
import type { SetupClient, SetupService } from '../../../domain/setup.ts';
import type { RequestFacts } from '../../call.ts';
import { implement, type Route } from '../../implement.ts';

export const setupRoutes = (setup: SetupService): Route[] => [
  implement(contract.setup.get, async ({ request }) => {
    const state = await setup.state(request);
    return {
      status: state.done,
      root_init: state.hasRoot,
      database_type: state.done ? '' : state.engine,
      setup_token_required: !state.done && state.tokenRequired,
    };
  }),
  implement(contract.setup.submit, ({ input, request }) =>
    setup.submit(
      {
        username: input.username ?? '',
        password: input.password ?? '',
        confirmPassword: input.confirmPassword ?? '',
        selfUse: input.SelfUseModeEnabled ?? false,
        demo: input.DemoSiteEnabled ?? false,
      },
      clientOf(request),
    ),
  ),
];

function clientOf(request: RequestFacts): SetupClient {
  const { isLocal, requestId, clientAddress } = request;
  return { isLocal, token: request.header('x-setup-token'), requestId, ip: clientAddress };
}
