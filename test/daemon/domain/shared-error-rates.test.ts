import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ErrorRates } from '../../../daemon/domain/error-rates.ts';
import { SharedErrorRates } from '../../../daemon/domain/shared-error-rates.ts';
import { type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';

const shared = suite<{ world: DomainWorld }>('error rates of all nodes');

shared.before(async (context) => {
  context.world = await openDomainWorld();
});
shared.after(({ world }) => world.close());

function startNode({ database, nowSeconds }: DomainWorld, processId: string) {
  const own = new ErrorRates(nowSeconds);
  const rates = new SharedErrorRates({ own, counts: database.stores.errorCounts, processId, nowSeconds });
  return { own, rates };
}

shared('sum what every node has counted, minute by minute, each call once', async ({ world }) => {
  world.clock.seconds = 1_800_000_000;
  const [one, two] = [startNode(world, 'one'), startNode(world, 'two')];
  one.own.count(7, 'failed');
  two.own.count(7, 'answered');
  assert.equal(await one.rates.of(5), [{ channelId: 7, failed: 1, total: 1 }]);
  assert.equal(await two.rates.of(5), [{ channelId: 7, failed: 1, total: 2 }]);
  one.own.count(7, 'failed');
  two.own.count(8, 'failed');
  await one.rates.of(5);
  await one.rates.of(5);
  assert.equal(await two.rates.of(5), [
    { channelId: 7, failed: 2, total: 3 },
    { channelId: 8, failed: 1, total: 1 },
  ]);
  world.clock.seconds += 240;
  two.own.count(8, 'answered');
  assert.equal(await two.rates.of(5), [
    { channelId: 7, failed: 2, total: 3 },
    { channelId: 8, failed: 1, total: 2 },
  ]);
  assert.equal(await two.rates.of(4), [{ channelId: 8, failed: 0, total: 1 }]);
  const restarted = startNode(world, 'one again');
  restarted.own.count(8, 'failed');
  assert.equal(await restarted.rates.of(1), [{ channelId: 8, failed: 1, total: 2 }]);
});

shared('keep each call once, at whatever second of a minute they are asked for', async ({ world }) => {
  const began = 1_850_000_040;
  world.clock.seconds = began;
  const node = startNode(world, 'asked');
  let counted = 0;
  // Jobs are a little late each time, so that they walk through the minute.
  for (let asked = 0; asked < 30; asked += 1) {
    for (let call = 0; call < 3; call += 1) {
      node.own.count(5, 'failed');
      counted += 1;
      world.clock.seconds += 21;
    }
    assert.equal(await node.rates.of(60), [{ channelId: 5, failed: counted, total: counted }]);
  }
});

shared('bring what was counted while nobody asked, and keep no more than two hours', async ({ world }) => {
  world.clock.seconds = 1_900_000_000;
  const node = startNode(world, 'late');
  for (let minute = 0; minute < 10; minute += 1) {
    node.own.count(3, 'answered');
    world.clock.seconds += 60;
  }
  assert.equal(await node.rates.of(11), [{ channelId: 3, failed: 0, total: 10 }]);
  world.clock.seconds += 3 * 3600;
  await node.rates.of(5);
  assert.equal(await world.database.stores.errorCounts.sumsSince(0), []);
});

shared.run();
