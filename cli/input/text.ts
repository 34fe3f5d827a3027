/** Where values come from: literals, `@file`, `file:PATH`, `-` for standard input, `env:NAME` for secrets. */
import { readFile } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { notRead, usageError } from '../errors.ts';
import { both } from '../language.ts';

/** Decodes UTF-8 with or without BOM, or UTF-16LE with BOM. */
function decodeText(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le');
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

/** Everything on standard input. Rejects at a signal, behind which a terminal or a pipe may stay silent for ever. */
async function readStdin({ stdin, signal }: TextSources): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of addAbortSignal(signal, stdin))
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return decodeText(Buffer.concat(chunks));
}

export interface TextSources {
  stdin: Readable;
  environment: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

async function fromFile(path: string, field: string): Promise<string> {
  try {
    return decodeText(await readFile(path));
  } catch (cause) {
    throw notRead(path, { field, cause });
  }
}

/** A text, JSON or list argument. */
export async function readValue(value: string, field: string, sources: TextSources): Promise<string> {
  if (value === '-') return readStdin(sources);
  if (value.startsWith('@')) return fromFile(value.slice(1), field);
  if (value.startsWith('file:')) return fromFile(value.slice('file:'.length), field);
  return value;
}

/** A secret and whether it stood on the command line, where the process list shows it. */
export async function readSecret(
  value: string,
  field: string,
  sources: TextSources,
): Promise<{ secret: string; literal: boolean }> {
  if (value.startsWith('env:')) {
    const name = value.slice('env:'.length);
    const found = sources.environment[name];
    if (found === undefined || found === '') {
      throw usageError(both(`${name} is not set`, `未设置 ${name}`), { field });
    }
    return { secret: found, literal: false };
  }
  const text = await readValue(value, field, sources);
  return { secret: text.replace(/\r?\n$/, ''), literal: text === value && value !== '-' };
}

/** Comma lists and repeated flags as one list without empties. */
export function splitList(values: string | readonly string[] | undefined): string[] {
  if (values === undefined) return [];
  return (typeof values === 'string' ? [values] : values)
    .flatMap((value) => value.split(/[,\n]/))
    .map((value) => value.trim())
    .filter((value) => value !== '');
}
