/** What a new account must be like before it is worth asking the server (console.md 6.4). */

import { longestUsername, shortestPassword } from '../../../daemon/contract/account-limits.ts';

export interface Registration {
  readonly username: string;
  readonly password: string;
  readonly confirmation: string;
  readonly email: string;
  readonly code: string;
  readonly inviteCode: string;
}

export type RegistrationField = keyof Registration;
export type RegistrationProblem = 'usernameInvalid' | 'passwordShort' | 'mismatch' | 'emailEmpty' | 'codeEmpty';

export function registrationProblems(
  { username, password, confirmation, email, code }: Registration,
  needsEmail: boolean,
): { readonly [K in RegistrationField]?: RegistrationProblem } {
  const name = username.trim();
  const isNameGood = name !== '' && [...name].length <= longestUsername && !name.includes('@');
  return {
    ...(isNameGood ? {} : { username: 'usernameInvalid' }),
    ...([...password].length < shortestPassword ? { password: 'passwordShort' } : {}),
    ...(password === confirmation ? {} : { confirmation: 'mismatch' }),
    ...(needsEmail && email.trim() === '' ? { email: 'emailEmpty' } : {}),
    ...(needsEmail && code.trim() === '' ? { code: 'codeEmpty' } : {}),
  };
}

/** Refusals of the server that belong under a field. */
export const fieldByCode: Readonly<Record<string, RegistrationField>> = {
  username_invalid: 'username',
  username_taken: 'username',
  password_invalid: 'password',
  password_mismatch: 'confirmation',
  email_required: 'email',
  email_invalid: 'email',
  email_taken: 'email',
  email_domain_refused: 'email',
  email_alias_refused: 'email',
  code_invalid: 'code',
};
