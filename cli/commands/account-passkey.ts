/** `account passkey`: what signs in to the own account without its password. Adding one takes a browser. */
import type { Command } from 'commander';
import type { PasskeyView } from '../../daemon/contract/passkeys.ts';
import { group, leaf, type Runtime } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { forEachItem } from '../items.ts';
import { both } from '../language.ts';
import type { View } from '../output/columns.ts';
import { inOwnSession, sessionCalls, withPasswordFlags } from '../owner-session.ts';
import { referencesOf } from '../references.ts';

const passkeyView = (context: CommandContext): View<PasskeyView> => ({
  columns: [
    { heading: 'ID', value: (row) => row.id },
    { heading: 'NAME', value: (row) => row.name, priority: 1 },
    { heading: 'SYNCED', value: (row) => row.synced },
    { heading: 'CREATED', unit: 'time', value: (row) => context.timeText(row.created_at) },
    {
      heading: 'LAST USED',
      unit: 'time',
      value: (row) => (row.last_used_at === 0 ? '' : context.timeText(row.last_used_at)),
    },
  ],
  id: (row) => row.id,
});

export function registerPasskeyCommands(account: Command, runtime: Runtime): void {
  const passkey = group(account, runtime, 'passkey', both('Passkeys of the own account', '通行密钥'));

  leaf(
    passkey.command('list').alias('ls'),
    runtime,
    {
      summary: both(
        'List the passkeys; a browser adds them: open personal',
        '列出通行密钥；须在浏览器中添加：open personal',
      ),
      examples: ['account passkey list'],
      prints: passkeyView,
      rows: 'passkeys.list',
      orders: [],
      calls: ['passkeys.list'],
    },
    async (context) => {
      await context.printer.list(await (await context.client()).passkeys.list(), passkeyView(context));
    },
  );

  leaf(
    withPasswordFlags(passkey.command('rename').argument('<passkey>').argument('<name>'), runtime),
    runtime,
    {
      summary: both('Name a passkey', '重命名通行密钥'),
      examples: ['account passkey rename 3 "my phone"'],
      prints: passkeyView,
      rows: 'passkeys.rename',
      calls: [...sessionCalls, 'passkeys.list', 'passkeys.rename'],
    },
    async (context, [reference, name], flags) => {
      const { id } = await findPasskey(context, String(reference));
      const renamed = await inOwnSession(context, { flags }, (client) =>
        client.passkeys.rename({ id, name: String(name) }),
      );
      await context.printer.one(renamed, passkeyView(context));
    },
  );

  leaf(
    withPasswordFlags(passkey.command('delete').alias('rm').argument('<passkey...>'), runtime),
    runtime,
    {
      summary: both('Remove passkeys', '删除通行密钥'),
      examples: ['account passkey delete 3 --yes'],
      prints: 'nothing',
      calls: [...sessionCalls, 'passkeys.list', 'passkeys.remove'],
    },
    async (context, [passkeys], flags) => {
      const references = await referencesOf(context, passkeys);
      if (references.length === 0) return;
      await confirm(context, both(`Remove ${references.join(', ')}?`, `删除 ${references.join('、')}？`));
      await inOwnSession(context, { flags, prove: 'second_factor' }, (client) =>
        forEachItem(context, references, async (reference) => {
          const { id, name } = await findPasskey(context, reference);
          await client.passkeys.remove({ id });
          context.done(both(`the passkey ${name} is removed`, `通行密钥 ${name} 已删除`));
        }),
      );
    },
  );
}

/** By id, or by a name that only one has. */
async function findPasskey(context: CommandContext, reference: string): Promise<PasskeyView> {
  const known = await (await context.client()).passkeys.list();
  const [found, other] = known.filter(({ id, name }) => String(id) === reference || name === reference);
  if (found && !other) return found;
  throw new CliError(
    'passkey_not_found',
    exitCodes.notFound,
    both(`no single passkey is called ${reference}`, `没有唯一对应 ${reference} 的通行密钥`),
    { hint: both('tollgate account passkey list', 'tollgate account passkey list') },
  );
}
