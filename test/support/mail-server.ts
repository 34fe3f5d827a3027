/** A mail server of the maintained `smtp-server` package on a free port of loopback, which keeps what it is sent. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { patienceMs } from './until.ts';
import { createWorkspace } from './workspace.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header lines and body with transfer encoding taken off where it is quoted-printable. */
  readonly text: string;
  readonly isSecure: boolean;
  readonly account: string;
}

export interface MailServer {
  readonly port: number;
  readonly received: ReceivedMail[];
  /** The next message that was not looked at yet. */
  next(): Promise<ReceivedMail>;
  /** Called for every connection that is opened from now on. */
  onConnection(heard: () => void): void;
  stop(): Promise<void>;
}

/** A key and a certificate for `localhost`, which is its own authority. */
export interface ServerIdentity {
  readonly key: string;
  readonly cert: string;
}

/** Makes a key and a certificate with OpenSSL. */
export async function makeServerIdentity(): Promise<ServerIdentity> {
  const workspace = createWorkspace();
  const [key, cert] = [workspace.path('key.pem'), workspace.path('cert.pem')];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-keyout', key, '-out', cert, ...name],
  ]);
  const identity = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  workspace.remove();
  return identity;
}

/** A plain server without sign-in unless the options say more. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const waiting: (() => void)[] = [];
  let read = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key ? [] : ['STARTTLS'],
    onAuth: ({ username, password }, _session, callback) =>
      password === 'right' ? callback(null, { user: username ?? '' }) : callback(new Error('refused')),
    onData: (stream, session, callback) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text: readable(Buffer.concat(parts).toString()),
          isSecure: session.secure,
          account: String(session.user ?? ''),
        });
        callback();
        for (const wake of waiting.splice(0)) wake();
      });
    },
    ...options,
  });
  // Clients that distrust the certificate hang up; that is what some tests are about.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the mail server is not listening');
  return {
    port: address.port,
    received,
    next: async () => {
      const deadline = Date.now() + patienceMs;
      for (;;) {
        const mail = received[read];
        if (mail) {
          read += 1;
          return mail;
        }
        if (Date.now() > deadline) throw new Error('no mail arrived');
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          setTimeout(resolve, 100);
        });
      }
    },
    onConnection: (heard) => server.server.on('connection', heard),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function readable(message: string): string {
  return message
    .replace(/=\r\n/g, '')
    .replace(/((?:=[0-9A-F]{2})+)/g, (run) => Buffer.from(run.replaceAll('=', ''), 'hex').toString());
}
