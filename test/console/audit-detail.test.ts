/** What the console makes of a row of the audit trail. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { texts as en } from '../../console/i18n/catalogues/en/audit.ts';
import { texts as zh } from '../../console/i18n/catalogues/zh/audit.ts';
import { actionKey, changeOf, knownActions, placeOf, summaryOf } from '../../console/pages/audit/audit-detail.ts';

const test = suite('console/audit-detail');

test('every known act has a name in both languages', () => {
  for (const action of knownActions) {
    const key = actionKey(action) ?? '';
    assert.ok(Object.hasOwn(zh.action, key), `${action} in Chinese`);
    assert.ok(Object.hasOwn(en.action, key), `${action} in English`);
  }
  assert.is(actionKey('moon.landed'), undefined);
});

test('an object leads to its page, and only a whole number is an id', () => {
  assert.equal(placeOf('channel:7'), { address: '/channel/edit/7' });
  assert.is(placeOf('channel:0'), undefined);
  assert.is(placeOf('channel:7/../8'), undefined);
  assert.equal(placeOf('order:a b'), { address: '/order?keyword=a%20b' });
  assert.equal(placeOf('redemption:7'), { address: '/redemption?keyword=7' });
  assert.equal(placeOf('option:Price'), { address: '/setting?option=Price', isOwnDocument: true });
  assert.is(placeOf('mail'), undefined);
});

test('old and new are compared by members where both are objects, else by lines or as they are', () => {
  const row = (before: string, after: string) => JSON.stringify({ old: before, new: after });
  assert.is(changeOf(row('{"a":1}', '{"a":2}'))?.kind, 'members');
  assert.is(changeOf(row('{"a":1', '{"a":2}'))?.kind, 'value');
  assert.is(changeOf(row('one\ntwo', 'one'))?.kind, 'lines');
  assert.is(changeOf('{"mode":"add"}'), undefined);
  assert.is(changeOf('not json'), undefined);
});

test('of a secret that changed both sides are hidden, and it is told all the same', () => {
  const sides = { old: '{"name":"a","password":"***"}', new: '{"name":"b","password":"***"}' };
  const detail = JSON.stringify({ changed: ['name', 'password'], ...sides });
  const change = changeOf(detail);
  assert.equal(change?.kind === 'members' && change.rows, [
    { name: 'name', before: 'a', after: 'b' },
    { name: 'password', before: '***', after: '***' },
  ]);
  assert.is(summaryOf(detail), 'name: a → b · password: *** → ***');
});

test('the summary is one line, cut where it is long', () => {
  assert.is(summaryOf('{"mode":"add","value":5,"by":null}'), 'mode: add · value: 5');
  assert.is(summaryOf('{"old":"","new":"x"}'), '"" → x');
  assert.is(summaryOf('{"cause":"moved","old":"***","new":""}'), '*** → "" · cause: moved');
  assert.ok(summaryOf(JSON.stringify({ a: 'x'.repeat(500), b: 'y'.repeat(500), c: 'z'.repeat(500) })).length <= 160);
  assert.is(summaryOf(''), '');
});

test.run();
