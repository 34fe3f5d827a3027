/** Mails that tell owners what happened to their account. Nobody waits for them. */
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';
import type { UserRecord } from '../store/users.ts';
import { factorLetter } from './factor-letter.ts';
import { emailChangedLetter, type Letter, type MailScene, passwordChangedLetter } from './mail-texts.ts';
import type { Mailer } from './mailer.ts';
import type { FactorChange } from './second-factors.ts';

export interface AccountLettersDeps {
  readonly mailer: Mailer;
  readonly options: () => OptionsView;
  readonly language: Language;
  readonly report: (cause: unknown) => void;
}

export class AccountLetters {
  readonly #deps: AccountLettersDeps;

  constructor(deps: AccountLettersDeps) {
    this.#deps = deps;
  }

  /** Writes to the owner if an address is known and mail is configured. */
  passwordChanged(user: Pick<UserRecord, 'username' | 'email'>): void {
    this.#write(user, (scene) => passwordChangedLetter(scene, user));
  }

  /** As `passwordChanged`, to the address that the account had before. */
  emailChanged(before: Pick<UserRecord, 'username' | 'email'>): void {
    this.#write(before, (scene) => emailChangedLetter(scene, before));
  }

  /** As `passwordChanged`. */
  secondFactorChanged(user: Pick<UserRecord, 'username' | 'email'>, change: FactorChange): void {
    this.#write(user, (scene) => factorLetter(scene, { username: user.username, change }));
  }

  #write({ email }: Pick<UserRecord, 'email'>, compose: (scene: MailScene) => Letter): void {
    const { mailer, options, language, report } = this.#deps;
    const view = options();
    if (email === null || view.get('SMTPServer') === '') return;
    const scene = { language, siteName: view.get('SystemName') };
    mailer.send({ to: email, ...compose(scene) }).catch(report);
  }
}
