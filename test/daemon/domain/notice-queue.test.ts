import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Delivery, DeliveryFailure } from '../../../daemon/domain/notice-delivery.ts';
import { NoticeQueue } from '../../../daemon/domain/notice-queue.ts';
import { sampleNotice } from '../../../daemon/domain/notice-texts.ts';
import { resolvesWithin, until } from '../../support/until.ts';

const queue = suite('the queue of notices');

function delivery(id: string): Delivery {
  return { id, notice: sampleNotice(undefined, ''), to: { by: 'mail', to: 'a@example.org' }, language: 'en' };
}

queue('tries again what may arrive later, with the same id, until it arrives', async () => {
  const tried: string[] = [];
  const notices = new NoticeQueue({
    deliver: async ({ id }) => {
      tried.push(id);
      if (tried.length < 3) throw new DeliveryFailure('not yet', 'later');
    },
    report: () => assert.unreachable('it arrived'),
    limits: { retryDelaysMs: [1, 1] },
  });
  assert.is(notices.offer(delivery('one')), true);
  await until(() => notices.figures.sent === 1);
  assert.equal(tried, ['one', 'one', 'one']);
  assert.equal(notices.figures, { waiting: 0, sent: 1, failed: 0, dropped: 0 });
});

queue('gives up when the tries are used up, and at once where no later try can help', async () => {
  const reported: string[] = [];
  let tries = 0;
  const notices = new NoticeQueue({
    deliver: async ({ id }) => {
      tries += 1;
      throw id === 'refused' ? new DeliveryFailure('refused', 'never') : new Error('a bug in a way of delivery');
    },
    report: ({ delivery: { id } }) => reported.push(id),
    limits: { retryDelaysMs: [1, 1] },
  });
  notices.offer(delivery('refused'));
  await until(() => reported.length === 1);
  assert.is(tries, 1);
  notices.offer(delivery('failing'));
  await until(() => reported.length === 2);
  assert.is(tries, 4);
  assert.equal(reported, ['refused', 'failing']);
  assert.is(notices.figures.failed, 2);
});

queue('takes no more than it may hold, runs few at a time, and never makes the caller wait', async () => {
  let running = 0;
  let most = 0;
  const gate: (() => void)[] = [];
  const notices = new NoticeQueue({
    deliver: async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => gate.push(resolve));
      running -= 1;
    },
    report: () => undefined,
    limits: { maxWaiting: 3, maxRunning: 2 },
  });
  const taken = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => notices.offer(delivery(id)));
  assert.equal(taken, [true, true, true, true, true, false, false]);
  assert.equal(notices.figures, { waiting: 3, sent: 0, failed: 0, dropped: 2 });
  while (notices.figures.sent < 5) {
    gate.shift()?.();
    await sleep(1);
  }
  assert.is(most, 2);
});

queue('ends what runs and drops what waits when it is stopped', async () => {
  const notices = new NoticeQueue({
    deliver: async ({ id }) => {
      if (id === 'later') throw new DeliveryFailure('not yet', 'later');
      await sleep(20);
    },
    report: () => undefined,
    limits: { maxRunning: 1, retryDelaysMs: [60_000] },
  });
  notices.offer(delivery('later'));
  await notices.idle();
  notices.offer(delivery('running'));
  notices.offer(delivery('waiting'));
  await notices.stop();
  assert.equal(notices.figures, { waiting: 0, sent: 1, failed: 0, dropped: 2 });
  assert.is(notices.offer(delivery('after')), false);
});

queue('does not wait for ever on a try that hangs', async () => {
  const notices = new NoticeQueue({
    deliver: () => new Promise(() => undefined),
    report: () => undefined,
    limits: { stopMs: 20 },
  });
  notices.offer(delivery('hangs'));
  await resolvesWithin(2000, notices.stop());
});

queue.run();
