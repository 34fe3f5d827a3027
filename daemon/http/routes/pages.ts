/** What a browser gets: the console. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import type { Language } from '../../contract/error-codes.ts';

/** One answer of this file. */
export interface PageAnswer {
  readonly contentType: string;
  readonly body: Buffer | string;
  readonly cacheControl: string;
  readonly entityTag: string;
}

export interface PagesDeps {
  /** Folder of the built console; undefined or absent means that there is none. */
  readonly consoleDir: string | undefined;
  /** Where this node sends visitors of its pages instead; a fixed address, never one from a request (W31). */
  readonly pagesElsewhere?: string | undefined;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** True for the hashed files of the console, which are exempt from the page limit and never change. */
export function isHashedAsset(path: string): boolean {
  return path.startsWith('/assets/');
}

export class Pages {
  readonly #deps: PagesDeps;

  constructor(deps: PagesDeps) {
    this.#deps = deps;
  }

  /** The answer to a GET of this path; undefined is the unknown-path answer. */
  async find(path: string, language: Language): Promise<PageAnswer | undefined> {
    const name = safeName(path);
    if (name === undefined) return undefined;
    const file = await this.#file(name);
    if (file)
      return { ...file, cacheControl: isHashedAsset(path) ? 'public, max-age=31536000, immutable' : 'no-cache' };
    if (isHashedAsset(path) || extname(path) !== '') return undefined;
    const document = await this.#file('index.html');
    if (document) return { ...document, cacheControl: 'no-cache' };
    return path === '/' ? noConsole(language) : undefined;
  }

  async #file(name: string): Promise<Omit<PageAnswer, 'cacheControl'> | undefined> {
    const { consoleDir } = this.#deps;
    const contentType = contentTypes[extname(name)];
    if (consoleDir === undefined || contentType === undefined) return undefined;
    const path = resolve(consoleDir, name);
    if (!path.startsWith(resolve(consoleDir) + sep)) return undefined;
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile()) return undefined;
    const body = await readFile(join(path));
    return { contentType, body, entityTag: tagOf(body) };
  }
}

/** The file a path names; undefined for anything but plain names below one another. */
function safeName(path: string): string | undefined {
  if (path === '/') return 'index.html';
  return /^(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+\/?$/.test(path) && !path.includes('..') ? path.slice(1) : undefined;
}

function tagOf(body: Buffer | string): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

const texts = {
  en: 'The console has not been built. Run "npm run build" in the folder of Tollgate, then start it again.',
  zh: '控制台尚未构建。请在 Tollgate 目录中运行 npm run build，然后重新启动。',
} as const;

function noConsole(language: Language): PageAnswer {
  const body = `${texts[language]}\n`;
  return { contentType: 'text/plain; charset=utf-8', body, cacheControl: 'no-cache', entityTag: tagOf(body) };
}
