/** Which options are sent, in what order, and what is said afterwards. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  changesAmong,
  isChanged,
  type OptionRow,
  problemOf,
  rowsByKey,
} from '../../console/pages/settings/option-draft.ts';
import {
  isSwitchKey,
  type OptionChange,
  outcomeOf,
  planSave,
  runSave,
} from '../../console/pages/settings/save-plan.ts';
import { SettingsBoard } from '../../console/pages/settings/settings-board.ts';
import type { OptionKey } from '../../daemon/contract/options.ts';

const test = suite('console: the saving of settings');

const change = (key: OptionKey, value: string | null = 'true'): OptionChange => ({ key, value });
const keys = (changes: readonly OptionChange[]) => changes.map(({ key }) => key);

function row(key: OptionKey, value: string, fields: Partial<OptionRow> = {}): OptionRow {
  return {
    key,
    value,
    default: '',
    changed: false,
    class: 'admin',
    section: '',
    updated_at: 0,
    updated_by: '',
    ...fields,
  };
}

test('keys that end in Enabled go in turn, the collapsed side bar too, all others together', () => {
  assert.ok(isSwitchKey('DrawingEnabled'));
  assert.ok(isSwitchKey('oidc.enabled'));
  assert.ok(isSwitchKey('DefaultCollapseSidebar'));
  assert.not.ok(isSwitchKey('HideMappedModel'));
  const plan = planSave([change('oidc.enabled'), change('oidc.client_id', 'a'), change('DefaultCollapseSidebar')]);
  assert.equal(keys(plan.together), ['oidc.client_id']);
  assert.equal(keys(plan.inTurn), ['oidc.enabled', 'DefaultCollapseSidebar']);
});

test('switches that go off come before those that go on', () => {
  const plan = planSave([change('DemoSiteEnabled'), change('SelfUseModeEnabled', 'false')]);
  assert.equal(keys(plan.inTurn), ['SelfUseModeEnabled', 'DemoSiteEnabled']);
});

test('four at most are in flight, and the switches wait for them', async () => {
  const together: OptionKey[] = ['ModelRatio', 'ModelPrice', 'CacheRatio', 'AudioRatio', 'ImageRatio', 'RetryTimes'];
  let inFlight = 0;
  let most = 0;
  const order: string[] = [];
  const plan = planSave([change('DrawingEnabled'), ...together.map((key) => change(key, '{}')), change('TaskEnabled')]);
  const report = await runSave(plan, async ({ key }) => {
    most = Math.max(most, ++inFlight);
    await new Promise((resolve) => setTimeout(resolve, 2));
    inFlight--;
    order.push(key);
  });
  assert.is(most, 4);
  assert.equal(order.slice(-2), ['DrawingEnabled', 'TaskEnabled']);
  assert.is(report.saved.length, 8);
  assert.is(outcomeOf(report), 'saved');
});

test('the first refused switch ends the row; what is no switch was sent all the same', async () => {
  const sent: string[] = [];
  const plan = planSave([
    change('DrawingEnabled'),
    change('MjNotifyEnabled'),
    change('TaskEnabled'),
    change('RetryTimes', '3'),
  ]);
  const report = await runSave(plan, async ({ key }) => {
    sent.push(key);
    if (key === 'MjNotifyEnabled') throw new Error('refused');
  });
  assert.equal(sent, ['RetryTimes', 'DrawingEnabled', 'MjNotifyEnabled']);
  assert.equal(report.saved, ['RetryTimes', 'DrawingEnabled']);
  assert.equal([...report.refused.keys()], ['MjNotifyEnabled']);
  assert.equal(report.unsent, ['TaskEnabled']);
  assert.is(outcomeOf(report), 'partial');
});

test('a refusal among others does not keep the rest from being sent', async () => {
  const plan = planSave([change('RetryTimes', '99'), change('TopUpLink', ''), change('DrawingEnabled')]);
  const report = await runSave(plan, async ({ key }) => {
    if (key === 'RetryTimes') throw new Error('refused');
  });
  assert.equal(report.saved, ['TopUpLink', 'DrawingEnabled']);
  assert.is(outcomeOf(report), 'partial');
});

test('one change that is refused has failed; several that are refused are told by key', async () => {
  const refuse = async () => {
    throw new Error('refused');
  };
  assert.is(outcomeOf(await runSave(planSave([change('RetryTimes', '99')]), refuse)), 'failed');
  assert.is(outcomeOf(await runSave(planSave([change('RetryTimes'), change('TopUpLink')]), refuse)), 'partial');
});

test('only what differs is sent, written as the daemon keeps it', () => {
  const rows = rowsByKey([
    row('ServerAddress', 'https://one.example'),
    row('GroupRatio', '{"default":1}'),
    row('RetryTimes', '3'),
    row('DrawingEnabled', 'true'),
  ]);
  const all: OptionKey[] = ['ServerAddress', 'GroupRatio', 'RetryTimes', 'DrawingEnabled'];
  const unchanged = { ServerAddress: 'https://one.example/', GroupRatio: '{ "default" : 1 }', RetryTimes: ' 3' };
  assert.equal(changesAmong(all, rows, unchanged), []);
  assert.equal(changesAmong(all, rows, { ServerAddress: 'https://two.example//', DrawingEnabled: 'false' }), [
    { key: 'ServerAddress', value: 'https://two.example' },
    { key: 'DrawingEnabled', value: 'false' },
  ]);
  assert.equal(changesAmong(['RetryTimes'], rows, { DrawingEnabled: 'false' }), []);
});

test('what was typed while the text before was sent stays, and so does what is said of it', () => {
  const board = new SettingsBoard();
  board.setDraft('ServerAddress', 'https://one.example/');
  board.setDraft('TopUpLink', 'no address');
  board.complain('TopUpLink', 'not yet');
  board.setDraft('SMTPToken', null);
  board.forgetSaved([
    change('ServerAddress', 'https://one.example'),
    change('TopUpLink', 'https://shop.example'),
    change('SMTPToken', null),
    change('DrawingEnabled'),
  ]);
  assert.equal(board.drafts.get(), { TopUpLink: 'no address' });
  assert.equal(board.complaints.get(), { TopUpLink: 'not yet' });
});

test('what was saved is what the next text is typed over, also where the page is drawn with older rows once more', () => {
  const board = new SettingsBoard();
  const read = rowsByKey([row('ServerAddress', ''), row('SMTPToken', '', { set: true })]);
  board.take(read);
  board.setDraft('ServerAddress', 'https://one.example');
  board.setDraft('SMTPToken', 'secret');
  board.forgetSaved([change('ServerAddress', 'https://one.example'), change('SMTPToken', 'secret')]);
  board.take(read);
  board.setDraft('ServerAddress', 'https://two.example');
  board.setDraft('SMTPToken', 'another');
  assert.equal(Object.fromEntries(board.bases), { ServerAddress: 'https://one.example', SMTPToken: '' });
  board.take(rowsByKey([row('ServerAddress', 'https://three.example')]));
  assert.is(board.rows.get('ServerAddress')?.value, 'https://three.example');
});

test('a secret is sent when something was typed, and cleared only where one is stored', () => {
  const unset = row('SMTPToken', '', { set: false });
  const set = row('SMTPToken', '', { set: true });
  assert.not.ok(isChanged(unset, ''));
  assert.not.ok(isChanged(set, ''));
  assert.not.ok(isChanged(unset, null));
  assert.ok(isChanged(set, null));
  assert.ok(isChanged(unset, 'secret'));
  assert.equal(changesAmong(['SMTPToken'], rowsByKey([set]), { SMTPToken: null }), [{ key: 'SMTPToken', value: null }]);
});

test('a draft that is no value says why, in the language of the console', () => {
  assert.is(problemOf('RetryTimes', '4', 'en'), undefined);
  assert.is(problemOf('RetryTimes', '11', 'en'), 'must be at most 10');
  assert.is(problemOf('RetryTimes', '11', 'zh'), '不得大于 10');
  assert.is(problemOf('SMTPToken', null, 'en'), undefined);
});

test.run();
