/** Why a file is no whole backup (`backup_damaged`), in both languages: made in English, read back for the Chinese text. */
import { type ReasonCatalogue, translated } from './reason-catalogue.ts';

export const backupReasons = {
  stranger: 'it does not begin as one',
  cut: 'it ends too early',
  changed: 'it was changed',
  spoilt: 'it was cut or changed',
  head: 'its head is incomplete',
  place: 'a line is out of place',
  unread: 'a line cannot be read',
  table: 'a table is missing',
  behind: 'something follows its end',
} as const;

export function unknownForm(form: unknown): string {
  return `it is of form ${form}, which this version does not read`;
}

export function missingRows(table: string): string {
  return `rows of ${table} are missing`;
}

export function unknownTable(table: string): string {
  return `there is no table ${table}`;
}

export function otherColumns(table: string): string {
  return `the columns of ${table} are others`;
}

const chinese: ReasonCatalogue = [
  [/^it does not begin as one$/, '文件开头不是备份格式'],
  [/^it ends too early$/, '文件不完整，提前结束'],
  [/^it was changed$/, '内容被改动'],
  [/^it was cut or changed$/, '文件被截断或改动'],
  [/^its head is incomplete$/, '文件头不完整'],
  [/^a line is out of place$/, '行的位置不正确'],
  [/^a line cannot be read$/, '有一行无法读取'],
  [/^a table is missing$/, '缺少数据表'],
  [/^something follows its end$/, '结尾之后还有内容'],
  [/^it is of form (.*), which this version does not read$/s, '格式版本为 $1，当前版本无法读取'],
  [/^rows of (.*) are missing$/s, '表 $1 缺少部分行'],
  [/^there is no table (.*)$/s, '不存在表 $1'],
  [/^the columns of (.*) are others$/s, '表 $1 的列不一致'],
];

export function chineseBackupReason(reason: string): string {
  return translated(chinese, reason) ?? reason;
}
