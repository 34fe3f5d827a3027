/** Calls that a machine token may not make: the user signs in with the password for as long as they take. */
import type { Command } from 'commander';
import type { Client } from '../daemon/contract/client.ts';
import type { ProofAction } from '../daemon/contract/proof-actions.ts';
import type { Flags, Runtime } from './command.ts';
import { askPassword } from './confirm.ts';
import type { CommandContext } from './context.ts';
import { textOf } from './flags.ts';
import { both, sayIn } from './language.ts';
import { isMachineToken } from './profile.ts';
import { otpFlag, otpText } from './second-factor.ts';
import { withSession } from './sign-in.ts';

/** Calls of every command that opens a session. */
export const sessionCalls = [
  'account.credential',
  'account.login',
  'secondFactor.signIn',
  'stepUp.prove',
  'account.logout',
];

/** Flags of commands that may have to sign in. */
export function withPasswordFlags(command: Command, runtime: Runtime): Command {
  const say = sayIn(runtime.language);
  return command
    .option(otpFlag, otpText(runtime))
    .option('--password-stdin', say(both('read the password from standard input', '从标准输入读取密码')))
    .option('--password-file <file>', say(both('read the password from a file', '从文件读取密码')));
}

/** By which flags a session is opened, and what it is opened for where that wants a fresh proof. */
export interface SessionWish {
  flags: Flags;
  prove?: ProofAction;
}

/** Works in a session of the user whose credential is in use, who is asked for the password. */
export async function inOwnSession<T>(
  context: CommandContext,
  { flags, ...proof }: SessionWish,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { username } = await (await context.client()).account.credential();
  const sources = { stdin: flags.passwordStdin === true, file: textOf(flags.passwordFile) };
  const password = await askPassword(context, sources, both(`Password of ${username}`, `${username} 的密码`));
  return withSession(context, { username, password, otp: textOf(flags.otp), ...proof }, work);
}

/** Works with the credential in use where that may do it, else in a session. */
export async function asOwner<T>(
  context: CommandContext,
  wish: SessionWish,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { token } = await context.target();
  return isMachineToken(token) ? inOwnSession(context, wish, work) : work(await context.client());
}
