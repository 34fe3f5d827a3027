/** What the writer of an option should know although the value is acceptable (management-api.md 3.9, 5.9). */
import type { OptionWarning } from '../contract/option-warnings.ts';
import type { OptionKey, OptionsView } from '../contract/options.ts';
import type { Stores } from '../store/database.ts';
import type { UserRecord } from '../store/users.ts';
import { groupCounts } from './group-counts.ts';
import { relyingParty } from './passkey-check.ts';

export interface OptionChange {
  readonly key: OptionKey;
  /** The options in force before and after the write. */
  readonly before: OptionsView;
  readonly after: OptionsView;
}

/** Warnings about a change that was just made. */
export async function optionWarnings(change: OptionChange, stores: Stores): Promise<OptionWarning[]> {
  const { key, before, after } = change;
  if (key === 'EmailVerificationEnabled') {
    return after.get(key) && after.get('SMTPServer') === '' ? [{ code: 'mail_missing' }] : [];
  }
  if (waysIn.has(key)) {
    const isShut = (await isRootLockedOut(after, stores, before)) && !(await isRootLockedOut(before, stores));
    return isShut ? [{ code: 'root_locked_out' }] : [];
  }
  return key === 'GroupRatio' ? groupWarnings(before, after, stores) : [];
}

/** What decides how the super administrator may sign in; the address is what passkeys are bound to. */
const waysIn: ReadonlySet<OptionKey> = new Set<OptionKey>([
  'PasswordLoginEnabled',
  'GitHubOAuthEnabled',
  'oidc.enabled',
  'LinuxDOOAuthEnabled',
  'WeChatAuthEnabled',
  'TelegramOAuthEnabled',
  'ServerAddress',
]);

/**
 * Whether passwords are off and the super administrator has no other way in.
 * @param before under which passkeys were made: browsers show none to another host than its own
 */
export async function isRootLockedOut(
  options: OptionsView,
  { users, passkeys }: Pick<Stores, 'users' | 'passkeys'>,
  before = options,
): Promise<boolean> {
  const root = options.get('PasswordLoginEnabled') ? undefined : await users.findFirstOfRole(100);
  if (root === undefined || hasOtherSignIn(root, options)) return false;
  const [host, hostBefore] = [options, before].map((view) => relyingParty(view.get('ServerAddress'))?.id);
  return host === undefined || host !== hostBefore || (await passkeys.listOfUser(root.id)).length === 0;
}

/** Is the account bound to a provider that is switched on. */
function hasOtherSignIn(user: UserRecord, options: OptionsView): boolean {
  return (
    (user.githubId !== null && options.get('GitHubOAuthEnabled')) ||
    (user.oidcId !== null && options.get('oidc.enabled')) ||
    (user.linuxDoId !== null && options.get('LinuxDOOAuthEnabled')) ||
    (user.wechatId !== null && options.get('WeChatAuthEnabled')) ||
    (user.telegramId !== null && options.get('TelegramOAuthEnabled'))
  );
}

const longestList = 20;

async function groupWarnings(before: OptionsView, after: OptionsView, stores: Stores): Promise<OptionWarning[]> {
  const kept = after.get('GroupRatio');
  const warnings: OptionWarning[] = Object.hasOwn(kept, 'default') ? [] : [{ code: 'group_default_missing' }];
  const removed = Object.keys(before.get('GroupRatio')).filter((group) => !Object.hasOwn(kept, group));
  const inUse: string[] = [];
  const counts = { users: 0, tokens: 0, channels: 0 };
  const carried = removed.length === 0 ? undefined : await groupCounts([], stores);
  for (const group of removed.slice(0, longestList)) {
    const found = carried?.get(group);
    if (found === undefined) continue;
    inUse.push(group);
    counts.users += found.users;
    counts.tokens += found.tokens;
    counts.channels += found.channels;
  }
  if (inUse.length > 0) warnings.push({ code: 'group_in_use', params: { groups: inUse.join(', '), ...counts } });
  return warnings;
}
