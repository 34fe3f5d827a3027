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

test('names the file and its kind by its format', async () => {
  async function* nothing(): AsyncGenerator<string> {}
  const { fileName, contentType } = rowFile('codes', 'text', nothing());
  assert.equal([fileName, contentType], ['codes.txt', 'text/plain; charset=utf-8']);
  assert.is(rowFile('audit', 'ndjson', nothing()).fileName, 'audit.ndjson');
});

test.run();
