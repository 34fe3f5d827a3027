/** The list of writes that the command line loads instead of the contract. */
import { readFileSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changesSomething } from '../../daemon/contract/endpoint.ts';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf } from '../../daemon/contract/openapi.ts';

const writes = suite('names of writes');

const file = new URL('../../cli/write-calls.ts', import.meta.url);

writes('are those of the contract (UPDATE_FIELDS=1 writes them anew)', () => {
  const names = endpointsOf(contract).flatMap(({ name, endpoint }) => (changesSomething(endpoint) ? [name] : []));
  const lines = names.sort().map((name) => `  '${name}',\n`);
  const text = `/** Endpoints that change something, for commands that take --dry-run. Made by test/cli/write-calls.test.ts. */
export const writeCalls: ReadonlySet<string> = new Set([
${lines.join('')}]);
`;
  if (process.env.UPDATE_FIELDS) writeFileSync(file, text);
  assert.is(readFileSync(file, 'utf8'), text);
});

writes.run();
