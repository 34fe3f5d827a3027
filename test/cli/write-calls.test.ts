/** The list of writes that the command line loads instead of the contract. */
import { readFileSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changesSomething, type Endpoint } from '../../daemon/contract/endpoint.ts';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf } from '../../daemon/contract/openapi.ts';

const writes = suite('names of writes');

/** Names of the endpoints meant, one a line. */
function linesOf(isMeant: (endpoint: Endpoint) => boolean): string {
  const names = endpointsOf(contract).flatMap(({ name, endpoint }) => (isMeant(endpoint) ? [name] : []));
  return names
    .sort()
    .map((name) => `  '${name}',\n`)
    .join('');
}

const file = new URL('../../cli/write-calls.ts', import.meta.url);

writes('are those of the contract (UPDATE_FIELDS=1 writes them anew)', () => {
  const text = `/** Endpoints that change something, for commands that take --dry-run. Made by test/cli/write-calls.test.ts. */
export const writeCalls: ReadonlySet<string> = new Set([
${linesOf(changesSomething)}]);

/** Those that an Idempotency-Key makes safe to repeat. */
export const keyedCalls: ReadonlySet<string> = new Set([
${linesOf(({ idempotency }) => idempotency === 'key')}]);
`;
  if (process.env.UPDATE_FIELDS) writeFileSync(file, text);
  assert.is(readFileSync(file, 'utf8'), text);
});

const addressFile = new URL('../../cli/call-addresses.ts', import.meta.url);

writes('and the addresses of all endpoints are too', () => {
  const lines = endpointsOf(contract)
    .map(({ name, endpoint }) => `  '${name}': '${endpoint.method} ${endpoint.path}',\n`)
    .sort();
  const text = `/** Method and path of every endpoint, for help. Made by test/cli/write-calls.test.ts. */
export const callAddresses: Readonly<Record<string, string>> = {
${lines.join('')}};
`;
  if (process.env.UPDATE_FIELDS) writeFileSync(addressFile, text);
  assert.is(readFileSync(addressFile, 'utf8'), text);
});

writes.run();
