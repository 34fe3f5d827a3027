/** One notice on its way to one place: by mail, to a webhook, or to the robot of a chat. */
import type { RobotDialect } from '../contract/alerts.ts';
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import { roles } from '../contract/roles.ts';
import { TollgateError } from '../errors.ts';
import type { Mailer } from './mailer.ts';
import { type Notice, noticeLetter, plainContent } from './notice-texts.ts';

export type { RobotDialect } from '../contract/alerts.ts';

/** `exempt` targets were set up by an administrator: the exceptions of the egress guard hold for them. */
export type EgressStanding = 'guarded' | 'exempt';

/** Normal users never have the exceptions (management-api.md 8.2). */
export function egressStanding(role: number): EgressStanding {
  return role >= roles.admin ? 'exempt' : 'guarded';
}

export type Destination =
  | { readonly by: 'mail'; readonly to: string }
  | { readonly by: 'webhook'; readonly url: string; readonly secret: string; readonly standing: EgressStanding }
  | { readonly by: 'robot'; readonly url: string; readonly secret: string; readonly dialect: RobotDialect };

export interface Delivery {
  /** The same in every try, so that a receiver can tell a repetition. */
  readonly id: string;
  readonly notice: Notice;
  readonly to: Destination;
  readonly language: Language;
}

/** A message for a web address. */
export interface WebNotice {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly content: string;
  readonly values: readonly (string | number)[];
}

/** Delivers to web addresses. Rejects with `DeliveryFailure`. */
export interface WebPost {
  webhook(to: Extract<Destination, { by: 'webhook' }>, message: WebNotice): Promise<void>;
  robot(to: Extract<Destination, { by: 'robot' }>, message: WebNotice): Promise<void>;
}

/** A try that did not arrive. */
export class DeliveryFailure extends Error {
  /** `never` when a later try would meet the same. */
  readonly again: 'later' | 'never';

  /** @param reason for the owner of the target: no part of a remote answer */
  constructor(reason: string, again: 'later' | 'never', options?: ErrorOptions) {
    super(reason, options);
    this.name = 'DeliveryFailure';
    this.again = again;
  }
}

export interface DelivererDeps {
  readonly mailer: Mailer;
  readonly post: WebPost;
  readonly options: () => OptionsView;
}

/** Tries once. Rejects with `DeliveryFailure`. */
export async function deliver(deps: DelivererDeps, { id, notice, to, language }: Delivery): Promise<void> {
  const text = notice.texts[language];
  if (to.by === 'mail') {
    const scene = { language, siteName: deps.options().get('SystemName') };
    await mail(deps, { to: to.to, ...noticeLetter(text, scene) });
    return;
  }
  const { type, values } = notice;
  const message = { id, type, values, title: text.title, content: plainContent(text) };
  if (to.by === 'webhook') await deps.post.webhook(to, message);
  else await deps.post.robot(to, message);
}

async function mail({ mailer, options }: DelivererDeps, letter: Parameters<Mailer['send']>[0]): Promise<void> {
  const view = options();
  if (view.get('SMTPServer') === '') throw new DeliveryFailure('no mail server is configured', 'never');
  const lacksPassword = view.get('SMTPAccount') !== '' && view.get('SMTPToken') === '';
  try {
    await mailer.send(letter);
  } catch (cause) {
    const reason = mailReason(cause, { lacksPassword });
    throw new DeliveryFailure(reason.text, reason.again, { cause });
  }
}

/** What the mail server said, as far as the operator of that server may know. */
function mailReason(
  error: unknown,
  { lacksPassword }: { lacksPassword: boolean },
): { text: string; again: 'later' | 'never' } {
  const cause: unknown = error instanceof TollgateError ? error.cause : error;
  if (!(cause instanceof Error)) return { text: 'the mail settings or the address are not usable', again: 'never' };
  const [code, status, said] = ['code', 'responseCode', 'response'].map((name): unknown => Reflect.get(cause, name));
  // A status of SMTP proves that a mail server spoke; only then are its words repeated.
  if (typeof status === 'number' && status >= 400) {
    const words = typeof said === 'string' ? said.replace(/\p{Cc}+/gu, ' ').slice(0, 200) : String(status);
    return { text: `the mail server refused: ${words}`, again: status < 500 ? 'later' : 'never' };
  }
  if (code === 'ADDRESS_REFUSED') {
    return {
      text: 'the address in SMTPServer is not public, and security.egress_allow of the configuration does not have it',
      again: 'never',
    };
  }
  if (code === 'EAUTH' && lacksPassword) {
    return { text: 'the mail server wants a sign-in: SMTPAccount is filled in and SMTPToken is not', again: 'never' };
  }
  return { text: `the mail server was not reached (${typeof code === 'string' ? code : 'no answer'})`, again: 'later' };
}

/** Why a try did not arrive, for the owner of the target; undefined when it did. */
export async function failureOf(attempt: Promise<void>): Promise<string | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    if (error instanceof DeliveryFailure) return error.message;
    throw error;
  }
}
