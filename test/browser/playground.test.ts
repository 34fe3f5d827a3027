/** B18 and B19 of console.md 10: the playground, and chat sites that get a key. */
import * as assert from 'uvu/assert';
import { jsonAnswer, sseAnswer } from '../support/fake-upstream.ts';
import { untilPasses } from '../support/until.ts';
import { journeys } from './journeys.ts';
import { fill, startSite } from './site.ts';

const chatSite = 'https://chat.example';
const journey = journeys('the playground and chats', {
  open: async () => {
    const site = await startSite();
    await fill(site);
    const links = [{ Next: `${chatSite}/#/?key={key}&at={address}` }];
    await site.daemon.root.options.set({ key: 'Chats', value: JSON.stringify(links) });
    return site;
  },
});

const words = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const figures = { choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } };

journey('B18 playground: streams an answer, stops one, tells of an error, and tries again', async (visit) => {
  const { page, text, goTo, expectClean, signIn, upstream, settled, expectFailure } = visit;
  await signIn();
  await goTo('/playground');
  await expectClean('empty');
  const message = page.getByLabel(text('消息', 'Message'), { exact: true });
  const send = page.getByRole('button', { name: text('发送', 'Send'), exact: true });
  await send.click();
  await page.getByText(text('请输入消息', 'Enter a message'), { exact: true }).waitFor();

  const attack = '<img src=x onerror="document.title=1"> ![pic](https://spy.example/a.png)\n\n';
  upstream.script(sseAnswer([words('**Hello**\n\n'), words(attack), words('```js\nlet a;\n```\n'), figures, '[DONE]']));
  const asked = page.waitForRequest('**/pg/chat/completions');
  await message.fill('say hello');
  await message.press('Enter');
  const body = (await asked).postDataJSON();
  assert.is(body.temperature, 0);
  assert.not.ok('max_tokens' in body);
  assert.equal(
    [body.model, body.stream, body.messages.at(-1)],
    ['gpt-4o-mini', true, { role: 'user', content: 'say hello' }],
  );
  await page.getByText(text('100 → 20 Token', '100 → 20 tokens')).waitFor();
  await page.locator('strong', { hasText: 'Hello' }).waitFor();
  assert.is(await page.locator('main img[src*="spy"]').count(), 0, 'images wait for a click');
  await page.getByText('<img src=x').waitFor();
  await page.locator('main [title*="≈"]').waitFor();
  await expectClean('answered');

  let isOn = true;
  upstream.script(
    sseAnswer([words('first '), words('second ')], {
      end: 'hang',
      goOn: async () => {
        while (isOn) await new Promise((resolve) => setTimeout(resolve, 20));
      },
    }),
  );
  await message.fill('again');
  await send.click();
  await page.locator('[aria-busy=true]', { hasText: 'first' }).waitFor();
  await page.keyboard.press('Control+.');
  await page.getByText(text('已停止', 'Stopped'), { exact: true }).waitFor();
  isOn = false;

  upstream.script(jsonAnswer({ error: { message: 'too busy', code: 'x' } }, 400));
  expectFailure('/pg/chat/completions', 400);
  await page
    .getByRole('button', { name: text('重试', 'Retry') })
    .last()
    .click();
  await page.getByRole('alert').getByText('too busy').waitFor();
  await page.getByText('2/2').waitFor();
  await expectClean('refused');
  upstream.script(sseAnswer([words('half'), { error: { message: 'lost it', code: 'upstream_error' } }]));
  await page
    .getByRole('button', { name: text('重试', 'Retry') })
    .last()
    .click();
  await page.getByText('3/3').waitFor();
  await page.getByText('half', { exact: true }).waitFor();
  await page.getByRole('alert').waitFor();

  upstream.script(sseAnswer([words('in other words'), figures, '[DONE]']));
  await page
    .getByRole('button', { name: text('编辑', 'Edit'), exact: true })
    .last()
    .click();
  const edited = page.getByLabel(text('编辑消息', 'Edit message'), { exact: true });
  await edited.fill('once more');
  // It takes back what an input method composes, and no more.
  await edited.dispatchEvent('keydown', { key: 'Escape', isComposing: true });
  await edited.press('Enter');
  await page.getByText('in other words', { exact: true }).waitFor();
  assert.is(await edited.count(), 0, 'the editor closes when it has sent');
  await page.getByText('once more', { exact: true }).waitFor();

  upstream.script(sseAnswer([words('not stopped'), figures, '[DONE]'], { headersAfterMs: 300 }));
  await message.fill('pressed twice');
  await send.dblclick();
  await page.getByText('not stopped', { exact: true }).waitFor();
  await settled();
});

