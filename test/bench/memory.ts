/** Resident memory of the daemon with many idle open streams against none. */
import { readFileSync } from 'node:fs';
import { createServer, request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Resident bytes of a process. */
export function residentBytes(pid: number): number {
  const kilobytes = readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)?.[1];
  return Number(kilobytes) * 1024;
}

export interface OpenStreams {
  /** Address for a channel: answers one event and then stays silent until released. */
  url: string;
  open(): number;
  release(): void;
  close(): void;
}

/** An upstream whose streams stay open after their first event. */
export async function holdingUpstream(): Promise<OpenStreams> {
  const held = new Set<ServerResponse>();
  const event = `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-mini', choices: [{ index: 0, delta: { role: 'assistant', content: 'a' }, finish_reason: null }] })}\n\n`;
  const server = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event);
    held.add(response);
    response.once('close', () => held.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 16_384, resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    open: () => held.size,
    release() {
      for (const response of held) {
        response.end(
          'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\n\ndata: [DONE]\n\n',
        );
      }
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export interface MemoryRun {
  url: string;
  authorization: string;
  pid: number;
  streams: number;
  upstream: OpenStreams;
}

/** Bytes per open stream: what the daemon grew by, over the number of streams held open. */
export async function bytesPerStream(run: MemoryRun): Promise<number> {
  const body = JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'hi' }] });
  const ended: Promise<void>[] = [];
  const openOne = () =>
    new Promise<void>((resolve, reject) => {
      const outgoing = request(
        `${run.url}/v1/chat/completions`,
        {
          method: 'POST',
          agent: false,
          headers: { 'content-type': 'application/json', authorization: run.authorization },
        },
        (response) => {
          ended.push(new Promise((done) => response.once('close', () => done())));
          response.once('data', () => resolve());
          response.resume();
          if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        },
      );
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  for (let index = 0; index < 50; index += 1) await openOne();
  await sleep(1000);
  const before = residentBytes(run.pid);
  for (let index = 0; index < run.streams; index += 100) await Promise.all(Array.from({ length: 100 }, openOne));
  await sleep(2000);
  const after = residentBytes(run.pid);
  run.upstream.release();
  await Promise.all(ended);
  return (after - before) / run.streams;
}
