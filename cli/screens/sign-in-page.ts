/** Signing in over the screens, which stay as they are: after the server took the token no more. */
import { usageError } from '../errors.ts';
import { both } from '../language.ts';
import { quoted } from './command-words.ts';
import type { Desk } from './desk.ts';
import { RecordForm, type Words } from './record-form.ts';
import type { Screen } from './screen.ts';

export type SignInField = 'username' | 'password' | 'otp';

export class SignInPage implements Screen {
  readonly id = 'sign-in';
  readonly sources = [];
  readonly actions = {};
  readonly #desk: Desk;
  readonly form: RecordForm<SignInField>;

  /** @param signIn signs in, keeps the profile and goes on with it; rejects where that is refused */
  constructor(desk: Desk, signIn: (words: Words<SignInField>) => Promise<void>) {
    this.#desk = desk;
    const { host, username } = desk.where;
    this.form = new RecordForm<SignInField>({
      desk,
      title: both(`Sign in at ${host}`, `登录 ${host}`),
      fields: [
        { name: 'username', label: both('Name', '用户名'), hint: both('or e-mail address', '或邮箱'), text: username },
        { name: 'password', label: both('Password', '密码'), hint: both('', ''), isSecret: true },
        {
          name: 'otp',
          label: both('Code', '验证码'),
          hint: both('of the second factor, where there is one', '已启用双重验证时填写'),
        },
      ],
      first: 'password',
      command: (words) => `tollgate login --username ${quoted(words('username'))}`,
      save: async (words) => {
        await signIn(words).catch((failure: unknown) => {
          throw isCodeMissing(failure) ? codeWanted(failure) : failure;
        });
        return both(`signed in as ${desk.where.username}`, `已登录：${desk.where.username}`);
      },
      onEnd: () => desk.closePage(this),
    });
  }

  head(): string {
    return this.#desk.say(both('the server does not take the token any more', '服务器不再接受当前令牌'));
  }

  body(): readonly string[] {
    return [];
  }
}

/** The account has a second factor, and its field was empty. */
function isCodeMissing(failure: unknown): boolean {
  return failure instanceof Error && Reflect.get(failure, 'code') === 'two_factor_required';
}

function codeWanted(cause: unknown): Error {
  const text = both('the account has a second factor: fill in its code', '该账户已启用双重验证，请填写验证码');
  return usageError(text, { field: 'otp', cause });
}
