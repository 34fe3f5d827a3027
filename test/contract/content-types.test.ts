/**
 * The content types that the OpenAPI document names are those in which a daemon answers: generated clients rely on them.
 * Runs once: they are no matter of the database.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf } from '../../daemon/contract/openapi.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';

const types = suite('content types of answers');

let daemon: TestDaemon;
/** The `get` operations of the served document by their paths. */
let operations: Map<string, { parameters: Parameter[]; content: Record<string, unknown> }>;

interface Parameter {
  readonly name: string;
  readonly schema: { readonly enum?: readonly string[] };
}

types.before(async () => {
  daemon = await startTestDaemon({ config: { 'limits.download.enabled': false } });
  const document = JSON.parse(await (await read('/api/openapi.json')).text());
  operations = new Map(
    Object.entries<Record<string, { parameters: Parameter[]; responses: Record<string, { content: object }> }>>(
      document.paths,
    ).flatMap(([path, { get }]) =>
      get ? [[path, { parameters: get.parameters, content: { ...get.responses['200']?.content } }]] : [],
    ),
  );
});
types.after(() => daemon.stop());

function read(address: string): Promise<Response> {
  return fetch(`${daemon.url}${address}`, { headers: { Authorization: `Bearer ${daemon.accessToken}` } });
}

const typeOf = (response: Response) => response.headers.get('content-type')?.split(';')[0];

types('are told of every file in each format that it has, and of a refusal of it', async () => {
  for (const { endpoint } of endpointsOf(contract)) {
    if (endpoint.shape !== 'file') continue;
    const operation = operations.get(endpoint.path);
    assert.ok(operation, endpoint.path);
    const formats = operation.parameters.find(({ name }) => name === 'format')?.schema.enum ?? [''];
    const came = new Set(['application/json']);
    for (const format of formats) {
      const response = await read(`${endpoint.path}?format=${format}`);
      assert.is(response.status, 200, endpoint.path);
      came.add(typeOf(response) ?? '');
      await response.body?.cancel();
    }
    assert.equal(Object.keys(operation.content).sort(), [...came].sort(), endpoint.path);
  }
  const refused = await read('/api/log/export?format=xls');
  assert.equal(
    [refused.status, typeOf(refused), (await refused.json()).code],
    [200, 'application/json', 'invalid_params'],
  );
});

types('are told of streams of events', async () => {
  for (const path of ['/api/events', '/api/events/self']) {
    const response = await read(path);
    assert.ok(Object.keys(operations.get(path)?.content ?? {}).includes(typeOf(response) ?? ''), path);
    await response.body?.cancel();
  }
});

types.run();
