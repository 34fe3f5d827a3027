/** Calls that are refused for want of a fresh proof (console.md 1.4, N6). Runs once: it knows no database. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pendingProof, proveFor } from '../../console/api/proof.ts';
import { ApiError } from '../../daemon/contract/api-error.ts';
import type { ProofAction } from '../../daemon/contract/proof-actions.ts';
import { someTurns, untilThere } from '../support/until.ts';

const test = suite('console/proof');

const refusal = (action: ProofAction) =>
  new ApiError({
    code: 'step_up_required',
    message: 'prove who you are',
    status: 403,
    data: { action, methods: ['password'] },
  });

const question = () => untilThere(() => pendingProof.get());

test('calls that are refused at once wait for one proof, and all of them are made again', async () => {
  const calls = [proveFor(refusal('option')), proveFor(refusal('option'))];
  const first = await question();
  // One whose refusal came while the question stood there.
  calls.push(proveFor(refusal('option')));
  await someTurns();
  assert.is(pendingProof.get(), first);
  first.answer(true);
  assert.equal(await Promise.all(calls), [true, true, true]);
  assert.is(pendingProof.get(), undefined);
});

test('a proof that is not given ends every call that waits for it without a word', async () => {
  const calls = [proveFor(refusal('option')), proveFor(refusal('option'))];
  (await question()).answer(false);
  for (const call of await Promise.allSettled(calls)) {
    assert.is(call.status === 'rejected' && call.reason.code, 'aborted');
  }
  assert.is(pendingProof.get(), undefined);
});

test('a proof of one kind is none for another, whose call stays refused', async () => {
  const call = proveFor(refusal('option'));
  const open = await question();
  assert.is(await proveFor(refusal('channel_key')), false);
  open.answer(true);
  assert.is(await call, true);
});

test('the late answer to a proof that was given up leaves the next one standing', async () => {
  const givenUp = proveFor(refusal('option'));
  const first = await question();
  first.answer(false);
  await givenUp.catch(() => undefined);
  const call = proveFor(refusal('option'));
  const second = await question();
  first.answer(true);
  assert.is(pendingProof.get(), second);
  second.answer(true);
  assert.is(await call, true);
});

test.run();
