/** The second step of signing in from the command line: the code from a flag, or from whoever sits there. */
import type { LoginView } from '../daemon/contract/account.ts';
import type { Client } from '../daemon/contract/client.ts';
import type { ProofAction } from '../daemon/contract/proof-actions.ts';
import type { Runtime } from './command.ts';
import type { CommandContext } from './context.ts';
import { type Bilingual, both, sayIn } from './language.ts';
import { complaintOf, emptyComplaint, prompted } from './prompts.ts';

/** The flag that names a code, for commands that sign in. */
export const otpFlag = '--otp <code>';
export const otpText = (runtime: Runtime): string =>
  sayIn(runtime.language)(both('code of the authenticator app, or a recovery code', '验证器的验证码或恢复码'));

/** What a sign-in is made of. */
export interface SignInWords {
  username: string;
  password: string;
  /** Code of the second factor; asked for where one is needed and this is undefined. */
  otp?: string | undefined;
  /** What the session is opened for, where that wants a fresh proof. */
  prove?: ProofAction;
}

/** Six digits come from an app; whatever is longer is a recovery code. */
function typedCode(code: string): { method: 'totp' | 'recovery'; code: string } {
  const typed = code.trim();
  return { method: /^\d{3}\s?\d{3}$/.test(typed) ? 'totp' : 'recovery', code: typed };
}

const anyCode = both('Code of the authenticator app, or a recovery code', '验证器的验证码，或一个恢复码');

/** Asks for a code; undefined when there is nobody to ask. */
export async function askCode(context: CommandContext, question: Bilingual = anyCode): Promise<string | undefined> {
  if (!context.terminal.interactive) return undefined;
  const { text } = await import('@clack/prompts');
  const message = context.say(question);
  return prompted(context, (place) => text({ message, validate: complaintOf(context, emptyComplaint), ...place }));
}

/**
 * Signs in with password and, where the account has one, second factor; with `prove` the code, which works once, also
 * stands for what the session is opened for. Throws the refusal when no code is at hand.
 */
export async function signInTwice(
  context: CommandContext,
  client: Pick<Client, 'account' | 'secondFactor'>,
  { otp, prove, ...credentials }: SignInWords,
): Promise<{ user: LoginView; isProven: boolean }> {
  const { ApiError } = await import('../daemon/contract/client.ts');
  try {
    return { user: await client.account.login(credentials), isProven: false };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'two_factor_required') throw error;
    const { TwoFactorRequired } = await import('../daemon/contract/second-factor.ts');
    const { ticket } = TwoFactorRequired.parse(error.data);
    const code = otp ?? (await askCode(context));
    if (code === undefined) throw error;
    const proof = prove === undefined ? {} : { prove };
    return { user: await client.secondFactor.signIn({ ticket, ...typedCode(code), ...proof }), isProven: true };
  }
}
