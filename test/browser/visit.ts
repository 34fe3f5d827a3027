/** Somebody in front of the console: opens pages, signs in, and looks at what there is to find fault with. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { patienceMs } from '../support/until.ts';
import type { Seat, Seats } from './browser.ts';
import { accessFindings, sightFindings } from './page-findings.ts';
import { type ExpectedFailure, PageWatch } from './page-watch.ts';
import type { Account, Role, SignedIn, Site } from './site.ts';
import { screenshotFolder, type Variant } from './variants.ts';

/** How many calls of the API a view may make while it is opened (console.md 3). */
const callsOfView = 4;
/** An editor or a panel that is opened by its address loads its list and what it offers besides. */
const callsOfEditor = 8;
/** The frame's own, once a visit; the channels that are out of service it counts in an idle moment, sooner or later. */
const callOfFrame = /^GET \/api\/(?:status|user\/self|notice|channel\/\?.*status=auto.*)$/;

export interface VisitOptions {
  readonly seats: Seats;
  readonly site: Site;
  readonly variant: Variant;
  /** Sessions of the site's own accounts, opened once each. */
  readonly sessions: Map<string, SignedIn>;
  /** Of its screenshots. */
  readonly name: string;
}

export class Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly #options: VisitOptions;
  readonly #watch: PageWatch;

  private constructor(options: VisitOptions, { context, page }: Seat) {
    this.#options = options;
    this.context = context;
    this.page = page;
    this.#watch = new PageWatch(page, options.site.daemon.url);
  }

  static async begin(options: VisitOptions): Promise<Visit> {
    return new Visit(options, await options.seats.take(options.variant));
  }

  /** The text in the language of this visit. */
  readonly text = <English extends string | RegExp>(zh: string, en: English): string | English =>
    this.#options.variant.language === 'zh' ? zh : en;

  /** Opens a page by its address and waits until it has come to rest. */
  readonly goTo = async (path: string): Promise<void> => {
    this.#watch.takeCalls();
    await this.page.goto(this.#options.site.daemon.url + path);
    // Every page has its title; until then its code is on the way.
    await this.page.waitForFunction(() => document.querySelector('h1') !== null);
    await this.settled();
    const calls = this.#watch.takeCalls().filter((call) => !callOfFrame.test(call));
    const most = /\/(?:add|edit)(?:\/|$)|[?&]panel=/.test(path) ? callsOfEditor : callsOfView;
    assert.ok(calls.length <= most, `${path} makes ${calls.length} calls: ${calls.join(', ')}`);
  };

  /** Signs in beside the sign-in page; by default as an ordinary user. */
  readonly signIn = async (who: Role | Account = 'user'): Promise<SignedIn> => {
    const { site, sessions } = this.#options;
    const account = typeof who === 'string' ? site.accounts[who] : who;
    const session = sessions.get(account.username) ?? (await site.signIn(account));
    sessions.set(account.username, session);
    const { url } = site.daemon;
    // Any file of the site gives its storage; and the page of whoever was here before asks for nothing any more. A seat
    // that was given back is at that file already.
    const file = `${url}/logo.svg`;
    if (this.page.url() !== file) await this.page.goto(file);
    await this.context.addCookies(session.cookies.map((cookie) => ({ ...cookie, url })));
    await this.page.evaluate((user) => localStorage.setItem('user', user), JSON.stringify(session.user));
    return session;
  };

  /** From now on such an answer is part of the journey. */
  readonly expectFailure = (path: ExpectedFailure['path'], status: number): void => {
    this.#watch.expect({ path, status });
  };

  /** Waits until nothing is asked any more, nothing says that it is busy, and nothing moves. */
  readonly settled = async (): Promise<void> => {
    const began = performance.now();
    for (let quiet = 0; quiet < 3; ) {
      await sleep(25);
      quiet = this.#watch.isQuiet && (await this.#isStill()) ? quiet + 1 : 0;
      if (performance.now() - began > patienceMs) throw new Error(`${this.page.url()} does not come to rest`);
    }
  };

  async #isStill(): Promise<boolean> {
    return this.page.evaluate(() => {
      const isMoving = document.getAnimations().some((animation) => {
        const { iterations = 1 } = animation.effect?.getTiming() ?? {};
        return animation.playState === 'running' && iterations !== Number.POSITIVE_INFINITY;
      });
      return !isMoving && document.querySelector('main [aria-busy=true]') === null;
    });
  }

  /** An answer that is here may yet have to be drawn, and a button be on its way from grey to blue: what lasts counts. */
  async #lasting(look: (page: Page) => Promise<string[]>): Promise<string[]> {
    const findings = await look(this.page);
    if (findings.length === 0) return findings;
    await this.settled();
    return look(this.page);
  }

  /** Fails with everything that is wrong with the page as it is now; the step names its screenshot. */
  readonly expectClean = async (step: string): Promise<void> => {
    await this.settled();
    await this.#keepScreenshot(step);
    const findings = [
      ...this.#watch.takeProblems(),
      ...(await this.#lasting(sightFindings)),
      ...(await this.#lasting(accessFindings)),
    ];
    assert.is(findings.length, 0, `${step}: ${this.page.url()}\n${findings.join('\n')}`);
  };

  /** Fails with what the page did wrong since the last look, whatever it shows. */
  expectNoProblem(): void {
    const problems = this.#watch.takeProblems();
    assert.is(problems.length, 0, problems.join('\n'));
  }

  /** Leaves the page to the next visit. */
  async end(): Promise<void> {
    const { seats, variant, site } = this.#options;
    this.#watch.stop();
    await seats.giveBack(variant, this, site.daemon.url);
  }

  /** After a failure, which is what is told of: nobody knows what state the page is in. */
  async abandon(): Promise<void> {
    await this.context.close().catch(() => undefined);
  }

  async #keepScreenshot(step: string): Promise<void> {
    if (screenshotFolder === undefined) return;
    const { name, variant } = this.#options;
    const file = `${name} ${step}`.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 120);
    mkdirSync(join(screenshotFolder, variant.name), { recursive: true });
    await this.page.screenshot({ path: join(screenshotFolder, variant.name, `${file}.png`) });
  }

  /** Where a picture of the page is now, and what went on behind it; for a failure that somebody has to understand. */
  async evidence(): Promise<string> {
    const behind = [this.page.url(), ...this.#watch.takeProblems(), ...this.#watch.awaited];
    const picture = await this.#picture().catch(() => 'no picture of it');
    return `(${picture})\n${behind.join('\n')}`;
  }

  async #picture(): Promise<string> {
    const folder = fileURLToPath(new URL('../../.cache/browser-failures/', import.meta.url));
    mkdirSync(folder, { recursive: true });
    const path = join(
      folder,
      `${this.#options.name} ${this.#options.variant.name}`.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 150),
    );
    await this.page.screenshot({ path: `${path}.png` });
    return `${path}.png`;
  }
}
