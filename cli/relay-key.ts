/** The relay key a command works with: an own token's, one from a safe place, or the environment's. */
import type { CommandContext } from './context.ts';
import { usageError } from './errors.ts';
import { both } from './language.ts';

export interface KeyWishes {
  /** `-` for standard input, `env:NAME` or `@file`. */
  readonly source: string | undefined;
  /** An own token by id or name. */
  readonly own: string | undefined;
}

/** The key with `sk-`. Throws exit 3 where none is named or it stands on the command line. */
export async function relayKeyOf(context: CommandContext, { source, own }: KeyWishes): Promise<string> {
  const key = own === undefined ? await namedKey(context, source) : await ownKey(context, own);
  return key.startsWith('sk-') ? key : `sk-${key}`;
}

async function ownKey(context: CommandContext, own: string): Promise<string> {
  const client = await context.client();
  const id = /^[1-9]\d*$/.test(own)
    ? Number(own)
    : (await client.tokens.search({ keyword: own })).items.find(({ name }) => name === own)?.id;
  if (id === undefined) throw usageError(both(`there is no token ${own}`, `没有令牌 ${own}`), { field: '--token' });
  return (await client.tokens.revealKey({ id })).key;
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
