import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { logFile } from '../../../../daemon/http/present/log-file.ts';
import { presentLog, presentOwnLog } from '../../../../daemon/http/present/logs.ts';
import type { LogRecord } from '../../../../daemon/store/logs.ts';

const test = suite('http/present/log-file');

const row: LogRecord = {
  id: 1,
  userId: 7,
  createdAt: 1_800_000_000,
  type: 2,
  content: 'a "call", done',
  username: 'alice',
  tokenName: '=cmd()',
  modelName: 'gpt-4o',
  quota: 100,
  promptTokens: 10,
  completionTokens: 5,
  useTime: 1,
  isStream: true,
  channelId: 3,
  tokenId: 4,
  group: 'default',
  other: '{}',
  requestId: 'req-1',
  failed: false,
  ip: null,
  cost: 3,
};

interface File {
  readonly format: 'csv' | 'ndjson';
  readonly reader?: 'operator' | 'user';
}

async function textOf({ format, reader = 'user' }: File, pages: readonly (readonly LogRecord[])[]): Promise<string[]> {
  async function* given() {
    yield* pages;
  }
  const present = reader === 'operator' ? (each: LogRecord) => presentLog(each, () => 'main') : presentOwnLog;
  const { body } = logFile(given(), { format, reader, present });
  let text = '';
  if (typeof body !== 'string') for await (const piece of body) text += String(piece);
  return text.trimEnd().split('\n');
}

test('writes csv with guarded formulas and the totals of consumption last', async () => {
  const lines = await textOf({ format: 'csv' }, [[row, { ...row, id: 2, type: 1 }], [{ ...row, id: 3 }]]);
  assert.is(lines.length, 5);
  assert.is(
    lines[1],
    `1,1800000000,2,alice,'=cmd(),gpt-4o,100,10,5,1,true,3,,default,req-1,false,,"a ""call"", done",{}`,
  );
  assert.is(lines[4], 'total,,,,,,200,20,10,,,,,,,,,3 rows,');
});

test('writes ndjson, of nothing the totals alone', async () => {
  const lines = await textOf({ format: 'ndjson' }, [[row]]);
  assert.is(JSON.parse(lines[0] ?? '').request_id, 'req-1');
  assert.equal(JSON.parse(lines[1] ?? ''), { total: { rows: 1, quota: 100, prompt_tokens: 10, completion_tokens: 5 } });
  assert.is((await textOf({ format: 'ndjson' }, [])).length, 1);
});

test('tells operators, and them alone, what the calls cost', async () => {
  const pages = [[row, { ...row, id: 2, type: 1, cost: 90 }], [{ ...row, id: 3, cost: 40 }]];
  const [header, first, , , totals] = await textOf({ format: 'csv', reader: 'operator' }, pages);
  assert.match(header ?? '', /,content,other,cost$/);
  assert.match(first ?? '', /,3,main,default,.*,\{\},3$/);
  assert.is(totals, 'total,,,,,,200,20,10,,,,,,,,,3 rows,,43');
  const last = (await textOf({ format: 'ndjson', reader: 'operator' }, pages)).at(-1);
  assert.is(JSON.parse(last ?? '').total.cost, 43);
  for (const format of ['csv', 'ndjson'] as const) assert.not.match((await textOf({ format }, pages)).join(), /cost/);
});

test.run();
