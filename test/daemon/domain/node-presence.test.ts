/** Runs once: no engine takes part. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  DEAD_AFTER_SECONDS,
  expectSharedSecret,
  NodePresence,
  SILENT_AFTER_SECONDS,
} from '../../../daemon/domain/node-presence.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import type { NodeRecord } from '../../../daemon/store/nodes.ts';

const presence = suite('the presence of a node');

const START = 1_800_000_000;

/** What the database knows, and one process of that name after the other. */
class Cluster {
  row: NodeRecord | undefined;
  readonly told: string[] = [];
  #facts = 0;

  process(): (atSeconds: number) => Promise<boolean> {
    const node = new NodePresence({
      nodes: {
        find: async () => this.row,
        heartbeats: async () => new Map(),
        beat: async (record) => {
          this.row = { facts: '', ...record };
        },
      },
      now: () => 0,
      shared: (name) => this.told.push(name),
    });
    return async (heartbeatAt) => {
      this.#facts += 1;
      const facts = String(this.#facts);
      await node.beat({ id: 'n', address: '', version: '', startedAt: START, heartbeatAt, facts });
      return node.ownsName;
    };
  }
}

presence('owns a name from the start that nobody has used lately', async () => {
  const cluster = new Cluster();
  assert.is(await cluster.process()(START), true);
  assert.is(await cluster.process()(START + DEAD_AFTER_SECONDS + 1), true);
  assert.equal(cluster.told, []);
});

presence('waits after a quick restart until nobody else has been heard of for a heartbeat’s time', async () => {
  const cluster = new Cluster();
  await cluster.process()(START);
  const restarted = cluster.process();
  const owned: boolean[] = [];
  for (const after of [10, 10, 40, 70]) owned.push(await restarted(START + after));
  assert.equal(owned, [false, false, false, true]);
  assert.equal(cluster.told, []);
});

presence('gives its name up as soon as another process is alive under it, and tells', async () => {
  const cluster = new Cluster();
  const first = cluster.process();
  assert.is(await first(START), true);
  const second = cluster.process();
  assert.is(await second(START), false);
  assert.is(await first(START + 30), false, 'also where both spoke in the same second');
  assert.is(await second(START + 33), false);
  assert.equal(cluster.told, ['n', 'n']);
  // The other has left, and taken the row along.
  cluster.row = undefined;
  const owned: boolean[] = [];
  for (const after of [60, 90, 120]) owned.push(await first(START + after));
  assert.equal(owned, [false, false, true]);
});

presence('knows that the database takes no writes as long as the last heartbeat was lost', async () => {
  let failure: Error | undefined;
  const node = new NodePresence({
    nodes: {
      find: async () => undefined,
      heartbeats: async () => new Map(),
      beat: async () => {
        if (failure) throw failure;
      },
    },
    now: () => 0,
    shared: () => undefined,
  });
  const beat = () =>
    node.beat({ id: 'n', address: '', version: '', startedAt: START, heartbeatAt: START, facts: '' }).then(
      () => node.isWritten,
      (error) => [error, node.isWritten],
    );
  assert.is(await beat(), true);
  failure = new Error('read-only');
  assert.equal(await beat(), [failure, false]);
  assert.is(node.isWritten, false);
  failure = undefined;
  assert.is(await beat(), true);
});

presence('takes nodes for alive by heartbeats that move, however far apart the clocks are', async () => {
  const heartbeats = new Map([
    ['behind', START - 600],
    ['ahead', START + 600],
    ['dead', START - 90],
  ]);
  let seconds = START;
  const own = new NodePresence({
    nodes: { find: async () => undefined, beat: async () => undefined, heartbeats: async () => new Map(heartbeats) },
    now: () => (seconds - START) * 1000,
    shared: () => undefined,
  });
  const alive = () =>
    [...heartbeats].filter(([id, heartbeatAt]) => own.isAlive({ id, heartbeatAt }, seconds)).map(([id]) => id);
  const pass = async (beats: number, beating: readonly string[]) => {
    for (let beat = 0; beat < beats; beat += 1) {
      seconds += 30;
      for (const id of beating) heartbeats.set(id, (heartbeats.get(id) ?? 0) + 30);
      await own.beat({ id: 'n', address: '', version: '', startedAt: START, heartbeatAt: seconds, facts: '' });
    }
  };
  assert.equal(alive(), ['ahead', 'dead'], 'before anything was seen, by the clocks');
  await pass(1, ['ahead', 'behind']);
  assert.equal(alive(), ['ahead']);
  heartbeats.set('behind', START - 540);
  assert.equal(alive(), ['behind', 'ahead'], 'as soon as it moves');
  await pass(10, ['ahead', 'behind']);
  assert.equal(alive(), ['behind', 'ahead']);
  await pass(3, ['behind']);
  assert.equal(alive(), ['behind', 'ahead'], 'two heartbeats may get lost');
  await pass(1, ['behind']);
  assert.equal(alive(), ['behind'], 'though the clock of the other is ten minutes ahead');
});

presence('tells another root secret by the nodes that are alive, whatever they say beside it', async () => {
  const node = (id: string, heartbeatAt: number, facts: string): NodeRecord => ({
    id,
    address: '',
    version: '',
    startedAt: START,
    heartbeatAt,
    facts,
  });
  const told = (secretMark: string) => JSON.stringify({ secretMark });
  const check = (...rows: NodeRecord[]) =>
    expectSharedSecret({ all: async () => rows }, { nodeId: 'own', secretMark: 'a', nowSeconds: START });
  await check(node('own', START, told('b')), node('like', START, told('a')), node('older', START, '{}'));
  await check(node('gone', START - SILENT_AFTER_SECONDS, told('b')), node('silent', START, ''));
  const error = await check(node('other', START - 90, told('b')), node('ahead', START + 90, told('c'))).catch(
    (cause) => cause,
  );
  assert.ok(error instanceof TollgateError, String(error));
  assert.equal([error.code, error.params], ['secret_not_shared', { nodes: 'other, ahead' }]);
});

presence.run();
