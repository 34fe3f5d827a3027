import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SqliteConnection } from '../../../daemon/store/sqlite-connection.ts';
import { resolvesWithin } from '../../support/until.ts';

const connection = suite('SQLite connection');

const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n';

connection('interrupts a statement that takes longer than it may, and serves the next', async () => {
  const opened = await SqliteConnection.open({ path: ':memory:', pragmas: [], statementTimeoutMs: 50 });
  try {
    const error: unknown = await resolvesWithin(
      5000,
      opened.execute(endless, []).catch((cause: unknown) => cause),
    );
    assert.match(String(error), 'SQLITE_INTERRUPT');
    assert.equal((await opened.execute('select 1 as one', [])).rows, [{ one: 1 }]);
  } finally {
    await opened.close();
  }
});

connection.run();
