/** Accounts of another gateway: who signs in, by which password, in which group, with which balance. */
import type { Language } from '../contract/error-codes.ts';
import type { ImportRoleRule } from '../contract/gateway-import.ts';
import { roles } from '../contract/roles.ts';
import type { UserSettlement } from '../store/ledger-rows.ts';
import type { NewLogRow } from '../store/logs.ts';
import type { ExternalIdentity, NewUser, UserConflict, UserRecord } from '../store/users.ts';
import { accountLogTexts } from './account-log-texts.ts';
import { checkedEmail, displayNameFrom, hasInvisible, withoutInvisible } from './account-rules.ts';
import { isRole } from './actor.ts';
import { groupNames } from './groups.ts';
import { Cells } from './import-cells.ts';
import type { RowPlace } from './import-report.ts';
import type { ForeignPortions } from './import-source.ts';
import { expectSum, freeName, type ImportWork, measureOnce } from './import-work.ts';
import { eventRow } from './ledger-credits.ts';
import { openAccounts } from './ledger-openings.ts';
import { isForeignHash } from './passwords.ts';
import { quotaText } from './quota-text.ts';
import { randomBase62 } from './random-text.ts';

/** Ids here by the ids there. */
export type TakenUsers = ReadonlyMap<number, number>;

export interface UserImport {
  readonly portions: ForeignPortions;
  readonly roles: ImportRoleRule;
  /** Whether balances come along; without, everybody begins with nothing. */
  readonly balances: 'taken' | 'left';
  /** Language of stored texts. */
  readonly language: Language;
  /** Names the import in the rows of the log that it writes. */
  readonly requestId: string;
}

/** What an account brings that the ledger writes. */
interface Opening {
  readonly place: RowPlace;
  readonly user: UserRecord;
  readonly quota: number;
  readonly used: number;
  readonly requests: number;
}

const longestName = 64;
/** What a name may not have, though one can see it. */
const unusable = /[@\p{Cc}\u2028\u2029]/u;
const identities = {
  github_id: 'githubId',
  oidc_id: 'oidcId',
  wechat_id: 'wechatId',
  telegram_id: 'telegramId',
  linux_do_id: 'linuxDoId',
} as const satisfies Record<string, ExternalIdentity>;
const amountColumns = ['quota', 'used_quota', 'request_count', 'aff_count', 'aff_quota', 'aff_history'] as const;
/** Most that an integer column of PostgreSQL holds. */
const largestCount = 2_147_483_647;
const identityColumns = Object.keys(identities).filter((name): name is keyof typeof identities => name in identities);

/** What those that came before leave to those that follow. */
interface Progress {
  readonly taken: Map<number, number>;
  /** There is one super administrator: nobody could demote a second. */
  highestRole: number;
}

/** Takes accounts over, those of the inviters first, as they were made. */
export async function importUsers(work: ImportWork, { portions, ...wish }: UserImport): Promise<TakenUsers> {
  const { tally, stores } = work;
  tally.found('users', 0);
  const root = await stores.users.findFirstOfRole(roles.root);
  const keptRole = root === undefined ? roles.root : roles.admin;
  const progress: Progress = { taken: new Map(), highestRole: wish.roles === 'users' ? roles.user : keptRole };
  for await (const rows of portions) {
    tally.found('users', rows.length);
    const openings: Opening[] = [];
    for (const row of rows) {
      const cells = new Cells(row);
      const opening = await importUser(work, cells, progress);
      if (wish.balances === 'taken') countBalance(work, cells, opening);
      if (opening === undefined) continue;
      progress.taken.set(Number(opening.place.id), opening.user.id);
      if (opening.user.role === roles.root) progress.highestRole = roles.admin;
      openings.push(wish.balances === 'taken' ? opening : { ...opening, quota: 0 });
    }
    await open(work, openings, wish);
  }
  return progress.taken;
}

