/** The built console in memory: read once, so that no request touches the disk. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { Language } from '../contract/error-codes.ts';
import { firstRequestsOf } from './console-requests.ts';

/** One way of writing a file. */
export interface FileForm {
  readonly body: Buffer;
  readonly entityTag: string;
}

export type Encoding = 'br' | 'gzip';

export interface ConsoleFile {
  readonly contentType: string;
  readonly plain: FileForm;
  /** Made when the console was built, where it is smaller. */
  readonly encoded: Readonly<Partial<Record<Encoding, FileForm>>>;
}

export interface ConsoleFiles {
  /** By path, `/assets/index-1a2b.js`. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
  /** The document of every page. */
  readonly document: ConsoleFile;
  /** Header `Link` of the document at a path, in the browser's language: what to ask for before reading it. */
  readonly firstRequests: (path: string, language: Language) => string;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Everything in the folder but hidden files; undefined where no console was built. */
export function readConsole(folder: string | undefined): ConsoleFiles | undefined {
  if (folder === undefined || !existsSync(folder)) return undefined;
  const files = new Map<string, ConsoleFile>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const contentType = contentTypes[extname(entry.name)];
    if (!entry.isFile() || entry.name.startsWith('.') || contentType === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(`/${relative(folder, path).split(sep).join('/')}`, readFile(path, contentType));
  }
  const document = files.get('/index.html');
  if (!document) return undefined;
  return { files, document, firstRequests: firstRequestsOf(folder, document.plain.body.toString()) };
}

function readFile(path: string, contentType: string): ConsoleFile {
  const body = readFileSync(path);
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const form = (ending: string) => {
    const file = `${path}.${ending}`;
    return existsSync(file) ? { body: readFileSync(file), entityTag: `"${digest}-${ending}"` } : undefined;
  };
  const [br, gzip] = [form('br'), form('gz')];
  const encoded = { ...(br && { br }), ...(gzip && { gzip }) };
  return { contentType, plain: { body, entityTag: `"${digest}"` }, encoded };
}
