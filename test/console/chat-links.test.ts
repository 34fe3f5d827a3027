/** Links to chat sites and programs: which are usable, what they are filled with, who gets a key (console.md 6.19). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ChatLink, chatLinksOf } from '../../console/chat-links/chat-links.ts';
import { filledLink, hasKeyInQuery, receiverOf, takesKey } from '../../console/chat-links/filled-link.ts';
import { consoleSources } from '../support/console-sources.ts';

const test = suite('console: chat links');

const filling = { address: 'https://gate.test:8443', key: 'sk-abc', siteName: '公司网关' };
const only = (url: string): ChatLink => {
  const [link] = chatLinksOf([{ name: url }]) ?? [];
  if (!link) throw new Error(`not usable: ${url}`);
  return link;
};

test('a saved list is one name to one address each; anything else makes it unusable', () => {
  const links = chatLinksOf([{ Next: 'https://chat.test/#/?k={key}' }, { Cherry: 'cherrystudio://x' }]);
  assert.equal(links, [
    { name: 'Next', index: 0, url: 'https://chat.test/#/?k={key}', isPage: true },
    { name: 'Cherry', index: 1, url: 'cherrystudio://x', isPage: false },
  ]);
  for (const broken of [{}, { a: 'https://a', b: 'https://b' }, { a: 'no address' }, { a: 'javascript:alert(1)' }]) {
    assert.is(chatLinksOf([broken]), undefined);
  }
});

test('the address is encoded, the key is not', () => {
  assert.is(
    filledLink(only('https://chat.test/#/?settings={"key":"{key}","url":"{address}"}'), filling),
    'https://chat.test/#/?settings={"key":"sk-abc","url":"https%3A%2F%2Fgate.test%3A8443"}',
  );
  assert.is(filledLink(only('ama://set?server={address}&key={key}'), { ...filling, key: 'sk-$&' }).slice(-5), 'sk-$&');
});

test('Cherry Studio gets its settings as it reads them', () => {
  const url = filledLink(only('cherrystudio://providers/api-keys?v=1&data={cherryConfig}'), filling);
  const data = new URL(url).searchParams.get('data') ?? '';
  // As its handler does: the two letters of base64 that mean something in addresses are written otherwise.
  const read = JSON.parse(Buffer.from(data.replaceAll('_', '+').replaceAll('-', '/'), 'base64').toString('utf8'));
  assert.equal(read, {
    id: 'tollgate',
    baseUrl: 'https://gate.test:8443',
    apiKey: 'sk-abc',
    name: '公司网关',
    type: 'openai',
  });
});

test('C31: the list of tokens, the side bar and the chat page fill links in one place, and so alike', () => {
  const callers = consoleSources(['.ts', '.tsx']).filter(({ code }) => /'{key}'|cherryConfig|filledLink/.test(code));
  const names = callers
    .map(({ path }) => path)
    .filter((path) => !path.includes('/i18n/') && !path.includes('/settings/'));
  assert.equal(names.sort(), ['console/chat-links/filled-link.ts', 'console/chat-links/hand-over.ts']);
  const users = consoleSources(['.ts', '.tsx']).filter(({ code }) => /\b(?:openChat|handOver)\(/.test(code));
  assert.equal(users.map(({ path }) => path).sort(), [
    'console/chat-links/hand-over.ts',
    'console/chat-links/open-chat.ts',
    'console/pages/chat/use-chat-address.ts',
    'console/pages/tokens/connect-dialog.tsx',
    'console/pages/tokens/use-chat-acts.ts',
    'console/shell/side-bar.tsx',
  ]);
});

test('a site never gets the settings of a program, which would put the key into its address', () => {
  const link = only('https://chat.test/?data={cherryConfig}');
  assert.is(filledLink(link, filling), link.url);
  assert.not.ok(takesKey(link));
});

test('who gets a key is known, and named by host or scheme', () => {
  assert.is(receiverOf(only('https://chat.test:444/#{key}')), 'chat.test:444');
  assert.is(receiverOf(only('CherryStudio://providers')), 'cherrystudio');
  assert.is(receiverOf(only('https://{key}.evil.test/')), undefined);
  assert.is(receiverOf(only('https://{address}/')), undefined);
  assert.ok(takesKey(only('https://chat.test/#{key}')));
  assert.not.ok(takesKey(only('https://chat.test/{address}')));
});

test('a key before the # is told of', () => {
  assert.ok(hasKeyInQuery(only('https://chat.test/?k={key}#x')));
  assert.not.ok(hasKeyInQuery(only('https://chat.test/#/?k={key}')));
  assert.not.ok(hasKeyInQuery(only('ama://set?key={key}')));
});

test.run();
