/** Budgets that are set beside other changes of what they belong to. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BudgetPeriods } from '../../../daemon/domain/budget-periods.ts';
import { BudgetService } from '../../../daemon/domain/budgets.ts';
import { Passwords } from '../../../daemon/domain/passwords.ts';
import { TokenService } from '../../../daemon/domain/tokens.ts';
import { UserService } from '../../../daemon/domain/users.ts';
import type { BudgetSubject } from '../../../daemon/store/budgets.ts';
import type { Database } from '../../../daemon/store/database.ts';
import { actor, type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';

const budgets = suite('budgets beside other changes');

let world: DomainWorld;
/** How often the work of a transaction began. */
let begun: number;
let counted: Database;

budgets.before.each(async () => {
  world = await openDomainWorld();
  begun = 0;
  const { database } = world;
  counted = {
    engine: database.engine,
    pool: database.pool,
    stores: database.stores,
    transaction: (work, options) =>
      database.transaction((stores) => {
        begun += 1;
        return work(stores);
      }, options),
    snapshot: (work) => database.snapshot(work),
    ping: () => database.ping(),
    close: () => database.close(),
  };
});

budgets.after.each(() => world.close());

async function lena() {
  const made = await world.database.stores.users.insert({ username: 'lena', createdAt: 1, role: 1, status: 1 });
  if (!made.inserted) throw new Error('the name is taken');
  return actor({ userId: made.user.id, username: 'lena', role: 1 });
}

const root = actor({ userId: 99, role: 100 });
const turns = Array.from({ length: 12 }, (_, turn) => turn + 1);

function limiting(by: typeof root, subject: BudgetSubject, subjectId: number) {
  const { bus, nowSeconds } = world;
  const service = new BudgetService({ database: counted, bus, periods: new BudgetPeriods('UTC'), nowSeconds });
  return (limit: number) => service.set(by, { subject, subjectId, kind: 'quota', per: 'day' }, limit);
}

async function limitOf(subject: BudgetSubject, subjectId: number): Promise<number | undefined> {
  const owners = [{ subject, subjectId }];
  return (await world.database.stores.budgets.list({ owners }, { offset: 0, limit: 9 })).items[0]?.limit;
}

budgets('of a key and the key itself change without one waiting for the other in a circle', async () => {
  const owner = await lena();
  const tokens = new TokenService({
    database: counted,
    bus: world.bus,
    options: () => world.snapshots.current().options,
    secrets: world.keyring,
    maxTokensPerUser: 3,
    nowSeconds: world.nowSeconds,
    reveal: 'always',
  });
  const { id } = (await tokens.create(owner, { name: 'key', remain_quota: 1 })).record;
  const limit = limiting(owner, 'token', id);
  begun = 0;
  for (const turn of turns) await Promise.all([tokens.update(owner, id, { remain_quota: turn }), limit(turn)]);
  assert.is(begun, 2 * turns.length, 'the database broke none off');
  assert.equal([(await tokens.get(owner, id)).record.remainQuota, await limitOf('token', id)], [12, 12]);
});

budgets('of a user and the account itself change without one waiting for the other in a circle', async () => {
  const { userId: id } = await lena();
  const { bus, nowSeconds } = world;
  const users = new UserService({
    database: counted,
    bus,
    nowSeconds,
    passwords: new Passwords(),
    originalPassword: 'when-sent',
    renamedLimits: { carry: async () => async () => undefined },
    options: () => world.snapshots.current().options,
    language: 'en',
  });
  const limit = limiting(root, 'user', id);
  const add = () => users.changeQuota(root, { id, mode: 'add', value: 1, note: '' }, 'r');
  for (const turn of turns) await Promise.all([add(), limit(turn)]);
  assert.is(begun, 2 * turns.length, 'the database broke none off');
  assert.equal([(await world.database.stores.users.find(id))?.quota, await limitOf('user', id)], [12, 12]);
});

budgets.run();
