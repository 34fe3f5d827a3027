/** Lines of the screens: columns by width, texts by cells, lists and fields. */
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isComplaint, readFilter } from '../../../cli/screens/filter-words.ts';
import {
  cell,
  headingLine,
  type ListColumn,
  placed,
  plainGlyphs,
  rowLine,
  sparkline,
  wrapped,
} from '../../../cli/screens/layout.ts';
import { listLines } from '../../../cli/screens/list-lines.ts';
import { ListState } from '../../../cli/screens/list-state.ts';
import { ListView } from '../../../cli/screens/list-view.ts';
import { type LiveRow, logColumns, logDetail } from '../../../cli/screens/log-lines.ts';
import { drawn, edited, fieldOf } from '../../../cli/screens/text-field.ts';
import { deskFor } from '../../support/screen-desk.ts';

const layout = suite('lines of the screens');

interface Row {
  readonly id: number;
  readonly name: string;
}

const columns: readonly ListColumn<Row>[] = [
  { heading: 'ID', width: 4, align: 'right', priority: 1, value: (row) => row.id },
  { heading: 'NAME', width: 8, priority: 1, grows: true, value: (row) => row.name },
  { heading: 'TAG', width: 6, priority: 5, value: () => 'tag' },
  { heading: 'MS', width: 5, align: 'right', priority: 3, value: () => 12 },
];

layout('call a list empty only once its rows have come', () => {
  const list = new ListState<Row>((row) => row.id);
  const shown = () => listLines(deskFor({ lang: 'en' }), list, { columns, size: { width: 40, height: 5 } })[1]?.trim();
  assert.is(shown(), 'asking…');
  list.show([], 250);
  assert.is(shown(), 'nothing to show');
  list.goTo('last');
  assert.is(shown(), 'asking…', 'the page before is gone, the next one on its way');
});

layout('leave out the least important columns, and give the rest to the one that grows', () => {
  const headings = (width: number) => placed(columns, width).map(({ column }) => column.heading);
  assert.equal(headings(40), ['ID', 'NAME', 'TAG', 'MS']);
  assert.equal(headings(25), ['ID', 'NAME', 'MS']);
  assert.equal(headings(18), ['ID', 'NAME']);
  for (const width of [19, 25, 26, 40, 80]) {
    const fitting = placed(columns, width);
    assert.is(stringWidth(headingLine(fitting)), width);
    for (const name of ['a', '智谱主力备用渠道很长的名字', 'x'.repeat(99), 'a\tb\x1b[31mc\u202e'])
      assert.is(stringWidth(rowLine(fitting, { id: 7, name })), width, name);
  }
});

layout('paint a state in its colour, and take no more room for it', () => {
  const desk = deskFor({ lang: 'en', color: 'always' });
  const list = new ListState<Row>((row) => row.id);
  list.show([1, 2].map((id) => ({ id, name: String(id) })));
  const toned = columns.map(
    (column) => ({ ...column, tone: ({ id }: Row) => (id === 2 ? 'red' : undefined) }) as const,
  );
  const [, , second = ''] = listLines(desk, list, { columns: toned, size: { width: 60, height: 5 } });
  assert.match(second, '\x1b[31m');
  assert.is(stringWidth(second), 60);
  const [, , bare = ''] = listLines(deskFor({ lang: 'en' }), list, { columns: toned, size: { width: 60, height: 5 } });
  assert.is(bare, stripVTControlCharacters(second));
});

layout('count in cells, and let no control character through', () => {
  assert.is(cell('智谱', 5), '智谱 ');
  assert.is(cell('智谱主力', 5), '智谱…');
  assert.is(cell('7', 3, 'right'), '  7');
  assert.is(cell('a\nb\x07\x1b]0;title\x07', 6), 'a b   ');
  assert.equal(wrapped('the key was refused by the vendor', 12), ['the key was', 'refused by', 'the vendor']);
  assert.equal(wrapped('渠道测试失败', 4), ['渠道', '测试', '失败']);
  assert.is(sparkline([0, 1, 2, 4], 3, plainGlyphs), '.=#');
});

