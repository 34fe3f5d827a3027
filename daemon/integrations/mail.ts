/**
 * All outbound network but the relay's: mail, identity providers, the human check, webhooks. Each file implements an
 * interface that the domain declares; nothing here knows SQL, Koa or the relay.
 *
 * This file sends mail over SMTP: to a server that the egress guard lets through, by implicit TLS or STARTTLS, its
 * certificate verified (W36).
 */
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import type { Mail, Mailer } from '../domain/mailer.ts';
import { isPlainAddress } from '../domain/plain-address.ts';
import type { MailGreeting } from '../domain/self-tests.ts';
import { TollgateError } from '../errors.ts';
import type { AddressGuard } from '../upstream/address-guard.ts';
import { isRefusedAddress, networkCode } from './network-code.ts';

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
  /** Decides where the server may be, as for every address of the class `guarded` (management-api.md 8.2). */
  readonly guard: AddressGuard;
  /** PEM; the system's authorities when undefined. */
  readonly authorities?: string | undefined;
  /** For connecting, and for each answer; 10 s when undefined. */
  readonly timeoutMs?: number | undefined;
  /** Told why a message could not be sent. */
  readonly report: (cause: unknown) => void;
}

/** Port on which servers speak TLS from the first byte (RFC 8314). */
const submissionsPort = 465;
/** What the mailer says of a sign-in that the server refused, and of one that it cannot even try. */
const refusedSignIn = 'EAUTH';
/** Keeps absence notes and other robots from answering (RFC 3834). */
const automatic = { 'Auto-Submitted': 'auto-generated' };
const loopbackHosts = new Set(['localhost', '127.0.0.1', '::1']);

export class SmtpMailer implements Mailer {
  readonly #deps: SmtpMailerDeps;

  constructor(deps: SmtpMailerDeps) {
    this.#deps = deps;
  }

  async send(mail: Mail): Promise<void> {
    const settings = this.#deps.settings();
    const sender = senderOf(settings);
    if (settings.host === '') throw new TollgateError('mail_failed');
    const lack = lackOf(sender, mail.to);
    if (lack !== undefined) {
      this.#deps.report(new Error(lack));
      throw new TollgateError('mail_failed');
    }
    const transport = await this.#transportOf(settings);
    try {
      const from = { name: settings.senderName, address: sender };
      await transport.sendMail({ ...mail, from, headers: automatic });
    } catch (cause) {
      this.#deps.report(cause);
      throw new TollgateError('mail_failed', {}, { cause });
    } finally {
      transport.close();
    }
  }

  /** Connects, secures the connection and signs in as `send` does, and leaves again. Never rejects. */
  async greet(): Promise<MailGreeting> {
    const settings = this.#deps.settings();
    const { host } = settings;
    const sender = senderOf(settings);
    if (host === '') return { kind: 'off' };
    if (!isPlainAddress(sender)) return { kind: 'bad-sender' };
    const transport = await this.#transportOf(settings);
    try {
      await transport.verify();
      return { kind: 'ready', host, sender };
    } catch (error) {
      if (isRefusedAddress(error)) return { kind: 'private', host, place: placeOf(settings) };
      const reason = networkCode(error) ?? 'FAILED';
      if (reason === refusedSignIn && settings.account !== '' && settings.password === '')
        return { kind: 'no-password' };
      return { kind: 'refused', host, reason };
    } finally {
      transport.close();
    }
  }

  /**
   * Where the configured server is, as an entry of the guard's list of exceptions names it, while the guard keeps every
   * mail from it. Undefined while it does not, or the name is not found.
   */
  async keptAwayFrom(): Promise<string | undefined> {
    const { guard, settings } = this.#deps;
    const { host, port } = settings();
    if (host === '') return undefined;
    const isKeptAway = await guard.checkPlace(host, String(port), 'guarded').then(() => false, isRefusedAddress);
    return isKeptAway ? placeOf(settings()) : undefined;
  }

  async #transportOf({ host, port, account, password, implicitTls }: SmtpSettings) {
    const { authorities, guard, timeoutMs = 10_000 } = this.#deps;
    // Without a password nothing can be overheard between a relay on this very machine and us.
    const isPlainRelay = account === '' && loopbackHosts.has(host);
    // Loaded with the first mail, to keep the start short.
    const { createTransport } = await import('nodemailer');
    return createTransport({
      host,
      port,
      secure: implicitTls || port === submissionsPort,
      requireTLS: !isPlainRelay,
      tls: { rejectUnauthorized: !isPlainRelay, minVersion: 'TLSv1.2', ...(authorities ? { ca: authorities } : {}) },
      ...(account === '' ? {} : { auth: { user: account, pass: password } }),
      // The library would resolve the name itself, and connect wherever it leads.
      getSocket: (_, opened) => {
        openSocket({ host, port: String(port), guard, timeoutMs }, (...[error, connection]) =>
          error === null ? opened(null, { connection }) : opened(error, false),
        );
      },
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }
}

function placeOf({ host, port }: Pick<SmtpSettings, 'host' | 'port'>): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

interface ServerPlace {
  readonly host: string;
  readonly port: string;
  readonly guard: AddressGuard;
  readonly timeoutMs: number;
}

/** A connection without TLS to the address that the guard has checked. */
function openSocket({ host, port, guard, timeoutMs }: ServerPlace, callback: buildConnector.Callback): void {
  try {
    guard.checkHost(host, port, 'guarded');
  } catch (error) {
    callback(error instanceof Error ? error : new Error(String(error)), null);
    return;
  }
  const connect = buildConnector({ timeout: timeoutMs, lookup: guard.lookup('guarded', port) });
  connect({ hostname: host, protocol: 'http:', port }, callback);
}

/** What keeps a mail from being tried with a configured server; without the addresses, since the log has it. */
function lackOf(sender: string, recipient: string): string | undefined {
  if (!isPlainAddress(sender)) return 'neither SMTPFrom nor SMTPAccount is one plain e-mail address';
  return isPlainAddress(recipient) ? undefined : 'the recipient is not one plain e-mail address';
}

function senderOf({ from, account }: SmtpSettings): string {
  return from === '' ? account : from;
}
