/** Where a browser on this machine brings the one-time code of a sign-in (RFC 8252, 7.3): one address, for one code. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';

/** What the browser has brought. */
export type Redirect = { readonly kind: 'code'; readonly code: string } | { readonly kind: 'denied' };

export interface RedirectWish {
  /** What the console hands back unread; whoever does not know it is not answered. */
  readonly state: string;
  /** Shown by the browser, as plain text. */
  readonly texts: { readonly code: string; readonly denied: string };
  /** Language of those texts. */
  readonly language: string;
}

/** A listener that waits for its browser. */
export interface Loopback {
  readonly port: number;
  /** Resolves with the first redirect that knows the state. */
  readonly redirect: Promise<Redirect>;
  close(): void;
}

export async function listenForRedirect({ state, texts, language }: RedirectWish): Promise<Loopback> {
  let resolve: (redirect: Redirect) => void = () => undefined;
  const redirect = new Promise<Redirect>((settle) => {
    resolve = settle;
  });
  const server = createServer((request, response) => {
    const brought = request.method === 'GET' ? redirectOf(request.url ?? '', state) : undefined;
    if (brought === undefined) {
      response.writeHead(404).end();
      return;
    }
    // The program ends with the code: the page is there first.
    show(response, { text: texts[brought.kind], language }, () => resolve(brought));
  });
  await listening(server);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port, redirect, close };
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
}

/** Undefined for a request that is not the console's answer to this very sign-in. */
function redirectOf(target: string, state: string): Redirect | undefined {
  const base = 'http://127.0.0.1';
  if (!URL.canParse(target, base)) return undefined;
  const { pathname, searchParams } = new URL(target, base);
  if (pathname !== '/callback' || !isEqual(searchParams.get('state') ?? '', state)) return undefined;
  const code = searchParams.get('code');
  if (code !== null) return { kind: 'code', code };
  return searchParams.get('error') === 'access_denied' ? { kind: 'denied' } : undefined;
}

function isEqual(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

function show(response: ServerResponse, page: { text: string; language: string }, done: () => void): void {
  response.writeHead(200, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Language': page.language,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    Connection: 'close',
  });
  response.end(page.text, done);
}