journey.onDesktop(
  '6.18 playground: draws few of many models and groups, and finds the others by typing',
  async (visit) => {
    const { page, text, goTo, signIn, daemon, upstream } = visit;
    const many = Array.from({ length: 300 }, (_, index) => `house-${index}`);
    const id = await daemon.addChannel({ name: 'many', base_url: upstream.url, models: many.join(',') });
    const groups = Object.fromEntries(['default', ...many].map((name) => [name, name]));
    const ratios = Object.fromEntries(Object.keys(groups).map((name) => [name, 1]));
    await daemon.root.options.set({ key: 'GroupRatio', value: JSON.stringify(ratios) });
    await daemon.root.options.set({ key: 'UserUsableGroups', value: JSON.stringify(groups) });
    await signIn();
    await goTo('/playground');
    const options = page.getByRole('option', { includeHidden: true });
    assert.ok((await options.count()) < 250, `${await options.count()} options are drawn by a page with closed lists`);
    const told = /还有 \d+ 项，|\d+ more: type/;
    const choose = async (label: string, name: RegExp) => {
      const field = page.getByRole('combobox', { name: label, exact: true });
      await field.click();
      const more = page.getByRole('option', { name: told });
      await more.waitFor();
      await field.fill('house-299');
      await page.getByRole('option', { name }).click();
      assert.match(await field.inputValue(), name);
    };
    await choose(text('模型', 'Model'), /^house-299$/);
    await choose(text('分组', 'Group'), /^house-299/);
    for (const key of ['UserUsableGroups', 'GroupRatio'] as const) await daemon.root.options.set({ key, value: null });
    await daemon.root.channels.delete({ id });
  },
);

journey.onPhone('B18 playground: keeps conversations in the browser, and goes back to them', async (visit) => {
  const { page, text, goTo, expectClean, signIn, upstream } = visit;
  await signIn(await visit.site.addAccount());
  await goTo('/playground');
  const message = page.getByLabel(text('消息', 'Message'), { exact: true });
  const button = (zh: string, en: string) => page.getByRole('button', { name: text(zh, en), exact: true });
  const ask = async (question: string, answer: string) => {
    upstream.script(sseAnswer([words(answer), figures, '[DONE]']));
    await message.fill(question);
    await message.press('Enter');
    await page.getByText(answer, { exact: true }).waitFor();
    // What it cost is found last.
    await page.locator('main [title*="≈"]').waitFor();
  };
  await ask('first question', 'first answer');
  await button('新对话', 'New').click();
  await page.getByText('first answer', { exact: true }).waitFor({ state: 'detached' });
  await ask('second question', 'second answer');

  await goTo('/playground');
  await button('历史', 'History').click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('button', { name: /second question/ })
    .first()
    .waitFor();
  await expectClean('history');
  await dialog.getByRole('button', { name: /^first question/ }).click();
  await page.getByText('first answer', { exact: true }).waitFor();
  await button('历史', 'History').click();
  await dialog
    .getByRole('button', { name: text('删除对话：second question', 'Delete the conversation second question') })
    .click();
  await dialog.getByText('second question').waitFor({ state: 'detached' });
  assert.is(await dialog.getByRole('listitem').count(), 1);
});

journey.onDesktop('6.18 playground: keeps a conversation whatever numbers were typed beside it', async (visit) => {
  const { page, text, goTo, signIn, upstream } = visit;
  await signIn('root');
  await goTo('/playground');
  await page.getByText(text('高级', 'Advanced'), { exact: true }).click();
  await page.getByLabel('seed', { exact: true }).click();
  await page.keyboard.type('99999999999999999999');
  await page.getByLabel(text('渠道 ID', 'Channel ID'), { exact: true }).click();
  await page.keyboard.type('0');
  const message = page.getByLabel(text('消息', 'Message'), { exact: true });
  upstream.script(sseAnswer([words('a fine answer'), figures, '[DONE]']));
  await message.fill('a kept question');
  await message.press('Enter');
  await page.getByText('a fine answer', { exact: true }).waitFor();
  await page.getByRole('button', { name: text('历史', 'History'), exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^a kept question/ }).waitFor();
});

