/** `rescue`: ways back in for a super administrator who is locked out, straight in the database beside the daemon. */
import type { Command } from 'commander';
import { group, leaf, type Runtime } from '../command.ts';
import { askNewPassword, confirm } from '../confirm.ts';
import type { RescueAct, Rescued } from '../copies.ts';
import { exitCodes } from '../exit-codes.ts';
import { textOf } from '../flags.ts';
import { type Bilingual, both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';

interface Rescue {
  readonly act: RescueAct;
  readonly summary: Bilingual;
  /** What is asked before, and said after, of whoever it is. */
  readonly question: Bilingual;
  readonly done: (name: string) => Bilingual;
  readonly example: string;
}

const rescues: readonly Rescue[] = [
  {
    act: 'password-login',
    summary: both('Let people sign in with a password again', '重新允许密码登录'),
    question: both('switch password sign-in on', '将重新启用密码登录'),
    done: () => both('signing in with a password is possible again', '已重新启用密码登录'),
    example: 'rescue password-login --yes',
  },
  {
    act: 'root-password',
    summary: both('Set the password of the super administrator', '重设超级管理员密码'),
    question: both('set the password of the super administrator', '将重设超级管理员密码'),
    done: (name) =>
      both(
        `${name} has a new password; sessions, system token and machine tokens ended`,
        `${name} 的密码已重设；会话、系统令牌与机器令牌均已失效`,
      ),
    example: 'rescue root-password --config prod.yaml --password-stdin --yes < password.txt',
  },
  {
    act: 'root-2fa',
    summary: both('Take the second factor from the super administrator', '移除超级管理员的双重验证'),
    question: both('remove authenticator app, recovery codes and passkeys', '将移除验证器、恢复码与通行密钥'),
    done: (name) => both(`${name} signs in without a second factor`, `${name} 登录时不再需要双重验证`),
    example: 'rescue root-2fa --yes',
  },
];

const rescuedView: View<Rescued> = {
  columns: [
    { heading: 'ID', value: (row) => row.id, align: 'right' },
    { heading: 'USERNAME', value: (row) => row.username },
  ],
  fields: ['id', 'username'],
  id: (row) => row.id,
};

export function registerRescueCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const parent = group(program, runtime, 'rescue', both('Get back in when locked out', '无法登录时的补救'));
  for (const { act, summary, question, done, example } of rescues) {
    const command = parent
      .command(act)
      .option('--username <name>', say(both('which super administrator, of several', '存在多个超级管理员时指定用户名')))
      .option('--config <file>', say(both('configuration file', '配置文件')));
    if (act === 'root-password') {
      command
        .option('--password-stdin', say(both('read the password from standard input', '从标准输入读取密码')))
        .option('--password-file <file>', say(both('read the password from a file', '从文件读取密码')));
    }
    leaf(
      command,
      runtime,
      { summary, examples: [example], prints: () => rescuedView, exits: [exitCodes.notFound, exitCodes.local] },
      async (context, _args, flags) => {
        const config = textOf(flags.config);
        await confirm(context, question);
        const rescued = await runtime.local.rescue({
          ...(config === undefined ? {} : { config }),
          act,
          username: textOf(flags.username),
          password:
            act === 'root-password'
              ? await askNewPassword(context, { stdin: flags.passwordStdin === true, file: textOf(flags.passwordFile) })
              : '',
        });
        await context.printer.one(rescued, rescuedView);
        context.done(done(rescued.username));
      },
    );
  }
}
