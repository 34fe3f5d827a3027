/**
 * What an event costs that comes alone, as those of a model do while it speaks: processor time of the gateway and of the
 * bare Node proxy, for the same streams. The other loads hand a whole stream over in one or two reads.
 */
import { readFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chunkOf, deltaChunk, type Kind } from './references.ts';

const EVENTS = 400;
const PAUSE_MS = 25;

/** Who is asked, by what, and which process does the work. */
export interface LiveTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** File with the request body. */
  readonly body: string;
  readonly pid: number;
}

/** An upstream that says a word every 25 ms. */
export async function speakingUpstream(): Promise<{ urls: Record<Kind, string>; close(): void }> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(deltaChunk({ role: 'assistant', content: '' }, null));
    let said = 0;
    const timer = setInterval(() => {
      said += 1;
      if (said <= EVENTS) {
        response.write(deltaChunk({ content: ` token${said}` }, null));
        return;
      }
      clearInterval(timer);
      const usage = { prompt_tokens: 21, completion_tokens: EVENTS, total_tokens: 21 + EVENTS };
      response.write(deltaChunk({}, 'stop'));
      response.end(`${chunkOf({ choices: [], usage })}data: [DONE]\n\n`);
    }, PAUSE_MS);
    response.once('close', () => clearInterval(timer));
  });
  const { port } = await new Promise<AddressInfo>((resolve, reject) => {
    server.listen(0, '127.0.0.1', 4096, () => {
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address);
      else reject(new Error('the upstream has no port'));
    });
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    urls: { json: url, stream: url },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Processor time for each event of so many streams at one time, in microseconds. */
export async function microsPerEvent(target: LiveTarget, streams: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: streams });
  const before = processorMicros(target.pid);
  await Promise.all(Array.from({ length: streams }, () => stream(target, agent)));
  const used = processorMicros(target.pid) - before;
  agent.destroy();
  return used / (streams * EVENTS);
}

function stream({ url, headers, body }: LiveTarget, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        response.resume();
        response.once('error', reject);
        response.once('end', () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`status ${response.statusCode}`));
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end(readFileSync(body));
  });
}

/** Of all threads of a process. Linux counts it in ticks of 10 ms. */
function processorMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
