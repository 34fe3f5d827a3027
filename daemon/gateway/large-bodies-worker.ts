/** The thread that reads large bodies. */
import { parentPort } from 'node:worker_threads';
import { TollgateError } from '../errors.ts';
import type { JsonObject } from '../relay/json.ts';
import { parseBody } from './parse-body.ts';

/** What the thread answers: what the body says, or why it says nothing. */
export type ParseReply = { readonly id: number } & ({ readonly json: JsonObject } | { readonly reason: string });

function read(body: Uint8Array): { json: JsonObject } | { reason: string } {
  try {
    return { json: parseBody(Buffer.from(body.buffer, body.byteOffset, body.byteLength)).json };
  } catch (error) {
    if (!(error instanceof TollgateError)) throw error;
    return { reason: String(error.params.reason) };
  }
}

parentPort?.on('message', ({ id, body }: { id: number; body: Uint8Array }) => {
  const reply: ParseReply = { id, ...read(body) };
  parentPort?.postMessage(reply);
});
