/** Routes of passkeys. */
import { contract } from '../../../contract/index.ts';
import type { PasskeyView } from '../../../contract/passkeys.ts';
import type { Passkeys } from '../../../domain/passkeys.ts';
import type { PasskeyRecord } from '../../../store/passkeys.ts';
import { implement, type Route } from '../../implement.ts';
import { enter, originOf } from './second-factor.ts';

export const passkeyRoutes = (passkeys: Passkeys): Route[] => [
  implement(contract.passkeys.beginSignIn, async () => ({ ...(await passkeys.beginSignIn()) })),
  implement(contract.passkeys.signIn, async ({ input, request, session }) =>
    enter(session, await passkeys.signIn({ id: input.id, ...input.response }, originOf(request, session))),
  ),
  implement(contract.passkeys.list, async ({ actor }) => (await passkeys.list(actor)).map(presentPasskey)),
  implement(contract.passkeys.beginAdding, async ({ actor, session }) => ({
    ...(await passkeys.beginAdding(actor, session.id ?? '')),
  })),
  implement(contract.passkeys.add, async ({ actor, input, session }) => {
    const { transports = [], ...response } = input.response;
    const made = { id: input.id, name: input.name, transports, ...response };
    return presentPasskey(await passkeys.add(actor, session.id ?? '', made));
  }),
  implement(contract.passkeys.rename, async ({ actor, input }) => presentPasskey(await passkeys.rename(actor, input))),
  implement(contract.passkeys.remove, ({ actor, input }) => passkeys.remove(actor, input.id)),
];

function presentPasskey({ id, name, createdAt, lastUsedAt, synced }: PasskeyRecord): PasskeyView {
  return { id, name, created_at: createdAt, last_used_at: lastUsedAt, synced };
}
