/** Takes over what another gateway holds, all in one transaction; what cannot be taken is left out and named. */
import type { Language } from '../contract/error-codes.ts';
import type { ImportClashRule, ImportKind, ImportRoleRule, ImportSource } from '../contract/gateway-import.ts';
import type { OptionsView } from '../contract/options.ts';
import { roles } from '../contract/roles.ts';
import { TollgateError } from '../errors.ts';
import { ParsedOptions } from '../snapshots/options-view.ts';
import type { Database, Stores } from '../store/database.ts';
import type { Actor } from './actor.ts';
import { auditBy } from './audits.ts';
import type { ChannelRules } from './channel-admission.ts';
import { type ChannelSecrets, ChannelWriter } from './channel-writer.ts';
import { Cells } from './import-cells.ts';
import { importChannels } from './import-channels.ts';
import { importOptions } from './import-options.ts';
import { importRedemptions } from './import-redemptions.ts';
import { type ImportedKind, type ImportedRow, ImportTally } from './import-report.ts';
import type { GatewaySource } from './import-source.ts';
import { importTokens } from './import-tokens.ts';
import { importUsers, type TakenUsers } from './import-users.ts';
import type { ImportWork } from './import-work.ts';
import { isRootLockedOut } from './option-warnings.ts';
import { OptionWriter } from './option-writer.ts';
import { shippedOptionDefaults } from './options.ts';
import { randomToken } from './random-text.ts';
import type { TokenSecrets } from './tokens.ts';

export interface GatewayImportDeps {
  readonly database: Database;
  readonly secrets: ChannelSecrets & TokenSecrets;
  readonly channelRules: ChannelRules;
  readonly revealTokens: 'always' | 'once';
  /** Language of stored texts. */
  readonly language: Language;
  readonly nowSeconds: () => number;
}

export interface ImportWish {
  readonly kinds: ReadonlySet<ImportKind>;
  /** Names of groups there and here; others keep theirs. */
  readonly groups: ReadonlyMap<string, string>;
  readonly roles: ImportRoleRule;
  readonly onClash: ImportClashRule;
  /** Does everything and keeps nothing. */
  readonly dryRun: boolean;
}

export interface ImportReport {
  readonly source: ImportSource;
  /** False where it was a dry run, or something was here already that must not be. */
  readonly written: boolean;
  readonly kinds: readonly ImportedKind[];
  readonly rows: readonly ImportedRow[];
  readonly ignored_columns: GatewaySource['ignoredColumns'];
}

/** Whoever sits at the machine of the installation. */
const operator: Actor = {
  userId: 0,
  username: 'tollgate import',
  role: roles.root,
  status: 1,
  group: '',
  via: 'session',
  ip: '',
};

/** Large installations have hundreds of thousands of keys. */
const IMPORT_TIMEOUT_MS = 6 * 3600 * 1000;

/** Ends a transaction whose work is not to be kept. */
class NotKept extends Error {
  readonly tally: ImportTally;

  constructor(tally: ImportTally) {
    super('an import was not kept');
    this.tally = tally;
  }
}

/** Units of quota to the dollar, where a gateway of the family does not say. */
const usualUnit = 500_000;

export class GatewayImport {
  readonly #deps: GatewayImportDeps;

  constructor(deps: GatewayImportDeps) {
    this.#deps = deps;
  }

