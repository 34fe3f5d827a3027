import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limitConnections, mostConnections } from '../../../daemon/http/connection-limit.ts';
import { openFileLimit } from '../../../daemon/telemetry/open-files.ts';
import { until } from '../../support/until.ts';

const connections = suite('connections of clients');

connections('leave files for upstreams and for the process itself', () => {
  for (const [files, most] of [
    [1, 1],
    [100, 37],
    [1024, 384],
    [1_048_576, 524_160],
  ] as const) {
    assert.is(mostConnections(files), most);
  }
});

connections(
  'above what the limit of files leaves are closed, which is said once, and there is room again later',
  async () => {
    const warnings: unknown[] = [];
    const server = createServer((socket) => socket.on('error', () => undefined).write('in'));
    limitConnections(server, { openFiles: 8, log: { warn: (facts: unknown) => warnings.push(facts) } });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const open: Socket[] = [];
    const join = () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      open.push(socket);
      return new Promise<boolean>((resolve) =>
        socket.once('data', () => resolve(true)).once('close', () => resolve(false)),
      );
    };
    try {
      const joined = [];
      for (let count = 0; count < 5; count += 1) joined.push(await join());
      assert.equal(joined, [true, true, true, false, false]);
      assert.equal(warnings, [{ connections: 3, openFiles: 8 }]);
      open[0]?.destroy();
      await until(async () => (await new Promise((resolve) => server.getConnections((_, now) => resolve(now)))) === 2);
      assert.ok(await join());
    } finally {
      for (const socket of open) socket.destroy();
      server.close();
    }
  },
);

connections('have no limit where files have none', () => {
  const server = createServer();
  for (const openFiles of [undefined, Number.POSITIVE_INFINITY])
    limitConnections(server, { openFiles, log: { warn() {} } });
  assert.is(server.maxConnections, undefined);
  if (process.platform === 'linux') assert.ok((openFileLimit() ?? 0) > 100);
});

connections.run();
