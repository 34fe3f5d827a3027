import { setImmediate } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { costShareOf } from '../../../daemon/domain/attempt-cost.ts';
import { shippedOptionDefaults } from '../../../daemon/domain/options.ts';
import { priceBookOf } from '../../../daemon/domain/pricing.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { SessionBill } from '../../../daemon/gateway/realtime-bill.ts';
import { emptyUsage, type Usage } from '../../../daemon/relay/canonical/usage.ts';
import { optionsView } from '../../support/options-view.ts';

const test = suite('gateway/realtime-bill');
const options = { ModelRatio: { token: 1 }, CompletionRatio: { token: 1 }, ModelPrice: { fixed: 0.002 } };
const book = priceBookOf(optionsView({ ...shippedOptionDefaults(), ...options }));
const group = book.groupRatio('default', 'default');

/** A bill with a hold of 100 and a ledger that does as told. */
class World {
  readonly charged: number[] = [];
  readonly extended: number[] = [];
  refusal: TollgateError | undefined;
  /** What the ledger waits for before it extends a hold. */
  books: Promise<void> = Promise.resolve();
  nowMs = 0;
  readonly bill: SessionBill;

  constructor(model: 'token' | 'fixed', held = 100) {
    const price = book.find({ client: model, bare: model }, { unpriced: false });
    if (price === undefined) throw new Error('no price');
    this.bill = new SessionBill({
      price,
      group,
      share: costShareOf({ setting: { cost_ratio: 0.5 } }),
      held,
      charge: async ({ charge }) => void this.charged.push(charge),
      extend: async (amount) => {
        await this.books;
        if (this.refusal !== undefined) throw this.refusal;
        this.extended.push(amount);
      },
      now: () => this.nowMs,
    });
  }
}

const used = (tokens: number): Usage => ({ ...emptyUsage(), prompt: tokens });
const codeOf = (work: Promise<void>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof TollgateError ? error.code : String(error)),
  );

test('charges sums, and renews the hold by what each turn has used of it', async () => {
  const { bill, charged, extended } = new World('token');
  await bill.turn(used(30));
  await bill.turn(used(250));
  assert.equal(charged, [30, 280]);
  // More than was held is gone from the balance already.
  assert.equal(extended, [30, 100]);
  const { charge, cost } = await bill.close(used(5));
  // Half of 30, 250 and 5, each rounded for itself.
  assert.equal([charge, cost], [285, 143]);
});

test('charges a price by call with the first turn alone', async () => {
  const { bill, charged } = new World('fixed', 1000);
  await bill.turn(used(30));
  await bill.turn(used(250));
  assert.equal(charged, [1000, 1000]);
  assert.is((await bill.close(undefined)).cost, 500);
});

test('enlarges the hold for a long answer once, and not for one that it covers', async () => {
  const { bill, extended } = new World('token');
  await bill.review(undefined);
  await bill.review(used(99));
  assert.equal(extended, []);
  await bill.review(used(150));
  await bill.review(used(160));
  assert.equal(extended, [150]);
  // The hold is then larger than the turn has used.
  await bill.turn(used(160));
  assert.equal(extended, [150, 10]);
});

test('refuses at once when the balance is spent, with the turn charged', async () => {
  const world = new World('token');
  world.refusal = new TollgateError('insufficient_user_quota');
  assert.is(await codeOf(world.bill.turn(used(30))), 'insufficient_user_quota');
  assert.equal(world.charged, [30]);
});

test('goes on for a minute without a hold, asks again meanwhile, and no longer', async () => {
  const world = new World('token');
  const { bill } = world;
  world.refusal = new TollgateError('accounting_unavailable');
  assert.is(await codeOf(bill.turn(used(30))), undefined);
  world.nowMs = 59_000;
  world.refusal = undefined;
  await bill.review(undefined);
  assert.equal(world.extended, [30]);
  world.refusal = new TollgateError('accounting_unavailable');
  assert.is(await codeOf(bill.turn(used(40))), undefined);
  world.nowMs += 59_000;
  assert.is(await codeOf(bill.review(undefined)), undefined);
  world.nowMs += 1000;
  assert.is(await codeOf(bill.review(undefined)), 'accounting_unavailable');
  assert.is((await bill.close(undefined)).charge, 70);
});

test('closes when what is under way is in the books, and charges nothing more by itself', async () => {
  const world = new World('token');
  let answer = () => {};
  world.books = new Promise((resolve) => {
    answer = resolve;
  });
  const turns = [world.bill.turn(used(30)), world.bill.turn(used(40))];
  await setImmediate();
  const closing = world.bill.close(used(5));
  assert.is(await Promise.race([closing, setImmediate('open')]), 'open', 'its hold may yet grow');
  answer();
  assert.is((await closing).charge, 75);
  await Promise.all(turns);
  assert.equal(world.charged, [70], 'the rest is in what it closed with');
});

test('asks for nothing where the opening was free', async () => {
  const { bill, extended } = new World('token', 0);
  await bill.review(used(50));
  await bill.turn(used(50));
  assert.equal(extended, []);
});

test.run();
