/** The invite code of a user, and moving what it earned to the balance (management-api.md 5.4). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { InviteService } from '../../../daemon/domain/invites.ts';
import { actor, type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { codeOf, refusalOf } from '../../support/refusal-code.ts';

const invites = suite('invites');

let world: DomainWorld;
let service: InviteService;

invites.before.each(async () => {
  world = await openDomainWorld();
  const { database, bus, nowSeconds } = world;
  const options = () => world.snapshots.current().options;
  service = new InviteService({ database, bus, options, language: 'en', nowSeconds });
});
invites.after.each(() => world.close());

async function user(username: string) {
  const made = await world.database.stores.users.insert({ username, createdAt: 1 });
  if (!made.inserted) throw new Error('the name is taken');
  return actor({ userId: made.user.id, username, role: 1 });
}

invites('have the code that was made for them, the same each time', async () => {
  const lena = await user('lena');
  const code = await service.code(lena);
  assert.match(code, /^[0-9A-Za-z]{8}$/);
  assert.is(await service.code(lena), code);
  assert.is((await world.database.stores.users.find(lena.userId))?.affCode, code);
});

invites('have no code where the account is gone, or was never there', async () => {
  const lena = await user('lena');
  await service.code(lena);
  await world.database.stores.users.softDelete(lena.userId, new Date(world.clock.seconds * 1000));
  assert.is(await codeOf(service.code(lena)), 'user_gone');
  assert.is(await codeOf(service.code(actor({ userId: 4711 }))), 'user_gone');
});

invites('tell a transfer in the log of the user, and every node that the balance is another', async () => {
  const lena = await user('lena');
  await world.database.stores.users.creditInvite(lena.userId, 1_000_000);
  const told: [string, string | undefined][] = [];
  const stop = world.bus.onChange((topic, _revision, detail) => void told.push([topic, detail]));
  try {
    await service.transfer(lena, 750_000, 'request-1');
  } finally {
    stop();
  }
  const { items } = await world.database.stores.logs.list({ userId: lena.userId }, { offset: 0, limit: 9 });
  assert.equal(
    items.map(({ type, username, content, quota, requestId, createdAt }) => [
      type,
      username,
      content,
      quota,
      requestId,
      createdAt,
    ]),
    [[4, 'lena', 'Invite earnings moved to the balance $1.500000', 750_000, 'request-1', world.clock.seconds]],
  );
  assert.equal(told, [['users', String(lena.userId)]]);
  const { quota, affQuota } = (await world.database.stores.users.find(lena.userId)) ?? {};
  assert.equal([quota, affQuota], [750_000, 250_000]);
});

invites('refuse amounts by their field, with the least one in words, and leave no row', async () => {
  const lena = await user('lena');
  await world.database.stores.users.creditInvite(lena.userId, 1_000_000);
  for (const [amount, code] of [
    [0, 'invalid_params'],
    [600_000.5, 'invalid_params'],
    [Number.NaN, 'invalid_params'],
    [1, 'aff_min'],
    [499_999, 'aff_min'],
    [1_000_001, 'aff_short'],
  ] as const) {
    const refusal = await refusalOf(service.transfer(lena, amount, 'request-1'));
    assert.equal([refusal.code, refusal.field], [code, 'quota'], String(amount));
    if (code === 'aff_min') assert.match(JSON.stringify(refusal.params), '$1.00');
  }
  const { quota, affQuota } = (await world.database.stores.users.find(lena.userId)) ?? {};
  assert.equal([quota, affQuota], [0, 1_000_000]);
  assert.is((await world.database.stores.logs.list({ userId: lena.userId }, { offset: 0, limit: 9 })).total, 0);
});

invites.run();
