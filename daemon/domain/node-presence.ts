/**
 * Says that this node is alive, and notices when another process says so under the same name: one that was set for
 * several nodes, or came along with a copied data folder. Neither can then tell what the other is doing from what an
 * earlier life of its own left behind.
 */
import { TollgateError } from '../errors.ts';
import type { NodeRecord, NodeStore } from '../store/nodes.ts';
import { factsOf } from './node-figures.ts';

/** A node that has been silent for so long is dead (relay.md 15.4). */
export const DEAD_AFTER_SECONDS = 5 * 60;

/** It does not count as alive any more after three heartbeats that did not come. */
export const SILENT_AFTER_SECONDS = 100;

/** Two of them a heartbeat's time apart: another node beats at least once in it. The first follows the start at once. */
const UNDISTURBED_BEATS = 3;

export interface NodePresenceDeps {
  readonly nodes: Pick<NodeStore, 'beat' | 'find' | 'heartbeats'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Told with every heartbeat that finds another process under the name of this node. */
  readonly shared: (name: string) => void;
}

export class NodePresence {
  readonly #deps: NodePresenceDeps;
  #last: NodeRecord | undefined;
  #undisturbed = 0;
  #isWritten = true;
  /** By node: its heartbeat by its own clock, and when this node saw it move, or would have if the clocks agree. */
  #seen: ReadonlyMap<string, { readonly beat: number; readonly movedMs: number }> = new Map();

  constructor(deps: NodePresenceDeps) {
    this.#deps = deps;
  }

  /** False while another process may be alive under this node's name. */
  get ownsName(): boolean {
    return this.#undisturbed >= UNDISTURBED_BEATS;
  }

  /** False while the database takes no writes: the last heartbeat could not be written. */
  get isWritten(): boolean {
    return this.#isWritten;
  }

  /** Whether a node was heard of lately: by heartbeats that move, and by its clock only until the second is seen. */
  isAlive({ id, heartbeatAt }: Pick<NodeRecord, 'id' | 'heartbeatAt'>, nowSeconds: number): boolean {
    const seen = this.#seen.get(id);
    if (seen === undefined) return nowSeconds - heartbeatAt < SILENT_AFTER_SECONDS;
    return seen.beat !== heartbeatAt || this.#deps.now() - seen.movedMs < SILENT_AFTER_SECONDS * 1000;
  }

  async beat(node: NodeRecord): Promise<void> {
    try {
      await this.#beat(node);
      await this.#look(node.heartbeatAt);
      this.#isWritten = true;
    } catch (error) {
      this.#isWritten = false;
      throw error;
    }
  }

  async #beat(node: NodeRecord): Promise<void> {
    const { nodes, shared } = this.#deps;
    const found = await nodes.find(node.id);
    if (this.#last === undefined) {
      const isFree = found === undefined || found.heartbeatAt < node.heartbeatAt - DEAD_AFTER_SECONDS;
      this.#undisturbed = isFree ? UNDISTURBED_BEATS : 0;
    } else if (found !== undefined && isOther(found, this.#last)) {
      this.#undisturbed = 0;
      shared(node.id);
    } else {
      this.#undisturbed += 1;
    }
    await nodes.beat(node);
    this.#last = node;
  }

  async #look(nowSeconds: number): Promise<void> {
    const heartbeats = await this.#deps.nodes.heartbeats();
    const nowMs = this.#deps.now();
    this.#seen = new Map(
      [...heartbeats].map(([id, beat]) => {
        const before = this.#seen.get(id);
        if (before?.beat === beat) return [id, before];
        return [id, { beat, movedMs: before ? nowMs : nowMs - Math.max(0, nowSeconds - beat) * 1000 }];
      }),
    );
  }
}

/** What nodes say of themselves is hardly ever the same, even in the same second. */
function isOther(found: NodeRecord, own: NodeRecord): boolean {
  return found.heartbeatAt !== own.heartbeatAt || found.facts !== own.facts;
}

export interface OwnSecret {
  readonly nodeId: string;
  readonly secretMark: string;
  readonly nowSeconds: number;
}

/**
 * Throws `secret_not_shared` while another node is alive that goes by another root secret: keys and sessions that one of
 * them makes would be unknown to the other (REQ-39). Of two that start at one moment at least one sees the other, if
 * each has said before that it is alive.
 */
export async function expectSharedSecret(nodes: Pick<NodeStore, 'all'>, own: OwnSecret): Promise<void> {
  const others = (await nodes.all()).filter(({ id, heartbeatAt, facts }) => {
    const { secretMark } = factsOf(facts);
    const isAlive = own.nowSeconds - heartbeatAt < SILENT_AFTER_SECONDS;
    return id !== own.nodeId && isAlive && secretMark !== '' && secretMark !== own.secretMark;
  });
  if (others.length === 0) return;
  throw new TollgateError('secret_not_shared', { nodes: others.map(({ id }) => id).join(', ') });
}
