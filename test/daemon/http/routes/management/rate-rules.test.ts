/**
 * Setting rate rules, and who then pays what (relay.md 15.3), through a whole daemon.
 * Runs once: what differs between engines is the store, which has a suite of its own.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';
import { assertRefused } from '../../../../support/refusals.ts';

const rules = suite('rate rules');

let daemon: TestDaemon;

rules.before(async () => {
  daemon = await startTestDaemon();
  await daemon.addChannel({ base_url: 'http://127.0.0.1:9', models: 'gpt-4o,gpt-4o-mini', key: 'k' });
});
rules.after(() => daemon.stop());

const rateShown = async (model: string) =>
  (await daemon.root.pricing.list()).data.find(({ model_name }) => model_name === model)?.rate_ratio;

rules('are shown to whom they are for, replaced where they stand, and gone when they are removed', async () => {
  const { root } = daemon;
  const me = await root.account.get();
  const rule = { subject_kind: 'user', subject: String(me.id), model: 'gpt-4o-*' } as const;
  assert.is(await rateShown('gpt-4o-mini'), undefined);
  const first = await root.rateRules.set({ ...rule, ratio: 0.5 });
  assert.equal([first.subject_name, first.ratio, first.updated_by], [me.username, 0.5, me.username]);
  assert.equal([await rateShown('gpt-4o-mini'), await rateShown('gpt-4o')], [0.5, undefined]);
  const second = await root.rateRules.set({ ...rule, subject: me.id, ratio: 0.25 });
  assert.is(second.id, first.id);
  assert.is(await rateShown('gpt-4o-mini'), 0.25);
  await root.rateRules.set({ subject_kind: 'group', subject: 'default', model: '*', ratio: 2 });
  const who = (await root.rateRules.list()).map(({ subject_kind, subject_name, model }) => [
    subject_kind,
    subject_name,
    model,
  ]);
  assert.equal(who, [
    ['group', 'default', '*'],
    ['user', me.username, 'gpt-4o-*'],
  ]);
  const asked = await root.channels.explain({ user_id: me.id, model: 'gpt-4o-mini' });
  assert.equal(asked.rate_rule, { id: first.id, rule: `user:${me.id} gpt-4o-*`, ratio: 0.25 });
  assert.is(asked.candidates[0]?.ratio, 0.25);
  await root.rateRules.delete({ id: first.id });
  assert.is(await rateShown('gpt-4o-mini'), 2);
  await assertRefused(root.rateRules.delete({ id: first.id }), 'rate_rule_not_found');
});

rules('are not saved over what somebody else has made of them since they were read', async () => {
  const { root } = daemon;
  const rule = { subject_kind: 'group', subject: 'default', model: 'o3' } as const;
  const refused = (expected_ratio: number | null) =>
    assertRefused(root.rateRules.set({ ...rule, ratio: 9, expected_ratio }), 'rate_rule_changed');
  const stored = async () => (await root.rateRules.list()).find(({ model }) => model === 'o3');
  await refused(0.5);
  assert.is(await stored(), undefined);
  assert.is((await root.rateRules.set({ ...rule, ratio: 0.5, expected_ratio: null })).ratio, 0.5);
  await refused(null);
  await refused(0.25);
  assert.is((await root.rateRules.set({ ...rule, ratio: 0.75, expected_ratio: 0.5 })).ratio, 0.75);
  const { id = 0, ratio } = (await stored()) ?? {};
  assert.is(ratio, 0.75);
  await root.rateRules.delete({ id });
});

rules('leave their trace in the audit log', async () => {
  const rows = (await daemon.root.audits.list({ page_size: 100 })).items.filter(({ action }) =>
    action.startsWith('rate_rule.'),
  );
  assert.equal(
    rows.map(({ action }) => action),
    ['delete', 'set', 'set', 'delete', 'set', 'set', 'set'].map((act) => `rate_rule.${act}`),
  );
  assert.match(rows[5]?.target ?? '', /^rate_rule:user:\d+$/);
  assert.match(JSON.stringify(rows[5]), /0\.25/);
});

rules('are for somebody who is there, on a pattern with its star at the end', async () => {
  const { rateRules } = daemon.root;
  const rule = { subject_kind: 'user', subject: '999999', model: '*', ratio: 1 } as const;
  await assertRefused(rateRules.set(rule), 'user_not_found');
  await assertRefused(rateRules.set({ ...rule, subject: 'alice' }), 'user_not_found');
  await assertRefused(rateRules.set({ ...rule, subject: '99999999999' }), 'user_not_found');
  await assertRefused(rateRules.set({ ...rule, subject_kind: 'token' }), 'token_not_found');
  await assertRefused(rateRules.set({ ...rule, subject_kind: 'group', subject: 'nowhere' }), 'group_unknown');
  for (const model of ['', '*gpt', 'gpt-*-mini', '**', ' gpt', 'gpt ', 'gpt* ']) {
    await assertRefused(rateRules.set({ ...rule, subject_kind: 'group', subject: 'default', model }), 'invalid_params');
  }
  await assertRefused(rateRules.set({ ...rule, ratio: -1 }), 'invalid_params');
});

rules.run();
