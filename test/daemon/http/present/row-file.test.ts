import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rowFile, tableBody } from '../../../../daemon/http/present/row-file.ts';

const test = suite('http/present/row-file');

const table = {
  present: ({ name, count }: { name: string; count: number }) => ({ name, count }),
  columns: ['name', 'count'],
  cells: ({ name, count }: { name: string; count: number }) => [name, count],
};

async function written(format: 'csv' | 'ndjson'): Promise<string> {
  async function* pages() {
    yield [{ name: '=cmd()', count: -1 }];
    yield [{ name: 'a, b', count: 2 }];
  }
  let text = '';
  for await (const piece of tableBody(pages(), format, table)) text += piece;
  return text;
}

test('writes a line a row, and makes formulas text in tables alone', async () => {
  assert.is(await written('csv'), `name,count\n'=cmd(),-1\n"a, b",2\n`);
  assert.is(await written('ndjson'), '{"name":"=cmd()","count":-1}\n{"name":"a, b","count":2}\n');
});

test('gives whatever else waits its turn between small pieces of a long page', async () => {
  async function* pages() {
    yield Array.from({ length: 1000 }, (_, count) => ({ name: 'a', count }));
  }
  for (const format of ['csv', 'ndjson'] as const) {
    let turns = 0;
    const ended = new AbortController();
    const others = (async () => {
      for (; !ended.signal.aborted; turns += 1) await turnOfLoop();
    })();
    let rows = 0;
    let before = 0;
    for await (const piece of tableBody(pages(), format, table)) {
      const lines = piece.split('\n').length - 1;
      assert.ok(lines <= 50, `${lines} rows in one go`);
      if (rows > 1) assert.ok(turns > before, `${format}: nobody had a turn before row ${rows}`);
      before = turns;
      rows += lines;
    }
    ended.abort();
    await others;
    assert.is(rows, format === 'csv' ? 1001 : 1000);
  }
});

test('names the file and its kind by its format', async () => {
  async function* nothing(): AsyncGenerator<string> {}
  const { fileName, contentType } = rowFile('codes', 'text', nothing());
  assert.equal([fileName, contentType], ['codes.txt', 'text/plain; charset=utf-8']);
  assert.is(rowFile('audit', 'ndjson', nothing()).fileName, 'audit.ndjson');
});

test.run();
