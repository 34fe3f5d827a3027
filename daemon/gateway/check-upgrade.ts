/**
 * Whether a client's upgrade can be completed at all (RFC 6455 4.2.1): asked before anything is held or opened for it,
 * since the server of sockets looks only when the upstream's end is open.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { refuse } from './check-calls.ts';

const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSIONS: ReadonlySet<string> = new Set(['13', '8']);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Throws `invalid_request`. */
export function checkUpgrade(headers: IncomingHttpHeaders): void {
  if (!VERSIONS.has(headers['sec-websocket-version'] ?? '')) refuse('sec-websocket-version', 'must be 13');
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) refuse('sec-websocket-key', 'must be 16 bytes in base64');
  const protocols = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  if (protocols.every((name) => TOKEN.test(name)) && new Set(protocols).size === protocols.length) return;
  refuse('sec-websocket-protocol', 'must be a list of names, each of them once');
}
