/** The parts of a key that are not secret, by the form in which its vendor's keys are written. */
import type { ProviderAdapter } from '../../relay/provider.ts';
import { readAwsKey } from './aws.ts';
import { readGoogleKey } from './google.ts';
import { namedParts } from './key-parts.ts';

const nothing: Readonly<Record<string, string>> = {};

/** What an adapter may know of a key; nothing for a key of another form. */
export function keySettings(
  key: string,
  adapter: Pick<ProviderAdapter, 'keyParts' | 'keyForm' | 'keyMarks'>,
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
  return adapter.keyParts === undefined ? nothing : namedParts(key, adapter.keyParts);
}
