/** Files of forms that do not arrive whole, or that the disk does not take: nothing of them may stay, nor be waited for. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { until, within } from '../support/until.ts';
import { createWorkspace, type Workspace } from '../support/workspace.ts';

interface Context {
  upstream: FakeUpstream;
  workspace: Workspace;
}

const test = suite<Context>('relay: left uploads');
test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.workspace = createWorkspace();
});
test.after.each(async ({ upstream, workspace }) => {
  await upstream.close();
  workspace.remove();
});

const MIB = 1024 * 1024;
const maxAudioBytes = 4 * MIB;
const part = (of: string) => `--b\r\ncontent-disposition: form-data; ${of}\r\n\r\n`;
const opening = `${part('name="model"')}whisper-1\r\n${part('name="file"; filename="a.mp3"')}`;

const startGateway = ({ upstream }: Context, folder: string) =>
  GatewayHarness.start({
    channels: [{ baseUrl: upstream.url, models: 'whisper-1' }],
    config: { forms: { folder, maxBytes: 8 * MIB, maxImageBytes: MIB, maxAudioBytes } },
  });

/** A client that has sent so much of a file of 6 MiB. */
async function sending({ url, key }: GatewayHarness, bytes: number) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let told = '';
  socket.on('data', (said: Buffer) => (told += said)).on('error', () => undefined);
  await once(socket, 'connect');
  const fields = [`Authorization: Bearer ${key}`, 'Content-Type: multipart/form-data; boundary=b'];
  fields.push(`Content-Length: ${opening.length + 6 * MIB}`);
  socket.write(`POST /v1/audio/transcriptions HTTP/1.1\r\nHost: gateway\r\n${fields.join('\r\n')}\r\n\r\n${opening}`);
  socket.write(Buffer.alloc(bytes));
  return { socket, told: () => told };
}

test('leave nothing on the disk, whether the client breaks off or sends too much', async (context) => {
  const { folder } = context.workspace;
  const harness = await startGateway(context, folder);
  for (const size of [2 * MIB, 3 * MIB]) {
    const { socket } = await sending(harness, size);
    await until(() => readdirSync(folder).length === 1);
    if (size < 3 * MIB) socket.destroy();
    else socket.write(Buffer.alloc(2 * MIB));
    await until(() => harness.gateway.running === 0);
    await within(5000, () => readdirSync(folder).length === 0);
    socket.destroy();
  }
  assert.equal(harness.reports, []);
  await harness.stop();
});

test('are refused at once where the disk does not take them, and the operator is told why', async (context) => {
  const harness = await startGateway(context, context.workspace.path('missing'));
  const { socket, told } = await sending(harness, 2 * MIB);
  // Far less than the silence that a client is given who has not sent all.
  await within(10_000, () => told().includes('internal_error'));
  assert.match(told(), /^HTTP\/1.1 500 /);
  assert.is(harness.gateway.running, 0);
  assert.match(String(Reflect.get(Object(harness.reports[0]), 'cause')), /ENOENT/);
  socket.destroy();
  await harness.stop();
});

test.run();
