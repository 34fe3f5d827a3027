import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TollgateError } from '../../../daemon/errors.ts';
import { Identities } from '../../../daemon/snapshots/identities.ts';
import type { TokenRecord } from '../../../daemon/store/tokens.ts';
import type { UserRecord } from '../../../daemon/store/users.ts';
import { tokenRecord, userRecord } from '../../support/account-records.ts';
import { until } from '../../support/until.ts';

const identities = suite('snapshots/identities');

type Listener = (topic: string, revision: number, detail?: string) => void | Promise<void>;

/** Rows that a test may change, a hand-set clock, and counted reads that can be held back. */
class World {
  nowMs = 0;
  tokens = new Map<string, TokenRecord>([['hash', tokenRecord({ keyHash: 'hash', userId: 7 })]]);
  users = new Map<number, UserRecord>([[7, userRecord({ id: 7 })]]);
  reads = 0;
  hold: Promise<void> | undefined;
  announce: Listener = () => undefined;
  readonly identities: Identities;

  constructor(maxEntries = 100) {
    this.identities = new Identities({
      findToken: async (hash) => {
        this.reads += 1;
        const row = this.tokens.get(hash);
        await this.hold;
        return row;
      },
      findUser: async (id) => this.users.get(id),
      bus: {
        onChange: (listener) => {
          this.announce = listener;
          return () => undefined;
        },
      },
      now: () => this.nowMs,
      maxEntries,
      patience: { usualMs: 200, stalledMs: 5 },
    });
    this.identities.start();
  }
}

identities('answers synchronously once a token is known', async () => {
  const world = new World();
  const first = world.identities.resolve('hash');
  assert.instance(first, Promise);
  assert.is((await first)?.user.id, 7);
  const second = world.identities.resolve('hash');
  assert.not.instance(second, Promise);
  assert.is(world.reads, 1);
});

identities('shares one read among all who miss at the same moment', async () => {
  const world = new World();
  await Promise.all(Array.from({ length: 50 }, () => world.identities.resolve('hash')));
  assert.is(world.reads, 1);
});

identities('lets nobody wait long in turn for rows of a database that answers nothing, and asks it once', async () => {
  const world = new World();
  let thaw: (() => void) | undefined;
  world.hold = new Promise((resolve) => {
    thaw = resolve;
  });
  const refused = () =>
    Promise.resolve(world.identities.resolve('hash')).then(
      () => 'answered',
      (error: TollgateError) => error.code,
    );
  const soon = () => new Promise<string>((resolve) => setTimeout(resolve, 100, 'still waiting'));
  const first = refused();
  assert.is(await Promise.race([first, soon()]), 'still waiting');
  assert.is(await first, 'db_unavailable');
  for (let call = 0; call < 3; call += 1) assert.is(await Promise.race([refused(), soon()]), 'db_unavailable');
  assert.is(world.reads, 1);
  thaw?.();
  await until(() => !(world.identities.resolve('hash') instanceof Promise));
  world.nowMs = 3000;
  world.hold = soon().then(() => undefined);
  assert.is((await world.identities.resolve('hash'))?.user.id, 7, 'waited for again');
});

identities('never answers from an entry older than two seconds', async () => {
  const world = new World();
  await world.identities.resolve('hash');
  world.tokens.set('hash', tokenRecord({ keyHash: 'hash', userId: 7, status: 2 }));
  world.nowMs = 2001;
  const answer = world.identities.resolve('hash');
  assert.instance(answer, Promise);
  assert.is((await answer)?.token.status, 2);
});

identities('reads an ageing entry again in the background', async () => {
  const world = new World();
  await world.identities.resolve('hash');
  world.nowMs = 1500;
  assert.not.instance(world.identities.resolve('hash'), Promise);
  await new Promise((resolve) => setImmediate(resolve));
  world.nowMs = 2500;
  assert.not.instance(world.identities.resolve('hash'), Promise);
  assert.is(world.reads, 2);
});

identities('drops a token at the announcement that names it', async () => {
  const world = new World();
  await world.identities.resolve('hash');
  world.tokens.delete('hash');
  await world.announce('tokens', 1, 'other,hash');
  assert.is(await world.identities.resolve('hash'), undefined);
});

identities('drops a user at the announcement that names it, for all tokens of that user', async () => {
  const world = new World();
  await world.identities.resolve('hash');
  world.users.set(7, userRecord({ id: 7, status: 2 }));
  await world.announce('users', 1, '7');
  assert.is((await world.identities.resolve('hash'))?.user.status, 2);
});

identities('does not keep what a read saw before an announced write', async () => {
  const world = new World();
  let release: () => void = () => undefined;
  world.hold = new Promise((resolve) => {
    release = resolve;
  });
  const early = world.identities.resolve('hash');
  world.tokens.delete('hash');
  await world.announce('tokens', 1, 'hash');
  release();
  assert.ok(await early);
  assert.is(await world.identities.resolve('hash'), undefined);
});

identities('remembers unknown hashes too, until a token is announced under one', async () => {
  const world = new World();
  assert.is(await world.identities.resolve('new'), undefined);
  assert.is(world.identities.resolve('new'), undefined);
  assert.is(world.reads, 1);
  world.tokens.set('new', tokenRecord({ keyHash: 'new', userId: 7 }));
  await world.announce('tokens', 2, 'new');
  assert.ok(await world.identities.resolve('new'));
});

identities('keeps known tokens while a stranger guesses hashes', async () => {
  const world = new World(10);
  await world.identities.resolve('hash');
  for (let at = 0; at < 100; at += 1) await world.identities.resolve(`guess-${at}`);
  assert.not.instance(world.identities.resolve('hash'), Promise);
});

identities('hands a failed read to its callers and tries again for the next', async () => {
  const world = new World();
  world.hold = Promise.reject(new Error('database away'));
  world.hold.catch(() => undefined);
  const failing = world.identities.resolve('hash');
  assert.instance(failing, Promise);
  await Promise.resolve(failing).then(
    () => assert.unreachable('should fail'),
    (error: unknown) => assert.instance(error, Error),
  );
  world.hold = undefined;
  assert.ok(await world.identities.resolve('hash'));
});

identities.run();
