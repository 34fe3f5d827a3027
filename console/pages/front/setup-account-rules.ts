/** What the first account must be like (console.md 6.2). */

import { longestUsername, mostPasswordBytes, shortestPassword } from '../../../daemon/contract/account-limits.ts';

export interface SetupAccount {
  readonly username: string;
  readonly password: string;
  readonly confirmation: string;
}

export type AccountField = keyof SetupAccount;
export type AccountProblem = 'usernameEmpty' | 'usernameInvalid' | 'passwordShort' | 'passwordLong' | 'mismatch';
export type AccountProblems = { readonly [K in AccountField]?: AccountProblem };

export function accountProblems({ username, password, confirmation }: SetupAccount): AccountProblems {
  const name = nameProblem(username.trim());
  const secret = passwordProblem(password);
  return {
    ...(name ? { username: name } : {}),
    ...(secret ? { password: secret } : {}),
    ...(password === confirmation ? {} : { confirmation: 'mismatch' }),
  };
}

function nameProblem(name: string): AccountProblem | undefined {
  if (name === '') return 'usernameEmpty';
  return [...name].length > longestUsername || name.includes('@') ? 'usernameInvalid' : undefined;
}

function passwordProblem(password: string): AccountProblem | undefined {
  if ([...password].length < shortestPassword) return 'passwordShort';
  return new TextEncoder().encode(password).length > mostPasswordBytes ? 'passwordLong' : undefined;
}

/** 0 for none and too short ones, 3 for those that take long to guess: length counts most, then variety. */
export function strengthOf(password: string): 0 | 1 | 2 | 3 {
  const { length } = [...password];
  if (length < shortestPassword) return password === '' ? 0 : 1;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(password)).length;
  const different = new Set(password).size;
  if (different < 5) return 1;
  if (length >= 16 || (length >= 12 && kinds >= 3)) return 3;
  return length >= 12 || kinds >= 3 ? 2 : 1;
}
