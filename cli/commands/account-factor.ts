/** `account 2fa`: the authenticator app of the own account and its recovery codes. */
import type { Command } from 'commander';
import type { Client } from '../../daemon/contract/client.ts';
import type { SecondFactorView } from '../../daemon/contract/second-factor.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { asOwner, inOwnSession, sessionCalls, withPasswordFlags } from '../owner-session.ts';
import { askCode } from '../second-factor.ts';

const stateView: View<SecondFactorView> = {
  columns: [
    { heading: 'ENABLED', value: (row) => row.enabled },
    { heading: 'RECOVERY LEFT', value: (row) => row.recovery_left, align: 'right' },
  ],
  fields: ['enabled', 'recovery_left'],
  id: (row) => String(row.enabled),
};

const secretView: View<{ secret: string; otpauth_url: string }> = {
  columns: [
    { heading: 'SECRET', value: (row) => row.secret },
    { heading: 'LINK', value: (row) => row.otpauth_url },
  ],
  fields: ['secret', 'otpauth_url'],
  id: (row) => row.otpauth_url,
};

const codeView: View<{ recovery_code: string }> = {
  columns: [{ heading: 'RECOVERY CODE', value: (row) => row.recovery_code }],
  fields: ['recovery_code'],
  id: (row) => row.recovery_code,
};

export function registerFactorCommands(account: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const factor = group(account, runtime, '2fa', both('The second factor of signing in', '双重验证'));
  const signingIn = (command: Command): Command => withPasswordFlags(command, runtime);

  leaf(
    signingIn(factor.command('status')),
    runtime,
    {
      summary: both('Show whether it is on, and the recovery codes left', '查看是否启用与剩余恢复码'),
      examples: ['account 2fa status'],
      prints: () => stateView,
      calls: [...sessionCalls, 'secondFactor.get'],
    },
    async (context, _args, flags) => {
      await context.printer.one(await asOwner(context, { flags }, (client) => client.secondFactor.get()), stateView);
    },
  );

  leaf(
    signingIn(factor.command('enable'))
      .option('--begin', say(both('only make a secret and print it', '仅生成并输出密钥')))
      .option(
        '--code <code>',
        say(both('first code, of the secret that --begin made', '使用 --begin 的密钥得到的首个验证码')),
      ),
    runtime,
    {
      summary: both('Turn it on; recovery codes are printed once', '启用双重验证，恢复码仅输出一次'),
      examples: ['account 2fa enable', 'account 2fa enable --begin', 'account 2fa enable --code 123456'],
      prints: (_context, flags) => (flags.begin === true ? secretView : codeView),
      orders: [],
      calls: [...sessionCalls, 'secondFactor.begin', 'secondFactor.enable'],
    },
    async (context, _args, flags) => {
      if (flags.begin === true) {
        const begun = await inOwnSession(context, { flags, prove: 'second_factor' }, (client) =>
          client.secondFactor.begin(),
        );
        context.done(
          both('then: tollgate account 2fa enable --code CODE', '然后运行：tollgate account 2fa enable --code 验证码'),
        );
        return context.printer.one(begun, secretView);
      }
      const given = textOf(flags.code);
      if (given === undefined && !context.terminal.interactive)
        throw usageError(both('--begin or --code is needed', '需要 --begin 或 --code'), {
          hint: both('tollgate account 2fa enable --begin', 'tollgate account 2fa enable --begin'),
        });
      const { recovery_codes: codes } = await inOwnSession(context, { flags, prove: 'second_factor' }, async (client) =>
        client.secondFactor.enable({ code: given ?? (await showSecret(context, client)) }),
      );
      await printCodes(context, codes);
    },
  );

  leaf(
    signingIn(factor.command('disable')),
    runtime,
    {
      summary: both('Turn it off; other sessions end', '关闭双重验证，其他会话将退出'),
      examples: ['account 2fa disable --otp 123456'],
      prints: 'nothing',
      calls: [...sessionCalls, 'secondFactor.disable'],
    },
    async (context, _args, flags) => {
      await confirm(context, both('Turn the second factor off?', '关闭双重验证？'));
      await inOwnSession(context, { flags, prove: 'second_factor' }, (client) => client.secondFactor.disable());
      context.done(both('the second factor is off', '双重验证已关闭'));
    },
  );

  leaf(
    signingIn(factor.command('recovery-codes')),
    runtime,
    {
      summary: both('Make new recovery codes; the old ones stop working', '重新生成恢复码，旧恢复码随即失效'),
      examples: ['account 2fa recovery-codes --otp 123456 > codes.txt'],
      prints: () => codeView,
      orders: [],
      calls: [...sessionCalls, 'secondFactor.renewRecoveryCodes'],
    },
    async (context, _args, flags) => {
      await confirm(context, both('Make new recovery codes in place of the old ones?', '用新的恢复码替换原有恢复码？'));
      const made = await inOwnSession(context, { flags, prove: 'second_factor' }, (client) =>
        client.secondFactor.renewRecoveryCodes(),
      );
      await printCodes(context, made.recovery_codes);
    },
  );
}

/** Shows what the app needs and asks for its first code. */
async function showSecret(context: CommandContext, client: Client): Promise<string> {
  const { secret, otpauth_url } = await client.secondFactor.begin();
  context.done(both(`add this to the authenticator app: ${otpauth_url}`, `请添加到验证器应用：${otpauth_url}`));
  context.done(both(`or type the secret: ${secret}`, `或手动输入密钥：${secret}`));
  // Recovery codes there are only afterwards.
  return (await askCode(context, both('Code that the app shows now', '验证器当前显示的验证码'))) ?? '';
}

async function printCodes(context: CommandContext, codes: readonly string[]): Promise<void> {
  context.done(both('each recovery code works once; they are not shown again', '每个恢复码只能使用一次，之后不再显示'));
  await context.printer.list(
    codes.map((code) => ({ recovery_code: code })),
    codeView,
  );
}
