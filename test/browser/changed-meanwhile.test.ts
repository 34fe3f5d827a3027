/** A row that somebody else saves while its form is open (console.md 1.3): nothing is saved over without a question. */
import * as assert from 'uvu/assert';
import { type Journey, journeys } from './journeys.ts';
import { actOnRow } from './row-act.ts';

const journey = journeys('changed meanwhile', { isFresh: true });

/** Types into the drawer, lets somebody else save `theirs`, and submits. */
async function collide({ page, text }: Journey, typed: [string, string], theirs: () => Promise<unknown>) {
  const drawer = page.getByRole('dialog').first();
  const field = drawer.getByRole('textbox', { name: typed[0], exact: true });
  await field.fill(typed[1]);
  await theirs();
  const submit = drawer.getByRole('button', { name: /^(?:提交|保存|Submit|Save)/ });
  const question = page.getByRole('dialog', { name: text('此记录已被他人修改', 'Changed by someone else meanwhile') });
  const press = async (name: string) => {
    await submit.click();
    await question.getByRole('button', { name, exact: true }).click();
    await question.waitFor({ state: 'detached' });
  };
  return { drawer, field, submit, question, press };
}

journey('1.3 asks before a key is saved over, and keeps what was typed', async (visit) => {
  const { page, text, signIn, goTo, daemon, expectClean } = visit;
  await daemon.addKey({ name: 'shared' });
  const [key] = (await daemon.root.tokens.list({})).items;
  assert.ok(key);
  const { id } = key;
  const nameNow = async () => (await daemon.root.tokens.get({ id })).name;
  await signIn('root');
  await goTo('/token');
  await actOnRow(visit, 'shared', text('编辑', 'Edit'));
  const name = text('名称', 'Name');
  const { drawer, field, submit, question, press } = await collide(visit, [name, 'mine'], () =>
    daemon.root.tokens.update({ id, name: 'theirs', rpm_limit: 7 }),
  );
  await submit.click();
  await question.getByText(text(`${name}：theirs → mine`, `${name}: theirs → mine`)).waitFor();
  await expectClean('asked');
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  assert.is(await field.inputValue(), 'mine');
  assert.is(await nameNow(), 'theirs');

  await press(text('采用对方的修改', 'Take theirs'));
  assert.is(await field.inputValue(), 'theirs', 'nothing else was typed, so the form shows the row as it is');
  assert.is(await nameNow(), 'theirs');

  await field.fill('mine');
  await daemon.root.tokens.update({ id, name: 'theirs again' });
  await press(text('覆盖', 'Overwrite'));
  await drawer.waitFor({ state: 'detached' });
  const after = await daemon.root.tokens.get({ id });
  assert.equal([after.name, after.rpm_limit], ['mine', 7]);
});

journey.onDesktop(
  '1.3 asks before what was added to a balance is saved over, not for what was spent',
  async (visit) => {
    const { page, text, signIn, goTo, daemon, site } = visit;
    const { id } = await site.addAccount({ username: 'payer', quota: 5_000_000 });
    await signIn('root');
    await goTo(`/user/edit/${id}`);
    const quota = text('剩余额度', 'Quota left');
    await page.getByRole('dialog').getByLabel(text('备注', 'Notes')).fill('kept');
    const { drawer, question, press } = await collide(visit, [quota, '20'], () =>
      daemon.root.users.update({ id, quota: 30_000_000 }),
    );
    await press(text('采用对方的修改', 'Take theirs'));
    await drawer.waitFor({ state: 'detached' });
    const { quota: left, notes } = await daemon.root.users.get({ id });
    assert.equal([left, notes], [30_000_000, 'kept']);

    await goTo(`/user/edit/${id}`);
    const spent = await collide(visit, [quota, '20'], () => daemon.root.users.update({ id, quota: 29_000_000 }));
    await spent.submit.click();
    await drawer.waitFor({ state: 'detached' });
    assert.is(await question.count(), 0);
    assert.is((await daemon.root.users.get({ id })).quota, 10_000_000);
  },
);

