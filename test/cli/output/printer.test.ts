import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CliError } from '../../../cli/errors.ts';
import { nothingByName, type Printed } from '../../../cli/output/choices.ts';
import type { View } from '../../../cli/output/columns.ts';
import { jsonRow, type MemberForms } from '../../../cli/output/machine.ts';
import { Printer, type PrintWishes } from '../../../cli/output/printer.ts';
import type { Terminal } from '../../../cli/terminal.ts';

interface Row {
  id: number;
  name: string;
  quota: number;
  created_at: number;
  setting: string;
}

const rows: Row[] = [
  { id: 1, name: '中文名', quota: 25, created_at: 1_795_290_128, setting: '{"a":1}' },
  { id: 2, name: '=cmd\tx\n\u001b[31mred', quota: 1000, created_at: 0, setting: '' },
];
const view: View<Row> = {
  columns: [
    { heading: 'ID', value: (row) => row.id, align: 'right' },
    { heading: 'NAME', value: (row) => row.name },
    { heading: 'QUOTA', unit: 'money', value: (row) => row.quota, align: 'right' },
  ],
  fields: ['id', 'name', 'quota', 'created_at', 'setting'],
  jsonMembers: ['setting'],
  id: (row) => row.id,
};

const asOnTheWire: MemberForms = { time: undefined, usd: undefined };

function printed(wishes: PrintWishes, list: readonly Row[] = rows, screen = 80): Promise<string> {
  return printedBy((to) => to.list(list, view), wishes, { screen });
}

async function printedBy(
  print: (to: Printer) => Promise<void>,
  wishes: PrintWishes,
  {
    screen = 80,
    forms = asOnTheWire,
    headings = {},
    isTerminal = false,
  }: { screen?: number; forms?: MemberForms; headings?: object; isTerminal?: boolean } = {},
): Promise<string> {
  let out = '';
  const terminal: Terminal = {
    stdout: wishes.output === 'table' || isTerminal,
    stderr: false,
    stdin: false,
    interactive: false,
    columns: screen,
    rows: 24,
    colour: { stdout: false, stderr: false },
    unicode: true,
  };
  const output = {
    async write(text: string) {
      out += text;
    },
    done() {},
  };
  await print(
    new Printer({
      output,
      terminal,
      wishes,
      forms: async () => forms,
      prepareCells: async () => undefined,
      headings: { language: 'en', zone: () => 'UTC', ...headings },
      page: async () => 'to be printed',
    }),
  );
  return out;
}

const printer = suite('printing results');

printer('aligns Chinese by display cells and strips escapes from a table', async () => {
  assert.is(
    await printed({ output: 'table' }),
    'ID  NAME        QUOTA\n 1  中文名         25\n 2  =cmd x red   1000\n',
  );
});

printer('writes tsv without heading in a pipe and escapes what would break a line', async () => {
  assert.is(await printed({}), '1\t中文名\t25\n2\t=cmd\\tx\\n\u001b[31mred\t1000\n');
});

printer('shows a terminal nothing that it would obey, and leaves files and pipes what the server said', async () => {
  const hostile = { ...view, id: (row: Row) => row.name };
  const row: Row = { id: 1, name: 'a\u001b[31mb\u009b2Jc\u202ed', quota: 1, created_at: 0, setting: '' };
  const shown = (wishes: PrintWishes) => printedBy((to) => to.list([row], hostile), wishes, { isTerminal: true });
  assert.is(await shown({ output: 'tsv' }), '1\tabcd\t1\n');
  assert.is(await shown({ output: 'csv', header: false }), '1,abcd,1\n');
  assert.is(await shown({ quiet: true }), 'abcd\n');
  assert.is(await shown({ jq: '.[].name' }), 'abcd\n');
  assert.match(await shown({ output: 'yaml', json: 'name' }), /^- name: "?a.*b.*cd"?\n$/);
  assert.is(await shown({ output: 'ndjson', json: 'name' }), '{"name":"a\\u001b[31mb\\u009b2Jc\\u202ed"}\n');
  assert.match(await printedBy((to) => to.one(row, hostile), { output: 'table' }), /^name {3}abcd$/m);
  assert.is(await printed({ quiet: false, columns: 'name' }, [row]), `${row.name}\n`);
});

