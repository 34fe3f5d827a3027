/** Clients that leave before anything of their body was read: while their key is looked up. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { someTurns, within } from '../support/until.ts';

const test = suite('relay: early leavers');

const calls = {
  json: { path: '/v1/chat/completions', type: 'application/json', body: '{"model":"gpt-4o","messages":[]}' },
  form: {
    path: '/v1/audio/transcriptions',
    type: 'multipart/form-data; boundary=b',
    body: '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n--b--\r\n',
  },
};

for (const [kind, { path, type, body }] of Object.entries(calls)) {
  test(`give their place back at once, with all of a ${kind} body sent or its beginning`, async () => {
    const upstream = await startFakeUpstream();
    // Each is new to the gateway, which has to look the key up.
    for (const sent of [body, body.slice(0, 10), body, '']) {
      const harness = await GatewayHarness.start({ channels: [{ baseUrl: upstream.url, models: 'gpt-4o,whisper-1' }] });
      const socket = connect(Number(new URL(harness.url).port), '127.0.0.1');
      await once(socket, 'connect');
      const head = `POST ${path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${harness.key}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}`;
      socket.write(`${head}\r\n\r\n${sent}`, () => socket.destroy());
      await once(socket, 'close');
      await someTurns();
      // Far less than the silence that a client who is still there is given.
      await within(10_000, () => harness.gateway.running === 0);
      assert.equal(harness.reports, []);
      await harness.stop();
    }
    await upstream.close();
  });
}

test.run();
