import { readFile, writeFile } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addressesOf } from '../../daemon/contract/endpoint.ts';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf, openApiOf } from '../../daemon/contract/openapi.ts';

const openapi = suite('OpenAPI document');
const file = new URL('../../docs/openapi.json', import.meta.url);
const version: string = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')).version;

openapi('is committed as the contract says it (UPDATE_OPENAPI=1 writes it anew)', async () => {
  const text = `${JSON.stringify(openApiOf(endpointsOf(contract), version), null, 2)}\n`;
  if (process.env.UPDATE_OPENAPI) await writeFile(file, text);
  assert.ok((await readFile(file, 'utf8')) === text, 'docs/openapi.json is not what the contract says');
});

openapi('describes every address once, with a schema for its answer', () => {
  const document = openApiOf(endpointsOf(contract), version);
  const { paths } = document;
  assert.ok(typeof paths === 'object' && paths !== null);
  for (const { name, endpoint } of endpointsOf(contract)) {
    for (const { method, path } of addressesOf(endpoint)) {
      const operation = Reflect.get(paths, path.replace(/:([a-z_]+)/g, '{$1}'))?.[method.toLowerCase()];
      assert.ok(operation?.responses['200'], `${name} ${method} ${path}`);
      assert.ok(operation.summary.length > 5, `${name} has no description`);
    }
  }
});

openapi.run();
