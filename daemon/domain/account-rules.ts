/** What names, passwords and addresses of accounts may look like (management-api.md 5.2). */
import { domainToASCII } from 'node:url';
import { longestDisplayName, longestUsername } from '../contract/account-limits.ts';
import { TollgateError } from '../errors.ts';
import type { UserUpdate } from '../store/users.ts';
import { isAcceptablePassword } from './passwords.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
/** U+2800 is a letter of Braille without dots. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;
/**
 * Such signs where a reader sees what they do: within an emoji, and where a script joins its letters or keeps them apart.
 * Written as a text, since the compiler takes this kind of pattern for newer than it is.
 */
const joining = String.raw`\p{RGI_Emoji}|(?<=\p{Script=Arabic})[\u200c\u200d](?=\p{Script=Arabic})|(?<=\p{M})[\u200c\u200d]`;
const joiningOrInvisible = new RegExp(`(${joining})|${invisible.source}`, 'gv');

/** Whether a name has characters that nobody sees: it would look like another one. */
export function hasInvisible(name: string): boolean {
  return invisible.test(name);
}

/** The name without characters that nobody sees. */
export function withoutInvisible(name: string): string {
  return name.replaceAll(new RegExp(invisible, 'gu'), '');
}

/** As `withoutInvisible`, for a name that is shown and not compared: what holds an emoji or a word together stays. */
function shownOnly(name: string): string {
  return name.replaceAll(joiningOrInvisible, (_, joined: string | undefined) => joined ?? '');
}

/** Whether an account may have this name, which nothing stands around. */
export function isUsername(name: string): boolean {
  const length = [...name].length;
  const isClean = !controlCharacters.test(name) && !hasInvisible(name);
  // Compared in its normal form, in which a wide `@` is one as well.
  return length >= 1 && length <= longestUsername && !name.normalize('NFKC').includes('@') && isClean;
}

/** The name as it is stored; throws `username_invalid`. */
export function checkedUsername(sent: string): string {
  const username = sent.trim();
  if (!isUsername(username)) throw new TollgateError('username_invalid', {}, { field: 'username' });
  return username;
}

/** Why an account stayed as it was: another one has its new name, or it is not there any more. */
export function refusedUpdate(
  { conflict }: Extract<UserUpdate, { updated: false }>,
  gone: 'user_gone' | 'user_not_found',
): TollgateError {
  return conflict ? new TollgateError('username_taken', {}, { field: 'username' }) : new TollgateError(gone);
}

/** Throws `password_invalid`. */
export function checkedPassword(sent: string): string {
  if (!isAcceptablePassword(sent)) throw new TollgateError('password_invalid', {}, { field: 'password' });
  return sent;
}

/** The display name as it is stored; throws `invalid_input`. */
export function checkedDisplayName(sent: string): string {
  const name = sent.trim();
  if ([...name].length > longestDisplayName || controlCharacters.test(name) || shownOnly(name) !== name) {
    throw new TollgateError('invalid_input', { field: 'display_name' }, { field: 'display_name' });
  }
  return name;
}

/** The display name that somebody goes by elsewhere, as it can be stored here; "" when nothing is left of it. */
export function displayNameFrom(elsewhere: string): string {
  const name = shownOnly(elsewhere.replace(new RegExp(controlCharacters, 'g'), ' ')).trim();
  // An emoji may be cut through.
  return shownOnly([...name].slice(0, longestDisplayName).join(''));
}

/** Whether this could be an account's id elsewhere. PostgreSQL keeps no NUL, and no provider means other controls. */
export function isExternalId(id: string): boolean {
  return id !== '' && id.length <= 255 && !controlCharacters.test(id);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for; notes have lines.
const controlsBesideLines = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** What administrators write down about a user, as it is stored; throws `invalid_input`. */
export function checkedNotes(sent: string): string {
  const notes = sent.replaceAll('\r\n', '\n').trim();
  if (controlsBesideLines.test(notes)) throw new TollgateError('invalid_input', { field: 'notes' }, { field: 'notes' });
  return notes;
}

/**
 * An address as it is stored and compared, if it is one: its domain as it is delivered to (UTS 46), in ASCII as in the list
 * of allowed domains. With letters of other scripts as with `xn--…`, with wide letters, or signs that nobody sees, one
 * recipient could be written in as many ways as one likes, and each would count by itself.
 */
export function emailAsStored(written: string): string {
  const email = written.trim().toLowerCase();
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  return /^[ -~]*$/.test(domain) ? email : email.slice(0, at) + domainToASCII(domain);
}

/** The address in the form in which it is stored and compared; throws `email_invalid`. */
export function checkedEmail(sent: string, field: string): string {
  const email = emailAsStored(sent);
  const isPlain = /^[^\s@,;:<>()[\]\\"]{1,64}@[^\s@,;:<>()[\]\\"]+\.[^\s@,;:<>()[\]\\".]+$/.test(email);
  if (email.length > 255 || !isPlain || controlCharacters.test(email))
    throw new TollgateError('email_invalid', {}, { field });
  return email;
}
