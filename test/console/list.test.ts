/** Lists of the console: their address, spans of time, CSV, loops of calls, chosen columns. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Batch } from '../../console/api/batch.ts';
import {
  readFilters,
  readPage,
  readSize,
  readSort,
  withFilters,
  withPage,
  withSize,
  withSort,
} from '../../console/api/list-state.ts';
import { csvText } from '../../console/components/csv.ts';
import { queryOfView, withView } from '../../console/components/saved-views.ts';
import { isRelativeRange, rangeText, rangeToSeconds } from '../../console/components/time-range-text.ts';
import { ApiError } from '../../daemon/contract/client.ts';

const test = suite('console/list');

const defaults = { keyword: '', range: 'today' };
const search = (text: string) => new URLSearchParams(text);

test('a view is the filters and the order of an address, without its page, what is open, and what may be a key', () => {
  const filters = ['keyword', 'group', 'range'];
  const whole = search('keyword=eu+west&group=vip&range=&sort=-id&p=3&size=50&edit=7');
  assert.equal(queryOfView(whole, filters), { query: 'keyword=eu+west&group=vip&range=&sort=-id', isCut: false });
  const pasted = search('keyword=sk-abcdefghijklmnopqrst&group=vip');
  assert.equal(queryOfView(pasted, filters), { query: 'group=vip', isCut: true });
  assert.is(queryOfView(search('keyword=https://api.example.com/v1'), filters).isCut, false);
});

test('a view takes the place of the one by its name', () => {
  const [one, other, again] = [
    { name: 'a', query: 'x=1' },
    { name: 'b', query: '' },
    { name: 'a', query: 'x=2' },
  ];
  assert.equal(withView(withView([one], other), again), [again, other]);
});

test('an address without parameters is the default of a list', () => {
  assert.equal(readFilters(search(''), defaults), defaults);
  assert.is(readPage(search('')), 1);
  assert.is(readPage(search('p=0')), 1);
  assert.is(readPage(search('p=x')), 1);
  assert.is(readSize(search('size=7'), 20), 20);
  assert.is(readSize(search('size=50'), 20), 50);
  assert.equal(readSort(search('sort=-name')), { key: 'name', isDescending: true });
  assert.is(readSort(search('sort=-')), undefined);
});

test('changed filters lead to the first page and leave no parameter for a default', () => {
  const next = withFilters(search('p=3&keyword=a&other=1'), defaults, { keyword: '', range: '7d' });
  assert.is(next.toString(), 'other=1&range=7d');
  assert.is(withFilters(next, defaults, { range: 'today' }).toString(), 'other=1');
});

test('a range that is empty on purpose is kept where the default is not', () => {
  const next = withFilters(search(''), defaults, { range: '' });
  assert.is(readFilters(next, defaults).range, '');
});

test('another page size keeps the first row in sight', () => {
  assert.is(withSize(search('p=5&size=10'), 10, 50).toString(), '');
  assert.is(withSize(search('p=11&size=10'), 10, 20).toString(), 'p=6');
  assert.is(withPage(search('keyword=a&p=2'), 1).toString(), 'keyword=a');
  assert.is(withSort(search('p=2'), { key: 'name', isDescending: false }).toString(), 'sort=name');
});

test('spans of time', () => {
  const now = new Date(1_763_692_325_000);
  assert.equal(rangeToSeconds('24h', now), { from: 1_763_692_325 - 86_400 });
  assert.equal(rangeToSeconds('1000-2000'), { from: 1000, to: 2000 });
  assert.equal(rangeToSeconds('-2000'), { to: 2000 });
  assert.equal(rangeToSeconds('1000-'), { from: 1000 });
  for (const text of ['', 'x', '24', '1-2-3']) assert.equal(rangeToSeconds(text), {});
  const { from = 0 } = rangeToSeconds('today', now);
  assert.is(new Date(from * 1000).getHours(), 0);
  assert.is(rangeText({ from: 1000, to: 2000 }), '1000-2000');
  assert.is(rangeText({ to: 2000 }), '-2000');
  assert.is(rangeText({}), '');
  assert.ok(isRelativeRange('7d') && !isRelativeRange('1-2'));
});

test('CSV quotes what needs it and lets no cell run as a formula', () => {
  assert.is(
    csvText([
      ['name', 'n'],
      ['a "b", c', 1.5],
      ['=1+1', -3],
      ['＝1+1', -3],
      ['+1', 0],
      ['@x\ny', 2],
    ]),
    'name,n\r\n"a ""b"", c",1.5\r\n\'=1+1,-3\r\n\'＝1+1,-3\r\n\'+1,0\r\n"\'@x\ny",2\r\n',
  );
});

function clock() {
  let now = 0;
  return {
    now: () => now,
    sleep: (ms: number) => {
      now += ms;
      return Promise.resolve();
    },
  };
}

test('a loop runs four at a time and says what failed', async () => {
  let running = 0;
  let most = 0;
  const batch = new Batch(
    Array.from({ length: 20 }, (_, index) => index),
    async (index) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (index === 7) throw new Error('refused');
    },
    undefined,
    clock(),
  );
  const { done, total, failures, isRunning } = await batch.run();
  assert.equal([done, total, failures.map(({ item }) => item), isRunning, most], [20, 20, [7], false, 4]);
});

test('a loop begins at most 300 calls a minute and waits as long as a 429 asks', async () => {
  const time = clock();
  const starts: number[] = [];
  const paced = new Batch(
    Array.from({ length: 400 }, (_, index) => index),
    async () => starts.push(time.now()),
    undefined,
    time,
  );
  await paced.run();
  assert.is(starts.filter((start) => start < 60_000).length, 300);

  const later = clock();
  let refusals = 0;
  const waited: (number | undefined)[] = [];
  const refused = new Batch(
    [1, 2],
    async () => {
      if (refusals++ === 0) throw new ApiError({ code: 'rate_limited', message: '', status: 429, retryAfter: 30 });
    },
    ({ waitSeconds }) => waited.push(waitSeconds),
    later,
  );
  const { done, failures } = await refused.run();
  assert.equal([done, failures.length], [2, 0]);
  assert.ok(later.now() >= 30_000);
  assert.ok(waited.includes(30));
});

test('a stopped loop is taken up where it was', async () => {
  const done: number[] = [];
  const batch: Batch<number> = new Batch(
    [0, 1, 2, 3, 4, 5],
    async (item) => {
      done.push(item);
      if (item === 1 && done.length < 4) batch.stop();
    },
    undefined,
    { ...clock(), parallel: 1 },
  );
  const stopped = await batch.run();
  assert.equal([stopped.done, stopped.isRunning], [2, false]);
  assert.is((await batch.run()).done, 6);
  assert.equal(done, [0, 1, 2, 3, 4, 5]);
});

test.run();
