/**
 * The logs of drawings and tasks: how far work is, and what has come of it (console.md 6.15, 6.16). Runs once: the
 * database is no matter here.
 */
import * as assert from 'uvu/assert';
import { newLogRow } from '../support/log-records.ts';
import { newDrawing, newTask } from '../support/work-records.ts';
import { journeys } from './journeys.ts';
import { startSite } from './site.ts';

const clip = {
  id: 'c1',
  title: 'Lighthouse',
  audio_url: 'https://cdn1.suno.ai/c1.mp3',
  video_url: 'https://cdn1.suno.ai/c1.mp4',
  metadata: { prompt: '[Verse]\nThe lamp goes round' },
};

const longPrompt = 'a lighthouse at the end of a long pier, at night';

const journey = journeys('the logs of works', {
  open: async () => {
    const site = await startSite();
    const { database, nowSeconds } = site.daemon.daemon.foundation;
    const { user } = await site.signIn(site.accounts.user);
    const now = nowSeconds();
    // What is underway at a channel that is gone ends as failed, after half a minute.
    const channelId = await site.daemon.addChannel({ name: 'works', base_url: '', models: 'gpt-4o' });
    for (const over of [
      { taskId: 'song-done', status: 'SUCCESS', progress: '100%', finishTime: now, data: JSON.stringify([clip]) },
      { taskId: 'words-done', action: 'LYRICS', status: 'SUCCESS', progress: '100%', data: '{"text":"La la la"}' },
      {
        taskId: 'song-failed',
        status: 'FAILURE',
        progress: '100%',
        failReason: 'copyright of somebody else',
        data: '',
      },
      { taskId: 'song-running', status: 'IN_PROGRESS', progress: '30%', data: '' },
    ]) {
      await database.stores.tasks.insert(newTask({ userId: user.id, channelId, submitTime: now - 90, ...over }));
    }
    const submitTime = (now - 90) * 1000;
    const ends = { submitTime, finishTime: submitTime + 70_000, userId: user.id, channelId };
    // The first of them is left for the second page.
    for (let index = 0; index < 7; index += 1) {
      const older = { mjId: `older ${index}`, submitTime: submitTime - 3_600_000 - index };
      await database.stores.midjourneys.insert(newDrawing({ ...ends, ...older }));
    }
    for (const over of [
      { mjId: 'drawn', action: 'UPSCALE', finishTime: submitTime + 30_000 },
      { mjId: 'refused', status: 'FAILURE', failReason: 'banned prompt', imageUrl: '', code: 22 },
      { mjId: 'underway', status: 'IN_PROGRESS', progress: '40%', imageUrl: '', code: 21, finishTime: 0 },
      { mjId: 'described', prompt: longPrompt },
    ]) {
      await database.stores.midjourneys.insert(newDrawing({ ...ends, ...over }));
    }
    const other = JSON.stringify({ admin_info: { fail_reason: 'copyright, says boss@suno.example' } });
    const failed = { type: 4, content: 'MUSIC task song-failed failed', createdAt: now, other } as const;
    await database.stores.logs.insert([newLogRow({ ...failed, userId: user.id, username: user.username })]);
    return site;
  },
});

journey('B16 tasks: shows its owner how far they are, plays songs and shows lyrics', async (visit) => {
  const { page, text, goTo, signIn, expectClean } = visit;
  await signIn('user');
  await goTo('/task?range=all');
  await page.getByText('song-done').first().waitFor();
  await expectClean('list');
  await page.getByRole('button', { name: text('试听', 'Listen') }).click();
  const dialog = page.getByRole('dialog', { name: text('结果', 'Result') });
  await dialog.getByRole('heading', { name: 'Lighthouse' }).waitFor();
  assert.is(
    await dialog.locator('audio').getAttribute('preload'),
    'none',
    'nothing is fetched before somebody listens',
  );
  assert.is(await dialog.locator('audio').getAttribute('src'), clip.audio_url);
  await dialog.getByText('The lamp goes round').waitFor();
  await expectClean('a song');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: text('查看歌词', 'Read lyrics') }).click();
  await dialog.getByText('La la la').waitFor();
});

