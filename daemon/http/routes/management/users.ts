/** Routes of user administration. */
import { contract } from '../../../contract/index.ts';
import type { UserService } from '../../../domain/users.ts';
import { TollgateError } from '../../../errors.ts';
import { implement, type Route } from '../../implement.ts';
import { presentUser } from '../../present/user.ts';

export const userRoutes = (users: UserService): Route[] => [
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
  implement(contract.users.create, async ({ actor, input, request }) => {
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
  implement(contract.users.update, ({ actor, input, request }) =>
    users.update(
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
    ),
  ),
  implement(contract.users.manage, async ({ actor, input, request }) => {
    const { id, action } = input;
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
