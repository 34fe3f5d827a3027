/** Groups: which exist, which a user may choose, and how `auto` fits in (management-api.md 5.9). */
import type { Language } from '../contract/error-codes.ts';
import type { OptionsView } from '../contract/options.ts';

/** The group that stands for "try the listed ones in order". */
export const autoGroup = 'auto';

const ownGroupText = { en: 'user group', zh: '用户分组' } as const;

/** Chinese for the descriptions that an unchanged option has; what an operator wrote is shown as it is. */
const builtInTexts: ReadonlyMap<string, string> = new Map([
  ['default group', '默认分组'],
  ['vip group', 'VIP 分组'],
]);

/** Names of all groups, `default` first, the others by name. */
export function groupNames(options: OptionsView): string[] {
  const names = Object.keys(options.get('GroupRatio')).sort();
  return names.includes('default') ? ['default', ...names.filter((name) => name !== 'default')] : names;
}

/**
 * Groups a user may choose, with their descriptions: the published ones and the own group. `auto` is among them only
 * while it is published and there are groups for it to try.
 */
export function usableGroups(userGroup: string, options: OptionsView, language: Language): ReadonlyMap<string, string> {
  const groups = new Map<string, string>();
  for (const [name, text] of Object.entries(options.get('UserUsableGroups'))) {
    groups.set(name, (language === 'zh' ? builtInTexts.get(text) : undefined) ?? text);
  }
  if (options.get('AutoGroups').length === 0) groups.delete(autoGroup);
  if (!groups.has(userGroup)) groups.set(userGroup, ownGroupText[language]);
  return groups;
}

/** May this user's key name the group: "" follows the account, any other must be usable and, but for `auto`, priced. */
export function mayChooseGroup(group: string, userGroup: string, options: OptionsView): boolean {
  if (group === '') return true;
  if (!usableGroups(userGroup, options, 'en').has(group)) return false;
  return group === autoGroup || Object.hasOwn(options.get('GroupRatio'), group);
}
