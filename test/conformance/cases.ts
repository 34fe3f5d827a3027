/**
 * The recorded cases, found by walking `test/fixtures`: a new recording joins every battery by being there.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WireEvent } from '../../daemon/relay/format.ts';
import { reframerOf } from '../../daemon/relay/framing/reframe.ts';
import { SseParser } from '../../daemon/relay/framing/sse.ts';
import type { Json } from '../../daemon/relay/json.ts';

const root = fileURLToPath(new URL('../fixtures/', import.meta.url));

export interface RecordedCase {
  /** `provider/case` */
  readonly name: string;
  /** Format id as `about.md` states it. */
  readonly format: string;
  readonly status: number;
  readonly shows: readonly string[];
  readonly folder: string;
}

/** Every case folder whose `about.md` names a format. */
export function recordedCases(): RecordedCase[] {
  const cases: RecordedCase[] = [];
  for (const provider of readdirSync(root, { withFileTypes: true })) {
    if (!provider.isDirectory()) continue;
    for (const entry of readdirSync(join(root, provider.name), { withFileTypes: true })) {
      const folder = join(root, provider.name, entry.name);
      const about = join(folder, 'about.md');
      if (!entry.isDirectory() || !existsSync(about)) continue;
      const facts = readFacts(readFileSync(about, 'utf8'));
      const format = facts.get('format');
      if (format === undefined) continue;
      cases.push({
        name: `${provider.name}/${entry.name}`,
        format,
        status: Number(facts.get('status') ?? 200),
        shows: (facts.get('shows') ?? '').split(', '),
        folder,
      });
    }
  }
  return cases;
}

function readFacts(about: string): Map<string, string> {
  const facts = new Map<string, string>();
  for (const line of about.split('\n')) {
    const found = /^- (\w+): (.*)$/.exec(line);
    if (found?.[1] !== undefined && found[2] !== undefined) facts.set(found[1], found[2]);
  }
  return facts;
}

export function readRequest(one: RecordedCase): Json | undefined {
  return readJson(join(one.folder, 'request.json'));
}

export function readResponse(one: RecordedCase): Json | undefined {
  return readJson(join(one.folder, 'response.json'));
}

/** The stream's bytes, or undefined when the answer was no event stream. Other framings are told as events. */
export function readStream(one: RecordedCase): Buffer | undefined {
  const path = join(one.folder, 'stream.sse');
  if (existsSync(path)) return readFileSync(path);
  const wire = readWire(one);
  return wire === undefined ? undefined : reframerOf(wire.contentType)?.(wire.bytes);
}

/** Content types of the framings that are no event streams, by the recording's ending. */
const framings: readonly (readonly [file: string, contentType: string])[] = [
  ['stream.bin', 'application/vnd.amazon.eventstream'],
  ['stream.ndjson', 'application/x-ndjson'],
];

/** A stream in a framing of its vendor's own, as it came; undefined for event streams and whole answers. */
export function readWire(one: RecordedCase): { contentType: string; bytes: Buffer } | undefined {
  for (const [file, contentType] of framings) {
    const path = join(one.folder, file);
    if (existsSync(path)) return { contentType, bytes: readFileSync(path) };
  }
  return undefined;
}

function readJson(path: string): Json | undefined {
  if (!existsSync(path)) return undefined;
  const value: Json = JSON.parse(readFileSync(path, 'utf8'));
  return value;
}

/** The events of a stream that arrives in pieces of `size` bytes. */
export function frame(bytes: Buffer, size: number): WireEvent[] {
  const parser = new SseParser();
  const events: WireEvent[] = [];
  for (let start = 0; start < bytes.length; start += size)
    events.push(...parser.push(bytes.subarray(start, start + size)));
  events.push(...parser.end());
  return events;
}
