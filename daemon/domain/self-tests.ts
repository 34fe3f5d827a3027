/** Tests of what the site depends on, each bounded in time and cost; nothing is sent, charged or changed by them. */
import type { OptionsView } from '../contract/options.ts';
import type { SelfTestCode, SelfTestName } from '../contract/self-tests.ts';
import type { AccountBooks, AccountKind } from '../store/account-books.ts';
import type { Database } from '../store/database.ts';
import { recordedSince } from './ledger-retention.ts';
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
  | { readonly kind: 'off' | 'bad-sender' | 'no-password' }
  /** The egress guard does not let the server's address through; `place` is what an exception would name. */
  | { readonly kind: 'private'; readonly host: string; readonly place: string }
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
/** Accounts that are compared, of each kind, and rows that are summed for them. */
const comparedAccounts = 10_000;
const summedRows = 500_000;

export class SelfTests {
  readonly #deps: SelfTestDeps;
  readonly #tests: Readonly<Record<SelfTestName, () => Promise<SelfTestOutcome>>> = {
    mail: () => this.#mail(),
    oidc: () => this.#oidc(),
    address: () => this.#address(),
    holds: () => this.#holds(),
    ledger: () => this.#ledger(),
    balances: () => this.#balances(),
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
    if (greeting.kind === 'private') {
      return outcome('fail', 'mail_private', { host: greeting.host, place: greeting.place });
    }
    if (greeting.kind === 'off') return outcome('skip', 'mail_off');
    return outcome('fail', greeting.kind === 'no-password' ? 'mail_password' : 'mail_sender');
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
    const since = await recordedSince(this.#deps);
    if (since === undefined) return outcome('skip', 'ledger_unrecorded');
    const ends = await this.#deps.database.stores.reservations.endsWithRows({ since, limit: comparedHolds });
    const differing = ends.filter(({ charged, logged }) => charged !== (logged ?? 0));
    const checked = ends.length;
    const [first] = differing;
    if (first === undefined) return outcome('ok', 'ledger_agrees', { checked });
    const { requestId: request, charged, logged } = first;
    return outcome('fail', 'ledger_differs', {
      count: differing.length,
      checked,
      request,
      charged,
      logged: logged ?? 0,
    });
  }

  /**
   * Credits less charges are the balance, and the rows of the log come to what was used, of every account whose whole
   * history is there.
   */
  async #balances(): Promise<SelfTestOutcome> {
    const recorded = await recordedSince(this.#deps);
    if (recorded === undefined) return outcome('skip', 'ledger_unrecorded');
    const since = Math.max(recorded, await this.#importedUntil());
    const { accountBooks } = this.#deps.database.stores;
    const reach = { since, rows: summedRows, accounts: comparedAccounts };
    const users = await accountBooks.list('user', reach);
    const tokens = await accountBooks.list('token', reach);
    const channels = await accountBooks.list('channel', reach);
    const compared = { users: users.length, tokens: tokens.length, channels: channels.length };
    if (users.length + tokens.length + channels.length === 0) return outcome('skip', 'balances_old');
    const wrong = [
      ...users.flatMap((books) => wrongFigures('user', books)),
      ...tokens.flatMap((books) => wrongFigures('token', books)),
      ...channels.flatMap((books) => wrongFigures('channel', books)),
    ];
    const [first] = wrong;
    if (first === undefined) return outcome('ok', 'balances_agree', compared);
    const count = new Set(wrong.map(({ account }) => account)).size;
    return outcome('fail', 'balances_differ', { ...compared, ...first, count });
  }

  /** What other gateways' accounts had used has no rows here; 0 where none were taken over. */
  async #importedUntil(): Promise<number> {
    const { audits } = this.#deps.database.stores;
    const [last] = (await audits.list({ action: 'system.import' }, { offset: 0, limit: 1 })).items;
    return last === undefined ? 0 : last.createdAt + 1;
  }
}

interface WrongFigure {
  readonly account: string;
  readonly figure: string;
  readonly found: number;
  readonly expected: number;
}

/** Figures of an account that are not what the log comes to. */
function wrongFigures(kind: AccountKind, books: AccountBooks): WrongFigure[] {
  const { id, quota, used, held, credited, consumed, refunded } = books;
  const spent = consumed - refunded;
  const figures = [
    ...(kind === 'user' ? [{ figure: 'quota', found: quota, expected: credited - consumed - held }] : []),
    // What is held of a key counts as used from the beginning.
    { figure: 'used_quota', found: used, expected: kind === 'token' ? spent + held : spent },
  ];
  const account = `${kind}:${id}`;
  return figures.flatMap((one) => (one.found === one.expected ? [] : [{ account, ...one }]));
}

function outcome(
  result: SelfTestOutcome['result'],
  code: SelfTestCode,
  params: SelfTestOutcome['params'] = {},
): SelfTestOutcome {
  return { result, code, params };
}
