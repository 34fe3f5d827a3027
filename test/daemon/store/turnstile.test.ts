import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Turnstile } from '../../../daemon/store/turnstile.ts';

const turnstile = suite('store/turnstile');
const options = { limit: 5000, full: () => new Error('full') };

turnstile('gives each resource to one user at a time, in the order of asking', async () => {
  const gate = new Turnstile(['a', 'b'], options);
  const served: number[] = [];
  let inside = 0;
  await Promise.all(
    Array.from({ length: 3000 }, async (_, number) => {
      const resource = await gate.acquire();
      inside += 1;
      assert.ok(inside <= 2);
      served.push(number);
      await Promise.resolve();
      inside -= 1;
      gate.release(resource);
    }),
  );
  assert.equal(
    served,
    Array.from({ length: 3000 }, (_, number) => number),
  );
  assert.is(gate.waiting, 0);
});

turnstile('refuses whoever would wait beyond the limit', async () => {
  const gate = new Turnstile(['a'], { ...options, limit: 1 });
  const held = await gate.acquire();
  const waiting = gate.acquire();
  const refused = await gate.acquire().catch((error: unknown) => error);
  assert.equal(refused, new Error('full'));
  gate.release(held);
  assert.is(await waiting, 'a');
});

turnstile('refuses those who wait and those who come once it is closed', async () => {
  const gate = new Turnstile(['a'], options);
  const held = await gate.acquire();
  const waiting = gate.acquire().catch((error: unknown) => error);
  gate.close(() => new Error('closed'));
  assert.equal(await waiting, new Error('closed'));
  gate.release(held);
  assert.equal(await gate.acquire().catch((error: unknown) => error), new Error('closed'));
});

turnstile.run();
