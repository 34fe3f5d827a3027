import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_CHARGE } from '../../daemon/domain/pricing.ts';
import { TollgateError } from '../../daemon/errors.ts';
import { type TestDatabase, testDatabaseUrl, testEngine } from '../support/servers.ts';
import { Books, consumeRow, holdOf, putAway, releaseOf, settlementOf } from './books.ts';

const ledger = suite(`the ledger on ${testEngine()}`);

let home: TestDatabase;
ledger.before.each(async () => {
  home = await testDatabaseUrl();
});
ledger.after.each(async () => {
  await putAway();
  await home.drop();
});

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'ok';
  } catch (error) {
    return error instanceof TollgateError ? error.code : String(error);
  }
}

ledger('takes what is held from user and token and gives back what was not used', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(10_000, 6000);
  const channelId = await books.channel();
  await books.watch();
  await books.ledger.hold(holdOf(purse, 'a', 5000));
  assert.is(await books.balance(purse), 5000);
  assert.is((await books.database.stores.tokens.find(purse.tokenId))?.remainQuota, 1000);
  await books.ledger.settle(settlementOf(purse, { requestId: 'a', held: 5000, charge: 3625, channelId }));
  assert.is(await books.balance(purse), 6375);
  const token = await books.database.stores.tokens.find(purse.tokenId);
  assert.is(token?.remainQuota, 2375);
  assert.is(token?.usedQuota, 3625);
  assert.is((await books.database.stores.channels.find(channelId))?.usedQuota, 3625);
  const user = await books.database.stores.users.find(purse.userId);
  assert.is(user?.usedQuota, 3625);
  assert.is(user?.requestCount, 1);
  await books.close();
});

ledger('needs no transaction while the books are as it knows them', async () => {
  const books = await Books.open(home.url);
  const [limited, free] = [await books.purse(10_000, 6000), await books.purse(10_000)];
  const channelId = await books.channel();
  await books.watch();
  const begun = books.database.transactions;
  await Promise.all([
    books.ledger.hold(holdOf(limited, 'a', 500)),
    books.ledger.hold(holdOf(limited, 'b', 600)),
    books.ledger.hold(holdOf(free, 'c', 700)),
  ]);
  await Promise.all([
    books.ledger.settle(settlementOf(limited, { requestId: 'a', held: 500, charge: 300, channelId })),
    books.ledger.settle(settlementOf(limited, { requestId: 'b', held: 600, charge: 900, channelId })),
    books.ledger.settle(releaseOf(free, 'c', 700)),
    books.ledger.settle(settlementOf(free, { requestId: 'unheld', held: 0, charge: 40, channelId })),
  ]);
  assert.is(books.database.transactions, begun);
  assert.is(await books.balance(limited), 8800);
  assert.is(await books.balance(free), 9960);
  assert.is((await books.database.stores.tokens.find(limited.tokenId))?.remainQuota, 4800);
  assert.is((await books.database.stores.channels.find(channelId))?.usedQuota, 1240);
  await books.close();
});

for (const [what, settleBefore] of [
  ['a hold that was closed meanwhile', { requestId: 'a', held: 500, charge: 100 }],
  ['a request id that the books know', { requestId: 'unheld', held: 0, charge: 100 }],
] as const) {
  ledger(`decides a group with ${what} one by one, and changes nothing twice`, async () => {
    const books = await Books.open(home.url);
    const purse = await books.purse(10_000);
    await books.watch();
    await books.ledger.hold(holdOf(purse, 'a', 500));
    await books.ledger.hold(holdOf(purse, 'b', 500));
    await books.ledger.settle(settlementOf(purse, settleBefore));
    const begun = books.database.transactions;
    await Promise.all([
      books.ledger.settle(settlementOf(purse, { requestId: 'b', held: 500, charge: 10 })),
      books.ledger.settle(settlementOf(purse, { ...settleBefore, charge: 7 })),
      books.ledger.settle(settlementOf(purse, { requestId: 'a', held: 500, charge: 20 })),
    ]);
    assert.is(books.database.transactions, begun + 1);
    assert.is(await books.balance(purse), 10_000 - 100 - 10 - (settleBefore.requestId === 'a' ? 0 : 20));
    await books.close();
  });
}

