/** Routes of user administration. */
import { contract } from '../../../contract/index.ts';
import { roles } from '../../../contract/roles.ts';
import type { Actor } from '../../../domain/actor.ts';
import type { StepUp } from '../../../domain/step-up.ts';
import type { UserService } from '../../../domain/users.ts';
import { TollgateError } from '../../../errors.ts';
import type { SessionCookie } from '../../call.ts';
import { implement, type Route } from '../../implement.ts';
import { presentUser } from '../../present/user.ts';

interface Caller {
  readonly actor: Actor;
  readonly session: SessionCookie;
}

export const userRoutes = (users: UserService, stepUp: Pick<StepUp, 'require'>): Route[] => {
  /** An administrator whose password one has just chosen would prove everything that is asked of administrators. */
  const requireProof = ({ actor, session }: Caller) => stepUp.require(actor, session.id, 'sign_in_method');
  /** The own password asks for the old one instead, where there is one. */
  const opensAdministrator = async ({ actor }: Caller, id: number) => {
    const { user } = await users.get(actor, id);
    return user.role >= roles.admin && (user.id !== actor.userId || user.password === '');
  };
  return [
    implement(contract.users.list, async ({ page }) => {
      const found = await users.list({}, page);
      return { items: found.items.map(presentUser), total: found.total };
    }),
    implement(contract.users.search, async ({ input, page }) => {
      const found = await users.list(input, page);
      return { items: found.items.map(presentUser), total: found.total };
    }),
    implement(contract.users.get, async ({ actor, input }) => {
      const { user, keys } = await users.get(actor, input.id);
      return { ...presentUser(user), token_count: keys, notes: user.notes };
    }),
    implement(contract.users.create, async ({ input, request, ...caller }) => {
      const { actor } = caller;
      if ((input.role ?? roles.user) >= roles.admin) await requireProof(caller);
      const creation = {
        username: input.username,
        password: input.password,
        displayName: input.display_name ?? undefined,
        role: input.role ?? undefined,
        group: input.group ?? undefined,
        quota: input.quota ?? undefined,
      };
      return presentUser(await users.create(actor, creation, request.requestId));
    }),
    implement(contract.users.update, async ({ input, request, ...caller }) => {
      const { actor } = caller;
      if (input.password && (await opensAdministrator(caller, input.id))) await requireProof(caller);
      await users.update(
        actor,
        {
          id: input.id,
          username: input.username ?? undefined,
          displayName: input.display_name ?? undefined,
          group: input.group ?? undefined,
          quota: input.quota ?? undefined,
          password: input.password ?? undefined,
          notes: input.notes ?? undefined,
        },
        request.requestId,
      );
    }),
    implement(contract.users.manage, async ({ input, request, ...caller }) => {
      const { actor } = caller;
      const { id, action } = input;
      if (action === 'promote') await requireProof(caller);
      if (action === 'add_quota') {
        if (input.value === undefined) throw new TollgateError('invalid_params', {}, { field: 'value' });
        const change = { id, mode: input.mode ?? 'add', value: input.value, note: input.note ?? '' };
        return { quota: await users.changeQuota(actor, change, request.requestId) };
      }
      const { role, status } = await users.move(actor, { id, action }, request.requestId);
      return { role, status };
    }),
    implement(contract.users.delete, async ({ actor, input, request }) => {
      if (input.purge) await users.purge(actor, input.id);
      else await users.move(actor, { id: input.id, action: 'delete' }, request.requestId);
    }),
  ];
};
