import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ContentPolicies } from '../../../daemon/http/content-policy.ts';
import { optionsView } from '../../support/options-view.ts';

const policy = suite('the policy of documents');

const least =
  "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; " +
  "img-src 'self' data: blob: https:; font-src 'self' data:; media-src 'self' blob: https:; connect-src 'self'; " +
  "frame-src 'self'; form-action 'self'; frame-ancestors 'self'; base-uri 'none'; object-src 'none'";

type Values = Parameters<typeof optionsView>[0];

function directives(values: Values, path = '/login'): Record<string, string> {
  const text = new ContentPolicies(() => optionsView(values)).of(path)['Content-Security-Policy'];
  return Object.fromEntries(text.split('; ').map((part) => [part.split(' ', 1)[0] ?? '', part.replace(/^\S+ /, '')]));
}

policy('lets nothing through but the console itself while every feature is off', () => {
  const { 'Content-Security-Policy': content, 'Permissions-Policy': permissions } = new ContentPolicies(() =>
    optionsView({}),
  ).of('/');
  assert.is(content, least);
  assert.is(permissions, 'camera=(), geolocation=(), microphone=()');
});

policy('opens requests of its own to pages of settings alone', () => {
  assert.is(directives({}, '/setting')['connect-src'], "'self' https: http:");
  assert.is(directives({}, '/setting/')['connect-src'], "'self' https: http:");
  assert.is(directives({}, '/settings')['connect-src'], "'self'");
  assert.is(directives({}, '/user/setting')['connect-src'], "'self'");
});

policy('lets in the widgets of the human check and of Telegram while they are on', () => {
  const check = directives({ TurnstileCheckEnabled: true });
  assert.is(check['script-src'], "'self' https://challenges.cloudflare.com");
  assert.is(check['frame-src'], "'self' https://challenges.cloudflare.com");
  const telegram = directives({ TelegramOAuthEnabled: true });
  assert.is(telegram['script-src'], "'self' https://telegram.org");
  assert.is(telegram['frame-src'], "'self' https://oauth.telegram.org");
});

policy('names the origins of what is framed and paid at, once each', () => {
  const found = directives({
    Chats: [
      { one: 'https://chat.example/#/?settings={"key":"{key}","url":"{address}"}' },
      { two: 'https://chat.example/other?key={key}' },
      { app: 'cherrystudio://providers/api-keys?v=1&data={key}' },
      { port: 'http://10.0.0.7:8080/{key}' },
    ],
    HomePageContent: 'https://home.example/start?x=1',
    About: '# About us\nhttps://not.a.frame/',
    PayAddress: 'https://pay.example/gateway/',
  });
  assert.is(found['frame-src'], "'self' https://chat.example http://10.0.0.7:8080 https://home.example");
  assert.match(found['form-action'] ?? '', /^'self' https:\/\/pay\.example /);
  const { 'Permissions-Policy': permissions } = new ContentPolicies(() =>
    optionsView({ Chats: [{ one: 'https://chat.example/' }] }),
  ).of('/chat/0');
  assert.is(permissions, 'camera=(), geolocation=(), microphone=(self "https://chat.example")');
});

policy(
  'lets the form of a payment be sent on to wherever the payment page sends its buyers, while there is one',
  () => {
    assert.is(directives({ PayAddress: 'https://pay.example/' })['form-action'], "'self' https://pay.example https:");
    assert.is(directives({ PayAddress: 'http://10.0.0.7' })['form-action'], "'self' http://10.0.0.7 https: http:");
    assert.is(directives({ PayAddress: "https://pay.example;script-src 'x'" })['form-action'], "'self'");
  },
);

policy('takes no directive from a text that somebody entered', () => {
  const found = directives({ About: "https://a.example;script-src 'unsafe-inline'", HomePageContent: "https://b'c/" });
  assert.is(found['script-src'], "'self'");
  assert.not.match(found['frame-src'] ?? '', /[;']c|unsafe/);
});

policy('follows the options', () => {
  let view = optionsView({});
  const policies = new ContentPolicies(() => view);
  const before = policies.of('/');
  assert.is(policies.of('/login'), before);
  view = optionsView({ TelegramOAuthEnabled: true });
  assert.match(policies.of('/')['Content-Security-Policy'], 'telegram.org');
});

policy.run();
