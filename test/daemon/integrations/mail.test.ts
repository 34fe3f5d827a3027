import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeLetter } from '../../../daemon/domain/mail-texts.ts';
import { deliver, failureOf } from '../../../daemon/domain/notice-delivery.ts';
import { sampleNotice } from '../../../daemon/domain/notice-texts.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { SmtpMailer, type SmtpSettings } from '../../../daemon/integrations/mail.ts';
import {
  type MailServer,
  makeServerIdentity,
  type ServerIdentity,
  startMailServer,
} from '../../support/mail-server.ts';
import { optionsView } from '../../support/options-view.ts';

const mail = suite('mail over SMTP');

let identity: ServerIdentity;
const servers: MailServer[] = [];
const causes: unknown[] = [];

mail.before(async () => {
  identity = await makeServerIdentity();
});

mail.after(async () => {
  for (const server of servers) await server.stop();
});

async function serve(options: Parameters<typeof startMailServer>[0] = {}): Promise<MailServer> {
  const server = await startMailServer(options);
  servers.push(server);
  return server;
}

function mailer(server: { port: number }, over: Partial<SmtpSettings> = {}, authorities?: string): SmtpMailer {
  const settings = {
    host: 'localhost',
    port: server.port,
    account: 'bot@example.org',
    password: 'right',
    from: '',
    senderName: 'A site, "quoted"',
    implicitTls: false,
    ...over,
  };
  return new SmtpMailer({
    settings: () => settings,
    authorities,
    timeoutMs: 2000,
    report: (cause) => causes.push(cause),
  });
}

const letter = { to: 'ann@example.com', subject: 'Hello', text: 'Hello Ann\n', html: '<p>Hello Ann</p>' };

async function codeOf(sending: Promise<void>): Promise<string> {
  return sending.then(
    () => 'sent',
    (error: unknown) => (error instanceof TollgateError ? error.code : String(error)),
  );
}

mail('travels by STARTTLS with sign-in, from the account when no sender is named', async () => {
  const server = await serve({ ...identity, authOptional: false });
  await mailer(server, {}, identity.cert).send(letter);
  const received = await server.next();
  assert.equal(
    [received.from, received.to, received.isSecure, received.account],
    ['bot@example.org', ['ann@example.com'], true, 'bot@example.org'],
  );
  assert.match(received.text, 'Hello Ann');
});

mail('travels by TLS from the first byte when the site says so', async () => {
  const server = await serve({ ...identity, secure: true });
  await mailer(server, { implicitTls: true, from: 'post@example.org' }, identity.cert).send(letter);
  const received = await server.next();
  assert.equal([received.from, received.isSecure], ['post@example.org', true]);
});

mail('is not sent to a server whose certificate nobody vouches for', async () => {
  for (const secure of [true, false]) {
    const server = await serve({ ...identity, secure });
    assert.is(await codeOf(mailer(server, { implicitTls: secure }).send(letter)), 'mail_failed');
    assert.equal(server.received, []);
  }
});

mail('is not sent to a server with a certificate for another name', async () => {
  const server = await serve({ ...identity, secure: true });
  const sending = mailer(server, { implicitTls: true, host: '127.0.0.1' }, identity.cert).send(letter);
  assert.is(await codeOf(sending), 'mail_failed');
  assert.equal(server.received, []);
});

mail('never shows a password to a server that offers no encryption', async () => {
  const server = await serve({ allowInsecureAuth: true });
  assert.is(await codeOf(mailer(server).send(letter)), 'mail_failed');
  assert.equal(server.received, []);
});

mail('is only greeted by a test: signed in where the server takes it, and nothing sent', async () => {
  const server = await serve({ ...identity, authOptional: false });
  assert.equal(await mailer(server, {}, identity.cert).greet(), {
    kind: 'ready',
    host: 'localhost',
    sender: 'bot@example.org',
  });
  const reasonOf = async (over: Partial<SmtpSettings>, authorities?: string) => {
    const greeting = await mailer(server, over, authorities).greet();
    return greeting.kind === 'refused' ? greeting.reason : greeting.kind;
  };
  assert.is(await reasonOf({ password: 'wrong' }, identity.cert), 'EAUTH');
  assert.not.equal(await reasonOf({}), 'ready', 'nobody vouches for the certificate');
  assert.is(await reasonOf({ host: '' }), 'off');
  assert.is(await reasonOf({ from: 'no address' }), 'bad-sender');
  assert.equal(server.received, []);
});

mail('says what is missing when a server wants a sign-in and there is an account without a password', async () => {
  const server = await serve({ ...identity, authOptional: false });
  const lacking = mailer(server, { password: '' }, identity.cert);
  assert.is((await lacking.greet()).kind, 'no-password');
  const options = () => optionsView({ SMTPServer: 'localhost', SMTPAccount: 'bot@example.org' });
  const post = { webhook: async () => undefined, robot: async () => undefined };
  const to = { by: 'mail', to: 'ann@example.com' } as const;
  const notice = sampleNotice(undefined, '');
  const reason = await failureOf(deliver({ mailer: lacking, post, options }, { id: '1', notice, to, language: 'en' }));
  assert.match(reason ?? '', 'SMTPAccount is filled in and SMTPToken is not');
});

mail('goes to a relay on this very machine without encryption and sign-in', async () => {
  const server = await serve();
  await mailer(server, { account: '', from: 'post@example.org' }).send(letter);
  assert.is((await server.next()).isSecure, false);
});

mail('fails with one code, and tells operators why, when sign-in is refused or nobody answers', async () => {
  const server = await serve({ ...identity, authOptional: false });
  causes.length = 0;
  assert.is(await codeOf(mailer(server, { password: 'wrong' }, identity.cert).send(letter)), 'mail_failed');
  assert.is(await codeOf(mailer({ port: 9 }).send(letter)), 'mail_failed');
  assert.is(await codeOf(mailer(server, { host: '' }).send(letter)), 'mail_failed');
  assert.is(causes.length, 2);
});

mail('has one recipient and no header of the sender’s making', async () => {
  const server = await serve();
  const plain = mailer(server, { account: '', from: 'post@example.org' });
  for (const to of ['a@b.org;c@d.org', 'a@b.org,c@d.org', 'a@b.org\r\nBcc: c@d.org', '<a@b.org>', 'nobody']) {
    assert.is(await codeOf(plain.send({ ...letter, to })), 'mail_failed');
  }
  const scene = { language: 'en', siteName: '<b>Site</b>\r\nBcc: c@d.org' } as const;
  await plain.send({ to: 'a@b.org', ...codeLetter(scene, { code: 'ab12cd', minutes: 10 }) });
  const received = await server.next();
  assert.equal(received.to, ['a@b.org']);
  assert.not.match(received.text, /^Bcc:/m);
  assert.match(received.text, 'ab12cd');
});

mail('escapes in its HTML part what people have written', () => {
  const scene = { language: 'zh', siteName: 'S' } as const;
  const { html, text } = codeLetter(scene, { code: '<img src=x onerror="1">', minutes: 10 });
  assert.not.match(html, '<img');
  assert.match(text, '<img');
  assert.match(html, '验证码');
});

mail.run();
