/** Qwen's realtime sessions: OpenAI's events under another address, offered without a subprotocol, and billed by its report. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket, WebSocketServer } from 'ws';
import { GatewayHarness } from '../support/gateway-harness.ts';

const test = suite('relay: Qwen’s realtime sessions');
const model = 'qwen3-omni-flash-realtime';
const ones = { [model]: 1 };
const prices = { ModelRatio: ones, CompletionRatio: ones, AudioRatio: { [model]: 2 }, AudioCompletionRatio: ones };

/** As the vendor's reference of server events shows it, read 2026-11. */
const done = {
  event_id: 'event_1',
  type: 'response.done',
  response: {
    id: 'resp_1',
    object: 'realtime.response',
    status: 'completed',
    modalities: ['text', 'audio'],
    output: [],
    usage: {
      total_tokens: 377,
      input_tokens: 336,
      output_tokens: 41,
      input_tokens_details: { text_tokens: 236, audio_tokens: 100 },
      output_tokens_details: { text_tokens: 9, audio_tokens: 32 },
    },
  },
};

test('a session stands at the vendor’s address, is offered no subprotocol, and costs what its turns report', async () => {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  const opened = once(sockets, 'connection');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const baseUrl = `http://127.0.0.1:${port}/compatible-mode/v1`;
  const channels = [{ id: 1, type: 17, baseUrl, models: `${model},qwen3-tts-flash-realtime`, keys: ['sk-ali'] }];
  const harness = await GatewayHarness.start({ channels, options: prices });
  const at = (name: string) => `${harness.url.replace('http', 'ws')}/v1/realtime?model=${name}`;
  const headers = { authorization: `Bearer sk-${harness.key}` };
  const client = new WebSocket(at(model), ['realtime'], { headers });
  try {
    const heard = once(client, 'message');
    const [upstream, request] = await opened;
    assert.is(request.url, `/api-ws/v1/realtime?model=${model}`);
    assert.is(request.headers.authorization, 'Bearer sk-ali');
    assert.is(request.headers['sec-websocket-protocol'], undefined);
    if (client.readyState !== WebSocket.OPEN) await once(client, 'open');
    assert.is(client.protocol, 'realtime');
    upstream.send(JSON.stringify(done));
    const [frame] = await heard;
    assert.equal(JSON.parse(String(frame)), done);
    client.close();
    await once(upstream, 'close');
    for (let round = 0; (await harness.rows()).length === 0 && round < 100; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const [row] = await harness.rows();
    // 236 + 2 × 100 in, 9 + 2 × 32 out.
    assert.equal([row?.promptTokens, row?.completionTokens, row?.quota], [336, 41, 509]);
  } finally {
    client.terminate();
    await harness.stop();
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  }
});

test.run();
