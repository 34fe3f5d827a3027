import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { shippedOptionDefaults } from '../../../daemon/domain/options.ts';
import { priceBookOf } from '../../../daemon/domain/pricing.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import type { AnswerMeter } from '../../../daemon/gateway/lane.ts';
import { Spending } from '../../../daemon/gateway/spending.ts';
import { optionsView } from '../../support/options-view.ts';

const test = suite('gateway/spending');
const book = priceBookOf(optionsView(shippedOptionDefaults()));
const price = book.find({ client: 'gpt-4o', bare: 'gpt-4o' }, { unpriced: false });
const group = book.groupRatio('default', 'default');
/** Quota of one output token. */
const token = 5;

function spendingOf(held: number, extend: (amount: number) => Promise<void>): Spending {
  if (price === undefined) throw new Error('gpt-4o has no price');
  return new Spending({ price, group, promptTokens: 0, held, balance: 1_000_000_000, extend });
}

function meter(tokens: number): AnswerMeter {
  return {
    usage: () => undefined,
    counted: () => ({ completion: tokens, completionAudio: 0 }),
    isBlank: () => false,
    hasOutput: true,
  };
}

test('leaves a hold alone that covers what was said and half a slice more', async () => {
  const asked: number[] = [];
  const spending = spendingOf(512 * token, async (amount) => void asked.push(amount));
  assert.is(await spending.review(meter(200)), undefined);
  assert.equal(asked, []);
});

test('extends a hold before it is used up', async () => {
  const asked: number[] = [];
  const spending = spendingOf(512 * token, async (amount) => void asked.push(amount));
  assert.is(await spending.review(meter(300)), undefined);
  assert.is(asked.length, 1);
  assert.is(spending.held, 512 * token + (asked[0] ?? 0));
});

test('asks for one slice when the comfortable amount is refused', async () => {
  const asked: number[] = [];
  const spending = spendingOf(512 * token, async (amount) => {
    asked.push(amount);
    if (asked.length === 1) throw new TollgateError('insufficient_user_quota');
  });
  assert.is(await spending.review(meter(400)), undefined);
  // A tenth of the cost, at least 5000, or else 512 tokens beyond what was said.
  assert.equal(asked, [400 * token + 5000 - 512 * token, 400 * token]);
  assert.is(spending.held, (512 + 400) * token);
});

test('asks for nothing further where a slice is held anyway and more is refused', async () => {
  const asked: number[] = [];
  const spending = spendingOf(2048 * token, async (amount) => {
    asked.push(amount);
    throw new TollgateError('insufficient_user_quota');
  });
  assert.is(await spending.review(meter(0), 8192), undefined);
  // What is unread, and a slice more.
  assert.equal(asked, [(8192 + 512 - 2048) * token]);
});

test('counts tools that have run before the upstream reports what was used', async () => {
  const refusal = new TollgateError('insufficient_user_quota');
  const spending = spendingOf(512 * token, () => Promise.reject(refusal));
  const searching = (web_search: number): AnswerMeter => ({ ...meter(0), tools: () => ({ web_search }) });
  assert.is(await spending.review(searching(0)), undefined);
  // 10 USD a thousand: 5000 quota, and 2560 are held.
  assert.is(await spending.review(searching(1)), refusal);
});

test('ends the stream only when what was said has reached the hold', async () => {
  const refusal = new TollgateError('insufficient_token_quota');
  const spending = spendingOf(512 * token, () => Promise.reject(refusal));
  assert.is(await spending.review(meter(400)), undefined);
  assert.is(await spending.review(meter(512)), refusal);
});

test('does not cut a stream because the books cannot be reached', async () => {
  const spending = spendingOf(512 * token, () => Promise.reject(new TollgateError('accounting_unavailable')));
  assert.is(await spending.review(meter(9000)), undefined);
});

test('is awaited while more is asked for and what was said has reached the hold', async () => {
  let answer: (() => void) | undefined;
  const spending = spendingOf(512 * token, () => new Promise((resolve) => (answer = resolve)));
  const asking = spending.review(meter(400));
  assert.is(spending.isAwaited, false);
  await spending.review(meter(600));
  assert.is(spending.isAwaited, true);
  answer?.();
  assert.is(await asking, undefined);
  assert.is(spending.isAwaited, false);
});

const burst = Buffer.from(
  Array.from({ length: 200 }, (_, at) => `data: {"delta":{"content":"${at} the quick brown fox jumps "}}\n\n`).join(''),
);

test('lets nothing be read of what may cost more than is held, before that is held too', async () => {
  const asked: number[] = [];
  const spending = spendingOf(512 * token, async (amount) => void asked.push(amount));
  assert.is(spending.portion(burst), 0);
  const covering = spending.cover(burst, meter(0));
  assert.is(spending.isAwaited, true);
  assert.is(await covering, undefined);
  assert.is(spending.isAwaited, false);
  assert.is(asked.length, 1);
  assert.is(spending.portion(burst), burst.length);
});

test('lets as much be read, in whole events, as a balance pays for that runs out', async () => {
  const spending = spendingOf(512 * token, () => Promise.reject(new TollgateError('insufficient_user_quota')));
  assert.is(await spending.cover(burst, meter(412)), undefined);
  const portion = spending.portion(burst);
  // A hundred tokens are left, and every event looks like seven.
  assert.ok(portion > 0 && portion < burst.length / 10, String(portion));
  assert.is(burst.subarray(portion - 2, portion).toString(), '\n\n');
  assert.is((await spending.cover(burst, meter(512)))?.code, 'insufficient_user_quota');
});

