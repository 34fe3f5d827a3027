/** What people set of a profile: how it looks, what it may do, what it takes for granted. */
import { resolve } from 'node:path';
import { usageError } from './errors.ts';
import { both } from './language.ts';
import type { Profile, ProfileFile } from './profile.ts';
import { type BannerColour, bannerColours } from './terminal.ts';

/** Throws exit 3 for a colour that there is not. */
export function bannerColourOf(name: string | undefined): BannerColour | undefined {
  const found = bannerColours.find((known) => known === name);
  if (name === undefined || found !== undefined) return found;
  const known = bannerColours.join(', ');
  throw usageError(both(`no colour ${name}; there are ${known}`, `没有颜色 ${name}；可用 ${known}`), {
    field: 'color',
  });
}

/** What a profile keeps of `--ca-file`: the whole path, because the next command runs in another folder. */
export function trustedAuthority({ caFile }: { readonly caFile?: unknown }): Pick<Profile, 'ca_file'> {
  return typeof caFile === 'string' ? { ca_file: resolve(caFile) } : {};
}

/** What `profile edit` may clear. */
export const clearableSettings = ['ca_file', 'color', 'confirm', 'chat_model', 'lang', 'tz'] as const;
export type ClearableSetting = (typeof clearableSettings)[number];

/** The file with one profile changed. @param cleared members that it loses */
export function withSettings(
  file: ProfileFile,
  name: string,
  { given, cleared }: { readonly given: Partial<Profile>; readonly cleared: readonly ClearableSetting[] },
): ProfileFile {
  const before = file.profiles[name];
  if (before === undefined) return file;
  const profile = { ...before, ...given };
  for (const member of cleared) delete profile[member];
  return { ...file, profiles: { ...file.profiles, [name]: profile } };
}

/** The file with a profile under another name, at the same place; it stays the current one if it was. */
export function withName(file: ProfileFile, from: string, to: string): ProfileFile {
  const profiles = Object.fromEntries(
    Object.entries(file.profiles).map(([name, profile]) => [name === from ? to : name, profile]),
  );
  return { ...file, profiles, ...(file.current === from ? { current: to } : {}) };
}