  /**
   * A daemon that runs takes it in within a second. The source is read inside the transaction; nobody there waits for
   * this database, and each attempt reads it anew. Throws `copy_differs` when sums differ, and `import_unit_differs`
   * when amounts would be worth something else here; nothing is kept then.
   */
  async run(source: GatewaySource, wish: ImportWish): Promise<ImportReport> {
    const work = (stores: Stores) => this.#importAll(stores, source, wish);
    const { tally, written } = await this.#deps.database.transaction(work, { timeoutMs: IMPORT_TIMEOUT_MS }).then(
      (tally) => ({ tally, written: true }),
      (error: unknown) => {
        if (error instanceof NotKept) return { tally: error.tally, written: false };
        throw error;
      },
    );
    const { family, ignoredColumns } = source;
    return { source: family, written, kinds: tally.kinds, rows: tally.rows, ignored_columns: ignoredColumns };
  }

  async #importAll(stores: Stores, source: GatewaySource, wish: ImportWish): Promise<ImportTally> {
    const { nowSeconds } = this.#deps;
    const { family } = source;
    const tally = new ImportTally();
    // The bumps come first: their row locks make writers of all nodes wait, so that what is checked here stays true.
    for (const topic of ['users', 'tokens', 'options', 'channels']) await stores.revisions.bump(topic);
    const options = { current: await this.#optionsOf(stores) };
    const work: ImportWork = {
      stores,
      family,
      onClash: wish.onClash,
      groupOf: (name) => wish.groups.get(name) ?? name,
      tally,
      measured: new Set(),
      actor: operator,
      options: () => options.current,
      nowSeconds: nowSeconds(),
    };
    if (wish.kinds.has('options')) {
      const writer = this.#optionWriter(options.current);
      await importOptions(work, { rows: source.options, writer });
      options.current = await this.#optionsOf(stores);
    }
    expectSameUnit(source, options.current);
    await this.#importObjects(work, source, wish);
    if (wish.kinds.has('options') && (await isRootLockedOut(options.current, stores))) {
      tally.note({ kind: 'options', id: 'PasswordLoginEnabled' }, 'root_locked_out', 'value');
    }
    const counts = Object.fromEntries(tally.kinds.map(({ kind, new: taken }) => [kind, taken]));
    const act = { action: 'system.import', target: '', detail: { source: family, ...counts } };
    await stores.audits.append(auditBy(operator, act, work.nowSeconds));
    if (wish.dryRun || tally.hasClashed) throw new NotKept(tally);
    return tally;
  }

  async #importObjects(work: ImportWork, { portions }: GatewaySource, { kinds, ...wish }: ImportWish): Promise<void> {
    const { database, secrets, language, revealTokens, channelRules, nowSeconds } = this.#deps;
    let users: TakenUsers = new Map();
    if (kinds.has('users')) {
      const balances = kinds.has('balances') ? 'taken' : 'left';
      const requestId = `import-${randomToken()}`;
      users = await importUsers(work, {
        portions: portions('users'),
        roles: wish.roles,
        balances,
        language,
        requestId,
      });
    }
    if (kinds.has('tokens')) {
      await importTokens(work, { portions: portions('tokens'), owners: users, secrets, reveal: revealTokens });
    }
    if (kinds.has('channels')) {
      // Nobody is told: this process serves nothing, and those that do compare revisions.
      const bus = { announce: () => Promise.resolve() };
      const writer = new ChannelWriter({ database, bus, secrets, nowSeconds });
      await importChannels(work, { portions: portions('channels'), writer, rules: channelRules });
    }
    if (kinds.has('redemptions')) {
      await importRedemptions(work, { portions: portions('redemptions'), uses: portions('redemption_logs'), users });
    }
  }

  async #optionsOf(stores: Stores): Promise<ParsedOptions> {
    const { secrets } = this.#deps;
    return new ParsedOptions({
      records: await stores.options.all(),
      defaults: shippedOptionDefaults(),
      unseal: (context, sealed) => secrets.open(context, sealed),
      // What cannot be read stands at its default, as for a daemon that starts.
      report: () => undefined,
    });
  }

  #optionWriter(current: ParsedOptions): OptionWriter {
    const { secrets, nowSeconds } = this.#deps;
    const seal: TokenSecrets['seal'] = (context, plain) => secrets.seal(context, plain);
    return new OptionWriter({ current: () => current, seal, nowSeconds });
  }
}

function expectSameUnit(source: GatewaySource, options: OptionsView): void {
  const row = source.options.find(({ key }) => key === 'QuotaPerUnit');
  const there = Number((row && new Cells(row).text('value')) || usualUnit);
  const here = options.get('QuotaPerUnit');
  if (there !== here) throw new TollgateError('import_unit_differs', { there, here });
}