journey.onDesktop('B16 tasks: tells administrators alone what an upstream said of one that failed', async (visit) => {
  const { page, goTo, signIn } = visit;
  for (const [who, times] of [
    ['user', 0],
    ['admin', 1],
  ] as const) {
    await signIn(who);
    await goTo('/log');
    const row = page.getByRole('row').filter({ hasText: 'song-failed' });
    await row.locator('time').click();
    await page.getByText('song-failed').nth(1).waitFor();
    assert.is(await page.getByText('boss@suno.example').count(), times, who);
  }
});

journey.onDesktop(
  'B16 drawings: tells states by colour, opens texts and images, and asks page by page',
  async (visit) => {
    const { page, text, goTo, signIn, expectClean, expectFailure, settled, daemon } = visit;
    await signIn('user');
    const asked: URL[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (/^\/api\/(?:mj|task)\/self/.test(url.pathname)) asked.push(url);
    });
    await goTo('/midjourney');
    const row = (id: string) => page.getByRole('row').filter({ hasText: id });
    const tone = (id: string, label: string) =>
      row(id).locator('[data-tone]', { hasText: label }).first().getAttribute('data-tone');
    await row('drawn').waitFor();
    assert.is(await tone('drawn', text('成功', 'Success')), 'green');
    assert.is(await tone('refused', text('失败', 'Failed')), 'red');
    assert.is(await tone('refused', text('重复提交', 'Duplicate')), 'orange');
    assert.is(await tone('underway', text('执行中', 'In progress')), 'blue');
    assert.is(await tone('drawn', '30 s'), 'green');
    assert.is(await tone('refused', '1 m 10 s'), 'red');
    await expectClean('drawings');

    const dialog = page.getByRole('dialog');
    await row('described').getByRole('button', { name: 'a lighthouse at' }).click();
    await dialog.getByText(longPrompt).waitFor();
    // It listens to keys a moment after it is seen.
    await settled();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // Images of drawings are asked for when they are looked at; where they are made, there is nobody.
    expectFailure('/mj/image/drawn', 502);
    await row('drawn')
      .getByRole('button', { name: text('查看图片', 'View image') })
      .click();
    await dialog.getByText(text('图片无法加载', 'The image cannot be loaded')).waitFor();
    await expectClean('no image');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    const pages = page.getByRole('navigation', { name: text('分页', 'Pages') });
    await pages.getByRole('button', { name: text('下一页', 'Next') }).click();
    await row('older 0').waitFor();
    await goTo('/task');
    // What is under way is asked about again now and then.
    const drawings = asked.filter(({ pathname }) => pathname === '/api/mj/self');
    assert.equal([drawings[0]?.searchParams.get('p'), drawings.at(-1)?.searchParams.get('p')], ['0', '1']);
    assert.match(drawings[0]?.searchParams.get('start_timestamp') ?? '', /^\d{13}$/, 'milliseconds');
    const tasks = asked.find(({ pathname }) => pathname === '/api/task/self');
    assert.match(tasks?.searchParams.get('start_timestamp') ?? '', /^\d{10}$/, 'seconds');

    await signIn('admin');
    await daemon.root.options.set({ key: 'MjNotifyEnabled', value: 'false' });
    await goTo('/midjourney');
    await page.getByText(text('当前未开启绘图回调', 'The drawing callback is off')).waitFor();
    await page.getByRole('link', { name: text('去设置', 'Open settings') }).click();
    await page.getByRole('heading', { name: text('系统设置', 'System settings') }).waitFor();
    const served = await page.evaluate(() => performance.getEntriesByType('navigation')[0]?.name);
    assert.match(served ?? '', '/setting', 'under the policy of that page');
  },
);

journey.onPhone('B16 drawings: shows of an opened card what has no place on it', async (visit) => {
  const { page, text, goTo, signIn, expectClean } = visit;
  await signIn('user');
  await goTo('/midjourney');
  const card = page.getByRole('listitem').filter({ hasText: text('失败', 'Failed') });
  await card.getByRole('button', { name: text('展开详情', 'Show details') }).click();
  await card.getByText('1 m 10 s').waitFor();
  await expectClean('a card open');
  await card.getByRole('button', { name: 'banned prompt' }).click();
  const dialog = page.getByRole('dialog', { name: text('失败原因', 'Fail reason') });
  await dialog.getByText('banned prompt').waitFor();
});

journey.run();