async function importUser(
  work: ImportWork,
  cells: Cells,
  { taken, highestRole }: Progress,
): Promise<Opening | undefined> {
  const { tally, family } = work;
  const place: RowPlace = { kind: 'users', id: cells.whole('id') ?? cells.text('id') };
  // One API deletes an account by a status of its own.
  if (cells.isDeleted || (family === 'one-api' && cells.whole('status') === 3)) return tally.skip(place, 'deleted');
  const group = work.groupOf(cells.text('group') || 'default');
  if (!groupNames(work.options()).includes(group)) return tally.fail(place, 'group_unknown', 'group');
  const amounts = amountsOf(cells);
  if ('wrong' in amounts) return tally.fail(place, 'amount_invalid', amounts.wrong);
  const positive = (field: string, value: number) => {
    if (value < 0) tally.adjust(place, 'amount_negative', field);
    return Math.max(0, value);
  };
  const user = await insertUser(work, place, {
    role: roleOf(work, place, { cells, highestRole }),
    ...accountOf(work, place, cells),
    ...identitiesOf(cells),
    group,
    inviterId: taken.get(cells.whole('inviter_id') ?? 0) ?? 0,
    affCode: cells.line('aff_code', 32) || randomBase62(8),
    affCount: Math.min(positive('aff_count', amounts.aff_count), largestCount),
    affQuota: positive('aff_quota', amounts.aff_quota),
    affHistory: positive('aff_history', amounts.aff_history),
    createdAt: 0,
  });
  if (user === undefined) return undefined;
  tally.taken('users');
  return {
    place,
    user,
    quota: amounts.quota,
    used: positive('used_quota', amounts.used_quota),
    requests: positive('request_count', amounts.request_count),
  };
}

type Amounts = Record<(typeof amountColumns)[number], number>;

/** All that an account counts, or the column that does not count. */
function amountsOf(cells: Cells): Amounts | { readonly wrong: string } {
  const amounts: Amounts = { quota: 0, used_quota: 0, request_count: 0, aff_count: 0, aff_quota: 0, aff_history: 0 };
  for (const column of amountColumns) {
    const amount = cells.whole(column);
    if (amount === undefined) return { wrong: column };
    amounts[column] = amount;
  }
  return amounts;
}

function accountOf({ tally }: ImportWork, place: RowPlace, cells: Cells) {
  const username = cells.text('username');
  const status = cells.whole('status', 1);
  if (status !== 1 && status !== 2) tally.adjust(place, 'status_unknown', 'status');
  const password = cells.text('password');
  if (password !== '' && !isForeignHash(password)) tally.adjust(place, 'password_unusable', 'password');
  const setting = cells.jsonObject('setting');
  if (setting === undefined) tally.adjust(place, 'json_invalid', 'setting');
  return {
    username,
    password: isForeignHash(password) ? password : '',
    displayName: displayNameFrom(cells.text('display_name')) || displayNameFrom(username),
    // Whatever it meant there, it did not mean that the account may be used.
    status: status === 1 ? 1 : 2,
    setting: setting ?? '',
    email: emailOf(cells, () => tally.adjust(place, 'email_invalid', 'email')),
  };
}

/** The role that an account may have here; whoever has one above that of a user is named in the report. */
function roleOf(
  { tally }: ImportWork,
  place: RowPlace,
  { cells, highestRole }: { readonly cells: Cells; readonly highestRole: number },
): number {
  const role = cells.whole('role', roles.user) ?? 0;
  if (!isRole(role)) tally.adjust(place, 'role_unknown', 'role');
  else if (role > highestRole) tally.adjust(place, highestRole === roles.user ? 'role_user' : 'root_as_admin', 'role');
  else if (role > roles.user) tally.note(place, role === roles.root ? 'role_root' : 'role_admin', 'role');
  return isRole(role) ? Math.min(role, highestRole) : roles.user;
}

function emailOf(cells: Cells, refused: () => void): string | null {
  const text = cells.text('email');
  if (text === '') return null;
  try {
    return checkedEmail(text, 'email');
  } catch {
    refused();
    return null;
  }
}

function identitiesOf(cells: Cells): Partial<Record<ExternalIdentity, string>> {
  const found: Partial<Record<ExternalIdentity, string>> = {};
  for (const column of identityColumns) {
    const value = cells.line(column, 255);
    if (value !== '') found[identities[column]] = value;
  }
  return found;
}

