/** `account bind`: address and accounts elsewhere that stand for the own one. */

import type { Command } from 'commander';
import { group, leaf, type Runtime } from '../command.ts';
import { usageError } from '../errors.ts';
import { textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { asOwner, sessionCalls, withPasswordFlags } from '../owner-session.ts';
import { maskKey } from '../views.ts';

const providers = ['github', 'oidc', 'linuxdo', 'wechat', 'telegram'] as const;
const members = {
  email: 'email',
  github: 'github_id',
  oidc: 'oidc_id',
  linuxdo: 'linux_do_id',
  wechat: 'wechat_id',
  telegram: 'telegram_id',
} as const;

const boundView: View<{ kind: string; bound: boolean; account: string }> = {
  columns: [
    { heading: 'KIND', value: (row) => row.kind },
    { heading: 'BOUND', value: (row) => row.bound },
    { heading: 'ACCOUNT', value: (row) => row.account },
  ],
  fields: ['kind', 'bound', 'account'],
  id: (row) => row.kind,
};

export function registerBindCommands(account: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const bind = group(account, runtime, 'bind', both('Address and accounts elsewhere', '邮箱与第三方账户绑定'));

  leaf(
    bind.command('list').alias('ls'),
    runtime,
    {
      summary: both('Show what is bound', '查看绑定'),
      examples: ['account bind list'],
      prints: () => boundView,
      orders: [],
      calls: ['account.get'],
    },
    async (context) => {
      const self = await (await context.client()).account.get();
      const rows = Object.entries(members).map(([kind, member]) => ({
        kind,
        bound: self[member] !== '',
        account: kind === 'email' ? self[member] : self[member] && maskKey(self[member]),
      }));
      await context.printer.list(rows, boundView);
    },
  );

  leaf(
    withPasswordFlags(
      bind
        .command('email')
        .argument('<address>')
        .option('--send', say(both('mail a code there', '发送验证码')))
        .option('--code <code>', say(both('code that was mailed', '收到的验证码'))),
      runtime,
    ),
    runtime,
    {
      summary: both('Prove an address and make it the own one', '验证并绑定邮箱'),
      examples: ['account bind email a@example.com --send', 'account bind email a@example.com --code 4f8k2a'],
      prints: 'nothing',
      calls: [...sessionCalls, 'verification.sendCode', 'verification.bindEmail'],
    },
    async (context, [address], flags) => {
      const email = String(address);
      const code = textOf(flags.code);
      if (code !== undefined) {
        await asOwner(context, { flags, prove: 'sign_in_method' }, (client) =>
          client.verification.bindEmail({ email, code }),
        );
        context.done(both(`${email} is bound`, `已绑定 ${email}`));
      } else if (flags.send === true) {
        await (await context.client()).verification.sendCode({ email });
        context.done(both(`a code was sent to ${email}`, `验证码已发送至 ${email}`));
      } else {
        throw usageError(both('--send or --code is needed', '需要 --send 或 --code'), {
          hint: both(`tollgate account bind email ${email} --send`, `tollgate account bind email ${email} --send`),
        });
      }
    },
  );

  leaf(
    withPasswordFlags(
      bind
        .command('oauth')
        .argument('<provider>')
        .option('--code <code>', say(both('code of the chat app (wechat alone)', '公众号验证码（仅 wechat）'))),
      runtime,
    ),
    runtime,
    {
      summary: both('Bind an account elsewhere; most need the console', '绑定第三方账户，多数需在控制台完成'),
      examples: ['account bind oauth github', 'account bind oauth wechat --code 123456'],
      prints: 'text',
      calls: [...sessionCalls, 'oauth.bindWechat'],
    },
    async (context, [name], flags) => {
      const provider = providers.find((known) => known === name);
      if (provider === undefined)
        throw usageError(
          both(`no provider ${name}; there are ${providers.join(', ')}`, `没有 ${name}；可用：${providers.join('、')}`),
        );
      const code = textOf(flags.code);
      if (provider === 'wechat' && code !== undefined) {
        await asOwner(context, { flags, prove: 'sign_in_method' }, (client) => client.oauth.bindWechat({ code }));
        context.done(both('the account is bound', '已绑定'));
        return;
      }
      // The provider sends a browser back to the console, which no command line can stand in for.
      const page = `${(await context.target()).url}/personal?tab=bindings`;
      context.note(context.say(both('open this page in a browser', '请在浏览器中打开此页面')));
      await context.printer.text(`${page}\n`);
    },
  );
}