layout('keep to the row through changes of the list, and turn pages', () => {
  const rowsOf = (...ids: number[]) => ids.map((id): Row => ({ id, name: String(id) }));
  const list = new ListState<Row>((row) => row.id);
  list.show(rowsOf(1, 2, 3, 4));
  list.move(2);
  list.show(rowsOf(9, 1, 2, 3));
  assert.is(list.current?.id, 3);
  list.show(rowsOf(9, 1));
  assert.is(list.current?.id, 1, 'the row is gone');
  assert.equal(
    list.inView(1).map(({ row }) => row.id),
    [1],
  );
  list.markAll();
  assert.equal(
    list.chosen.map(({ id }) => id),
    [9, 1],
  );
  list.markAll();
  assert.equal(
    list.chosen.map(({ id }) => id),
    [1],
  );
  list.show(rowsOf(...Array.from({ length: 100 }, (_, at) => at)), 250);
  assert.not(list.goTo('first'));
  assert.not(list.move(99));
  assert.ok(list.move(1), 'the next page is to be asked for');
  assert.is(list.page, 2);
  assert.ok(list.goTo('last'));
  assert.is(list.page, 3);
  const whole = new ListState<Row>((row) => row.id);
  whole.show(rowsOf(...Array.from({ length: 300 }, (_, at) => at)));
  assert.not(whole.move(299), 'a list that came whole has no other page');
  assert.not(whole.move(1));
  assert.is(whole.current?.id, 299);
});

layout('scroll what is known of a row where it is longer than its room, and leave the list where it is', () => {
  const desk = deskFor({ lang: 'en' });
  let left = 0;
  const view = new ListView<Row>({ keyOf: ({ id }) => id, turned: () => undefined, left: () => (left += 1) });
  view.list.show([1, 2].map((id) => ({ id, name: String(id) })));
  const detail = ({ id }: Row) => Array.from({ length: 12 }, (_, at) => ` ${id}-${at}`);
  const draw = (width: number) => view.lines(desk, { columns, size: { width, height: 5 }, detail });
  const right = () => draw(120).map((line) => line.slice(line.indexOf('│') + 1).trimEnd());
  assert.equal(right(), [' 1-0', ' 1-1', ' 1-2', ' 1-3', ' 8 more lines: Tab scrolls']);
  view.actions.pane();
  view.actions.down();
  assert.equal(right(), ['>1-1', ' 1-2', ' 1-3', ' 1-4', ' 7 more lines: Tab scrolls']);
  view.actions.last();
  assert.equal(right(), ['>1-7', ' 1-8', ' 1-9', ' 1-10', ' 1-11']);
  assert.is(view.list.current?.id, 1);
  view.actions.back();
  view.actions.down();
  assert.is(right()[0], ' 2-0', 'another row begins at its top');
  assert.not.match(draw(80).join(), '2-0');
  view.actions.pane();
  view.actions.up();
  assert.is(view.list.current?.id, 1, 'there is no other pane');
  view.actions.open();
  assert.is(draw(80)[0], ' 1-0');
  view.actions['page-down']();
  assert.is(draw(80)[0], ' 1-3');
  view.actions.back();
  assert.match(draw(80).join(), 'NAME');
  view.actions.back();
  assert.is(left, 1);
});

