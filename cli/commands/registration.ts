/** `register` and `password-reset`: what is done before anybody is signed in. */
import type { Command } from 'commander';
import { group, leaf, type Runtime } from '../command.ts';
import { askNewPassword } from '../confirm.ts';
import { usageError } from '../errors.ts';
import { textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';

export function registerRegistrationCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);

  leaf(
    program
      .command('register')
      .requiredOption('--username <name>', say(both('user name, 1 to 20 characters', '用户名，1 至 20 个字符')))
      .option('--password-stdin', say(both('read the password from standard input', '从标准输入读取密码')))
      .option('--password-file <file>', say(both('read the password from a file', '从文件读取密码')))
      .option('--email <address>', say(both('address, where the site verifies it', '邮箱（站点要求验证时）')))
      .option('--send-code', say(both('only mail a code to --email', '仅向 --email 发送验证码')))
      .option('--code <code>', say(both('code that was mailed there', '收到的验证码')))
      .option('--invite <code>', say(both('invite code', '邀请码'))),
    runtime,
    {
      summary: both('Create an account of your own', '注册账户'),
      examples: [
        'register --username li --password-stdin',
        'register --username li --email li@example.com --send-code',
        'register --username li --email li@example.com --code 4f8k2a --password-stdin',
      ],
      prints: 'nothing',
      calls: ['verification.sendCode', 'account.register'],
    },
    async (context, _args, flags) => {
      const client = await context.clientFor((await context.target()).url, undefined);
      const email = textOf(flags.email);
      if (flags.sendCode === true) {
        if (email === undefined)
          throw usageError(both('--send-code needs --email', '--send-code 需要 --email'), { field: '--email' });
        await client.verification.sendCode({ email });
        context.done(both(`a code was sent to ${email}`, `验证码已发送至 ${email}`));
        return;
      }
      const sources = { stdin: flags.passwordStdin === true, file: textOf(flags.passwordFile) };
      await client.account.register({
        username: String(flags.username),
        password: await askNewPassword(context, sources),
        email: email ?? null,
        verification_code: textOf(flags.code) ?? null,
        aff_code: textOf(flags.invite) ?? null,
      });
      context.done(
        both(
          `${flags.username} is registered; sign in with: tollgate login --username ${flags.username}`,
          `已注册 ${flags.username}；请运行 tollgate login --username ${flags.username} 登录`,
        ),
      );
    },
  );

  const reset = group(program, runtime, 'password-reset', both('A new password by mail', '通过邮件重置密码'));
  leaf(
    reset.command('request').argument('<email>'),
    runtime,
    {
      summary: both('Mail a link that sets a new password', '发送重置密码邮件'),
      examples: ['password-reset request a@example.com'],
      prints: 'nothing',
      calls: ['verification.requestReset'],
    },
    async (context, [email]) => {
      const client = await context.clientFor((await context.target()).url, undefined);
      await client.verification.requestReset({ email: String(email) });
      context.done(
        both(
          'if an account has this address, a link is on its way; it works once, for 10 minutes',
          '如该邮箱已绑定账户，重置链接即将送达；链接仅可使用一次，10 分钟内有效',
        ),
      );
    },
  );
  leaf(
    reset
      .command('confirm')
      .requiredOption('--email <address>', say(both('address that the link was mailed to', '收到链接的邮箱')))
      .requiredOption(
        '--token <token>',
        say(both('token of the link: env:NAME, @file or -', '链接中的 token：env:NAME、@file 或 -')),
      ),
    runtime,
    {
      summary: both('Set a new password with the token of a link; prints it', '使用链接中的 token 设置新密码并输出'),
      examples: ['password-reset confirm --email a@example.com --token -'],
      prints: 'text',
      calls: ['verification.reset'],
    },
    async (context, _args, flags) => {
      const client = await context.clientFor((await context.target()).url, undefined);
      const token = (await context.secret(String(flags.token), '--token')).trim();
      const password = await client.verification.reset({ email: String(flags.email), token });
      context.done(both('the password is another one now; all sessions have ended', '密码已重置，所有会话均已退出'));
      await context.printer.text(`${password}\n`);
    },
  );
}
