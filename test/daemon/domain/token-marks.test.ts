import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TokenMarks } from '../../../daemon/domain/token-marks.ts';

const test = suite('domain/token-marks');

test('writes one mark of a key at a time, however many calls are refused, and goes on after a failure', async () => {
  const written: string[] = [];
  const reports: unknown[] = [];
  const pending: { resolve: () => void; reject: (cause: unknown) => void }[] = [];
  const write = (what: string) => {
    written.push(what);
    return new Promise<undefined>((resolve, reject) => pending.push({ resolve: () => resolve(undefined), reject }));
  };
  const marks = new TokenMarks({
    tokens: { markExpired: (id, at) => write(`${id} expired ${at}`), markExhausted: (id) => write(`${id} exhausted`) },
    nowSeconds: () => 7,
    report: (error) => reports.push(error),
  });
  for (let call = 0; call < 100; call += 1) marks.mark(1, 'exhausted');
  marks.mark(2, 'expired');
  assert.equal(written, ['1 exhausted', '2 expired 7']);
  pending[0]?.reject('away');
  pending[1]?.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(reports, ['away']);
  marks.mark(1, 'exhausted');
  assert.equal(written.length, 3);
});

test.run();
