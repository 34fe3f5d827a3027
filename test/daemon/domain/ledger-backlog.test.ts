import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LedgerBacklog } from '../../../daemon/domain/ledger-backlog.ts';
import type { LedgerEvent } from '../../../daemon/domain/ledger-events.ts';
import { LedgerJournal } from '../../../daemon/domain/ledger-journal.ts';
import type { Settlement } from '../../../daemon/domain/settlement.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { settlementOf } from '../../ledger/books.ts';
import { until } from '../../support/until.ts';
import { createWorkspace } from '../../support/workspace.ts';

const test = suite('settlements on their way into the books');

const purse = { userId: 1, tokenId: 1, tokenLimited: true };
const settlement = (requestId: string) => settlementOf(purse, { requestId, held: 1, charge: 1 });

/** A database that answers a group when the test says so. */
class SlowDatabase {
  readonly groups: { readonly ids: string[]; readonly answer: () => void; readonly stayAway: () => void }[] = [];

  apply(group: readonly Settlement[]) {
    return new Promise<{ applied: true; balance: undefined }[]>((resolve, reject) => {
      this.groups.push({
        ids: group.map(({ requestId }) => requestId),
        answer: () => resolve(group.map(() => ({ applied: true, balance: undefined }))),
        stayAway: () => reject(new TollgateError('db_unavailable')),
      });
    });
  }
}

function world({ maxGroup = 10, retryDelaysMs = [] as number[], replayDelayMs = 3_600_000 } = {}) {
  const workspace = createWorkspace();
  const database = new SlowDatabase();
  const journal = new LedgerJournal(workspace.folder);
  const events: LedgerEvent['kind'][] = [];
  const open = () =>
    new LedgerBacklog({
      apply: (group) => database.apply(group),
      journal,
      closed: () => undefined,
      report: ({ kind }) => events.push(kind),
      maxGroup,
      retryDelaysMs,
      replayDelayMs,
    });
  return { workspace, database, journal, events, open };
}

/** What becomes true once the promise is kept. */
function ended(promise: Promise<unknown>): { is: boolean } {
  const state = { is: false };
  void promise.then(() => {
    state.is = true;
  });
  return state;
}

const aTurn = () => new Promise((resume) => setImmediate(() => setImmediate(resume)));
const never = new Promise<void>(() => undefined);

test('lets new holds wait until no more settlements wait than may, and all until the last is in the books', async () => {
  const { workspace, database, open } = world({ maxGroup: 1 });
  const backlog = open();
  for (const id of ['a', 'b', 'c']) void backlog.submit(settlement(id));
  await until(() => database.groups.length === 1);
  const below = ended(backlog.below(1));
  const drained = ended(backlog.drain());
  await aTurn();
  assert.equal([backlog.waiting, below.is, drained.is], [2, false, false]);
  database.groups[0]?.answer();
  await until(() => below.is);
  await until(() => database.groups.length === 2);
  database.groups[1]?.answer();
  await until(() => database.groups.length === 3);
  await aTurn();
  assert.is(drained.is, false, 'the last is under way');
  database.groups[2]?.answer();
  await until(() => drained.is);
  workspace.remove();
});

test('ends only when what is put into the books from the journal is there, or when it is late', async () => {
  for (const isLate of [false, true]) {
    const { workspace, database, journal, events, open } = world();
    await journal.append([settlement('left')]);
    const backlog = open();
    void backlog.start();
    await until(() => database.groups.length === 1);
    const late = isLate ? aTurn().then(() => undefined) : never;
    const stopped = ended(backlog.stop(late));
    for (let turn = 0; turn < 5; turn += 1) await aTurn();
    assert.is(stopped.is, isLate);
    database.groups[0]?.answer();
    await until(() => stopped.is && events.includes('replayed'));
    assert.equal(await journal.takeFiles(), []);
    workspace.remove();
  }
});

test('tries database and disk in turn, with a pause, where neither takes a settlement', async () => {
  const { workspace, database, journal, events, open } = world();
  const backlog = open();
  journal.append = () => Promise.reject(new Error('disk full'));
  const secured = ended(backlog.submit(settlement('a')));
  await until(() => database.groups.length === 1);
  const began = performance.now();
  database.groups[0]?.stayAway();
  await until(() => database.groups.length === 2);
  assert.ok(performance.now() - began >= 99, 'it was not asked again at once');
  database.groups[1]?.stayAway();
  await until(() => database.groups.length === 3);
  assert.is(secured.is, false);
  database.groups[2]?.answer();
  await until(() => secured.is);
  assert.equal(
    events.filter((kind) => kind !== 'database-away'),
    ['journal-failed', 'journal-failed'],
  );
  workspace.remove();
});

