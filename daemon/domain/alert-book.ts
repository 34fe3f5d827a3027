/** The alerts in force: kept sealed in one row, held in memory, and read again when any node has changed them. */
import type { Bus } from '../cluster/bus.ts';
import type { AlertKind } from '../contract/alert-kinds.ts';
import { type AlertRule, type AlertSettings, parseAlertSettings } from '../contract/alerts.ts';
import type { Database, Stores } from '../store/database.ts';
import { ruleOf } from './alert-settings.ts';

export interface AlertBookDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'announce' | 'onChange'>;
  readonly seal: (plain: string) => string;
  /** Throws when the row was sealed under another secret. */
  readonly unseal: (sealed: string) => string;
  readonly defaults: AlertSettings;
  readonly nowSeconds: () => number;
  /** Told when the kept settings cannot be read; those known before stay in force. */
  readonly report: (cause: unknown) => void;
}

const topic = 'alerts';

export class AlertBook {
  readonly #deps: AlertBookDeps;
  #settings: AlertSettings;
  #stopListening: (() => void) | undefined;

  constructor(deps: AlertBookDeps) {
    this.#deps = deps;
    this.#settings = deps.defaults;
  }

  /** Reads what is kept, and follows changes from then on. */
  async start(): Promise<void> {
    this.#stopListening ??= this.#deps.bus.onChange((changed) =>
      changed === topic ? this.#load().catch(this.#deps.report) : undefined,
    );
    await this.#load();
  }

  stop(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  /** Rules and targets; one rule of each kind. */
  get settings(): AlertSettings {
    return this.#settings;
  }

  rule(kind: AlertKind): AlertRule {
    return ruleOf(this.#settings, kind, this.#deps.defaults);
  }

  /**
   * Changes what is kept, whoever else does so, and tells every node. The change runs inside the transaction, together
   * with `beside`.
   */
  async change(
    change: (kept: AlertSettings) => AlertSettings,
    beside: (stores: Stores, changed: AlertSettings) => Promise<void>,
  ): Promise<AlertSettings> {
    const { database, bus } = this.#deps;
    const { settings, revision } = await database.transaction(async (stores) => {
      // The bump comes first: its row lock makes two writers wait for each other.
      const revision = await stores.revisions.bump(topic);
      const settings = await this.changeIn(stores, change);
      await beside(stores, settings);
      return { settings, revision };
    });
    await bus.announce(topic, revision);
    return settings;
  }

  /** As `change`, within a transaction that has raised the revision of `alerts` and announces it. */
  async changeIn(stores: Stores, change: (kept: AlertSettings) => AlertSettings): Promise<AlertSettings> {
    const { seal, nowSeconds } = this.#deps;
    const settings = change(await this.readIn(stores));
    await stores.notices.saveSettings(seal(JSON.stringify(settings)), nowSeconds());
    return settings;
  }

  /** What is kept at this very moment. */
  async readIn(stores: Stores): Promise<AlertSettings> {
    return this.#read(await stores.notices.findSettings()) ?? this.#deps.defaults;
  }

  /** What holds while nothing was saved. */
  get defaults(): AlertSettings {
    return this.#deps.defaults;
  }

  async #load(): Promise<void> {
    const sealed = await this.#deps.database.stores.notices.findSettings();
    const settings = this.#read(sealed);
    if (settings) this.#settings = settings;
  }

  /** Undefined when nothing is kept, or it cannot be read. */
  #read(sealed: string | undefined): AlertSettings | undefined {
    if (sealed === undefined) return undefined;
    const { unseal, report, defaults } = this.#deps;
    try {
      const settings = parseAlertSettings(unseal(sealed));
      if (!settings) throw new Error('the kept alert settings are unreadable');
      // A kind that was added since stands at its default.
      return { ...settings, rules: defaults.rules.map(({ kind }) => ruleOf(settings, kind, defaults)) };
    } catch (cause) {
      report(cause);
      return undefined;
    }
  }
}
