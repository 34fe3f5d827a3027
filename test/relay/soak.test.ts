/**
 * Memory of the built daemon under long answers: five hundred streams of a megabyte each at one time, for clients that
 * are slower than the upstream (REQ-31).
 */
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway } from '../bench/gateway.ts';
import { residentBytes } from '../bench/memory.ts';
import { chunk, finishChunk } from './wire.ts';

const soak = suite('a daemon under long answers');
const megabyte = 1024 * 1024;
/** By itself it grows by 150 to 175 MB; what other tests do meanwhile delays its collections. */
const mostGrowth = 250 * megabyte;
interface Talkative {
  readonly url: string;
  /** Lets nothing but the heads go until so many streams are open. */
  together(count: number): void;
  close(): void;
}

/** An upstream that says a megabyte, as fast as it is read, and reports no usage: all of it must be counted. */
async function talkative(): Promise<Talkative> {
  const event = `data: ${JSON.stringify(chunk({ content: 'a few more words of a long answer '.repeat(24) }))}\n\n`;
  const piece = event.repeat(16);
  const end = `data: ${JSON.stringify(finishChunk)}\n\ndata: [DONE]\n\n`;
  const waiting: (() => void)[] = [];
  let wanted = 1;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    let left = megabyte;
    const pour = () => {
      while (left > 0) {
        left -= piece.length;
        if (!response.write(piece)) return;
      }
      response.end(end);
    };
    response.on('drain', pour);
    waiting.push(pour);
    if (waiting.length >= wanted) for (const start of waiting.splice(0)) start();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    together(count) {
      wanted = count;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

soak('grows by little more than its sockets hold', async () => {
  const upstream = await talkative();
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const gateway = await startGateway({ root, upstream: { json: upstream.url, stream: upstream.url } });
  try {
    const call = async () => {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: gateway.authorization.stream },
        body: JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
      });
      // The others would wait for one that did not come.
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
      let length = 0;
      for await (const part of answer.body ?? []) length += part.length;
      return length;
    };
    const burst = (count: number) => {
      upstream.together(count);
      return Promise.all(Array.from({ length: count }, call));
    };
    // Code that is compiled and connections that are kept are no growth.
    await burst(50);
    const idle = residentBytes(gateway.pid);
    let most = idle;
    const watching = setInterval(() => {
      most = Math.max(most, residentBytes(gateway.pid));
    }, 20);
    const lengths = await burst(500).finally(() => clearInterval(watching));
    assert.ok(Math.min(...lengths) >= megabyte, 'nothing was lost');
    const grown = most - idle;
    assert.ok(grown < mostGrowth, `grew by ${Math.round(grown / megabyte)} MB`);
  } finally {
    await gateway.stop();
    upstream.close();
  }
});

soak.run();
