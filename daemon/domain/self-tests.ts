/** Tests of what the site depends on, each bounded in time and cost; nothing is sent, charged or changed by them. */
import type { OptionsView } from '../contract/options.ts';
import type { SelfTestCode, SelfTestName } from '../contract/self-tests.ts';
import type { Database } from '../store/database.ts';
import type { ProbeOutcome } from './payment-self-test.ts';
import { randomToken } from './random-text.ts';

export interface SelfTestOutcome {
  readonly result: 'ok' | 'warn' | 'fail' | 'skip';
  readonly code: SelfTestCode;
  readonly params: Readonly<Record<string, string | number>>;
}

/** How far one gets with the mail server; `reason` is a code of network or SMTP. */
export type MailGreeting =
  | { readonly kind: 'ready'; readonly host: string; readonly sender: string }
  | { readonly kind: 'off' | 'bad-sender' }
  | { readonly kind: 'refused'; readonly host: string; readonly reason: string };

/** What an identity provider publishes, or why it could not be read. */
export type Discovery =
  | {
      readonly kind: 'read';
      readonly issuer: string;
      readonly keys: number;
      readonly endpoints: Readonly<Record<'authorization' | 'token' | 'userInfo', string>>;
    }
  | { readonly kind: 'unread'; readonly reason: string };

export interface SelfTestDeps {
  readonly database: Database;
  readonly options: () => OptionsView;
  /** Greets the configured mail server and signs in, without a message. */
  readonly greetMail: () => Promise<MailGreeting>;
  readonly discover: (wellKnown: string) => Promise<Discovery>;
  /** Calls an address of the site through the egress guard. */
  readonly probe: (url: string) => Promise<ProbeOutcome>;
  /** What every node of this site makes of a challenge, and nobody else can. */
  readonly prove: (challenge: string) => string;
  /** Longest life of an answer; 0 = without end. */
  readonly longestCallSeconds: number;
  readonly nowSeconds: () => number;
}

/** No call lasts longer where its length is not limited. */
const daySeconds = 86_400;
/** What a call may take beside its answer, and the sweeper until it has given a hold back. */
const marginSeconds = 3600;
/** Holds whose charges are compared, of each way to end. */
const comparedHolds = 1000;

export class SelfTests {
  readonly #deps: SelfTestDeps;
  readonly #tests: Readonly<Record<SelfTestName, () => Promise<SelfTestOutcome>>> = {
    mail: () => this.#mail(),
    oidc: () => this.#oidc(),
    address: () => this.#address(),
    holds: () => this.#holds(),
    ledger: () => this.#ledger(),
  };

  constructor(deps: SelfTestDeps) {
    this.#deps = deps;
  }

  run(name: SelfTestName): Promise<SelfTestOutcome> {
    return this.#tests[name]();
  }

  prove(challenge: string): string {
    return this.#deps.prove(challenge);
  }

  async #mail(): Promise<SelfTestOutcome> {
    const greeting = await this.#deps.greetMail();
    if (greeting.kind === 'ready') {
      return outcome('ok', 'mail_ready', { host: greeting.host, sender: greeting.sender });
    }
    if (greeting.kind === 'refused') {
      return outcome('fail', 'mail_refused', { host: greeting.host, reason: greeting.reason });
    }
    return greeting.kind === 'off' ? outcome('skip', 'mail_off') : outcome('fail', 'mail_sender');
  }

  async #oidc(): Promise<SelfTestOutcome> {
    const options = this.#deps.options();
    const address = options.get('oidc.well_known');
    if (!options.get('oidc.enabled')) return outcome('skip', 'oidc_off');
    if (address === '') return outcome('skip', 'oidc_undiscovered');
    const found = await this.#deps.discover(address);
    if (found.kind === 'unread') return outcome('fail', 'oidc_unread', { address, reason: found.reason });
    const { issuer, keys, endpoints } = found;
    const differing = [
      ['oidc.authorization_endpoint', endpoints.authorization],
      ['oidc.token_endpoint', endpoints.token],
      ['oidc.user_info_endpoint', endpoints.userInfo],
    ] as const;
    const names = differing.filter(([key, published]) => options.get(key) !== published).map(([key]) => key);
    return names.length === 0
      ? outcome('ok', 'oidc_found', { issuer, keys })
      : outcome('warn', 'oidc_differs', { names: names.join(', ') });
  }

  /** Any node of the site may answer. */
  async #address(): Promise<SelfTestOutcome> {
    const { options, probe, prove } = this.#deps;
    const address = options().get('ServerAddress').replace(/\/+$/, '');
    if (address === '') return outcome('skip', 'address_missing');
    const challenge = randomToken();
    const answer = await probe(`${address}/api/status/proof?challenge=${challenge}`);
    if (answer.kind === 'refused') return outcome('warn', 'address_private', { address });
    if (answer.kind === 'unreached') return outcome('fail', 'address_unreached', { address });
    return answer.status === 200 && answer.body.includes(prove(challenge))
      ? outcome('ok', 'address_own', { address })
      : outcome('fail', 'address_elsewhere', { address, status: answer.status });
  }

  async #holds(): Promise<SelfTestOutcome> {
    const { database, longestCallSeconds, nowSeconds } = this.#deps;
    const { reservations } = database.stores;
    const longest = Math.max(daySeconds, longestCallSeconds) + marginSeconds;
    const { count, oldest } = await reservations.openBefore(nowSeconds() - longest);
    if (oldest === undefined) return outcome('ok', 'holds_young', { count: (await reservations.openTotals()).count });
    const since = new Date(oldest.createdAt * 1000).toISOString();
    return outcome('fail', 'holds_stuck', { count, since, node: oldest.node });
  }

  /** Every hold that has ended was charged what its rows in the log say, as far as the log still has them. */
  async #ledger(): Promise<SelfTestOutcome> {
    const { database, options } = this.#deps;
    if (!options().get('LogConsumeEnabled')) return outcome('skip', 'ledger_unrecorded');
    const ends = await database.stores.reservations.endsWithRows(comparedHolds);
    const differing = ends.filter(({ charged, logged }) => charged !== (logged ?? 0));
    const checked = ends.length;
    // Charges without any row may be from a time when none were written.
    const wrong = differing.find(({ logged }) => logged !== null);
    const [first] = differing;
    if (first === undefined) return outcome('ok', 'ledger_agrees', { checked });
    const figures = { count: differing.length, checked };
    return wrong === undefined
      ? outcome('warn', 'ledger_unlogged', { ...figures, request: first.requestId })
      : outcome('fail', 'ledger_differs', { ...figures, request: wrong.requestId });
  }
}

function outcome(
  result: SelfTestOutcome['result'],
  code: SelfTestCode,
  params: SelfTestOutcome['params'] = {},
): SelfTestOutcome {
  return { result, code, params };
}
