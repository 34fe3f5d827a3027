import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../daemon/errors.ts';
import { LARGE_BODY_BYTES, LargeBodies } from '../../../daemon/gateway/large-bodies.ts';
import { readSources } from '../../support/source-files.ts';

const test = suite<{ bodies: LargeBodies; reports: unknown[] }>('gateway/large-bodies');

test.before.each((context) => {
  context.reports = [];
  context.bodies = new LargeBodies((error) => context.reports.push(error));
});
test.after.each(({ bodies }) => bodies.close());

const filler = 'x'.repeat(LARGE_BODY_BYTES);

test('read small bodies at once, and refuse them at once', ({ bodies }) => {
  const body = Buffer.from('{"model":"m"}');
  assert.equal(bodies.parse(body), { body, json: { model: 'm' } });
  assert.throws(
    () => bodies.parse(Buffer.from('{')),
    (error: unknown) => error instanceof TollgateError,
  );
});

test('read large bodies in a thread, which is free for others meanwhile', async ({ bodies, reports }) => {
  const json = { model: 'm', messages: [{ role: 'user', content: filler }], __proto: 1, n: 1.5, none: null };
  const body = Buffer.from(JSON.stringify(json));
  const parsing = bodies.parse(body);
  assert.ok(parsing instanceof Promise);
  const parsed = await parsing;
  assert.is(parsed.body, body);
  assert.equal(parsed.json, json);
  assert.equal(reports, []);
});

test('say of large bodies what is wrong with them, in the words for small ones', async ({ bodies }) => {
  const reasons: unknown[] = [];
  for (const body of [
    Buffer.from(`{"a":"${filler}"`),
    Buffer.from(`["${filler}"]`),
    Buffer.concat([Buffer.from(`{"a":"${filler}`), Buffer.from([0xff]), Buffer.from('"}')]),
    Buffer.from(`{"b":"${filler}","a":${'['.repeat(200)}${']'.repeat(200)}}`),
  ]) {
    try {
      await bodies.parse(body);
      reasons.push('read');
    } catch (error) {
      reasons.push(error instanceof TollgateError && error.code === 'invalid_request' ? error.params.reason : error);
    }
  }
  assert.equal(reasons, [
    'the body is not valid JSON',
    'the body must be a JSON object',
    'the body is not UTF-8',
    'the body is nested deeper than 128 levels',
  ]);
});

test('have their thread in the build, as every other work of its own has', () => {
  const built = readFileSync(new URL('../../../bin/build.mjs', import.meta.url), 'utf8');
  const threads = readSources().flatMap(({ path, text }) =>
    path.startsWith('daemon/') && text.includes('new WorkerThread(')
      ? [...text.matchAll(/module: '(.+?)'/g)].map(([, name = '']) => `${posix.join(posix.dirname(path), name)}.ts`)
      : [],
  );
  assert.equal(threads.sort(), [
    'daemon/gateway/large-bodies-worker.ts',
    'daemon/gateway/pattern-thread-worker.ts',
    'daemon/relay/tokens/worker.ts',
  ]);
  for (const thread of threads) assert.ok(built.includes(`'${thread}'`), thread);
});

test.run();
