/** Where somebody is in a list of many pages: rows that are marked, and pages that are on their way. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ListState, pageRows } from '../../../cli/screens/list-state.ts';

interface Row {
  readonly id: number;
}

const lists = suite('a list of the screens');

const total = pageRows * 3;

/** The rows of a page. */
function rowsOf(page: number): Row[] {
  return Array.from({ length: pageRows }, (_none, at) => ({ id: (page - 1) * pageRows + at + 1 }));
}

function listed(): ListState<Row> {
  const list = new ListState<Row>(({ id }) => id);
  list.show(rowsOf(1), total);
  return list;
}

lists('goes past no page that has not come, however long a key is held down', () => {
  const list = listed();
  list.goTo('first');
  for (let at = 1; at < pageRows; at += 1) assert.not.ok(list.move(1));
  assert.ok(list.move(1), 'the next page is to be asked for');
  assert.not.ok(list.move(1));
  assert.not.ok(list.move(50));
  assert.is(list.page, 2);
  list.show(rowsOf(2), total);
  assert.is(list.current?.id, pageRows + 1);
  assert.ok(list.move(-1));
  assert.not.ok(list.move(-1));
  list.show(rowsOf(1), total);
  assert.is(list.current?.id, pageRows);
  assert.ok(list.goTo('last'));
  assert.not.ok(list.goTo('last'));
  list.show(rowsOf(3), total);
  assert.is(list.current?.id, total);
});

lists('marks the last row of a page without leaving it', () => {
  const list = listed();
  list.move(pageRows - 1);
  list.mark();
  assert.is(list.page, 1);
  assert.equal(
    list.chosen.map(({ id }) => id),
    [pageRows],
  );
});

lists('counts no row as marked that an action would not be about', () => {
  const list = listed();
  list.mark();
  list.mark();
  assert.is(list.marked.size, 2);
  list.show(rowsOf(1).slice(1), total - 1);
  assert.is(list.marked.size, 1, 'a row that was deleted');
  list.move(pageRows);
  list.show(rowsOf(2), total - 1);
  assert.is(list.marked.size, 0, 'rows of the page before');
  assert.is(list.chosen.length, 1);
});

lists('takes no answer to what was asked for before', () => {
  const list = listed();
  const take = list.taking();
  list.move(pageRows);
  take(rowsOf(1), total);
  assert.is(list.current, undefined, 'the first page is not the second');
  list.taking()(rowsOf(2), total);
  assert.is(list.current?.id, pageRows + 1);
  const takeAll = list.taking();
  list.restart();
  takeAll([{ id: 7 }], 1);
  assert.is(list.total, total, 'of another filter');
});

lists.run();
