/** Records `conversation.json`: see `about.md`. */
import { writeFileSync } from 'node:fs';
import { importKinds } from '../../../daemon/contract/gateway-import.ts';
import { importGateway } from '../../../daemon/gateway-import.ts';
import { testEngines } from '../../support/engines.ts';
import { recordMysql } from '../../support/mysql-conversation.ts';

const [port, user, password, database] = process.argv.slice(2);
const recorder = await recordMysql(Number(port));
const target = await testEngines.sqlite.migrated();
await importGateway(
  {
    source: `mysql://${user}:${password}@127.0.0.1:${recorder.port}/${database}`,
    from: undefined,
    kinds: importKinds,
    groups: {},
    roles: 'keep',
    onClash: 'skip',
    dryRun: true,
    onRows: () => undefined,
    signal: new AbortController().signal,
  },
  { TOLLGATE_DATABASE_URL: target.url, TOLLGATE_DATA_DIR: '/tmp' },
);
const place = new URL('./conversation.json', import.meta.url);
writeFileSync(place, `${JSON.stringify(recorder.conversation, undefined, 2)}\n`);
await recorder.close();
await target.drop();
