import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkSetup } from '../../../daemon/domain/setup-check.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { openDomainWorld } from '../../support/domain-world.ts';

const setupCheck = suite('whether the first run is over');

setupCheck('is known at once on a node that has not heard of it', async () => {
  const world = await openDomainWorld();
  const node = { database: world.database, setupDone: () => world.snapshots.current().setupDone };
  const refusal = await checkSetup(node).catch((error: unknown) => error);
  assert.is(refusal instanceof TollgateError && refusal.code, 'setup_required');
  await world.database.stores.setups.insert({ version: '1', initializedAt: 1 });
  assert.is(node.setupDone(), false, 'nothing was announced');
  await checkSetup(node);
  await world.close();
});

setupCheck.run();