test('takes an event of a picture for no words, so that hardly anything is held for it', async () => {
  const asked: number[] = [];
  const spending = spendingOf(512 * token, async (amount) => void asked.push(amount));
  const picture = Buffer.from(`data: {"type":"partial_image","b64_json":"${'iVBORw0K'.repeat(8000)}"}\n\n`);
  assert.is(spending.portion(picture), picture.length);
  const beginning = picture.subarray(0, 60_000);
  assert.is(spending.portion(beginning), beginning.length);
  assert.equal(asked, []);
});

test('lets everything be read where the books cannot be reached', async () => {
  const spending = spendingOf(512 * token, () => Promise.reject(new TollgateError('accounting_unavailable')));
  assert.is(await spending.cover(burst, meter(500)), undefined);
  assert.is(spending.portion(burst), burst.length);
});

test('waits for an enlargement that is under way before it asks for another', async () => {
  const answers: (() => void)[] = [];
  const spending = spendingOf(512 * token, () => new Promise((resolve) => answers.push(resolve)));
  const looking = spending.review(meter(400));
  const covering = spending.cover(burst, meter(400));
  assert.is(answers.length, 1);
  answers[0]?.();
  await looking;
  while (answers.length < 2) await new Promise(setImmediate);
  answers[1]?.();
  assert.is(await covering, undefined);
  assert.is(spending.portion(burst), burst.length);
});

test('asks less for sound that has been heard for a while, but not for words that look like it, where the balance is poor', async () => {
  if (price === undefined) throw new Error('gpt-4o has no price');
  /** How often more was asked for while 200 events came, each heard for so long. */
  const asked = async (event: Buffer, tokens: (events: number) => ReturnType<AnswerMeter['counted']>) => {
    let times = 0;
    const extend = async () => void (times += 1);
    const spending = new Spending({
      price,
      group,
      promptTokens: 0,
      held: 512 * token,
      balance: 100 * 512 * token,
      extend,
    });
    for (let events = 0; events < 200; events += 1) {
      const told: AnswerMeter = { ...meter(0), counted: () => tokens(events) };
      while (spending.portion(event) === 0) await spending.cover(event, told);
      if (spending.passed(event)) await spending.review({ ...told, counted: () => tokens(events + 1) });
    }
    return times;
  };
  const data = 'abcd'.repeat(2000);
  const heard = (events: number) => ({ completion: 2 * events, completionAudio: 2 * events });
  assert.ok((await asked(Buffer.from(`data: {"delta":{"audio":{"data":"${data}"}}}\n\n`), heard)) < 20);
  const said = (events: number) => ({ completion: 4000 * events, completionAudio: 0 });
  assert.ok((await asked(Buffer.from(`data: {"delta":{"content":"${data}"}}\n\n`), said)) > 40);
});

test('does not ask the books for each event of a sound where the balance is ample', async () => {
  const asked: number[] = [];
  const spending = spendingOf(512 * token, async (amount) => void asked.push(amount));
  const heard = Buffer.from(`data: {"delta":"${'x'.repeat(8000)}"}\n\n`);
  for (let events = 0; events < 600; events += 1) {
    if (spending.portion(heard) === 0) assert.is(await spending.cover(heard, meter(3 * events)), undefined);
    spending.passed(heard);
    await spending.review(meter(3 * events));
  }
  assert.ok(asked.length < 12, String(asked.length));
});

/** Bytes that pass before the first look at the cost, of events that come so many at a time. */
function looksAfter(events: readonly string[], together: number): number {
  const spending = spendingOf(1, async () => undefined);
  let bytes = 0;
  for (let at = 0; ; at += together) {
    const piece = Array.from({ length: together }, (_, index) => events[(at + index) % events.length]).join('');
    bytes += piece.length;
    if (spending.passed(Buffer.from(piece))) return bytes;
  }
}

const event = (text: string) => `data: {"id":"chatcmpl-${'1'.repeat(150)}","delta":{"content":"${text}"}}\n\n`;

test('looks sooner at dense events than at sparse ones', () => {
  assert.ok(looksAfter([event(' a'), event(' b')], 1) > 60 * 1024);
  assert.ok(looksAfter([event('x'.repeat(5000))], 1) <= 8 * 1024);
});

test('looks sooner at events of several words, once it can tell words from wrapping', () => {
  const of = (...texts: string[]) => looksAfter(texts.map(event), 8);
  assert.ok(of(' The', ' cat', ' sat', ' down') > 60 * 1024);
  const phrases = of(' the cat sat on the mat', ' while it was raining', ' and nobody came by', ' to ask it why');
  assert.ok(phrases < 48 * 1024, String(phrases));
});

test('looks as soon at events of several words that come one by one, or that say the same again', () => {
  const line = ' the quick brown fox jumps over the lazy dog while it rains'.repeat(4);
  const singly = looksAfter([event(line), event(line.toUpperCase())], 1);
  assert.ok(singly < 8 * 1024, String(singly));
  for (const together of [1, 8]) {
    const repeated = looksAfter([event(line)], together);
    assert.ok(repeated < 8 * 1024, `${together}: ${repeated}`);
  }
});

test.run();
