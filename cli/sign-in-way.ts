/** How to sign in: as the flags say, else as whoever sits there does, else with the password. */
import { hasDesktop } from './browser.ts';
import type { Flags } from './command.ts';
import type { CommandContext } from './context.ts';
import { usageError } from './errors.ts';
import { type Bilingual, both } from './language.ts';
import { prompted } from './prompts.ts';

export type SignInWay = 'web' | 'device' | 'password' | 'token';

const flagOf: Readonly<Record<SignInWay, string>> = {
  web: '--web',
  device: '--device',
  password: '--password',
  token: '--with-token',
};

const texts: Readonly<Record<Exclude<SignInWay, 'token'>, Bilingual>> = {
  web: both('in the browser of this machine', '使用本机浏览器'),
  device: both('with a code, in a browser elsewhere', '在其他设备的浏览器中输入代码'),
  password: both('with user name and password', '使用用户名和密码'),
};

/** Flags that say how to sign in without naming it. */
const ofPassword = ['username', 'passwordStdin', 'passwordFile', 'otp'];

/** Throws exit 3 for flags of two ways. */
export async function signInWay(context: CommandContext, flags: Flags): Promise<SignInWay> {
  const isPassword = flags.password === true || ofPassword.some((name) => flags[name] !== undefined);
  const named: SignInWay[] = [];
  if (flags.web === true) named.push('web');
  if (flags.device === true) named.push('device');
  if (flags.withToken === true) named.push('token');
  if (isPassword) named.push('password');
  const [first, second] = named;
  if (first !== undefined && second !== undefined) {
    const [one, other] = [flagOf[first], flagOf[second]];
    throw usageError(both(`${one} does not go with ${other}`, `${one} 不能与 ${other} 同时使用`), { field: one });
  }
  if (first !== undefined) return first;
  return context.terminal.interactive ? askWay(context) : 'password';
}

async function askWay(context: CommandContext): Promise<SignInWay> {
  const { select } = await import('@clack/prompts');
  const ways = hasDesktop(context.environment)
    ? (['web', 'device', 'password'] as const)
    : (['device', 'web', 'password'] as const);
  return prompted(context, (place) =>
    select({
      message: context.say(both('How do you want to sign in?', '选择登录方式')),
      options: ways.map((value) => ({ value, label: context.say(texts[value]) })),
      ...place,
    }),
  );
}