test('asks a database that was away for a moment again, before anything goes to the disk', async () => {
  const { workspace, database, events, open } = world({ retryDelaysMs: [1, 1] });
  const secured = ended(open().submit(settlement('a')));
  for (const tries of [1, 2]) {
    await until(() => database.groups.length === tries);
    database.groups[tries - 1]?.stayAway();
  }
  await until(() => database.groups.length === 3);
  database.groups[2]?.answer();
  await until(() => secured.is);
  assert.equal(events, ['database-away', 'database-away']);
  workspace.remove();
});

test('leaves a group to the disk that the database has not answered when the process must end', async () => {
  const { workspace, database, journal, events, open } = world();
  const backlog = open();
  const secured = ended(backlog.submit(settlement('a')));
  await until(() => database.groups.length === 1);
  await backlog.stop(aTurn().then(() => undefined));
  assert.equal([secured.is, events, (await journal.takeFiles()).length], [true, ['journalled'], 1]);
  workspace.remove();
});

test('asks a database that is away no more while the journal holds settlements: new ones join them', async () => {
  const { workspace, database, journal, events, open } = world();
  const backlog = open();
  const first = ended(backlog.submit(settlement('a')));
  await until(() => database.groups.length === 1);
  database.groups[0]?.stayAway();
  await until(() => first.is);
  const second = ended(backlog.submit(settlement('b')));
  await until(() => second.is);
  assert.equal([database.groups.length, events], [1, ['database-away', 'journalled', 'journalled']]);
  const kept = await Promise.all((await journal.takeFiles()).map((path) => journal.read(path)));
  assert.equal(
    kept.flatMap(({ settlements }) => settlements.map(({ requestId }) => requestId)),
    ['a', 'b'],
  );
  workspace.remove();
});

test('looks again by itself whether a database is back that was away when the journal was read', async () => {
  const { workspace, database, journal, events, open } = world({ replayDelayMs: 1 });
  await journal.append([settlement('left')]);
  const backlog = open();
  void backlog.start();
  await until(() => database.groups.length === 1);
  database.groups[0]?.stayAway();
  // What comes meanwhile joins the journal.
  await until(() => database.groups.length === 2);
  const meanwhile = ended(backlog.submit(settlement('new')));
  await until(() => meanwhile.is);
  assert.equal(events, ['database-away', 'journalled']);
  for (const at of [1, 2]) {
    await until(() => database.groups.length > at);
    database.groups[at]?.answer();
  }
  await until(() => events.filter((kind) => kind === 'replayed').length === 2);
  assert.equal(
    database.groups.map(({ ids }) => ids),
    [['left'], ['left'], ['new']],
  );
  assert.equal(await journal.takeFiles(), []);
  workspace.remove();
});

test('tells of a journal that cannot be read, and reads it later', async () => {
  const { workspace, database, journal, events, open } = world({ replayDelayMs: 1 });
  await journal.append([settlement('left')]);
  const takeFiles = journal.takeFiles.bind(journal);
  let failures = 2;
  journal.takeFiles = async () => {
    failures -= 1;
    if (failures >= 0) throw new Error('no right to read');
    return takeFiles();
  };
  void open().start();
  await until(() => database.groups.length === 1);
  database.groups[0]?.answer();
  await until(() => events.includes('replayed'));
  assert.equal(events, ['journal-failed', 'journal-failed', 'replayed']);
  workspace.remove();
});

test('holds on to a refused settlement that cannot be put aside either, until it can', async () => {
  const { workspace, journal, events } = world();
  const reject = journal.reject.bind(journal);
  const append = journal.append.bind(journal);
  let isFull = true;
  journal.reject = (...refused) => (isFull ? Promise.reject(new Error('disk full')) : reject(...refused));
  journal.append = (group) => {
    if (!isFull) return append(group);
    isFull = false;
    return Promise.reject(new Error('disk full'));
  };
  const backlog = new LedgerBacklog({
    apply: () => Promise.reject(new Error('not to be stored')),
    journal,
    closed: () => assert.unreachable('it is in no books'),
    report: ({ kind }) => events.push(kind),
    maxGroup: 10,
    retryDelaysMs: [],
    replayDelayMs: 3_600_000,
  });
  await backlog.submit(settlement('a'));
  assert.equal(events, ['rejected', 'journal-failed', 'journal-failed', 'rejected']);
  assert.equal(await journal.takeFiles(), []);
  workspace.remove();
});

test('puts aside the one settlement that the database refuses, and brings the others of its group into the books', async () => {
  const { workspace, journal, events } = world();
  const booked: string[] = [];
  const backlog = new LedgerBacklog({
    apply: async (group) => {
      if (group.some(({ requestId }) => requestId === 'c')) throw new Error('not to be stored');
      return group.map(() => ({ applied: true, balance: undefined }));
    },
    journal,
    closed: ({ requestId }) => booked.push(requestId),
    report: ({ kind }) => events.push(kind),
    maxGroup: 10,
    retryDelaysMs: [],
    replayDelayMs: 3_600_000,
  });
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => backlog.submit(settlement(id))));
  assert.equal([booked, events], [['a', 'b', 'd', 'e'], ['rejected']]);
  workspace.remove();
});

test.run();
