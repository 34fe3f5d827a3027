import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contract } from '../../../../../daemon/contract/index.ts';
import { endpointsOf, openApiOf } from '../../../../../daemon/contract/openapi.ts';
import { referencePage } from '../../../../../daemon/http/present/reference-page.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../../../support/http-harness.ts';

const reference = suite('API reference');

let harness: HttpHarness;
let admin: TestUser;
let user: TestUser;

reference.before(async () => {
  harness = await startHttpHarness();
  admin = await harness.addUser({ role: 10 });
  user = await harness.addUser({ role: 1 });
});
reference.after(() => harness.close());

async function page(as: TestUser | undefined, query = '') {
  const response = await harness.request(`/api/reference${query}`, as ? { as } : {});
  assert.is(response.status, 200);
  return { headers: response.headers, text: await response.text() };
}

reference('shows everybody the public calls, users theirs and administrators all but what is root’s', async () => {
  const shows = (text: string, path: string) => text.includes(`<code>${path}</code>`);
  const [nobody, own, all] = [(await page(undefined)).text, (await page(user)).text, (await page(admin)).text];
  for (const text of [nobody, own, all]) assert.ok(shows(text, '/api/status'));
  assert.equal(
    [nobody, own, all].map((text) => shows(text, '/api/token/')),
    [false, true, true],
  );
  assert.equal(
    [nobody, own, all].map((text) => shows(text, '/api/channel/')),
    [false, false, true],
  );
  assert.not.ok(shows(all, '/api/alert/'));
});

reference('is a page of its own that runs nothing and loads nothing', async () => {
  const { headers, text } = await page(admin);
  assert.is(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.is(headers.get('content-disposition'), null);
  const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? '';
  const digest = createHash('sha256').update(style).digest('base64');
  assert.is(
    headers.get('content-security-policy'),
    `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  assert.match(style, /prefers-color-scheme:dark/);
  assert.not.match(text, /<script|<img|<link|<iframe| style=| on[a-z]+=|javascript:/i);
  const ids = [...text.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]);
  assert.is(new Set(ids).size, ids.length);
  for (const [, target] of text.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(target), target);
  // Every element that is opened is closed, in its order.
  const open: string[] = [];
  for (const [, end, name = ''] of text.matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
    if (name === 'meta') continue;
    if (end) assert.is(open.pop(), name);
    else open.push(name);
  }
  assert.equal(open, []);
});

reference('speaks both languages', async () => {
  const { text: zh } = await page(user, '?lang=zh');
  const { text: en } = await page(user, '?lang=en');
  assert.match(zh, /<html lang="zh">[\s\S]*目录[\s\S]*任何人/);
  assert.match(en, /<html lang="en">[\s\S]*Contents[\s\S]*anyone/);
  assert.not.match(en.replaceAll(/<section id="errors">[\s\S]*/g, '').replaceAll('中文', ''), /[\u4e00-\u9fff]/);
});

reference('says what each call does in the language of the visitor', async () => {
  const { text: zh } = await page(admin, '?lang=zh');
  const { text: en } = await page(admin, '?lang=en');
  const asText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const shown = endpointsOf(contract).filter(({ endpoint }) => endpoint.access !== 'root');
  for (const { name, endpoint } of shown) {
    const [english, chinese] = [endpoint.description.en, endpoint.description.zh].map(
      (text) => `<p>${asText(text)}</p>`,
    );
    assert.ok(zh.includes(chinese ?? '') && !zh.includes(english ?? ''), name);
    assert.ok(en.includes(english ?? ''), name);
  }
});

reference('writes what it shows as text, whatever it is', () => {
  const operation = { operationId: 'a.b', tags: ['a'], summary: '<b>"&', 'x-access': 'admin', responses: {} };
  const { body } = referencePage({ paths: { '/x<y>': { get: operation } } }, 'en');
  assert.match(String(body), /<p>&lt;b&gt;&quot;&amp;<\/p>/);
  assert.match(String(body), /\/x&lt;y&gt;/);
});

reference('names every error code with both texts, and gives an example of every body and answer', () => {
  const endpoints = endpointsOf(contract);
  const text = JSON.stringify(openApiOf(endpoints, '1'));
  const { paths, 'x-error-codes': errors } = JSON.parse(text);
  for (const { name, endpoint } of endpoints) {
    for (const code of endpoint.errors ?? []) assert.ok(errors[code]?.en && errors[code]?.zh, `${name}: ${code}`);
  }
  for (const [path, methods] of Object.entries<Record<string, unknown>>(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const contents = [...JSON.stringify(operation).matchAll(/"application\/json":\{"schema":.*?/g)];
      const examples = [...JSON.stringify(operation).matchAll(/"example":/g)];
      assert.ok(examples.length >= contents.length, `${method} ${path}`);
    }
  }
});

reference.run();
