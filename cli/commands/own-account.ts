/** `account`: what users see and change of their own account. */

import type { Command } from 'commander';
import { group, leaf, type Runtime } from '../command.ts';
import { askNewPassword, askPassword, confirm, confirmSevere } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { textOf } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { asOwner, sessionCalls, withPasswordFlags } from '../owner-session.ts';
import { otpFlag, otpText } from '../second-factor.ts';
import { withSession } from '../sign-in.ts';
import { userView } from '../views.ts';
import { registerBindCommands } from './account-bind.ts';
import { registerFactorCommands } from './account-factor.ts';
import { registerPasskeyCommands } from './account-passkey.ts';
import { registerSettingsCommands } from './account-settings.ts';

/** The own account with the webhook secret masked, as secrets are everywhere. */
async function ownAccount(context: CommandContext) {
  const self = await (await context.client()).account.get();
  return { ...self, setting: self.setting.replace(/("webhook_secret":)"(?:[^"\\]|\\.)*"/, '$1"****"') };
}

const modelView: View<{ model: string }> = {
  columns: [{ heading: 'MODEL', value: (row) => row.model }],
  fields: ['model'],
  id: (row) => row.model,
};

const groupView: View<{ group: string; desc: string; ratio: number | string }> = {
  columns: [
    { heading: 'GROUP', value: (row) => row.group, priority: 1 },
    { heading: 'DESC', value: (row) => row.desc },
    { heading: 'RATIO', value: (row) => row.ratio, align: 'right' },
  ],
  fields: ['group', 'desc', 'ratio'],
  id: (row) => row.group,
};

export function registerOwnAccountCommands(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  const account = group(program, runtime, 'account', both('The own account', '本人账户'));

  leaf(
    account.command('get').alias('show'),
    runtime,
    {
      summary: both('Show the own account', '查看本人账户'),
      examples: ['account get --json=quota,group'],
      prints: userView,
      rows: 'account.get',
      calls: ['account.get'],
    },
    async (context) => {
      await context.printer.one(await ownAccount(context), userView(context));
    },
  );

  leaf(
    account
      .command('edit')
      .option('--username <name>', say(both('new user name', '新用户名')))
      .option('--display-name <text>', say(both('display name', '显示名'))),
    runtime,
    {
      summary: both('Change user name or display name', '修改用户名或显示名'),
      examples: ['account edit --display-name "Li Lei"'],
      prints: userView,
      rows: 'account.get',
      calls: ['account.update', 'account.get'],
    },
    async (context, _args, flags) => {
      const [username, displayName] = [textOf(flags.username), textOf(flags.displayName)];
      if (username === undefined && displayName === undefined)
        throw usageError(both('nothing to change', '没有需要修改的内容'), {
          hint: both('name --username or --display-name', '请指定 --username 或 --display-name'),
        });
      const client = await context.client();
      await client.account.update({ username: username ?? null, display_name: displayName ?? null });
      context.done(both('the account is changed', '账户已修改'));
      await context.printer.one(await ownAccount(context), userView(context));
    },
  );

  leaf(
    account
      .command('password')
      .option('--current-file <file>', say(both('file with the present password', '存有当前密码的文件')))
      .option('--new-file <file>', say(both('file with the new password', '存有新密码的文件')))
      .option('--new-stdin', say(both('read the new password from standard input', '从标准输入读取新密码')))
      .option(otpFlag, otpText(runtime)),
    runtime,
    {
      summary: both('Change the own password; other sessions end', '修改密码，其他会话将退出'),
      examples: ['account password', 'account password --current-file old --new-file new'],
      prints: 'nothing',
      calls: ['account.credential', 'account.login', 'secondFactor.signIn', 'account.update', 'account.logout'],
    },
    async (context, _args, flags) => {
      const current = { stdin: false, file: textOf(flags.currentFile) };
      const next = { stdin: flags.newStdin === true, file: textOf(flags.newFile) };
      const { username } = await (await context.client()).account.credential();
      const password = await askPassword(context, current, both('Present password', '当前密码'));
      const fresh = await askNewPassword(context, next);
      await withSession(context, { username, password, otp: textOf(flags.otp) }, (client) =>
        client.account.update({ password: fresh, original_password: password }),
      );
      context.done(both('the password is changed; other sessions have ended', '密码已修改，其他会话均已退出'));
    },
  );

  leaf(
    account
      .command('delete')
      .option('--confirm <name>', say(both('the own user name', '本人用户名')))
      .option('--password-stdin', say(both('read the password from standard input', '从标准输入读取密码')))
      .option('--password-file <file>', say(both('read the password from a file', '从文件读取密码')))
      .option(otpFlag, otpText(runtime)),
    runtime,
    {
      summary: both('Delete the own account', '注销本人账户'),
      examples: ['account delete --confirm li --password-file pw'],
      prints: 'nothing',
      calls: [
        'account.credential',
        'account.login',
        'secondFactor.signIn',
        'stepUp.prove',
        'account.delete',
        'account.logout',
      ],
    },
    async (context, _args, flags) => {
      const { username } = await (await context.client()).account.credential();
      await confirmSevere(
        context,
        both(`Delete the account ${username}, its keys and its balance`, `注销账户 ${username} 及其令牌与余额`),
        username,
      );
      const sources = { stdin: flags.passwordStdin === true, file: textOf(flags.passwordFile) };
      const password = await askPassword(context, sources, both('Password', '密码'));
      await withSession(context, { username, password, otp: textOf(flags.otp), prove: 'account' }, (client) =>
        client.account.delete(),
      );
      context.done(both(`the account ${username} is deleted`, `账户 ${username} 已注销`));
    },
  );

  leaf(
    withPasswordFlags(account.command('access-token'), runtime),
    runtime,
    {
      summary: both('Issue a system access token; the previous one dies', '签发系统令牌，旧令牌立即失效'),
      examples: ['account access-token --yes -q'],
      prints: 'text',
      calls: [...sessionCalls, 'account.issueToken'],
    },
    async (context, _args, flags) => {
      await confirm(
        context,
        both('The present access token stops working. Issue another?', '当前系统令牌将立即失效，继续签发？'),
      );
      const token = await asOwner(context, { flags, prove: 'account' }, (client) => client.account.issueToken());
      context.done(
        both('shown once; a profile with the old token must sign in again', '仅显示一次；使用旧令牌的配置需要重新登录'),
      );
      await context.printer.text(`${token}\n`);
    },
  );

  leaf(
    account.command('models'),
    runtime,
    {
      summary: both('Models that I may use', '可用模型'),
      examples: ['account models -q'],
      prints: () => modelView,
      orders: [],
      calls: ['account.models'],
    },
    async (context) => {
      const models = (await (await context.client()).account.models()).map((model) => ({ model }));
      await context.printer.list(models, modelView);
    },
  );

  leaf(
    account.command('groups'),
    runtime,
    {
      summary: both('Groups that my keys may use, with their ratio', '可用分组与倍率'),
      examples: ['account groups'],
      prints: () => groupView,
      orders: [],
      calls: ['account.groups', 'account.publicGroups'],
    },
    async (context) => {
      const client = await context.client();
      const isSignedIn = (await context.target()).token !== undefined;
      const groups = await (isSignedIn ? client.account.groups() : client.account.publicGroups());
      const rows = Object.entries(groups).map(([name, { desc, ratio }]) => ({ group: name, desc, ratio }));
      await context.printer.list(rows, groupView);
    },
  );

  registerSettingsCommands(account, runtime);
  registerBindCommands(account, runtime);
  registerFactorCommands(account, runtime);
  registerPasskeyCommands(account, runtime);
}
