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
      assert.is(operation.summary, endpoint.description.en);
      assert.is(operation['x-summary-zh'], endpoint.description.zh);
    }
  }
});

openapi('tells the calls that change something from those that only read', () => {
  const document = JSON.parse(JSON.stringify(openApiOf(endpointsOf(contract), version)));
  const changes = (path: string, method: string) => document.paths[path][method]['x-changes'];
  assert.equal(
    [changes('/api/token/', 'get'), changes('/api/token/', 'post'), changes('/api/user/token', 'get')],
    [false, true, true],
  );
  assert.is(changes('/api/channel/explain', 'post'), false);
});

openapi('says of every endpoint in each language what it does', () => {
  const said = new Map<string, string>();
  for (const { name, endpoint } of endpointsOf(contract)) {
    const { en, zh } = endpoint.description;
    assert.match(en, /^\p{Lu}[^\p{Script=Han}]{5,}\.$/u, `${name} in English`);
    assert.match(zh, /^[\s\S]*\p{Script=Han}[\s\S]{2,}。$/u, `${name} in Chinese`);
    // What stands in code marks is the same in both.
    const marked = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word).sort();
    assert.equal(marked(zh), marked(en), name);
    said.set(zh, name);
  }
  assert.ok(said.size > 150, 'texts are not copies of one another');
});

openapi.run();
