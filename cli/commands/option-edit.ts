/** `option edit` and `option discover`: options through an editor, and the addresses of an OpenID provider. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { OptionKey } from '../../daemon/contract/options.ts';
import { leaf, type Runtime } from '../command.ts';
import { confirmHere } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { NotSent } from '../dry-run.ts';
import { CliError, localError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { both } from '../language.ts';
import { confirmOptions } from './option-confirm.ts';
import { optionView, printOptions } from './option-rows.ts';

/** Lets a person change a text in their editor. Throws exit 12 when the editor fails. */
export async function editText(context: CommandContext, text: string, ending: string): Promise<string> {
  const editor =
    context.environment.VISUAL || context.environment.EDITOR || (context.host.platform === 'win32' ? 'notepad' : 'vi');
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-edit-'));
  const path = join(folder, `option${ending}`);
  try {
    await writeFile(path, text, { mode: 0o600 });
    const [command = editor, ...args] = editor.split(' ');
    const { status, error } = spawnSync(command, [...args, path], { stdio: 'inherit' });
    if (error || status !== 0) {
      throw localError(
        both(`${editor} ended with ${status ?? 'an error'}`, `${editor} 退出异常（${status ?? '错误'}）`),
        {
          field: 'EDITOR',
          cause: error,
        },
      );
    }
    return (await readFile(path, 'utf8')).replace(/\n$/, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const discovered = [
  ['authorization_endpoint', 'oidc.authorization_endpoint'],
  ['token_endpoint', 'oidc.token_endpoint'],
  ['userinfo_endpoint', 'oidc.user_info_endpoint'],
] as const;

/** Sets the addresses that a provider's well-known document names; answers their keys. Throws exit 1 when it names none. */
export async function discoverEndpoints(context: CommandContext, address: string): Promise<string[]> {
  const { fetchFor } = await import('../fetch.ts');
  const { settings } = await context.target();
  const fetch = await fetchFor({
    environment: context.environment,
    caFile: settings.ca_file,
    signal: context.signal,
  });
  const response = await fetch(address, { headers: { accept: 'application/json' } });
  const document: unknown = response.ok ? await response.json().catch(() => undefined) : undefined;
  const client = await context.client();
  for (const [member, key] of discovered) {
    const value = typeof document === 'object' && document !== null ? Reflect.get(document, member) : undefined;
    if (typeof value !== 'string') {
      throw new CliError(
        'discovery_failed',
        exitCodes.failed,
        both(
          `${address} names no ${member} (HTTP ${response.status})`,
          `${address} 未提供 ${member}（HTTP ${response.status}）`,
        ),
      );
    }
    await client.options.set({ key, value });
    context.done(both(`${key} = ${value}`, `${key} = ${value}`));
  }
  return discovered.map(([, key]) => key);
}

async function storedOption(context: CommandContext, key: OptionKey) {
  return (await (await context.client()).options.list()).find((row) => row.key === key);
}

/** An editor may stay open for an hour: asks before what somebody else has saved meanwhile is saved over. */
async function saveEdited(
  context: CommandContext,
  { key, before, after }: { readonly key: OptionKey; readonly before: string; readonly after: string },
): Promise<void> {
  const now = await storedOption(context, key);
  if (now !== undefined && now.value !== before) {
    const { value, updated_by: by } = now;
    const told = both(
      `${key} was changed meanwhile by ${by}; now: ${value}`,
      `${key} 期间已被 ${by} 修改；现为：${value}`,
    );
    context.note(context.say(told));
    await confirmHere(context, both(`Save over what ${by} saved?`, `覆盖 ${by} 保存的内容？`));
  }
  await confirmOptions(context, [key]);
  const { message } = await (await context.client()).options.set({ key, value: after });
  if (message !== '') context.note(message);
  context.done(both(`${key} is set`, `已设置 ${key}`));
}

/** What was written in the editor and not saved, in a file: it may have been a long piece of work. */
async function keepEdited(
  context: CommandContext,
  { key, text, ending }: { readonly key: OptionKey; readonly text: string; readonly ending: string },
): Promise<void> {
  const path = join(await mkdtemp(join(tmpdir(), 'tollgate-edit-')), `${key}${ending}`);
  await writeFile(path, text, { mode: 0o600 });
  const told = both(
    `what you wrote is kept: tollgate option set ${key} @${path}`,
    `编辑内容已保留：tollgate option set ${key} @${path}`,
  );
  context.note(context.say(told));
}

export function registerOptionEdit(option: Command, runtime: Runtime): void {
  leaf(
    option.command('edit').argument('<key>'),
    runtime,
    {
      summary: both('Change an option in $EDITOR', '在 $EDITOR 中修改选项'),
      examples: ['option edit GroupRatio'],
      prints: () => optionView,
      calls: ['options.list', 'options.set'],
    },
    async (context, [reference]) => {
      const key = String(reference);
      const { isOptionKey, optionTable } = await import('../../daemon/contract/options.ts');
      if (!isOptionKey(key)) {
        throw new CliError('option_unknown', exitCodes.notFound, both(`no option ${key}`, `没有选项 ${key}`));
      }
      if (optionTable[key].secret) {
        throw usageError(both(`${key} is secret and cannot be read`, `${key} 为密钥，无法读取`), {
          hint: both(`tollgate option set ${key} env:NAME`, `tollgate option set ${key} env:NAME`),
        });
      }
      if (!context.terminal.interactive) {
        throw usageError(both('an editor needs a terminal', '编辑器需要终端'), {
          hint: both(`tollgate option set ${key} @file`, `tollgate option set ${key} @file`),
        });
      }
      const before = (await storedOption(context, key))?.value ?? '';
      const { form } = optionTable[key];
      const ending = form === 'json' || form === 'list' ? '.json' : '.txt';
      const after = await editText(context, before, ending);
      if (after === before.replace(/\n$/, '')) {
        context.note(context.say(both('nothing was changed', '未做任何更改')));
        return;
      }
      await saveEdited(context, { key, before, after }).catch(async (failure: unknown) => {
        if (!(failure instanceof NotSent)) await keepEdited(context, { key, text: after, ending });
        throw failure;
      });
      await printOptions(context, [key]);
    },
  );
}
