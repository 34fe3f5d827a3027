/** The form of a new account. */
import { both } from '../language.ts';
import { quoted } from './command-words.ts';
import type { Desk } from './desk.ts';
import { RecordForm } from './record-form.ts';

type FieldName = 'username' | 'password' | 'group' | 'quota';
/** @param onEnd told whether there is a new account */
export function newUserForm(desk: Desk, onEnd: (isMade: boolean) => void): RecordForm<FieldName> {
  let isMade = false;
  return new RecordForm<FieldName>({
    desk,
    title: both('New user', '新建用户'),
    fields: [
      { name: 'username', label: both('Name', '用户名'), hint: both('1-20 characters', '1-20 个字符') },
      {
        name: 'password',
        label: both('Password', '密码'),
        hint: both('at least 8 characters', '至少 8 个字符'),
        isSecret: true,
      },
      { name: 'group', label: both('Group', '分组'), hint: both('empty: default', '留空为 default') },
      {
        name: 'quota',
        label: both('Balance', '余额'),
        hint: both('5usd; empty: that of new users', '5usd；留空为新用户额度'),
      },
    ],
    command: (words) => {
      const [group, quota] = [words('group'), words('quota')];
      return [
        `tollgate user create --username ${quoted(words('username'))} --password-stdin`,
        ...(group === '' ? [] : [`--group ${quoted(group)}`]),
        ...(quota === '' ? [] : [`--quota ${quoted(quota)}`]),
      ].join(' ');
    },
    save: async (words) => {
      const [group, quota] = [words('group'), words('quota')];
      const { client, context } = desk;
      const { username } = await client.users.create({
        username: words('username'),
        password: words('password'),
        ...(group === '' ? {} : { group }),
        ...(quota === '' ? {} : { quota: await context.money(quota, '--quota') }),
      });
      isMade = true;
      return both(`${username} can sign in`, `${username} 可以登录`);
    },
    onEnd: () => onEnd(isMade),
  });
}
