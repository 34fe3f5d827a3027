/** Calls with an `Idempotency-Key` whose database goes away while they are done. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { IdempotentCalls } from '../../../daemon/domain/idempotency.ts';
import type { Database } from '../../../daemon/store/database.ts';
import { databaseUnavailable } from '../../../daemon/store/dialect.ts';
import { FlakyDatabase } from '../../ledger/flaky-database.ts';
import { isUnavailable } from '../../store/rejection.ts';
import { type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';

const repeats = suite<{ world: DomainWorld; database: FlakyDatabase; calls: IdempotentCalls }>('domain/idempotency');

repeats.before.each(async (context) => {
  context.world = await openDomainWorld();
  context.database = new FlakyDatabase(context.world.database);
  context.calls = callsOver(context.database, context.world);
});

repeats.after.each(({ world }) => world.close());

function callsOver(database: Database, { keyring, nowSeconds }: DomainWorld): IdempotentCalls {
  return new IdempotentCalls({
    database,
    seal: (context, plain) => keyring.seal(context, plain),
    unseal: (context, sealed) => keyring.open(context, sealed),
    hash: (route, content) => keyring.codeHash('idempotency', route, content),
    nowSeconds,
    sleep: () => Promise.resolve(),
  });
}

const call = { actorId: 1, key: 'k', route: 'POST /api/user/topup', content: { key: 'code' } };

/** What a call does: one step further, as its answer says. */
const stepOf = (calls: IdempotentCalls) => async () =>
  String(await calls.database.transaction(({ revisions }) => revisions.bump('step')));

const stepsIn = async ({ database }: DomainWorld) => (await database.stores.revisions.byTopic()).get('step') ?? 0;

repeats('are told as done when only the answer to their commit was lost', async ({ world, database, calls }) => {
  const step = stepOf(calls);
  const told = calls.run(call, async () => {
    database.weather = 'lost-answer';
    const answer = await step();
    database.weather = 'fair';
    return answer;
  });
  assert.equal(await told, { answer: '1', replayed: false });
  assert.equal(await calls.run(call, step), { answer: '1', replayed: true });
  assert.is(await stepsIn(world), 1);
});

repeats('are told as done when their answer cannot be kept, and not done again', async ({ world, database, calls }) => {
  const step = stepOf(calls);
  const told = calls.run(call, async () => {
    const answer = await step();
    database.weather = 'away';
    return answer;
  });
  assert.equal(await told, { answer: '1', replayed: false });
  database.weather = 'fair';
  const again = await calls.run(call, step).catch((error) => error.code);
  assert.is(again, 'idempotency_unanswered');
  assert.is(await stepsIn(world), 1);
});

repeats('are told as failed when their commit never came, and are done by the next', async ({ world }) => {
  const calls = callsOver(losingCommits(world.database), world);
  await isUnavailable(calls.run(call, stepOf(calls)));
  assert.is(await stepsIn(world), 0);
  const next = callsOver(world.database, world);
  assert.equal(await next.run(call, stepOf(next)), { answer: '1', replayed: false });
});

repeats('do not take what another call did under the key for their own', async ({ world }) => {
  const other = callsOver(world.database, world);
  const meanwhile = () => other.run(call, stepOf(other));
  const calls = callsOver(losingCommits(world.database, meanwhile), world);
  await isUnavailable(calls.run(call, stepOf(calls)));
  assert.is(await stepsIn(world), 1);
});

/** A database whose transactions are undone in place of their commit. @param meanwhile done after that */
function losingCommits(real: Database, meanwhile: () => Promise<unknown> = async () => undefined): Database {
  return {
    engine: real.engine,
    pool: real.pool,
    stores: real.stores,
    async transaction(work) {
      const lost = databaseUnavailable(new Error('the commit did not arrive'));
      await real
        .transaction(async (stores) => {
          await work(stores);
          throw lost;
        })
        .catch((error) => assert.is(error, lost));
      await meanwhile();
      throw lost;
    },
    snapshot: (work) => real.snapshot(work),
    ping: () => real.ping(),
    close: () => real.close(),
  };
}

repeats.run();