printer('calls columns in the language of the reader, and says the zone of times of a clock', async () => {
  const timed: View<Row> = {
    columns: [
      { heading: 'NAME', value: (row) => row.name },
      { heading: 'CREATED', unit: 'time', value: (row) => (row.created_at ? '2026-11-21 08:00:00' : '5m ago') },
    ],
    id: () => 0,
  };
  const told = (list: readonly Row[], headings: object) =>
    printedBy((to) => to.list(list, timed), { output: 'table' }, { headings });
  assert.match(
    await told(rows, { zone: () => 'Asia/Tokyo' }),
    /^NAME +CREATED \(Asia\/Tokyo\)\n中文名 +2026-11-21 08:00:00\n/,
  );
  assert.match(await told(rows.slice(1), {}), /^NAME +CREATED\n/);
  assert.match(await told(rows, { language: 'zh', zone: () => 'UTC' }), /^名称 +创建时间 \(UTC\)\n/);
  const [first] = rows;
  assert.ok(first);
  const chinese = { headings: { language: 'zh' } };
  const one = await printedBy((to) => to.one(first, timed), { output: 'table' }, chinese);
  assert.is(one, '名称      中文名\n创建时间  2026-11-21 08:00:00 UTC\n');
});

printer('guards formulas in csv text cells and never in numbers', async () => {
  const csv = await printed({ output: 'csv' });
  assert.match(csv, /^id,name,quota\r\n1,中文名,25\r\n2,/);
  assert.match(csv, /"?'=cmd/);
  assert.not.match(await printed({ output: 'csv', rawCsv: true }), /'=cmd/);
});

printer('opens JSON members, chooses fields in order and prints an empty list as []', async () => {
  assert.equal(JSON.parse(await printed({ json: '' }))[0].setting, { a: 1 });
  assert.is(await printed({ json: 'quota,id' }, rows.slice(0, 1)), '[{"quota":25,"id":1}]\n');
  assert.is(await printed({ output: 'json' }, []), '[]\n');
  assert.is(await printed({ output: 'table' }, []), '');
});

printer('prints rows that come bit by bit under one heading, as wide as was needed so far', async () => {
  async function* portions() {
    yield [];
    yield rows.slice(0, 1);
    yield [{ id: 300, name: 'n', quota: 7, created_at: 0, setting: '' }];
    yield rows.slice(0, 1);
  }
  assert.is(
    await printedBy((to) => to.follow(portions(), view), { output: 'table' }),
    'ID  NAME    QUOTA\n 1  中文名     25\n300  n           7\n  1  中文名     25\n',
  );
  const lines = await printedBy((to) => to.follow(portions(), view), { json: 'id' });
  assert.is(lines, '{"id":1}\n{"id":300}\n{"id":1}\n');
  assert.is(await printedBy((to) => to.follow(portions(), view), { output: 'tsv', columns: 'id' }), '1\n300\n1\n');
});

printer('names the known fields when one is unknown', async () => {
  try {
    await printed({ json: 'nope' });
    assert.unreachable();
  } catch (error) {
    assert.ok(error instanceof CliError && error.exitCode === 3 && error.text.en.includes('quota'));
  }
});

printer('lists the names that can be chosen', async () => {
  const answered = (wishes: PrintWishes) =>
    printedBy(async (to) => assert.is(await to.check(view), 'answered'), wishes);
  assert.is(await answered({ columns: 'help' }), 'id\nname\nquota\n');
  assert.is(await answered({ json: 'help' }), 'id\nname\nquota\ncreated_at\nsetting\n');
});

printer('refuses names that are none, and what is no expression, before anything is printed', async () => {
  const refused: [wishes: PrintWishes, printed: Printed, told: RegExp][] = [
    [{ columns: 'id,nope' }, view, /no column nope; there are id, name, quota/],
    [{ columns: 'id' }, nothingByName, /prints no columns/],
    [{ columns: 'help' }, nothingByName, /prints no columns/],
    [{ columns: 'id', output: 'yaml' }, view, /^-o yaml has fields, not columns/],
    [{ columns: 'id', json: 'name' }, view, /^-o json has fields, not columns/],
    [{ json: 'id,nope' }, view, /^no field nope; there are id, name, quota/],
    [{ json: 'id' }, nothingByName, /prints no fields/],
    [{ order: { field: 'nope', direction: 'ascending' } }, view, /^no field nope; there are id, name, quota/],
    [{ jq: '.[' }, view, /jq: .*syntax error/s],
    [{ jq: 'nope' }, view, /nope\/0 is not defined/],
  ];
  for (const [wishes, printed, told] of refused) {
    const shown = JSON.stringify(wishes);
    const failure = await printedBy(async (to) => void (await to.check(printed)), wishes).then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.ok(failure instanceof CliError && failure.exitCode === 3, shown);
    assert.match(failure.text.en, told, shown);
  }
  const fine: PrintWishes[] = [{ columns: 'name' }, { json: 'setting.a,id' }, { json: '' }, { jq: '.[] | .id' }];
  for (const wishes of fine) assert.is(await printedBy(async (to) => void (await to.check(view)), wishes), '');
});

printer('prints a list in the order of a field, whatever the form', async () => {
  const byQuota: PrintWishes = { order: { field: 'quota', direction: 'descending' } };
  assert.is(await printed({ ...byQuota, quiet: true }), '2\n1\n');
  assert.is(await printed({ ...byQuota, json: 'id' }), '[{"id":2},{"id":1}]\n');
  assert.is(await printed({ ...byQuota, output: 'ndjson', json: 'id' }), '{"id":2}\n{"id":1}\n');
  assert.is(await printed({ ...byQuota, output: 'csv', columns: 'id' }), 'id\r\n2\r\n1\r\n');
});

printer('says times and amounts as asked, and in dollars under a name that says so', async () => {
  const forms: MemberForms = {
    time: (seconds) => new Date(seconds * 1000).toISOString(),
    usd: (units) => String(units / 100),
  };
  const list = (wishes: PrintWishes) => printedBy((to) => to.list(rows, view), wishes, { forms });
  assert.equal(JSON.parse(await list({ json: 'id,quota,created_at' })), [
    { id: 1, quota_usd: '0.25', created_at: '2026-11-21T19:42:08.000Z' },
    { id: 2, quota_usd: '10', created_at: 0 },
  ]);
  assert.match(await list({ output: 'yaml' }), /quota_usd: "0.25"\n {2}created_at: 2026-11-21T19:42:08.000Z\n/);
  const verbatim = await printedBy((to) => to.list(rows, { ...view, verbatim: true }), { json: 'quota' }, { forms });
  assert.is(verbatim, '[{"quota":25},{"quota":1000}]\n');
  assert.match(await list({ output: 'csv', money: 'usd' }), /^id,name,quota_usd\r\n/);
});

printer('leaves no amount in units beside one in dollars, and no time as it came beside one as asked', () => {
  const forms: MemberForms = { time: (seconds) => `at ${seconds}`, usd: (units) => String(units / 100) };
  const row = { quota: 100, paid_quota: 50, least_quota: 1, most_quota: 2, charged: 3, would_be: 4, quota_24h: null };
  assert.equal(jsonRow(row, {}, { raw: false, forms }), {
    quota_usd: '1',
    paid_quota_usd: '0.5',
    least_quota_usd: '0.01',
    most_quota_usd: '0.02',
    charged_usd: '0.03',
    would_be_usd: '0.04',
    quota_24h_usd: null,
  });
  const times = { created_at: 1, last_used_at: 2, previous_until: 0, resets_at: 3, applied_at: 4 };
  assert.equal(jsonRow(times, {}, { raw: false, forms }), {
    created_at: 'at 1',
    last_used_at: 'at 2',
    previous_until: 0,
    resets_at: 'at 3',
    applied_at: 'at 4',
  });
  // Of a task, and of a drawing.
  const works = [1_790_000_000, 1_790_000_000_500].map((submit_time) => ({ submit_time, start_time: 0 }));
  for (const work of works) {
    assert.equal(jsonRow(work, {}, { raw: false, forms }), { submit_time: 'at 1790000000', start_time: 0 });
  }
});

printer('takes no negative amount for a formula', async () => {
  const owed: View<Row> = { columns: [{ heading: 'OWED', unit: 'money', value: () => '-0.5' }], id: () => 0 };
  assert.is(await printedBy((to) => to.list(rows.slice(0, 1), owed), { output: 'csv' }), 'owed\r\n-0.5\r\n');
});

printer('runs jq over the JSON and prints strings raw', async () => {
  assert.is(await printed({ jq: '.[].name' }, rows.slice(0, 1)), '中文名\n');
});

printer('prints ids only when quiet', async () => {
  assert.is(await printed({ quiet: true }), '1\n2\n');
});

printer.run();
