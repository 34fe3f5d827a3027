/** Answers to what cannot be read as a request: no route is known then, and no Koa runs. */
import { type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Language } from '../contract/error-codes.ts';
import { TollgateError } from '../errors.ts';
import { RequestIds } from '../gateway/request-id.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { renderFailure } from './render-failure.ts';
import { requestIdHeaders } from './request-id-headers.ts';

/** What the parser says of a connection that it gives up. */
interface ParseError extends Error {
  readonly code?: string;
  /** Of llhttp, in English: which rule was broken. */
  readonly reason?: string;
}

/** Node's name for the answer that a connection waits for; it looks at the same before it answers by itself. */
interface Answering {
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
}

/**
 * Tells clients why their connection ends, in the shape of the relay's own paths, where Node would send a bare status line.
 * @param language that of failures whose client's wishes are unknown
 */
export function answerUnreadable(server: Server, language: () => Language): void {
  const ids = new RequestIds();
  server.on('clientError', (error: ParseError, socket: Socket & Answering) => {
    // Words in the middle of another answer would be taken for a part of it.
    if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent === true) {
      socket.destroy();
      return;
    }
    const { status, headers, text } = refusal(failureOf(error), { language: language(), requestId: ids.next() });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`, () => socket.destroy());
  });
}

/**
 * Hands on what names a host, which HTTP/1.1 demands, and no two, of which a proxy may go by the other (RFC 9112 3.2).
 * What else a client expects beside `100-continue` is none of our business: Node would refuse that, too.
 */
export function serveHosted(server: Server, listener: RequestListener, language: () => Language): void {
  const ids = new RequestIds();
  const serve: RequestListener = (request, response) => {
    const { host } = request.headers;
    // Two are joined by comma and space (`joinDuplicateHeaders`), and no host has a space in its name.
    const isOdd = host?.includes(' ') === true;
    if (!isOdd && (host !== undefined || request.httpVersionMinor === 0)) {
      listener(request, response);
      return;
    }
    const reason = isOdd ? 'Invalid or duplicate Host header' : 'Missing Host header';
    const failure = new TollgateError('request_unreadable', { reason });
    const { status, headers, text } = refusal(failure, { language: language(), requestId: ids.next() });
    response.writeHead(status, headers).end(text);
    request.resume();
  };
  server.on('request', serve);
  server.on('checkExpectation', serve);
}

function refusal(failure: TollgateError, { language, requestId }: { language: Language; requestId: string }) {
  const { status, body } = renderFailure(failure, { surface: 'billing', language, requestId });
  const text = JSON.stringify(body);
  const headers = {
    ...securityHeaders,
    ...requestIdHeaders(requestId),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    Connection: 'close',
  };
  return { status, headers, text };
}

function failureOf({ code, reason, message }: ParseError): TollgateError {
  if (code === 'HPE_HEADER_OVERFLOW') return new TollgateError('request_headers_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new TollgateError('request_timeout');
  return new TollgateError('request_unreadable', { reason: reason ?? message });
}
