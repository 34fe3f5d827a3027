/** The table of keys: what a key does is said once, and nothing is promised that no screen does. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { actionAt, type Binding, bindingsOf, footerWords, frameKeys, screenKeys } from '../../../cli/screens/keys.ts';
import { pressOf, singlePresses } from '../../../cli/screens/press.ts';
import { type ScreenId, screensFor, screenTable } from '../../../cli/screens/screen-table.ts';

const keys = suite('keys of the screens');

const tables: readonly (readonly [screen: string, own: readonly Binding[]])[] = Object.entries(screenKeys);

keys('mean one thing on a screen', () => {
  // Nobody has two screens with one digit.
  const digits = new Set(screenTable.map(({ digit }) => digit));
  for (const role of [1, 10])
    assert.is(new Set(screensFor(role).map(({ digit }) => digit)).size, screensFor(role).length);
  for (const [screen, own] of tables) {
    const all = [...[...own, ...frameKeys].flatMap((binding) => [...binding.keys]), ...digits];
    const twice = all.filter((key, at) => all.indexOf(key) !== at);
    assert.equal(twice, [], screen);
  }
});

keys('are said in both languages', () => {
  for (const { text } of [...tables.flatMap(([, own]) => own), ...frameKeys]) {
    assert.ok(text.en !== '' && /\p{Script=Han}/u.test(text.zh), text.en);
  }
});

keys('that write are gone in a profile for reading only', () => {
  const screen: ScreenId = 'channels';
  assert.is(actionAt(bindingsOf(screen, { readOnly: false, role: 100 }), 't'), 'test');
  assert.is(actionAt(bindingsOf(screen, { readOnly: true, role: 100 }), 't'), undefined);
  assert.is(actionAt(bindingsOf(screen, { readOnly: true, role: 100 }), '/'), 'filter');
  const { first, end } = footerWords(bindingsOf(screen, { readOnly: true, role: 100 }), (text) => text.en);
  assert.is(first[0], 'Space select');
  assert.not.ok(first.includes('t test'));
  assert.equal(end, ['? keys', 'q quit']);
});

const none = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

keys('that need an administrator are gone for everybody else', () => {
  assert.is(actionAt(bindingsOf('logs', { readOnly: false, role: 10 }), 'w'), 'why');
  assert.is(actionAt(bindingsOf('logs', { readOnly: false, role: 1 }), 'w'), undefined);
});

keys('are named as the table names them, several at once one by one', () => {
  assert.is(pressOf('', { ...none, upArrow: true }).name, 'Up');
  assert.is(pressOf('', { ...none, tab: true, shift: true }).name, 'S-Tab');
  assert.is(pressOf('a', { ...none, ctrl: true }).name, 'C-a');
  assert.equal(pressOf(' ', none), { name: 'Space', text: ' ' });
  assert.equal(pressOf('渠', none), { name: '渠', text: '渠' });
  assert.equal(pressOf('智谱', none), { name: '', text: '智谱' });
  assert.equal(
    singlePresses(pressOf('jj t', none)).map(({ name }) => name),
    ['j', 'j', 'Space', 't'],
  );
});

keys.run();
