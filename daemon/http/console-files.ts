/** The built console in memory: read once, so that no request touches the disk. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { Language } from '../contract/error-codes.ts';

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
  /** Header `Link` of the document, by the browser's language: what to ask for before reading it. */
  readonly firstRequests: Readonly<Record<Language, string>>;
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
  const html = document.plain.body.toString();
  const requests = (language: Language) => firstRequestsOf(html, frameTexts(folder, language));
  return { files, document, firstRequests: { zh: requests('zh'), en: requests('en') } };
}

/** The chunk with the texts of every page, which the first paint waits for; named by the bundler's list of files. */
function frameTexts(folder: string, language: Language): string[] {
  const manifest = join(folder, '.manifest.json');
  if (!existsSync(manifest)) return [];
  const chunks: Readonly<Record<string, { readonly file: string }>> = JSON.parse(readFileSync(manifest, 'utf8'));
  const chunk = chunks[`i18n/catalogues/${language}/frame.ts`];
  return chunk ? [`/${chunk.file}`] : [];
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

/** The chunks and style sheets that the document names, and the state of the site, which is asked for first. */
function firstRequestsOf(html: string, texts: readonly string[]): string {
  const chunks = [...html.matchAll(/<(?:script type="module"[^>]* src|link rel="modulepreload"[^>]* href)="([^"]+)"/g)];
  const styles = [...html.matchAll(/<link rel="stylesheet"[^>]* href="([^"]+)"/g)];
  return [
    ...styles.map(([, path]) => `<${path}>; rel=preload; as=style; crossorigin`),
    ...[...chunks.map(([, path]) => path), ...texts].map((path) => `<${path}>; rel=modulepreload`),
    '</api/status>; rel=preload; as=fetch; crossorigin',
  ].join(', ');
}
