/** The task log: how far work is, and what has come of it (console.md 6.16). Runs once: the database is no matter here. */
import * as assert from 'uvu/assert';
import { newTask } from '../support/work-records.ts';
import { journeys } from './journeys.ts';
import { startSite } from './site.ts';

const clip = {
  id: 'c1',
  title: 'Lighthouse',
  audio_url: 'https://cdn1.suno.ai/c1.mp3',
  video_url: 'https://cdn1.suno.ai/c1.mp4',
  metadata: { prompt: '[Verse]\nThe lamp goes round' },
};

const journey = journeys('the task log', {
  open: async () => {
    const site = await startSite();
    const { database, nowSeconds } = site.daemon.daemon.foundation;
    const { user } = await site.signIn(site.accounts.user);
    const now = nowSeconds();
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
      await database.stores.tasks.insert(newTask({ userId: user.id, submitTime: now - 90, ...over }));
    }
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

journey.run();