ledger('lets at most five of fifty reach the upstream on a balance for five', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(5 * 3185 + 100);
  await books.watch();
  const ids = Array.from({ length: 50 }, (_, index) => `r${index}`);
  const codes = await Promise.all(ids.map((id) => codeOf(books.ledger.hold(holdOf(purse, id, 3185)))));
  assert.equal(codes.slice(0, 5), ['ok', 'ok', 'ok', 'ok', 'ok'], 'the first come are served');
  assert.is(codes.filter((code) => code === 'insufficient_user_quota').length, 45);
  assert.is(books.ledger.openHolds, 5, 'who was refused holds nothing');
  assert.is(await books.balance(purse), 100);
  for (const id of ids.slice(0, 5)) {
    void books.ledger.settle(settlementOf(purse, { requestId: id, held: 3185, charge: 3000 }));
  }
  await books.close();
});

ledger('serves the same number when several processes race for one balance', async () => {
  const first = await Books.open(home.url, { node: 'node-a' });
  const purse = await first.purse(100 * 7, 100 * 5);
  await first.watch();
  const others = await Promise.all(
    ['node-b', 'node-c'].map((node) => (testEngine() === 'postgres' ? Books.open(home.url, { node }) : first)),
  );
  const nodes = [first, ...others];
  const codes = await Promise.all(
    Array.from({ length: 100 }, (_, index) => {
      const books = nodes[index % nodes.length] ?? first;
      return codeOf(books.ledger.hold(holdOf(purse, `r${index}`, 100))).then((code) => ({ code, index, books }));
    }),
  );
  const granted = codes.filter(({ code }) => code === 'ok');
  assert.is(granted.length, 5);
  assert.is(codes.filter(({ code }) => code === 'insufficient_token_quota').length, 95);
  await Promise.all(granted.map(({ books, index }) => books.ledger.settle(releaseOf(purse, `r${index}`, 100))));
  for (const books of new Set(others)) if (books !== first) await books.close();
  await first.close();
});

ledger('serves two hundred callers on one account without a lock in their way', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(10_000_000, 10_000_000);
  await books.watch();
  const caller = async (name: number) => {
    for (let call = 0; call < 5; call++) {
      const requestId = `${name}-${call}`;
      await books.ledger.hold(holdOf(purse, requestId, 100));
      await books.ledger.extend({ ...purse, requestId, amount: 50 });
      void books.ledger.settle(settlementOf(purse, { requestId, held: 150, charge: 120 }));
    }
  };
  await Promise.all(Array.from({ length: 200 }, (_, name) => caller(name)));
  await books.ledger.drain();
  assert.is(await books.balance(purse), 10_000_000 - 1000 * 120);
  assert.equal(books.events, []);
  await books.close();
});

ledger('names what is left and what is needed in a refusal', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(40);
  await books.watch();
  try {
    await books.ledger.hold(holdOf(purse, 'a', 41));
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TollgateError);
    if (error instanceof TollgateError) {
      assert.equal(error.params, { remaining: '40 units', needed: '41 units' });
    }
  }
  await books.close();
});

