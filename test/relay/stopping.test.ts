/** A whole daemon that is told to stop while a call runs. Runs once: it looks at what goes over the wire. */
import { EventEmitter, once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { until } from '../support/until.ts';
import { chatRequest, completion } from './wire.ts';

const test = suite<{ upstream: FakeUpstream; daemon: TestDaemon }>('relay: stopping');

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.daemon = await startTestDaemon();
});
test.after.each(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

test('asks new calls to come back later, lets the running one end, and then closes', async ({ daemon, upstream }) => {
  await daemon.addChannel({ base_url: upstream.url, models: chatRequest.model });
  const key = await daemon.addKey();
  const call = () =>
    fetch(`${daemon.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(chatRequest),
    });
  const gate = new EventEmitter();
  const mayAnswer = once(gate, 'answer');
  upstream.script(async () => {
    await mayAnswer;
    return jsonAnswer(completion());
  });
  const running = call();
  await until(() => upstream.requests.length > 0);
  const stopped = daemon.daemon.stop();

  const refused = await call();
  assert.is(refused.status, 503);
  assert.is(refused.headers.get('retry-after'), '5');
  assert.is((await refused.json()).error.code, 'shutting_down');
  assert.is((await fetch(`${daemon.url}/readyz`)).status, 503);

  gate.emit('answer');
  const answer = await running;
  assert.equal(await answer.json(), completion());
  await stopped;
  await call().then(
    () => assert.unreachable('the daemon still answers'),
    (error: unknown) => assert.instance(error, TypeError),
  );
});

test.run();