journey.onDesktop('1.3 asks before a channel and a code are saved over', async (visit) => {
  const { page, text, signIn, goTo, daemon } = visit;
  const id = await daemon.addChannel({ name: 'first', base_url: 'http://127.0.0.1:9', models: 'm' });
  await signIn('root');
  await goTo(`/channel/edit/${id}`);
  const channel = await collide(visit, [text('名称', 'Name'), 'mine'], () =>
    daemon.root.channels.update({ id, name: 'theirs', priority: 9 }),
  );
  await channel.press(text('覆盖', 'Overwrite'));
  await channel.drawer.waitFor({ state: 'detached' });
  const saved = await daemon.root.channels.get({ id });
  assert.equal([saved.name, saved.priority], ['mine', 9]);

  await daemon.root.redemptions.create({ name: 'spring', quota: 500_000, count: 1 });
  const [code] = (await daemon.root.redemptions.list({})).items;
  assert.ok(code);
  await goTo('/redemption');
  await actOnRow(visit, 'spring', text('编辑', 'Edit'));
  const drawer = await collide(visit, [text('名称', 'Name'), 'mine'], () =>
    daemon.root.redemptions.update({ id: code.id, name: 'theirs' }),
  );
  await drawer.submit.click();
  await drawer.question.waitFor();
  await page.keyboard.press('Escape');
  await drawer.question.waitFor({ state: 'detached' });
  assert.is(await drawer.field.inputValue(), 'mine');
});

journey.onDesktop('1.3 asks before a channel of a tag, and ones own account, are saved over', async (visit) => {
  const { page, text, signIn, goTo, daemon } = visit;
  const shared = { base_url: 'http://127.0.0.1:9', models: 'm', tag: 'lot', priority: 1, weight: 1 };
  const id = await daemon.addChannel({ ...shared, name: 'first' });
  await daemon.addChannel({ ...shared, name: 'second' });
  await signIn('root');
  await goTo('/channel?tag_mode=true');
  await actOnRow(visit, 'lot', text('编辑标签', 'Edit tag'));
  await page.getByRole('dialog').getByLabel(text('权重', 'Weight')).fill('4');
  const priority = text('优先级', 'Priority');
  const { drawer, field, submit, question, press } = await collide(visit, [priority, '5'], () =>
    daemon.root.channels.update({ id, priority: 9 }),
  );
  const stored = async () => {
    const { priority: first, weight } = await daemon.root.channels.get({ id });
    return [first, weight];
  };
  await submit.click();
  await question.getByText(text(`${priority}：#${id} first: 9 → 5`, `${priority}: #${id} first: 9 → 5`)).waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  assert.is(await field.inputValue(), '5');
  assert.equal(await stored(), [9, 1]);
  await press(text('采用对方的修改', 'Take theirs'));
  await drawer.waitFor({ state: 'detached' });
  assert.equal(await stored(), [9, 4], 'what nobody else touched is saved');

  await actOnRow(visit, 'lot', text('编辑标签', 'Edit tag'));
  let third = 0;
  const weight = text('权重', 'Weight');
  const joined = await collide(visit, [weight, '6'], async () => {
    third = await daemon.addChannel({ ...shared, name: 'third' });
  });
  await joined.submit.click();
  await joined.question
    .getByText(text(`${weight}：#${third} third: 1 → 6`, `${weight}: #${third} third: 1 → 6`))
    .waitFor();
  await joined.question.getByRole('button', { name: text('覆盖', 'Overwrite') }).click();
  await joined.drawer.waitFor({ state: 'detached' });
  assert.is((await daemon.root.channels.get({ id: third })).weight, 6);

  await goTo('/user/edit');
  const own = await collide(visit, [text('显示名称', 'Display name'), 'mine'], () =>
    daemon.root.account.update({ display_name: 'theirs' }),
  );
  await own.press(text('覆盖', 'Overwrite'));
  await own.drawer.waitFor({ state: 'detached' });
  assert.is((await daemon.root.account.get({})).display_name, 'mine');
});

journey.run();
