/** What the console's documents may load, frame and post to: from the options of the moment (console.md 8). */
import type { OptionsView } from '../contract/options.ts';

const humanCheck = 'https://challenges.cloudflare.com';
const telegramScript = 'https://telegram.org';
const telegramFrame = 'https://oauth.telegram.org';

/** Headers of a document of the console. */
export interface DocumentPolicy {
  readonly 'Content-Security-Policy': string;
  readonly 'Permissions-Policy': string;
}

/** For the pages of settings, and for all others. */
interface Policies {
  readonly settings: DocumentPolicy;
  readonly others: DocumentPolicy;
}

/** Made once for every view of the options, not for every document. */
export class ContentPolicies {
  readonly #options: () => OptionsView;
  #made: { readonly of: OptionsView; readonly policies: Policies } | undefined;

  constructor(options: () => OptionsView) {
    this.#options = options;
  }

  /** @param path of the document; settings reach out themselves, for discovery and the update check */
  of(path: string): DocumentPolicy {
    const options = this.#options();
    if (this.#made?.of !== options) this.#made = { of: options, policies: policiesOf(options) };
    const { settings, others } = this.#made.policies;
    return /^\/setting\/?$/.test(path) ? settings : others;
  }
}

function policiesOf(options: OptionsView): Policies {
  const chats = originsOf(options.get('Chats').flatMap((entry) => Object.values(entry)));
  const settings = documentPolicy(options, { chats, connect: "'self' https: http:" });
  return { settings, others: documentPolicy(options, { chats, connect: "'self'" }) };
}

function documentPolicy(
  options: OptionsView,
  { chats, connect }: { readonly chats: readonly string[]; readonly connect: string },
): DocumentPolicy {
  const hasHumanCheck = options.get('TurnstileCheckEnabled');
  const hasTelegram = options.get('TelegramOAuthEnabled');
  const embedded = [...chats, ...originsOf([options.get('HomePageContent'), options.get('About')])];
  const scripts = [hasHumanCheck ? humanCheck : '', hasTelegram ? telegramScript : ''];
  const frames = [hasHumanCheck ? humanCheck : '', hasTelegram ? telegramFrame : '', ...embedded];
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `script-src ${sources("'self'", scripts)}`,
      "style-src 'self'",
      // For the style attributes of HTML that admins wrote.
      "style-src-attr 'unsafe-inline'",
      "img-src 'self' data: blob: https:",
      "font-src 'self' data:",
      "media-src 'self' blob: https:",
      `connect-src ${connect}`,
      `frame-src ${sources("'self'", frames)}`,
      `form-action ${sources("'self'", paymentTargets(options.get('PayAddress')))}`,
      "frame-ancestors 'self'",
      "base-uri 'none'",
      "object-src 'none'",
    ].join('; '),
    // A frame is given what its document may use itself.
    'Permissions-Policy': `camera=(), geolocation=(), microphone=(${chats.length === 0 ? '' : sources('self', quoted(chats))})`,
  };
}

/**
 * A payment page sends the buyer's form on to the wallet that pays, on origins that nobody here knows, and Chromium holds
 * every redirect of a form against this directive (MDN, `form-action`, read 2026-11-23).
 */
function paymentTargets(address: string): string[] {
  const [origin] = originsOf([address]);
  if (origin === undefined) return [];
  return [origin, 'https:', origin.startsWith('http:') ? 'http:' : ''];
}

function sources(own: string, others: readonly string[]): string {
  return [own, ...new Set(others.filter((source) => source !== ''))].join(' ');
}

function quoted(origins: readonly string[]): string[] {
  return origins.map((origin) => `"${origin}"`);
}

/** Of the texts that begin with a web address; placeholders in its path or fragment are no matter. */
function originsOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const address = /^https?:\/\/[^\s/?#]+/.exec(text.trim())?.[0];
    const origin = address !== undefined && URL.canParse(address) ? new URL(address).origin : '';
    // A host may hold a semicolon, which would begin a directive.
    return /^https?:\/\/[a-z0-9.:[\]-]+$/.test(origin) ? [origin] : [];
  });
}
