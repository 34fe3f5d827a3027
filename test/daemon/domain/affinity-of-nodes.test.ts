/** Turns of one conversation on two nodes at once: their news cross, and both come to one channel all the same. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AffinityKey, type AffinityNews, CacheAffinity } from '../../../daemon/domain/affinity.ts';

const affinity = suite('affinity of two nodes');

const key: AffinityKey = { rule: 'r', hash: 'h', ttlMs: 300_000, skipRetryOnFailure: false };
/** News are gathered for so long before they leave. */
const gatheredMs = 250;

interface Turn {
  readonly afterMs: number;
  readonly node: 0 | 1;
  readonly lastsMs: number;
  /** Key that is drawn where the conversation has none, or has lost its own. */
  readonly drawn: number;
  readonly fails: boolean;
}

const turns: fc.Arbitrary<Turn[]> = fc.array(
  fc.record({
    afterMs: fc.nat(250),
    node: fc.constantFrom(0 as const, 1 as const),
    lastsMs: fc.nat(300),
    drawn: fc.nat(7),
    fails: fc.nat(9).map((draw) => draw === 0),
  }),
  { minLength: 2, maxLength: 16 },
);

class Nodes {
  #nowMs = 0;
  #due: { readonly atMs: number; readonly act: () => void }[] = [];
  readonly #option;
  readonly #nodes: readonly CacheAffinity[];

  constructor(switches: boolean) {
    this.#option = { enabled: true, rules: [], default_ttl_seconds: 300, max_entries: 10, switch_on_success: switches };
    this.#nodes = [0, 1].map(
      (at) =>
        new CacheAffinity(
          () => this.#nowMs,
          (news) => this.#send(1 - at, news),
        ),
    );
  }

  #send(to: number, news: AffinityNews): void {
    this.#at(gatheredMs, () => this.#nodes[to]?.learn(news, this.#option));
  }

  #at(ms: number, act: () => void): void {
    this.#due.push({ atMs: this.#nowMs + ms, act });
    this.#due.sort((one, other) => one.atMs - other.atMs);
  }

  pass(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (let next = this.#due[0]; next !== undefined && next.atMs <= untilMs; next = this.#due[0]) {
      this.#due.shift();
      this.#nowMs = next.atMs;
      next.act();
    }
    this.#nowMs = untilMs;
  }

  take({ node: at, lastsMs, drawn, fails }: Omit<Turn, 'afterMs'>): void {
    const node = this.#nodes[at];
    const kept = node?.find(key);
    const other = { channelId: 1, keyHash: String(drawn) };
    this.#at(lastsMs, () => {
      if (fails && kept !== undefined) node?.drop(key);
      node?.keep(key, fails ? other : (kept ?? other), this.#option);
    });
  }

  get found() {
    return this.#nodes.map((node) => node.find(key)?.keyHash);
  }
}

for (const switches of [true, false]) {
  const how = switches ? 'follows what served it last' : 'stays with its channel';
  affinity(`come to one channel for a conversation that ${how}`, () => {
    fc.assert(
      fc.property(turns, (taken) => {
        const nodes = new Nodes(switches);
        for (const { afterMs, ...turn } of taken) {
          nodes.take(turn);
          nodes.pass(afterMs);
        }
        nodes.pass(1000);
        for (const node of [0, 1, 0, 1] as const) {
          nodes.take({ node, lastsMs: 0, drawn: node, fails: false });
          nodes.pass(1000);
        }
        const [one, other] = nodes.found;
        assert.is(one, other);
      }),
      { numRuns: 3000 },
    );
  });
}

affinity.run();