ledger('decides each hold of a group alone, in the order they came', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(1000, 250);
  const unlimited = { ...(await books.purse(0)), userId: purse.userId };
  const other = await books.purse(50);
  const nobody = { userId: 999_999, tokenId: 0, tokenLimited: false };
  await books.watch();
  const wanted: [typeof purse, number, string][] = [
    [purse, 200, 'ok'],
    [purse, 100, 'insufficient_token_quota'],
    [unlimited, 750, 'ok'],
    [purse, 50, 'ok'],
    [unlimited, 1, 'insufficient_user_quota'],
    [other, 50, 'ok'],
    [nobody, 1, 'insufficient_user_quota'],
  ];
  const codes = await Promise.all(
    wanted.map(([who, amount], index) => codeOf(books.ledger.hold(holdOf(who, `r${index}`, amount)))),
  );
  assert.equal(
    codes,
    wanted.map(([, , code]) => code),
  );
  assert.is(await books.balance(purse), 0);
  await books.check({ holds: 'open' });
  for (const [index, [who, amount, code]] of wanted.entries()) {
    if (code === 'ok') await books.ledger.settle(releaseOf(who, `r${index}`, amount));
  }
  await books.close();
});

ledger('changes nothing when a settlement or release comes again', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(10_000, 10_000);
  await books.watch();
  await books.ledger.hold(holdOf(purse, 'a', 500));
  await books.ledger.hold(holdOf(purse, 'b', 500));
  const settled = settlementOf(purse, { requestId: 'a', held: 500, charge: 300 });
  const released = releaseOf(purse, 'b', 500);
  await Promise.all(
    [settled, settled, released, released, releaseOf(purse, 'a', 500)].map((s) => books.ledger.settle(s)),
  );
  await books.ledger.settle(settled);
  await books.ledger.settle(settlementOf(purse, { requestId: 'b', held: 500, charge: 400 }));
  assert.is(await books.balance(purse), 9700);
  await books.close();
});

ledger('books a free request once, without a hold', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(0);
  await books.watch();
  await books.ledger.hold(holdOf(purse, 'free', 0));
  const free = settlementOf(purse, { requestId: 'free', held: 0, charge: 0 });
  await Promise.all([books.ledger.settle(free), books.ledger.settle(free)]);
  await books.ledger.settle(free);
  assert.is((await books.database.stores.users.find(purse.userId))?.requestCount, 1);
  // Tools of a free model may cost something: then the balance goes below zero.
  await books.ledger.settle(settlementOf(purse, { requestId: 'tool', held: 0, charge: 70 }));
  assert.is(await books.balance(purse), -70);
  await books.close();
});

ledger('enlarges an open hold, refuses what the balance lacks, and settles all of it', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(1000, 900);
  await books.watch();
  await books.ledger.hold(holdOf(purse, 'a', 300));
  await books.ledger.extend({ ...purse, requestId: 'a', amount: 200 });
  await Promise.all([1, 2].map(() => books.ledger.extend({ ...purse, requestId: 'a', amount: 50 })));
  assert.is(await codeOf(books.ledger.extend({ ...purse, requestId: 'a', amount: 301 })), 'insufficient_token_quota');
  assert.is(await codeOf(books.ledger.extend({ ...purse, requestId: 'a', amount: 401 })), 'insufficient_user_quota');
  assert.is(await codeOf(books.ledger.extend({ ...purse, requestId: 'gone', amount: 1 })), 'accounting_unavailable');
  assert.is(await books.balance(purse), 400);
  await books.ledger.settle(settlementOf(purse, { requestId: 'a', held: 600, charge: 650 }));
  assert.is(await codeOf(books.ledger.extend({ ...purse, requestId: 'a', amount: 1 })), 'accounting_unavailable');
  assert.is(await books.balance(purse), 350);
  await books.close();
});

ledger(
  'never moves the remaining quota of an unlimited token, and takes the playground from the user alone',
  async () => {
    const books = await Books.open(home.url);
    const purse = await books.purse(1000);
    const playground = { ...purse, tokenId: 0 };
    await books.watch();
    await books.ledger.hold(holdOf(purse, 'a', 100));
    assert.is((await books.database.stores.tokens.find(purse.tokenId))?.usedQuota, 0);
    await books.ledger.hold(holdOf(playground, 'b', 100));
    await books.ledger.settle(settlementOf(purse, { requestId: 'a', held: 100, charge: 90 }));
    await books.ledger.settle(settlementOf(playground, { requestId: 'b', held: 100, charge: 80 }));
    const token = await books.database.stores.tokens.find(purse.tokenId);
    assert.is(token?.remainQuota, 0);
    assert.is(token?.usedQuota, 90);
    assert.is(token?.accessedTime, 1_800_000_000);
    await books.close();
  },
);

