/** A web server on loopback that answers as a test says, and remembers what it was asked. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

export interface AskedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebServer {
  readonly url: string;
  readonly asked: AskedCall[];
  stop(): Promise<void>;
}

/** @param answer may write a status, headers and a body; an object is sent as JSON. */
export async function startWebServer(
  answer: (call: AskedCall, response: ServerResponse) => unknown,
): Promise<WebServer> {
  const asked: AskedCall[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    const { method = '', url = '', headers } = request;
    const call = { method, url, headers, body: Buffer.concat(parts).toString() };
    asked.push(call);
    const value = await answer(call, response);
    if (value === undefined || response.writableEnded) return;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(value));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server is not listening');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