journey.onDesktop('6.18 playground: leaves words to the field that are dropped or pasted', async (visit) => {
  const { page, text, goTo, signIn } = visit;
  await signIn(await visit.site.addAccount());
  await goTo('/playground');
  const message = page.getByLabel(text('消息', 'Message'), { exact: true });
  const isTaken = (kind: 'drop' | 'paste', types: readonly string[]) =>
    message.evaluate(
      (field, [name, ...held]) => {
        const data = new DataTransfer();
        for (const type of held) {
          if (type === 'file') data.items.add(new File(['words'], 'words.txt', { type: 'text/plain' }));
          else data.setData(type, 'words');
        }
        const shared = { bubbles: true, cancelable: true };
        const event =
          name === 'drop'
            ? new DragEvent('drop', { ...shared, dataTransfer: data })
            : new ClipboardEvent('paste', { ...shared, clipboardData: data });
        return !field.dispatchEvent(event);
      },
      [kind, ...types],
    );
  assert.is(await isTaken('drop', ['text/plain']), false);
  // As a spreadsheet does it, which adds a picture of its cells.
  assert.is(await isTaken('paste', ['text/plain', 'text/html', 'file']), false);
  const removal = page.getByRole('button', { name: text('移除 words.txt', 'Remove words.txt') });
  assert.is(await removal.count(), 0);
  assert.is(await isTaken('drop', ['file']), true);
  assert.is(await isTaken('paste', ['text/html', 'file']), true);
  await removal.nth(1).waitFor();
});

journey.onDesktop('6.18 playground: takes a deletion back although the cost was found meanwhile', async (visit) => {
  const { page, text, goTo, signIn, upstream } = visit;
  await signIn(await visit.site.addAccount());
  await goTo('/playground');
  const message = page.getByLabel(text('消息', 'Message'), { exact: true });
  upstream.script(sseAnswer([words('an answer'), figures, '[DONE]']));
  await message.fill('a question');
  await message.press('Enter');
  await page.getByText('an answer', { exact: true }).waitFor();
  const question = page.locator('main').getByText('a question', { exact: true });
  await page
    .getByRole('button', { name: text('删除', 'Delete'), exact: true })
    .first()
    .click();
  await question.waitFor({ state: 'detached' });
  await page.locator('main [title*="≈"]').waitFor();
  await page.getByRole('button', { name: text('撤销', 'Undo') }).click();
  await question.waitFor();
});

journey.onDesktop('6.18 playground: shows the images that a model made, and nothing of other hosts', async (visit) => {
  const { page, text, goTo, signIn, upstream } = visit;
  await signIn(await visit.site.addAccount());
  await goTo('/playground');
  const dot =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const besides = { images: [{ type: 'image_url', image_url: { url: dot } }] };
  upstream.script(
    sseAnswer([
      words(`Here: ![image](${dot}) and ![far](https://spy.example/a.png)\n\n`),
      { choices: [{ index: 0, delta: besides, finish_reason: null }] },
      figures,
      '[DONE]',
    ]),
  );
  const message = page.getByLabel(text('消息', 'Message'), { exact: true });
  await message.fill('draw');
  await message.press('Enter');
  await page.locator('main [title*="≈"]').waitFor();
  const images = page.locator('main').getByRole('img', { name: 'image', exact: true });
  assert.is(await images.count(), 2);
  for (const image of await images.all()) {
    assert.is(await image.evaluate((drawn) => drawn instanceof HTMLImageElement && drawn.naturalWidth), 1);
  }
  assert.is(await page.locator('main img[src*="spy"]').count(), 0);
});

journey.onDesktop('6.18 playground: bears a paragraph of 200,000 letters', async (visit) => {
  const { page, text, goTo, signIn, upstream } = visit;
  await signIn(await visit.site.addAccount());
  await goTo('/playground');
  const links = 'http://a.b/c '.repeat(1000);
  const parts = Array.from({ length: 15 }, () => words(links));
  upstream.script(sseAnswer([words('**before**\n\n'), ...parts, words('\n\n**after**'), figures, '[DONE]']));
  const message = page.getByLabel(text('消息', 'Message'), { exact: true });
  await message.fill('go on for ever');
  await message.press('Enter');
  // Read as Markdown it holds the page for minutes.
  await page.locator('strong', { hasText: 'after' }).waitFor();
  await page.locator('strong', { hasText: 'before' }).waitFor();
  await page.locator('p', { hasText: links }).waitFor();
});

