/** The parts of a key that are not secret, by the form in which its vendor's keys are written. */
import type { ProviderAdapter } from '../../relay/provider.ts';
import { readAwsKey } from './aws.ts';
import { readGoogleKey } from './google.ts';
import { namedParts } from './key-parts.ts';

const nothing: Readonly<Record<string, string>> = {};

/** What an adapter may know of a key; nothing for a key of another form. */
export function keySettings(
  key: string,
  adapter: Pick<ProviderAdapter, 'keyParts' | 'keyClaims' | 'keyForm' | 'keyMarks'>,
): Readonly<Record<string, string>> {
  if (adapter.keyForm === 'aws') {
    const region = readAwsKey(key)?.region ?? '';
    return region === '' ? nothing : { region };
  }
  if (adapter.keyForm === 'google') {
    const project = readGoogleKey(key)?.project ?? '';
    return project === '' ? nothing : { project };
  }
  if (adapter.keyMarks !== undefined) {
    const marks = Object.entries(adapter.keyMarks).filter(([, form]) => form.test(key.trim()));
    return Object.fromEntries(marks.map(([name]) => [name, 'yes']));
  }
  const { keyParts, keyClaims } = adapter;
  const parts = keyParts === undefined ? nothing : namedParts(key, keyParts);
  return keyClaims === undefined ? parts : { ...claimsOf(key, keyClaims), ...parts };
}

/** The named claims of a key that is a JWT, as far as they are numbers, which may stand in an address. */
function claimsOf(key: string, names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const payload = /^\s*eyJ[\w-]*\.([\w-]+)\.[\w-]+/.exec(key)?.[1];
  if (payload === undefined) return nothing;
  const text = Buffer.from(payload, 'base64url').toString('utf8');
  const found: Record<string, string> = {};
  for (const [setting, claim] of Object.entries(names)) {
    // By its text: a number of so many digits would lose some of them.
    const value = new RegExp(`"${claim}"\\s*:\\s*"?(\\d{1,40})"?\\s*[,}]`).exec(text)?.[1];
    if (value !== undefined) found[setting] = value;
  }
  return found;
}