layout('tell of a call which channels were asked, and how each failed', () => {
  const desk = deskFor({ lang: 'en' });
  const attempt = { channel: 9, key: 4, status: 504, code: 'upstream_timeout', ms: 5012, message: 'too late' };
  const admin_info = { use_channel: ['9', '3'], is_multi_key: true, attempts: [attempt] };
  const figures = { type: 2, quota: 5, prompt_tokens: 1, completion_tokens: 2, use_time: 6, content: '' };
  const row: LiveRow = {
    ...figures,
    id: 1,
    created_at: 1,
    username: 'alice',
    token_name: 'laptop',
    model_name: 'gpt-4o',
    group: '',
    channel: 3,
    request_id: 'r1',
    other: JSON.stringify({ frt: 1200, price_version: 41, admin_info }),
  };
  const column = logColumns(desk).find(({ heading }) => heading === 'CH');
  assert.is(column?.value(row), '9→3');
  const lines = logDetail(desk, row, 100);
  assert.ok(
    lines.some((line) => /channel 9 → 3 +3/.test(line)),
    lines.join('\n'),
  );
  assert.ok(lines.some((line) => /tries +channel 9 key 4: 504 upstream_timeout after 5\.0 s +too late/.test(line)));
  assert.ok(lines.some((line) => /more +frt 1200, price_version 41, is_multi_key true/.test(line)));
  assert.is(column?.value({ ...row, other: 'a text' }), 3);
});

layout('take what is written, pasted and composed', () => {
  const type = (name: string, text = '') => ({ name, text });
  let field = fieldOf('spring');
  field = edited(field, type('', ' 智谱\n'));
  assert.is(field.text, 'spring 智谱 ');
  field = edited(edited(field, type('C-w')), type('C-a'));
  assert.equal([field.text, field.at], ['spring ', 0]);
  field = edited(edited(field, type('a', 'a')), type('C-e'));
  assert.is(drawn(field, 20), 'aspring █');
  field = edited(edited(field, type('Backspace')), type('C-u'));
  assert.equal([field.text, field.at], ['', 0]);
});

layout('keep apart what was on lines of its own when it was pasted, as terminals send them', () => {
  const pasted = { name: '', text: 'sk-first\rsk-second\r\nsk-third\r' };
  assert.is(edited(fieldOf(), pasted).text, 'sk-first sk-second sk-third ');
  assert.is(edited(fieldOf(), pasted, '\n').text, 'sk-first\nsk-second\nsk-third\n');
  assert.is(edited(fieldOf('sk-0,'), pasted, ',').text, 'sk-0,sk-first,sk-second,sk-third,');
});

layout('show where one writes in a text that has more cells than there is room for', () => {
  const long = fieldOf('https://upstream.example.com/a/long/address/v1');
  const press = (name: string) => ({ name, text: '' });
  assert.is(drawn(long, 20), 'm/a/long/address/v1█');
  assert.is(drawn(edited(long, press('Home')), 20), '█https://upstream.e…');
  assert.is(drawn({ ...long, at: 30 }, 20), 'ream.example.com/a█…');
  const wide = fieldOf('智谱主力备用渠道很长的名字');
  assert.is(drawn(wide, 11), '很长的名字█');
  assert.is(drawn(edited(wide, press('Left')), 11), '很长的名█字');
  assert.is(drawn(edited(wide, press('Left')), 10), '很长的名█…');
});

layout('read filters by name, and say which names there are', () => {
  assert.equal(readFilter('group=vip 智谱 main', ['group']), { named: { group: 'vip' }, text: '智谱 main' });
  const read = readFilter('grp=vip', ['group']);
  assert.ok(isComplaint(read) && read.en.includes('group'));
});

layout('break no character in half between two lines', () => {
  for (const text of [
    '123456789😀',
    '12345678😀😀',
    '😀'.repeat(9),
    '123456789👩‍👩‍👧',
    '智谱主力备用渠道',
    '123456789中',
  ]) {
    const lines = wrapped(text, 10);
    assert.is(lines.join(''), text);
    for (const line of lines) {
      assert.not.match(line, /\p{Surrogate}/u);
      assert.ok(stringWidth(line) <= 10, text);
    }
  }
});

layout('write on behind an accent that joins the letter before it', () => {
  const before = { ...fieldOf('exyz'), at: 1 };
  const accented = edited(before, { name: '\u0301', text: '\u0301' });
  const { text } = edited(accented, { name: 's', text: 's' });
  assert.is(text, 'e\u0301sxyz');
});

layout.run();
