/** Cells of Chinese tables: words of closed sets and answers of yes and no, never what somebody named. */
import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandContext } from '../../../cli/context.ts';
import type { Column, View } from '../../../cli/output/columns.ts';
import { renderLabels, renderTable } from '../../../cli/output/table.ts';
import { chineseWords } from '../../../cli/output/words.ts';
import { type UserRow, userView } from '../../../cli/views.ts';
import { OrderStatus } from '../../../daemon/contract/wallet.ts';

const words = suite('words in cells of tables');

interface Row {
  name: string;
  state: string;
  isGift: boolean;
}

const view: View<Row> = {
  columns: [
    { heading: 'NAME', value: (row) => row.name },
    { heading: 'STATUS', unit: 'word', value: (row) => row.state },
    { heading: 'GIFT', value: (row) => row.isGift },
  ],
  id: (row) => row.name,
};
const row: Row = { name: 'enabled', state: '41 enabled (3 cooling), 2 disabled, 1 auto', isGift: true };
const screen = (language: 'en' | 'zh', width?: number) => ({
  width,
  colour: false,
  headings: { language, zone: () => 'UTC' },
});

words('are Chinese with their figures, while what is called enabled stays so', () => {
  const [, line] = renderTable([row], view.columns, screen('zh'));
  assert.is(line, 'enabled  41 个启用（3 个冷却），2 个禁用，1 个自动禁用  是');
  const [, english] = renderTable([row], view.columns, screen('en'));
  assert.is(english, `enabled  ${row.state}  true`);
  assert.equal(renderLabels({ ...row, isGift: false }, view.columns.slice(2), screen('zh').headings), ['礼品码  否']);
  assert.is(chineseWords('12.5 s'), '12.5秒');
  assert.is(chineseWords('of a newer server'), 'of a newer server');
});

words('know every state that the contract gives a number or a name', () => {
  const stream = new PassThrough();
  const context = new CommandContext(
    { output: 'table', money: 'units' },
    {
      environment: {},
      host: { stdin: stream, stdout: stream, stderr: stream },
      signal: new AbortController().signal,
    },
  );
  const said = <T>(columns: readonly Column<T>[], of: 'ROLE' | 'STATUS', rows: readonly T[]) =>
    rows.map((each) =>
      renderLabels(
        each,
        columns.filter(({ heading }) => heading === of),
        screen('zh').headings,
      ).join(''),
    );
  const user: UserRow = {
    id: 1,
    username: 'a',
    group: 'default',
    role: 1,
    status: 1,
    quota: 0,
    used_quota: 0,
    request_count: 0,
    DeletedAt: null,
  };
  const told = [
    ...said(
      userView(context).columns,
      'ROLE',
      [1, 10, 100].map((role) => ({ ...user, role })),
    ),
    ...said(
      userView(context).columns,
      'STATUS',
      [1, 2, 3].map((status) => ({ ...user, status })),
    ),
    ...said(userView(context).columns, 'STATUS', [{ ...user, DeletedAt: '2026-11-22' }]),
    ...['enabled', 'disabled', 'expired', 'exhausted', 'unused', 'used', 'auto', 'cooling'].map(chineseWords),
    ...OrderStatus.options.map(chineseWords),
    ...['NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE', 'UNKNOWN', 'MODAL'].map(chineseWords),
  ];
  for (const text of told) assert.not.match(text, /[a-z]/i);
});

words('leave a table on its screen, however long texts in the middle of a row are', () => {
  const long: View<Row> = { ...view, columns: [...view.columns.slice(0, 2), ...view.columns.slice(0, 1)] };
  const lines = renderTable(
    [
      { ...row, name: 'n'.repeat(200) },
      { ...row, name: 'short' },
    ],
    long.columns,
    screen('en', 80),
  );
  for (const line of lines) assert.ok(line.length <= 80, line);
  assert.match(lines[1] ?? '', /^n{22,}… {2}41 enabled \(3 .*… {2}n{22,}…$/);
});

words.run();
