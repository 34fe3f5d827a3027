/** What a browser gets: a file of the console, or its document for every page of it. */
import { extname } from 'node:path';
import type { Language } from '../../contract/error-codes.ts';
import type { OptionsView } from '../../contract/options.ts';
import type { ConsoleFile, ConsoleFiles, Encoding } from '../console-files.ts';
import { ContentPolicies } from '../content-policy.ts';

/** One answer of this file. */
export interface PageAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

export interface PagesDeps {
  /** The built console; undefined where there is none. */
  readonly console: ConsoleFiles | undefined;
  readonly options: () => OptionsView;
  /** Where this node sends visitors of its pages instead; a fixed address, never one from a request (W31). */
  readonly pagesElsewhere?: string | undefined;
}

/** What is asked of a page. */
export interface PageRequest {
  readonly path: string;
  readonly language: Language;
  accepts(encoding: Encoding): boolean;
}

const encodings: readonly Encoding[] = ['br', 'gzip'];
const noConsole: Readonly<Record<Language, string>> = {
  en: 'The console has not been built. Run "npm run build" in the folder of Tollgate, then start it again.\n',
  zh: '控制台尚未构建。请在 Tollgate 目录中运行 npm run build，然后重新启动。\n',
};

/** True for the hashed files of the console, which never change. */
function isHashedAsset(path: string): boolean {
  return path.startsWith('/assets/');
}

/** Where programs call; in another spelling nothing is there, rather than a document that no program can read (S18). */
const programPath = /^\/(?:api|v1|v1beta|v1alpha|hf|pg|suno|(?:mj-[a-z]+\/)?mj)(?:\/|$)/i;

export class Pages {
  readonly #console: ConsoleFiles | undefined;
  readonly #policies: ContentPolicies;

  constructor({ console, options }: PagesDeps) {
    this.#console = console;
    this.#policies = new ContentPolicies(options);
  }

  /** True for what lies in memory and opens nothing, which is exempt from the page limit. */
  isFile(path: string): boolean {
    return isHashedAsset(path) || this.#file(path) !== undefined;
  }

  /** The answer to a GET of this path; undefined is the unknown-path answer. */
  find(request: PageRequest): PageAnswer | undefined {
    const { path, language } = request;
    if (!this.#console) return path === '/' ? plainText(noConsole[language]) : undefined;
    const file = this.#file(path);
    if (file) {
      return answer(file, request, {
        'Cache-Control': isHashedAsset(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
      });
    }
    // A page that opened before an update must not be given a document for a chunk.
    if (isHashedAsset(path) || extname(path) !== '' || programPath.test(path)) return undefined;
    const { document, firstRequests } = this.#console;
    return answer(document, request, {
      'Cache-Control': 'no-cache',
      Link: firstRequests(path, language),
      Vary: 'Accept-Encoding, Accept-Language',
      ...this.#policies.of(path),
    });
  }

  /** The document is nobody's file: it is reached by the addresses of its pages. */
  #file(path: string): ConsoleFile | undefined {
    const file = this.#console?.files.get(path);
    return file === this.#console?.document ? undefined : file;
  }
}

function answer(file: ConsoleFile, request: PageRequest, headers: Readonly<Record<string, string>>): PageAnswer {
  const encoding = encodings.find((each) => file.encoded[each] !== undefined && request.accepts(each));
  const form = (encoding && file.encoded[encoding]) ?? file.plain;
  return {
    headers: {
      Vary: 'Accept-Encoding',
      ...headers,
      'Content-Type': file.contentType,
      ETag: form.entityTag,
      ...(encoding && { 'Content-Encoding': encoding }),
    },
    body: form.body,
  };
}

function plainText(body: string): PageAnswer {
  return { headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }, body };
}