ledger('throws on an amount that cannot be right, and settles what was held', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(100_000);
  await books.watch();
  const wrong = [-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY];
  for (const [index, charge] of wrong.entries()) {
    await books.ledger.hold(holdOf(purse, `w${index}`, 10));
    const settlement = settlementOf(purse, { requestId: `w${index}`, held: 10, charge });
    assert.is(await codeOf(books.ledger.settle(settlement)), 'internal_error');
    assert.is(await codeOf(books.ledger.hold(holdOf(purse, `h${index}`, charge))), 'internal_error');
  }
  await books.ledger.hold(holdOf(purse, 'rows', 10));
  const rows = [consumeRow(purse, { requestId: 'rows', quota: 9, channelId: 0 })];
  const uneven = settlementOf(purse, { requestId: 'rows', held: 10, charge: 8 }, { rows });
  assert.is(await codeOf(books.ledger.settle(uneven)), 'internal_error');
  assert.is(books.events.filter((event) => event.kind === 'invalid-amount').length, 2 * wrong.length + 1);
  assert.is(await books.balance(purse), 100_000 - 10 * (wrong.length + 1));
  await books.close();
});

ledger('tells of a charge that was cut to the most that one request may cost', async () => {
  const books = await Books.open(home.url);
  for (const [requestId, charge] of [
    ['most', MAX_CHARGE],
    ['less', MAX_CHARGE - 1],
  ] as const) {
    const purse = await books.purse(100);
    await books.ledger.hold(holdOf(purse, requestId, 10));
    await books.ledger.settle(settlementOf(purse, { requestId, held: 10, charge }));
  }
  assert.equal(books.events, [{ kind: 'charge-cut', requestId: 'most' }]);
  await books.close();
});

ledger('keeps one bad settlement from holding up the others of its group', async () => {
  const books = await Books.open(home.url);
  const purse = await books.purse(100_000);
  await books.watch();
  const ids = Array.from({ length: 9 }, (_, index) => `r${index}`);
  await Promise.all(ids.map((id) => books.ledger.hold(holdOf(purse, id, 10))));
  const settlements = ids.map((id) => settlementOf(purse, { requestId: id, held: 10, charge: 7 }));
  // No number at all: the column takes no null.
  const bad = { ...consumeRow(purse, { requestId: 'r4', quota: 7, channelId: 0 }), type: Number.NaN };
  settlements[4] = {
    ...settlements[4],
    ...settlementOf(purse, { requestId: 'r4', held: 10, charge: 7 }, { rows: [bad] }),
  };
  await Promise.all(settlements.map((settlement) => books.ledger.settle(settlement)));
  assert.equal(
    books.events.filter((event) => event.kind === 'rejected').map((event) => event.requestId),
    ['r4'],
  );
  assert.is(await books.balance(purse), 100_000 - 8 * 7 - 10);
  await books.ledger.settle(releaseOf(purse, 'r4', 10));
  await books.close();
});

ledger('tells who listens about every change of the books, once', async () => {
  const seen: [string, number | undefined][] = [];
  const books = await Books.open(home.url, {
    settled: (settlement, balance) => seen.push([settlement.requestId, balance]),
  });
  const purse = await books.purse(1000);
  await books.watch();
  await books.ledger.hold(holdOf(purse, 'a', 100));
  const settlement = settlementOf(purse, { requestId: 'a', held: 100, charge: 60 });
  await books.ledger.settle(settlement);
  await books.ledger.settle(settlement);
  assert.equal(seen, [['a', 940]]);
  assert.is(books.ledger.openHolds, 0);
  await books.close();
});

ledger.run();
