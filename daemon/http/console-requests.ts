/**
 * What a browser is told to ask for before it has read the console's document: the document's own chunks, the page's,
 * and the texts of both. Without it each is found only when the one before has run.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '../contract/error-codes.ts';

/** A line of the build's `.pages.json`. */
interface PageFiles {
  /** As the console's table writes it, `/chat/:id`; `*` is every other. */
  readonly path: string;
  readonly files: readonly string[];
  readonly texts: Readonly<Record<Language, readonly string[]>>;
}

/** The bundler's list of chunks, by source. */
type Chunks = Readonly<Record<string, { readonly file: string }>>;

interface Announced {
  readonly pattern: RegExp;
  readonly link: Readonly<Record<Language, string>>;
}

/** Reads what the build wrote beside the document, once. */
export function firstRequestsOf(folder: string, html: string): (path: string, language: Language) => string {
  const own = [...documentRequests(html)];
  const chunks = readJson<Chunks>(join(folder, '.manifest.json'));
  const frames = { zh: frameTexts(chunks, 'zh'), en: frameTexts(chunks, 'en') };
  const linkOf = (page: PageFiles | undefined, language: Language) => {
    const files = [...(page?.files ?? []), ...(page?.texts[language] ?? [])].map((file) => `/${file}`);
    return [...new Set([...own, ...frames[language].map(request), ...files.map(request)])].join(', ');
  };
  const inBoth = (page: PageFiles | undefined) => ({ zh: linkOf(page, 'zh'), en: linkOf(page, 'en') });
  const pages = readJson<readonly PageFiles[]>(join(folder, '.pages.json')) ?? [];
  const announced = pages.map((page): Announced => ({ pattern: patternOf(page.path), link: inBoth(page) }));
  const other = inBoth(undefined);
  return (path, language) => (announced.find(({ pattern }) => pattern.test(path))?.link ?? other)[language];
}

function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part));
  return new RegExp(`^${path === '*' ? '.*' : parts.join('/')}/?$`);
}

/** The chunks and style sheets that the document names, and the state of the site, which is asked for first. */
function* documentRequests(html: string): Iterable<string> {
  for (const [, path = ''] of html.matchAll(/<link rel="stylesheet"[^>]* href="([^"]+)"/g)) yield request(path);
  const chunks = /<(?:script type="module"[^>]* src|link rel="modulepreload"[^>]* href)="([^"]+)"/g;
  for (const [, path = ''] of html.matchAll(chunks)) yield request(path);
  yield '</api/status>; rel=preload; as=fetch; crossorigin';
}

function request(path: string): string {
  return path.endsWith('.css') ? `<${path}>; rel=preload; as=style; crossorigin` : `<${path}>; rel=modulepreload`;
}

/** The chunk with the texts of every page, which the first paint waits for. */
function frameTexts(chunks: Chunks | undefined, language: Language): string[] {
  const chunk = chunks?.[`i18n/catalogues/${language}/frame.ts`];
  return chunk ? [`/${chunk.file}`] : [];
}

function readJson<Shape>(path: string): Shape | undefined {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}
