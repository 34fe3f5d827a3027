/** The relay key a command works with: an own token's, one from a safe place, or the environment's. */
import type { CommandContext } from './context.ts';
import { CliError, usageError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { splitList } from './input/text.ts';
import { both } from './language.ts';
import { findToken } from './own-tokens.ts';
import { walk } from './paging.ts';

export interface KeyWishes {
  /** `-` for standard input, `env:NAME` or `@file`. */
  readonly source: string | undefined;
  /** An own token by id or name. */
  readonly own: string | undefined;
}

/** The key with `sk-`. Throws exit 3 where none or several are named or it stands on the command line, exit 6 for none of that name. */
export async function relayKeyOf(context: CommandContext, { source, own }: KeyWishes): Promise<string> {
  const key = own === undefined ? await namedKey(context, source) : await ownKey(context, own);
  return key.startsWith('sk-') ? key : `sk-${key}`;
}

/** The newest own key that is billed by the group and may ask for the model now. Throws exit 6 where there is none. */
export async function relayKeyOfGroup(
  context: CommandContext,
  { group, model }: { group: string; model: string },
): Promise<string> {
  const client = await context.client();
  const { group: ofAccount } = await client.account.get();
  const now = Date.now() / 1000;
  const rows = walk({
    page: (page, page_size) => client.tokens.list({ page, page_size }),
    keyOf: ({ id }) => id,
    limit: undefined,
  });
  for await (const token of rows) {
    const isAlive = token.status === 1 && (token.expired_time === -1 || token.expired_time > now);
    const maySpend = token.unlimited_quota || token.remain_quota > 0;
    const mayAsk = !token.model_limits_enabled || splitList(token.model_limits).includes(model);
    if ((token.group || ofAccount) !== group || !isAlive || !maySpend || !mayAsk) continue;
    return `sk-${(await client.tokens.revealKey({ id: token.id })).key}`;
  }
  throw new CliError(
    'token_not_found',
    exitCodes.notFound,
    both(`no key of yours may ask for ${model} in group ${group}`, `没有可在分组 ${group} 中调用 ${model} 的本人令牌`),
    {
      hint: both(
        `tollgate token create --name NAME --group ${group}`,
        `tollgate token create --name 名称 --group ${group}`,
      ),
    },
  );
}

async function ownKey(context: CommandContext, own: string): Promise<string> {
  const { id } = await findToken(context, own);
  return (await (await context.client()).tokens.revealKey({ id })).key;
}

async function namedKey(context: CommandContext, source: string | undefined): Promise<string> {
  if (source !== undefined && source !== '-' && !/^(env:|@|file:)/.test(source)) {
    throw usageError(both('a key is not written on the command line', '请勿在命令行中直接写出密钥'), {
      hint: both('use -, env:NAME, @file or --token', '请使用 -、env:NAME、@file 或 --token'),
    });
  }
  const text =
    source === undefined ? (context.environment.TOLLGATE_API_KEY ?? '') : await context.secret(source, '--key');
  if (text.trim() !== '') return text.trim();
  throw usageError(both('no key', '没有密钥'), {
    hint: both(
      'pass it on standard input with -, name an own one with --token, or set TOLLGATE_API_KEY',
      '用 - 从标准输入传入，用 --token 指定本人令牌，或设置 TOLLGATE_API_KEY',
    ),
  });
}
