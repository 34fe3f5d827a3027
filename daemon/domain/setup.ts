/** First run: the root account and the operating mode, once (management-api.md 2.7, 3.1, D10). */
import { createHash } from 'node:crypto';
import type { Bus } from '../cluster/bus.ts';
import { shortestPassword } from '../contract/account-limits.ts';
import type { Language } from '../contract/error-codes.ts';
import { formatOption, type OptionsView } from '../contract/options.ts';
import { roles } from '../contract/roles.ts';
import { TollgateError } from '../errors.ts';
import type { Database, Engine, Stores } from '../store/database.ts';
import { accountLogTexts } from './account-log-texts.ts';
import { checkedPassword, isUsername } from './account-rules.ts';
import { equalSecrets } from './equal-secrets.ts';
import { credit, insertAccount } from './new-accounts.ts';
import type { Passwords } from './passwords.ts';
import { randomToken } from './random-text.ts';

export interface SetupDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce'>;
  readonly passwords: Passwords;
  readonly options: () => OptionsView;
  readonly language: Language;
  readonly version: string;
  /** Fixed token of the configuration; loopback needs it too. */
  readonly configuredToken: string | undefined;
  readonly nowSeconds: () => number;
}

/** Who asks for the setup. */
export interface SetupClient {
  /** Loopback, speaking for itself. */
  readonly isLocal: boolean;
  /** Header `X-Setup-Token`. */
  readonly token: string | undefined;
  readonly requestId: string;
  readonly ip: string;
}

export interface SetupSubmission {
  readonly username: string;
  readonly password: string;
  readonly confirmPassword: string;
  readonly selfUse: boolean;
  readonly demo: boolean;
}

export interface SetupState {
  readonly done: boolean;
  readonly hasRoot: boolean;
  readonly engine: Engine;
  readonly tokenRequired: boolean;
}

/** Where the hash of the printed token is kept: shared by all nodes, and gone once it has served. */
const tokenPlace = { purpose: 'setup', subject: 'system' } as const;
const tokenLifeSeconds = 10 * 365 * 86_400;
const rootQuota = 100_000_000;

export class SetupService {
  readonly #deps: SetupDeps;

  constructor(deps: SetupDeps) {
    this.#deps = deps;
  }

  /**
   * At start: a database that has a root user counts as initialised. Otherwise the first start makes the setup token
   * and returns it, to be printed once; later starts, and those whose configuration names one, answer `open`.
   */
  async prepare(): Promise<{ readonly token: string } | 'open' | 'done'> {
    const { configuredToken, nowSeconds, version } = this.#deps;
    const token = randomToken();
    return this.#deps.database.transaction(async (stores) => {
      if (await stores.setups.find()) return 'done';
      if (await stores.users.findFirstOfRole(roles.root)) {
        await stores.setups.insert({ version, initializedAt: nowSeconds() });
        await stores.revisions.bump('setup');
        return 'done';
      }
      if (configuredToken !== undefined || (await stores.verificationCodes.find(tokenPlace))) return 'open';
      const now = nowSeconds();
      const code = { ...tokenPlace, codeHash: digest(token), createdAt: now, expiresAt: now + tokenLifeSeconds };
      await stores.verificationCodes.replace(code);
      return { token };
    });
  }

  /** What the setup page needs to know. */
  async state(client: Pick<SetupClient, 'isLocal'>): Promise<SetupState> {
    const { database, configuredToken } = this.#deps;
    const done = (await database.stores.setups.find()) !== undefined;
    const root = done ? undefined : await database.stores.users.findFirstOfRole(roles.root);
    const tokenRequired = configuredToken !== undefined || !client.isLocal;
    return { done, hasRoot: root !== undefined, engine: database.engine, tokenRequired };
  }

  /**
   * Initialises the system. Throws `setup_done`, `setup_token_invalid`, `setup_username_invalid`,
   * `setup_password_short`, `password_invalid`, `password_mismatch`, `invalid_params`.
   */
  async submit(submission: SetupSubmission, client: SetupClient): Promise<void> {
    const { database, bus } = this.#deps;
    if (await database.stores.setups.find()) throw new TollgateError('setup_done');
    await this.#checkClient(client);
    if (submission.selfUse && submission.demo)
      throw new TollgateError('invalid_params', {}, { field: 'DemoSiteEnabled' });
    const root = (await database.stores.users.findFirstOfRole(roles.root))
      ? undefined
      : await this.#checkedRoot(submission);
    const revisions = await database.transaction(async (stores) => {
      const raised = [
        ['options', await stores.revisions.bump('options')],
        ['setup', await stores.revisions.bump('setup')],
      ] as const;
      const isFirst = await stores.setups.insert({
        version: this.#deps.version,
        initializedAt: this.#deps.nowSeconds(),
      });
      if (!isFirst) throw new TollgateError('setup_done');
      if (root) await this.#createRoot(stores, root, client);
      await stores.options.set('SelfUseModeEnabled', formatOption('SelfUseModeEnabled', submission.selfUse));
      await stores.options.set('DemoSiteEnabled', formatOption('DemoSiteEnabled', submission.demo));
      await stores.verificationCodes.delete(tokenPlace);
      return raised;
    });
    for (const [topic, revision] of revisions) await bus.announce(topic, revision);
  }

  async #checkClient(client: SetupClient): Promise<void> {
    const { configuredToken, database } = this.#deps;
    if (configuredToken !== undefined) {
      if (equalSecrets(digest(client.token ?? ''), digest(configuredToken))) return;
    } else {
      if (client.isLocal) return;
      const stored = client.token ? await database.stores.verificationCodes.find(tokenPlace) : undefined;
      if (stored && equalSecrets(digest(client.token ?? ''), stored.codeHash)) return;
    }
    throw new TollgateError('setup_token_invalid');
  }

  /** Hashing takes a while, so it is done before the transaction. */
  async #checkedRoot(submission: SetupSubmission): Promise<{ username: string; passwordHash: string }> {
    const username = submission.username.trim();
    if (!isUsername(username)) throw new TollgateError('setup_username_invalid', {}, { field: 'username' });
    if ([...submission.password].length < shortestPassword) {
      throw new TollgateError('setup_password_short', {}, { field: 'password' });
    }
    checkedPassword(submission.password);
    if (submission.password !== submission.confirmPassword) {
      throw new TollgateError('password_mismatch', {}, { field: 'confirmPassword' });
    }
    return { username, passwordHash: await this.#deps.passwords.hash(submission.password) };
  }

  async #createRoot(
    stores: Stores,
    root: { username: string; passwordHash: string },
    client: SetupClient,
  ): Promise<void> {
    const { language, nowSeconds, options } = this.#deps;
    const now = nowSeconds();
    const user = await insertAccount(stores, {
      username: root.username,
      password: root.passwordHash,
      displayName: 'Root User',
      role: roles.root,
      status: 1,
      group: 'default',
      createdAt: now,
    });
    const event = { nowSeconds: now, requestId: client.requestId, language, options: options() };
    await credit(stores, { user, amount: rootQuota, text: accountLogTexts.rootQuota }, event);
    await stores.audits.append({
      createdAt: now,
      actorId: user.id,
      actorName: user.username,
      ip: client.ip,
      action: 'system.setup',
      target: `user:${user.id}`,
      detail: '{}',
    });
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
