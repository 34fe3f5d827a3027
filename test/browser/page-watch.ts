/** What a page does behind its surface: calls, failures, what it writes to the console. */
import type { ConsoleMessage, Page, Request, Response } from 'playwright-core';

export interface ExpectedFailure {
  readonly path: string | RegExp;
  readonly status: number;
}

/** Whatever Chromium says of an answer of 400 and above is known by the answer itself. */
const saidByAnswers = /^Failed to load resource/;
/** The files of a page are announced with its document, also to whom it then sends elsewhere; said seconds later, if at all. */
const announcedInVain = /^The resource \S+ was preloaded using link preload but not used/;
/** A page that is left drops what it was asking. */
const dropped = 'net::ERR_ABORTED';

const watched = ['console', 'pageerror', 'request', 'requestfinished', 'requestfailed', 'response'];

export class PageWatch {
  readonly #origin: string;
  readonly #page: Page;
  readonly #problems: string[] = [];
  readonly #underWay = new Set<Request>();
  readonly #expected: ExpectedFailure[] = [];
  #calls: string[] = [];

  constructor(page: Page, origin: string) {
    this.#origin = origin;
    this.#page = page;
    page.on('console', (message) => this.#heard(message));
    page.on('pageerror', (error) => this.#problems.push(`the page threw: ${error.stack ?? error.message}`));
    page.on('request', (request) => this.#asked(request));
    page.on('requestfinished', (request) => this.#underWay.delete(request));
    page.on('requestfailed', (request) => this.#failed(request));
    page.on('response', (response) => this.#answered(response));
  }

  /** Lets go of the page, which others go on to use. */
  stop(): void {
    for (const event of watched) this.#page.removeAllListeners(event);
  }

  /** From now on such answers are what the test wants. */
  expect(failure: ExpectedFailure): void {
    this.#expected.push(failure);
  }

  get isQuiet(): boolean {
    return this.#underWay.size === 0;
  }

  /** What has been asked for and not come yet. */
  get awaited(): string[] {
    return [...this.#underWay].map((request) => `${request.method()} ${request.url()} has not come`);
  }

  /** Calls of the API since the last look, as `GET /api/log/?p=1`. */
  takeCalls(): string[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }

  takeProblems(): string[] {
    return this.#problems.splice(0);
  }

  #heard(message: ConsoleMessage): void {
    const kind = message.type();
    const text = message.text();
    if ((kind !== 'error' && kind !== 'warning') || saidByAnswers.test(text) || announcedInVain.test(text)) return;
    this.#problems.push(`the console says (${kind}): ${text.slice(0, 1000)}`);
  }

  #asked(request: Request): void {
    // A stream of events never ends.
    if (request.headers().accept !== 'text/event-stream') this.#underWay.add(request);
    const { origin, pathname, search } = new URL(request.url());
    if (origin === this.#origin && pathname.startsWith('/api/')) {
      this.#calls.push(`${request.method()} ${pathname}${search}`);
    }
  }

  #failed(request: Request): void {
    this.#underWay.delete(request);
    const why = request.failure()?.errorText ?? '';
    if (why === dropped || this.#isExpected(request.url(), 0)) return;
    this.#problems.push(`${request.method()} ${request.url()} failed: ${why}`);
  }

  #answered(response: Response): void {
    if (response.status() < 400 || this.#isExpected(response.url(), response.status())) return;
    this.#problems.push(`${response.request().method()} ${response.url()} answered ${response.status()}`);
  }

  #isExpected(url: string, status: number): boolean {
    return this.#expected.some(
      (known) =>
        known.status === status && (typeof known.path === 'string' ? url.includes(known.path) : known.path.test(url)),
    );
  }
}
