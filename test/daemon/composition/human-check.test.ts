/**
 * The human check in front of every call whose page shows the widget, with a service that knows each answer once.
 * Runs once: the check comes before any row is asked for.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contract } from '../../../daemon/contract/index.ts';
import { endpointsOf } from '../../../daemon/contract/openapi.ts';
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

const human = suite('the human check of a whole daemon');

let daemon: TestDaemon;
let mail: MailServer;
let service: WebServer;

human.before(async () => {
  mail = await startMailServer();
  const known = new Set(['one', 'two', 'three', 'four']);
  service = await startWebServer(({ body }) => {
    const form = new URLSearchParams(body);
    return { success: form.get('secret') === 'the secret' && known.delete(form.get('response') ?? '') };
  });
  daemon = await startTestDaemon({
    config: { 'security.human_check_url': `${service.url}/siteverify` },
    options: {
      SMTPServer: '127.0.0.1',
      SMTPPort: String(mail.port),
      SMTPFrom: 'gate@example.org',
      ServerAddress: 'https://gate.example.org',
      EmailVerificationEnabled: 'true',
      TurnstileSiteKey: 'a site key',
      TurnstileSecretKey: 'the secret',
      TurnstileCheckEnabled: 'true',
    },
  });
});

human.after(async () => {
  await daemon?.stop();
  await mail?.stop();
  await service?.stop();
});

/** A browser that keeps its cookie. */
class Browser {
  #cookie = '';

  async call(method: 'GET' | 'POST', path: string, query: Record<string, string>, body?: unknown): Promise<string> {
    const response = await fetch(`${daemon.url}${path}?${new URLSearchParams(query)}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        'Accept-Language': 'en',
        ...(this.#cookie ? { Cookie: this.#cookie } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    this.#cookie = response.headers.get('set-cookie')?.split(';')[0] ?? this.#cookie;
    const answer: { success: boolean; code?: string } = JSON.parse(await response.text());
    return answer.success ? 'success' : (answer.code ?? '');
  }
}

const person = { username: 'ann', password: 'long enough' };
const email = 'ann@example.org';

/** Every call whose page shows the widget. */
const calls: readonly [string, (browser: Browser, query: Record<string, string>) => Promise<string>][] = [
  ['account.login', (browser, query) => browser.call('POST', '/api/user/login', query, person)],
  ['account.register', (browser, query) => browser.call('POST', '/api/user/register', query, person)],
  ['verification.sendCode', (browser, query) => browser.call('GET', '/api/verification', { email, ...query })],
  ['verification.requestReset', (browser, query) => browser.call('GET', '/api/reset_password', { email, ...query })],
];

human('stands before exactly the calls of sign-in, registration, codes and reset links', () => {
  const guarded = endpointsOf(contract).filter(({ endpoint }) => endpoint.humanCheck === 'required');
  assert.equal(guarded.map(({ name }) => name).sort(), calls.map(([name]) => name).sort());
});

for (const [name, call] of calls) {
  human(`refuses ${name} without an answer, with a wrong one, and before anything else is looked at`, async () => {
    assert.is(await call(new Browser(), {}), 'turnstile_missing');
    assert.is(await call(new Browser(), { turnstile: '' }), 'turnstile_missing');
    assert.is(await call(new Browser(), { turnstile: 'made up' }), 'turnstile_failed');
    assert.is(await call(new Browser(), { turnstile: 'x'.repeat(3000) }), 'turnstile_failed');
  });
}

human('lets one answer carry a visitor from the code to the account, and nobody else', async () => {
  const browser = new Browser();
  assert.is(await browser.call('GET', '/api/verification', { email, turnstile: 'one' }), 'success');
  const code = /\r\n\r\n([0-9a-z]{6})\r\n/.exec((await mail.next()).text)?.[1];
  const form = { ...person, email, verification_code: code };
  assert.is(await new Browser().call('POST', '/api/user/register', { turnstile: 'one' }, form), 'turnstile_failed');
  assert.is(await browser.call('POST', '/api/user/register', {}, form), 'success');
  assert.is(await browser.call('POST', '/api/user/login', {}, person), 'success');
  const asked = new URLSearchParams(service.asked.find(({ body }) => body.includes('response=one'))?.body);
  assert.equal(Object.fromEntries(asked), { secret: 'the secret', response: 'one', remoteip: '127.0.0.1' });
});

human('refuses everybody while the service cannot be asked', async () => {
  await service.stop();
  assert.is(await new Browser().call('POST', '/api/user/login', { turnstile: 'two' }, person), 'turnstile_failed');
});

human.run();
