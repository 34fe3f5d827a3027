/**
 * All outbound network but the relay's: mail, identity providers, the human check, webhooks. Each file implements an
 * interface that the domain declares; nothing here knows SQL, Koa or the relay.
 *
 * This file sends mail over SMTP: implicit TLS or STARTTLS, the server's certificate verified (W36).
 */
import { createTransport } from 'nodemailer';
import type { Mail, Mailer } from '../domain/mailer.ts';
import { TollgateError } from '../errors.ts';

export interface SmtpSettings {
  /** "" while mail is not configured. */
  readonly host: string;
  readonly port: number;
  /** "" sends without signing in. */
  readonly account: string;
  readonly password: string;
  /** "" takes the account. */
  readonly from: string;
  readonly senderName: string;
  /** TLS from the first byte; otherwise the connection is upgraded by STARTTLS. */
  readonly implicitTls: boolean;
}

export interface SmtpMailerDeps {
  /** Read for every message, so that a changed option counts at once. */
  readonly settings: () => SmtpSettings;
  /** PEM; the system's authorities when undefined. */
  readonly authorities?: string | undefined;
  /** For connecting, and for each answer; 10 s when undefined. */
  readonly timeoutMs?: number | undefined;
  /** Told why a message could not be sent. */
  readonly report: (cause: unknown) => void;
}

/** Port on which servers speak TLS from the first byte (RFC 8314). */
const submissionsPort = 465;
const loopbackHosts = new Set(['localhost', '127.0.0.1', '::1']);

export class SmtpMailer implements Mailer {
  readonly #deps: SmtpMailerDeps;

  constructor(deps: SmtpMailerDeps) {
    this.#deps = deps;
  }

  async send(mail: Mail): Promise<void> {
    const { settings, authorities, timeoutMs = 10_000, report } = this.#deps;
    const { host, port, account, password, from, senderName, implicitTls } = settings();
    const sender = from === '' ? account : from;
    if (host === '' || !isOneAddress(sender) || !isOneAddress(mail.to)) throw new TollgateError('mail_failed');
    // Without a password nothing can be overheard between a relay on this very machine and us.
    const isPlainRelay = account === '' && loopbackHosts.has(host);
    const transport = createTransport({
      host,
      port,
      secure: implicitTls || port === submissionsPort,
      requireTLS: !isPlainRelay,
      tls: { rejectUnauthorized: !isPlainRelay, minVersion: 'TLSv1.2', ...(authorities ? { ca: authorities } : {}) },
      ...(account === '' ? {} : { auth: { user: account, pass: password } }),
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      await transport.sendMail({ ...mail, from: { name: senderName, address: sender } });
    } catch (cause) {
      report(cause);
      throw new TollgateError('mail_failed', {}, { cause });
    } finally {
      transport.close();
    }
  }
}

/** One plain address: nothing that would add a recipient or a header. */
function isOneAddress(text: string): boolean {
  return /^[^\s@,;:<>()"\\]+@[^\s@,;:<>()"\\]+$/.test(text);
}
