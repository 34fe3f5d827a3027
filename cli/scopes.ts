/** Scopes of machine tokens as words of the command line. */
import type { Scope, ScopeWish } from '../daemon/contract/scopes.ts';
import { usageError } from './errors.ts';
import { both } from './language.ts';

/** The scopes of those words; `*` is all that the role can use. Throws exit 3 for a word that is none. */
export async function scopesOf(words: readonly string[], role: number): Promise<Scope[]> {
  const { wishedScopes } = await import('../daemon/contract/scopes.ts');
  return wishedScopes(await scopeWish(words), role);
}

/** The same before it is known who signs in. Throws exit 3 for a word that is none. */
export async function scopeWish(words: readonly string[]): Promise<ScopeWish[]> {
  const { scopes } = await import('../daemon/contract/scopes.ts');
  return words.map((word) => {
    const scope = word === '*' ? word : scopes.find((known) => known === word);
    if (scope !== undefined) return scope;
    throw usageError(both(`there is no scope ${word}`, `没有权限范围 ${word}`), {
      field: '--scope',
      hint: both(`one of ${scopes.join(' ')} or '*'`, `可用：${scopes.join(' ')} 或 '*'`),
    });
  });
}
