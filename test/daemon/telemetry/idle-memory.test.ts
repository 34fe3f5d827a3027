import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fullCollection, IdleMemory } from '../../../daemon/telemetry/idle-memory.ts';
import { until } from '../../support/until.ts';

const megabyte = 1024 * 1024;

function world() {
  const state = { running: 0, bytes: 100 * megabyte, collections: 0, left: 110 * megabyte, isTold: true };
  const memory = new IdleMemory({
    running: () => state.running,
    memoryBytes: () => (state.isTold ? state.bytes : undefined),
    collect: () => {
      state.collections += 1;
      state.bytes = state.left;
    },
  });
  const look = (times: number) => {
    for (let count = 0; count < times; count += 1) memory.look();
    return state.collections;
  };
  return { state, look };
}

const idle = suite('memory of an idle node');

idle('waits while the system does not tell how much it is', () => {
  const { state, look } = world();
  Object.assign(state, { bytes: 300 * megabyte, isTold: false });
  assert.is(look(20), 0);
  state.isTold = true;
  assert.is(look(1), 1);
});

idle('is collected when a load is over, and once more when its connections are closed', () => {
  const { state, look } = world();
  assert.is(look(20), 0, 'nothing has grown');
  state.running = 500;
  state.bytes = 300 * megabyte;
  assert.is(look(10), 0, 'calls run');
  state.running = 0;
  assert.is(look(14), 0, 'the next call may come soon');
  assert.is(look(1), 1, 'the load is over');
  assert.is(look(4), 1);
  assert.is(look(1), 2, 'once more');
  assert.is(look(100), 2, 'and then never again');
});

idle('is left alone while calls come and go, and where little has grown', () => {
  const { state, look } = world();
  look(20);
  state.bytes = 300 * megabyte;
  for (let turn = 0; turn < 20; turn += 1) {
    state.running = 1;
    assert.is(look(1), 0);
    state.running = 0;
    assert.is(look(14), 0);
  }
  state.running = 0;
  state.bytes = 131 * megabyte;
  assert.is(look(20), 0, 'less than a pause is worth');
});

idle('counts growth from what a collection could not give back', () => {
  const { state, look } = world();
  look(20);
  state.left = 250 * megabyte;
  state.bytes = 260 * megabyte;
  assert.is(look(1), 1);
  assert.is(look(50), 2);
  state.bytes = 281 * megabyte;
  assert.is(look(50), 2);
  state.bytes = 283 * megabyte;
  assert.is(look(50), 4);
});

idle('is freed by a collection of everything', async () => {
  const before = process.memoryUsage().arrayBuffers;
  const kept: { bytes: Buffer | undefined } = { bytes: Buffer.alloc(20 * megabyte) };
  assert.ok(process.memoryUsage().arrayBuffers - before > 19 * megabyte);
  kept.bytes = undefined;
  fullCollection()();
  // Buffers are freed behind the collection, in threads.
  await until(() => process.memoryUsage().arrayBuffers - before < megabyte);
});

idle.run();