journey.onDesktop('B18 playground: says once that a full browser keeps no conversation', async (visit) => {
  const { page, text, signIn, upstream, context, daemon } = visit;
  // Under another name of the site: for half a minute Chromium goes on by the room that it found under this one.
  const here = `http://localhost:${new URL(daemon.url).port}`;
  const { cookies, user } = await signIn(await visit.site.addAccount());
  await context.addCookies(cookies.map((cookie) => ({ ...cookie, url: here })));
  const browser = await context.newCDPSession(page);
  await browser.send('Storage.overrideQuotaForOrigin', { origin: here, quotaSize: 1 });
  await page.goto(`${here}/logo.svg`);
  await page.evaluate((signedIn) => localStorage.setItem('user', signedIn), JSON.stringify(user));
  await page.goto(`${here}/playground`);
  const message = page.getByLabel(text('消息', 'Message'), { exact: true });
  const full = page.getByText(text('浏览器存储空间已满', "The browser's storage is full"));
  const ask = async (answer: string) => {
    upstream.script(sseAnswer([words(answer), figures, '[DONE]']));
    await message.fill('x'.repeat(1000));
    await message.press('Enter');
    await page.getByText(answer, { exact: true }).waitFor();
  };
  await ask('first answer');
  await full.waitFor();
  await page.locator('.mantine-Notification-closeButton').click();
  await full.waitFor({ state: 'detached' });
  await ask('second answer');
  await page.waitForTimeout(1000);
  assert.is(await full.count(), 0);
  await browser.send('Storage.overrideQuotaForOrigin', { origin: here });
});

journey.onDesktop('B19 chat: asks before a key is handed over, and fills the link', async (visit) => {
  const { page, text, goTo, expectClean, signIn, site, daemon } = visit;
  const account = await site.addAccount();
  const { cookies, user } = await signIn(account);
  // Said for 1.5 s.
  await page.goto(`${daemon.url}/chat/0`, { waitUntil: 'commit' });
  await page.getByText(text('当前没有可用的启用令牌', 'No enabled token')).waitFor();
  await page.waitForURL('**/token');

  const headers = {
    cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
    'Tollgate-User': String(user.id),
  };
  const { key } = await daemon
    .client(undefined)
    .tokens.create({ name: 'mine', expired_time: -1, unlimited_quota: true }, { headers });
  await page.context().route(`${chatSite}/**`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: '<!doctype html><html lang="en"><title>chat</title><main><h1>chat</h1></main>',
    }),
  );
  await goTo('/chat/0');
  const question = page.getByText(text('该网站可以用它花费你的余额', 'which can then spend your balance'));
  await question.waitFor();
  await expectClean('asked');
  await page.getByRole('button', { name: text('取消', 'Cancel'), exact: true }).click();
  await page.waitForURL('**/token');
  await goTo('/chat');
  await question.waitFor();
  await page.getByRole('button', { name: text('使用该令牌', 'Use this token') }).click();
  const frame = page.locator('iframe');
  await frame.waitFor();
  const filled = `${chatSite}/#/?key=sk-${key}&at=${encodeURIComponent(daemon.url)}`;
  assert.is(await frame.getAttribute('src'), filled);
  await goTo('/chat/0');
  await frame.waitFor();
  await page.goto(`${daemon.url}/chat/9`);
  await page
    .getByText(text('聊天链接配置错误，请联系管理员', 'Chat link configuration error, contact admin'))
    .waitFor();
  // It leads on by itself, perhaps before it is whole.
  await page.goto(`${daemon.url}/chat2link`, { waitUntil: 'commit' });
  await untilPasses(() => assert.is(page.url(), filled));
});

journey('6.18 playground: keeps the composer in the window, whatever stands above the chat', async (visit) => {
  const { page, text, goTo, signIn, expectClean } = visit;
  await signIn();
  await goTo('/playground');
  const composer = page.getByLabel(text('消息', 'Message'), { exact: true });
  const below = async () => {
    const box = await composer.boundingBox();
    return (page.viewportSize()?.height ?? 0) - (box ? box.y + box.height : Number.POSITIVE_INFINITY);
  };
  const before = await below();
  await page.evaluate(() => window.dispatchEvent(new Event('offline')));
  await page.getByText(text('网络已断开', 'Offline, showing data')).waitFor();
  assert.ok(Math.abs((await below()) - before) <= 1, `${await below()} px below the composer, ${before} before`);
  assert.ok(before > 0);
  await expectClean('offline');
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
});

journey.run();
