/** Codes of what saves, moves and mends a database beside the daemon. */
import { define } from './error-entry.ts';

export const copyErrors = define({
  backup_damaged: {
    kind: 'refusal',
    en: 'This is not a whole backup: {reason}; copy it once more from where it was made, or take an older one',
    zh: '备份文件不完整或已损坏：{reason}；请从原处重新复制，或改用较早的备份',
  },
  backup_passphrase_missing: {
    kind: 'refusal',
    en: 'The backup is encrypted; its passphrase is needed',
    zh: '备份已加密，需要提供口令',
  },
  backup_passphrase_wrong: {
    kind: 'refusal',
    en: 'The passphrase does not open this backup',
    zh: '口令无法打开此备份',
  },
  copy_differs: {
    kind: 'refusal',
    en: 'The copy differs from its source, and nothing was kept: {place} has {reason}',
    zh: '复制结果与来源不一致，未保留任何更改：{place} 为 {reason}',
  },
  database_in_use: {
    kind: 'conflict',
    en: 'A daemon works on this database ({nodes}); stop it first, or wait 90 s after a crash',
    zh: '仍有服务正在使用该数据库（{nodes}）；请先停止，或在异常退出 90 秒后重试',
  },
  database_missing: { kind: 'not-found', en: 'There is no database {name}', zh: '数据库 {name} 不存在' },
  database_not_empty: {
    kind: 'conflict',
    en: 'The database is in use already: the table {table} is not empty',
    zh: '目标数据库已有数据：表 {table} 非空',
  },
  import_address_invalid: {
    kind: 'refusal',
    en: 'The address of the database is not one that import understands',
    zh: '数据库地址无法识别',
  },
  import_source_own: {
    kind: 'refusal',
    en: 'The source is a database of Tollgate: tollgate migrate --to moves it, tollgate restore reads its backup',
    zh: '来源是 Tollgate 自己的数据库：请用 tollgate migrate --to 迁移，或用 tollgate restore 恢复备份',
  },
  import_source_unknown: {
    kind: 'refusal',
    en: 'The source is no database of a known gateway: there is no column {place}',
    zh: '来源不是已知网关的数据库：缺少列 {place}',
  },
  import_source_unreadable: {
    kind: 'refusal',
    en: 'The database {name} cannot be read',
    zh: '无法读取数据库 {name}',
  },
  import_source_unreached: {
    kind: 'refusal',
    en: 'The database {name} cannot be read',
    zh: '无法读取数据库 {name}',
  },
  import_unit_differs: {
    kind: 'conflict',
    en: 'A dollar is {there} units of quota there and {here} here: amounts would be worth something else',
    zh: '来源的单位美元额度为 {there}，本站为 {here}：金额将不一致',
  },
  schema_older: {
    kind: 'unavailable',
    en: 'The database is of an older program: {count} migrations are still to be run',
    zh: '数据库版本较旧：还有 {count} 个迁移步骤未执行',
  },
  secret_differs: {
    kind: 'unavailable',
    en: 'The root secret of this configuration opens none of the {count} sealed values of the database',
    zh: '当前配置的根密钥无法解开数据库中的任何密文（共 {count} 条）',
  },
  secret_missing: {
    kind: 'unavailable',
    en: 'The root secret is neither in the configuration nor in the data folder',
    zh: '配置与数据目录中都没有根密钥',
  },
  secret_not_shared: {
    kind: 'unavailable',
    en: 'Other nodes of this database are alive with another root secret: {nodes}',
    zh: '此数据库上有其他存活节点使用不同的根密钥：{nodes}',
  },
  rescue_no_root: { kind: 'not-found', en: 'There is no such super administrator', zh: '没有这样的超级管理员' },
});