/**
 * Whether an account may have the name, as far as letters go: what looks like an address is looked up as one, and what
 * nobody sees makes it look like another.
 */
function isAcceptableName(name: string): boolean {
  const length = [...name].length;
  return length >= 1 && length <= longestName && !unusable.test(name) && !hasInvisible(name);
}

/**
 * Inserts the row. A name that somebody has follows the rule for clashes; addresses and identities that somebody has
 * stay with whoever has them, as an account without them is still of use.
 */
async function insertUser(work: ImportWork, place: RowPlace, wanted: NewUser): Promise<UserRecord | undefined> {
  const { stores, tally, onClash } = work;
  let user = wanted;
  const rename = async (name: string) => {
    const isTaken = async (candidate: string) => (await stores.users.findByUsername(candidate)) !== undefined;
    tally.adjust(place, 'renamed', 'username');
    return freeName(name, longestName, isTaken);
  };
  if (!isAcceptableName(user.username)) {
    if (onClash !== 'rename') return tally.fail(place, 'username_invalid', 'username');
    const seen = withoutInvisible(user.username).replaceAll(new RegExp(`(?:${unusable.source})+`, 'gu'), '_');
    user = { ...user, username: await rename(seen || 'user') };
  }
  for (;;) {
    const inserted = await stores.users.insert(user);
    if (inserted.inserted) return inserted.user;
    const { conflict } = inserted;
    if (conflict !== 'username') {
      tally.adjust(place, 'taken_here', columnOf(conflict));
      user = { ...user, [conflict]: conflict === 'affCode' ? randomBase62(8) : null };
    } else if (onClash === 'rename') {
      user = { ...user, username: await rename(user.username) };
    } else {
      return tally.clash(place, 'username_taken', onClash);
    }
  }
}

function columnOf(conflict: UserConflict): string {
  if (conflict === 'affCode') return 'aff_code';
  return identityColumns.find((column) => identities[column] === conflict) ?? conflict;
}

/** Balances are counted apart, as there are accounts without any. */
function countBalance({ tally }: ImportWork, cells: Cells, opening: Opening | undefined): void {
  const quota = cells.whole('quota');
  if (quota === 0) return;
  tally.found('balances', 1);
  if (opening !== undefined) tally.taken('balances');
  else tally.skip({ kind: 'balances', id: cells.whole('id') ?? cells.text('id') }, 'owner_not_taken');
}

/** Credits what accounts had, with a row each that says where it came from, and notes what they had used. */
async function open(work: ImportWork, openings: readonly Opening[], wish: Omit<UserImport, 'portions'>): Promise<void> {
  const { stores, tally, family } = work;
  const users: UserSettlement[] = [];
  const rows: NewLogRow[] = [];
  for (const { user, quota, used, requests } of openings) {
    if (quota === 0 && used === 0 && requests === 0) continue;
    users.push({ id: user.id, refund: quota, used, requests });
    const content = accountLogTexts.imported(quotaText(quota, work.options()))[wish.language];
    rows.push(
      eventRow({
        userId: user.id,
        username: user.username,
        // A balance that was overdrawn is a debt, which no credit can say.
        type: quota < 0 ? 3 : 4,
        content,
        quota,
        nowSeconds: work.nowSeconds,
        requestId: wish.requestId,
        adminInfo: { imported_from: family, used_quota: used, request_count: requests },
      }),
    );
  }
  if (users.length > 0) await measureOnce(work, 'users');
  await openAccounts(stores, { users, rows });
  const ids = openings.map(({ user }) => user.id);
  const sums = [
    ['users', 'used_quota', openings.map(({ used }) => used)],
    ['balances', 'quota', openings.map(({ quota }) => quota)],
  ] as const;
  for (const [kind, amount, amounts] of sums) {
    if (kind === 'balances' && wish.balances === 'left') continue;
    tally.sum(kind, await expectSum(work.stores, { amount, of: 'users', ids, amounts }));
  }
}
