/** When a page says that the server is gone. Runs once: it knows no database. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reach } from '../../console/api/reach.ts';

const test = suite('console/reach');
const plain = globalThis.fetch;
test.after(() => {
  globalThis.fetch = plain;
});

const answering = () => Promise.resolve(new Response('{}'));
const broken = () => Promise.reject(new TypeError('fetch failed'));
const ask = (how: () => Promise<Response>, init: RequestInit = {}) => {
  globalThis.fetch = how;
  return reach.fetch('/api/status', init).catch(() => undefined);
};

test('the server is gone after two calls in a row without an answer, and back with the next answer', async () => {
  await ask(answering);
  await ask(broken);
  await ask(answering);
  await ask(broken);
  assert.is(reach.store.get().isLost, false);
  await ask(broken);
  assert.is(reach.store.get().isLost, true);
  assert.ok((reach.store.get().answeredAt ?? 0) > 0);
  await ask(answering);
  assert.is(reach.store.get().isLost, false);
});

test('calls that were given up say nothing', async () => {
  const signal = AbortSignal.abort();
  await ask(broken, { signal });
  await ask(broken, { signal });
  await ask(broken, { signal });
  assert.is(reach.store.get().isLost, false);
});

test.run();
