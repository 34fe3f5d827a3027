/** Notices over a domain world: a desk whose deliveries end in a list, a book of rules, and a clock that a test moves. */
import { AlertBook } from '../../daemon/domain/alert-book.ts';
import { defaultAlertSettings } from '../../daemon/domain/alert-settings.ts';
import type { Delivery } from '../../daemon/domain/notice-delivery.ts';
import { NoticeDesk } from '../../daemon/domain/notice-desk.ts';
import { NoticeQueue } from '../../daemon/domain/notice-queue.ts';
import type { Database } from '../../daemon/store/database.ts';
import type { NewUser } from '../../daemon/store/users.ts';
import { type DomainWorld, openDomainWorld } from './domain-world.ts';

export interface NoticeScene {
  readonly world: DomainWorld;
  readonly book: AlertBook;
  readonly desk: NoticeDesk;
  /** What was sent: where to, its type and its values. */
  readonly told: string[];
  clockMs: number;
  user(fields: Partial<NewUser>): Promise<number>;
  /** Passes time, for watch and database alike. */
  pass(seconds: number): void;
  /** Everything that was raised is delivered. */
  delivered(): Promise<void>;
  /** Ends a test on an error of the machinery. */
  readonly report: (cause: unknown) => never;
  close(): Promise<void>;
}

/** A site with a mail server and the default rules. */
export async function openNoticeScene(): Promise<NoticeScene> {
  const world = await openDomainWorld();
  const { database, bus, nowSeconds } = world;
  const told: string[] = [];
  const report = (cause: unknown): never => {
    throw cause;
  };
  const options = () => world.snapshots.current().options;
  const queue = new NoticeQueue({
    deliver: async ({ to, notice }: Delivery) => {
      const where = to.by === 'mail' ? to.to : `${to.url} ${to.by === 'webhook' ? to.secret : ''}`;
      told.push(`${where} ${notice.type} ${notice.values.join(' ')}`);
    },
    report,
  });
  const book = new AlertBook({
    database,
    bus,
    seal: (plain) => plain,
    unseal: (sealed) => sealed,
    defaults: defaultAlertSettings(10),
    nowSeconds,
    report,
  });
  const desk = new NoticeDesk({ database, book, queue, options, language: 'en', nowSeconds, report });
  await database.stores.options.set('SMTPServer', 'mail.example.org');
  await world.snapshots.reload('options');
  await book.start();
  const scene: NoticeScene = {
    world,
    book,
    desk,
    told,
    clockMs: 0,
    report,
    user: async (fields) => {
      const made = await database.stores.users.insert({ username: `u${Math.random()}`, createdAt: 1, ...fields });
      if (!made.inserted) throw new Error('the user exists');
      return made.user.id;
    },
    pass: (seconds) => {
      scene.clockMs += seconds * 1000;
      world.clock.seconds += seconds;
    },
    delivered: async () => {
      await desk.settled();
      await queue.idle();
    },
    close: async () => {
      book.stop();
      await queue.stop();
      await world.close();
    },
  };
  return scene;
}

/** What the watches of a scene are made of, and the ids of the rows of a table that they read. */
export function watching(scene: NoticeScene, table: 'users' | 'tokens') {
  const { world, book, desk, report } = scene;
  const { stores } = world.database;
  const store = stores[table];
  const reads: number[] = [];
  const findMany = (ids: readonly number[]) => {
    reads.push(...ids);
    return store.findMany(ids);
  };
  const read = Object.assign(Object.create(store), { findMany });
  const database: Database = Object.assign(Object.create(world.database), {
    stores: Object.assign(Object.create(stores), { [table]: read }),
  });
  const options = () => world.snapshots.current().options;
  return { reads, deps: { database, book, desk, options, now: () => scene.clockMs, report, gatherMs: 60_000 } };
}
