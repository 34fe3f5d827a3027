/** What a command knows of calls that were sent and not answered, over all of their tries. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Unanswered } from '../../cli/unanswered.ts';

const unanswered = suite('calls without an answer');

const call = { url: 'http://127.0.0.1/api/user/quota', idempotencyKey: 'k-1' };
const json = (status: number) => new Response('{}', { status, headers: { 'content-type': 'application/json' } });

unanswered('are answered when any of their tries is, by the same key', () => {
  const calls = new Unanswered();
  calls.send(call);
  const other = { ...call, idempotencyKey: 'k-2' };
  calls.send(other);
  calls.send(call).answered(json(200));
  assert.equal(calls.first, other);
  calls.send(other).answered(json(409));
  assert.is(calls.first, undefined);
});

unanswered('stay open when a later try was never sent, which alone would leave nothing open', () => {
  const calls = new Unanswered();
  calls.send(call).neverSent();
  assert.is(calls.first, undefined);
  calls.send(call);
  calls.send(call).neverSent();
  assert.equal(calls.first, call);
});

unanswered('stay open when something before the server answers in its place', () => {
  const calls = new Unanswered();
  const page = new Response('<html>', { status: 502, headers: { 'content-type': 'text/html' } });
  calls.send(call).answered(page);
  assert.equal(calls.first, call);
  calls.send(call).answered(json(503));
  assert.is(calls.first, undefined, 'the server itself has refused it');
});

unanswered('without a key are each their own, and told apart by the work that sent them', async () => {
  const calls = new Unanswered();
  const unkeyed = { ...call, idempotencyKey: undefined };
  const [first, second] = await Promise.all(
    [0, 1].map((at) =>
      calls.watch(async (left) => {
        await new Promise(setImmediate);
        const sent = calls.send(unkeyed);
        if (at === 0) sent.answered(json(200));
        return left.first;
      }),
    ),
  );
  assert.equal([first, second, calls.first], [undefined, unkeyed, unkeyed]);
});

unanswered.run();
