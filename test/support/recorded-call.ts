/** A recorded question and answer of a call that is no conversation, by the folder of its fixture. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../daemon/relay/json.ts';
import type { Answer } from './fake-upstream.ts';

const root = fileURLToPath(new URL('../fixtures/', import.meta.url));

/** `provider/case` as an upstream's answer. */
export function recordedAnswer(name: string): Answer {
  const folder = join(root, name);
  const status = Number(/^- status: (\d+)$/m.exec(readFileSync(join(folder, 'about.md'), 'utf8'))?.[1] ?? 200);
  const file = readdirSync(folder).find((entry) => /^(?:response|stream)\./.test(entry)) ?? '';
  const bytes = readFileSync(join(folder, file));
  return { status, headers: { 'content-type': typeOf(file) }, chunks: [bytes] };
}

function typeOf(file: string): string {
  if (file.endsWith('.sse')) return 'text/event-stream';
  return file.endsWith('.bin') ? 'audio/mpeg' : 'application/json';
}

/** The recorded body of an answer. */
export function recordedBody(name: string): JsonObject {
  return JSON.parse(readFileSync(join(root, name, 'response.json'), 'utf8'));
}

/** The recorded body of a request; undefined where the recording has none. */
export function recordedRequest(name: string): JsonObject | undefined {
  const path = join(root, name, 'request.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}
