/** Whether the first run is over, also right after it ended on another node. */
import { TollgateError } from '../errors.ts';
import type { Database } from '../store/database.ts';

export interface SetupCheckDeps {
  readonly database: Pick<Database, 'stores'>;
  /** As this node's snapshot has it: once true, true for good, but later than on the node that did the setup. */
  readonly setupDone: () => boolean;
}

/** Asks the database while the snapshot says no. Throws `setup_required`. */
export async function checkSetup({ database, setupDone }: SetupCheckDeps): Promise<void> {
  if (!setupDone() && !(await database.stores.setups.find())) throw new TollgateError('setup_required');
}
