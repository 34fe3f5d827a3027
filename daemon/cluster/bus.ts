/**
 * Nodes that share a database telling each other what changed. The truth is the `revisions` table, which a change bumps
 * in its own transaction; Redis only spares the others the second until they look. This room does not know what the
 * messages mean.
 */

/** Called with a topic whose revision rose; `detail` narrows the change when nothing was missed in between. */
export type ChangeListener = (topic: string, revision: number, detail?: string) => void | Promise<void>;

export interface Bus {
  /** Tells everyone of a committed change; resolves when this node's own listeners are done. Never rejects. */
  announce(topic: string, revision: number, detail?: string): Promise<void>;
  /** Returns the function that ends the subscription. */
  onChange(listener: ChangeListener): () => void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Carries announcements to the other nodes; may lose them, must not throw. */
export interface BusTransport {
  publish(message: string): void;
  /** Returns the function that ends the subscription. */
  subscribe(listener: (message: string) => void): () => void;
}

export interface RevisionBusDeps {
  /** Every topic with its revision. Rejects while the database cannot be reached. */
  readonly readRevisions: () => Promise<ReadonlyMap<string, number>>;
  /** Undefined: this node learns of the others by looking alone. */
  readonly transport?: BusTransport | undefined;
  /** A reload that failed, or topic `*` when the table could not be read; it is tried again. Once per outage. */
  readonly report: (event: { topic: string; cause: unknown }) => void;
  /** How often the table is compared; 1,000 by default. */
  readonly pollMs?: number;
}

interface Announcement {
  topic: string;
  revision: number;
  detail?: string;
}

function parseAnnouncement(message: string): Announcement | undefined {
  try {
    const value: unknown = JSON.parse(message);
    if (typeof value !== 'object' || value === null) return undefined;
    if (!('topic' in value) || !('revision' in value)) return undefined;
    if (typeof value.topic !== 'string' || typeof value.revision !== 'number') return undefined;
    const detail = 'detail' in value && typeof value.detail === 'string' ? value.detail : undefined;
    return { topic: value.topic, revision: value.revision, ...(detail === undefined ? {} : { detail }) };
  } catch {
    return undefined;
  }
}

export class RevisionBus implements Bus {
  readonly #deps: RevisionBusDeps;
  readonly #listeners = new Set<ChangeListener>();
  /** Highest revision of each topic that the listeners have taken in. */
  readonly #seen = new Map<string, number>();
  #unsubscribe: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #stopped = false;
  /** Topics whose failure has been reported and that have not worked since. */
  readonly #failing = new Set<string>();

  constructor(deps: RevisionBusDeps) {
    this.#deps = deps;
  }

  /** Takes the present revisions as known; listeners load their first state by themselves. */
  async start(): Promise<void> {
    for (const [topic, revision] of await this.#deps.readRevisions()) this.#seen.set(topic, revision);
    this.#unsubscribe = this.#deps.transport?.subscribe((message) => {
      const heard = parseAnnouncement(message);
      if (heard !== undefined) void this.#hear(heard);
    });
    this.#plan();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#unsubscribe?.();
    await this.#polling;
  }

  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async announce(topic: string, revision: number, detail?: string): Promise<void> {
    const message: Announcement = { topic, revision, ...(detail === undefined ? {} : { detail }) };
    this.#deps.transport?.publish(JSON.stringify(message));
    await this.#deliver(message);
  }

  /** A message of another node, or this node's own coming back. */
  async #hear(message: Announcement): Promise<void> {
    if (message.revision > (this.#seen.get(message.topic) ?? 0)) await this.#deliver(message);
  }

  /** Runs the listeners; only when all of them are done does the revision count as seen. */
  async #deliver({ topic, revision, detail }: Announcement): Promise<void> {
    const seen = this.#seen.get(topic) ?? 0;
    // A gap means that an announcement was lost, so its detail does not name all that changed.
    const whole = revision > seen + 1;
    try {
      const calls = [...this.#listeners].map((listener) =>
        whole || detail === undefined ? listener(topic, revision) : listener(topic, revision, detail),
      );
      await Promise.all(calls);
      this.#seen.set(topic, Math.max(this.#seen.get(topic) ?? 0, revision));
      this.#failing.delete(topic);
    } catch (cause) {
      this.#fail(topic, cause);
    }
  }

  #fail(topic: string, cause: unknown): void {
    if (!this.#failing.has(topic)) this.#deps.report({ topic, cause });
    this.#failing.add(topic);
  }

  #plan(): void {
    if (this.#stopped) return;
    const pollMs = this.#deps.pollMs ?? 1000;
    this.#timer = setTimeout(
      () => {
        this.#polling = this.#poll().finally(() => this.#plan());
      },
      pollMs * (0.9 + Math.random() / 5),
    );
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    try {
      const revisions = await this.#deps.readRevisions();
      this.#failing.delete('*');
      // Listeners get no detail here: nobody told what changed.
      const risen = [...revisions].filter(([topic, revision]) => revision > (this.#seen.get(topic) ?? 0));
      await Promise.all(risen.map(([topic, revision]) => this.#deliver({ topic, revision })));
    } catch (cause) {
      this.#fail('*', cause);
    }
  }
}
