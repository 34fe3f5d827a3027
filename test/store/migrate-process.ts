/** A process that migrates the database at the given address and tells its parent what it ran. */
import { openDatabase } from '../../daemon/store/database.ts';
import { migrate } from '../../daemon/store/migrate.ts';
import { migrations } from '../../migrations/index.ts';

const database = await openDatabase({ url: process.argv[2] ?? '' });
const ran = await migrate(database, migrations);
await database.close();
process.send?.(ran, () => process.disconnect());
