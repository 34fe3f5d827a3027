/** What is left of an upgrade that was refused. */
import { PassThrough } from 'node:stream';
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UpgradeSink } from '../../../daemon/http/upgrade-sink.ts';

const test = suite('http: refused upgrades');

test('a client that was refused and stays is left after five seconds', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const socket = new PassThrough();
    new UpgradeSink(socket, ['X-Request-Id', 'r']).answer(401, 'application/json', '{}');
    assert.match(String(socket.read()), /^HTTP\/1\.1 401 Unauthorized\r\nX-Request-Id: r\r\n/);
    mock.timers.tick(4999);
    assert.is(socket.destroyed, false, 'it may read why');
    mock.timers.tick(1);
    assert.is(socket.destroyed, true);
  } finally {
    mock.timers.reset();
  }
});

test.run();
