import { type LookupAddress, lookup } from 'node:dns';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeLetter } from '../../../daemon/domain/mail-texts.ts';
import { deliver, failureOf } from '../../../daemon/domain/notice-delivery.ts';
import { sampleNotice } from '../../../daemon/domain/notice-texts.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { SmtpMailer, type SmtpSettings } from '../../../daemon/integrations/mail.ts';
import { AddressGuard, type ResolveCallback } from '../../../daemon/upstream/address-guard.ts';
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

/** The mail servers of the tests are on this machine. */
const own = new AddressGuard({ allow: ['127.0.0.0/8', '::1'], channelAllowPrivate: false });

function mailer(
  server: { port: number },
  over: Partial<SmtpSettings> = {},
  authorities?: string,
  guard: AddressGuard = own,
): SmtpMailer {
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
    guard,
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

mail('says that no person wrote it, so that absence notes are not sent back', async () => {
  const server = await serve();
  await mailer(server, { account: '', from: 'post@example.org' }).send(letter);
  assert.match((await server.next()).text, /^Auto-Submitted: auto-generated\r?$/m);
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

/** Names of a made-up world: what each look-up answers, the last one for ever; others are asked of the system. */
function resolverOf(names: Readonly<Record<string, readonly (readonly string[])[]>>) {
  const asked: string[] = [];
  const resolve = (host: string, callback: ResolveCallback) => {
    const turns = names[host];
    if (turns === undefined) return lookup(host, { all: true }, callback);
    const turn = turns[Math.min(asked.length, turns.length - 1)] ?? [];
    asked.push(host);
    const found: LookupAddress[] = turn.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    return callback(null, found);
  };
  return { asked, resolve };
}

const plainRelay = { account: '', from: 'post@example.org' };

mail(
  'does not reach a server that is not public, however its address is written, unless the operator allows it',
  async () => {
    const server = await serve();
    let connections = 0;
    server.onConnection(() => {
      connections += 1;
    });
    const { resolve } = resolverOf({
      'inside.test': [['127.0.0.1']],
      'mixed.test': [['93.184.216.34', '127.0.0.1']],
      'mapped.test': [['::ffff:127.0.0.1']],
    });
    const guard = new AddressGuard({ allow: [], channelAllowPrivate: true, resolve });
    const hosts = [
      ...['127.0.0.1', 'localhost', 'LOCALHOST', '2130706433', '0x7f000001', '0177.0.0.1', '127.1', '0.0.0.0', '0'],
      ...['::1', '[::1]', '::ffff:127.0.0.1', '64:ff9b::7f00:1', 'fe80::1', '10.0.0.1', '169.254.169.254', 'metadata'],
      ...['metadata.google.internal.', 'inside.test', 'mixed.test', 'mapped.test'],
    ];
    causes.length = 0;
    for (const host of hosts) {
      const kept = mailer(server, { ...plainRelay, host }, undefined, guard);
      assert.is(await codeOf(kept.send(letter)), 'mail_failed', host);
      const place = `${/^[^[].*:/.test(host) ? `[${host}]` : host}:${server.port}`;
      assert.equal(await kept.greet(), { kind: 'private', host, place }, host);
      assert.is(await kept.keptAwayFrom(), place, host);
    }
    assert.is(causes.length, hosts.length, 'operators are told');
    assert.is(connections, 0);
    for (const [allow, host] of [
      [`inside.test:${server.port}`, 'inside.test'],
      ['127.0.0.1', 'inside.test'],
      [`127.0.0.1:${server.port}`, '127.0.0.1'],
      ['127.0.0.0/8', '127.0.0.1'],
    ] as const) {
      const listed = new AddressGuard({ allow: [allow], channelAllowPrivate: false, resolve });
      const allowed = mailer(server, { ...plainRelay, host, port: server.port }, undefined, listed);
      assert.is(
        (await allowed.greet()).kind,
        host === '127.0.0.1' ? 'ready' : 'refused',
        'only loopback goes without TLS',
      );
      assert.is(await allowed.keptAwayFrom(), undefined);
    }
    assert.is(connections, 4);
    const otherPort = new AddressGuard({ allow: ['inside.test:25'], channelAllowPrivate: false, resolve });
    assert.is((await mailer(server, { host: 'inside.test' }, undefined, otherPort).greet()).kind, 'private');
  },
);

mail('connects to the address that was checked, by one look-up a message', async () => {
  const server = await serve({ ...identity, authOptional: false });
  const { asked, resolve } = resolverOf({ localhost: [['127.0.0.1'], ['127.0.0.1', '10.0.0.1']] });
  const guard = new AddressGuard({ allow: ['127.0.0.1'], channelAllowPrivate: false, resolve });
  const turning = mailer(server, {}, identity.cert, guard);
  await turning.send(letter);
  assert.is((await server.next()).isSecure, true, 'the certificate is asked for by its name');
  assert.equal(asked, ['localhost']);
  assert.is(await codeOf(turning.send(letter)), 'mail_failed');
  assert.equal(server.received.length, 1);
});

mail('tells who tries it what to do about a server that is not public', async () => {
  const guard = new AddressGuard({ allow: [], channelAllowPrivate: true });
  const kept = mailer({ port: 25 }, plainRelay, undefined, guard);
  const options = () => optionsView({ SMTPServer: 'localhost' });
  const post = { webhook: async () => undefined, robot: async () => undefined };
  const to = { by: 'mail', to: 'ann@example.com' } as const;
  const notice = sampleNotice(undefined, '');
  const reason = await failureOf(deliver({ mailer: kept, post, options }, { id: '1', notice, to, language: 'en' }));
  assert.match(reason ?? '', 'SMTPServer is not public, and security.egress_allow');
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

mail('tells operators that no mail can have this sender, without telling the address', async () => {
  causes.length = 0;
  assert.is(await codeOf(mailer({ port: 9 }, { account: 'bot' }).send(letter)), 'mail_failed');
  assert.equal(causes.map(String), ['Error: neither SMTPFrom nor SMTPAccount is one plain e-mail address']);
});

mail('escapes in its HTML part what people have written', () => {
  const scene = { language: 'zh', siteName: 'S' } as const;
  const { html, text } = codeLetter(scene, { code: '<img src=x onerror="1">', minutes: 10 });
  assert.not.match(html, '<img');
  assert.match(text, '<img');
  assert.match(html, '验证码');
});

mail.run();
