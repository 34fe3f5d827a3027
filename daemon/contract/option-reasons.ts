/**
 * Why an option, or a rule or member of a channel's configuration, was refused, in Chinese. Reasons are made in English
 * where the rule stands; this catalogue is keyed by them, `$1` and so on being what varies. A test goes through every
 * rule and finds each of its reasons here.
 */

import { type ReasonCatalogue, translated } from './reason-catalogue.ts';

const chinese: ReasonCatalogue = [
  [/^is not acceptable$/, '不可接受'],
  [/^has the wrong form$/, '格式不正确'],
  [/^must be true or false$/, '必须是 true 或 false'],
  [/^must be a whole number$/, '必须是整数'],
  [/^must be a number$/, '必须是数字'],
  [/^must be a (whole )?number from (\S+) to (\S+)$/, '必须是 $2 到 $3 之间的数'],
  [/^must be text$/, '必须是文本'],
  [/^must be a list of texts$/, '必须是文本列表'],
  [/^must be text or a whole number$/, '必须是文本或整数'],
  [/^must be text or an object$/, '必须是文本或对象'],
  [/^must be keep or a list$/, '必须是 keep 或列表'],
  [/^must be letters, digits, dots and dashes, 64 at most$/, '只能包含字母、数字、点和连字符，最多 64 个字符'],
  [/^must be a model, or how one begins with \* behind it$/, '必须是模型名称，或以 * 结尾的名称开头'],
  [/^must be group:NAME, user:NAME or token:ID$/, '必须是 group:名称、user:名称或 token:编号'],
  [/^must be group:NAME or model:NAME$/, '必须是 group:名称或 model:名称'],
  [/^must be text that is not empty$/, '必须是非空文本'],
  [/^must be a list$/, '必须是列表'],
  [/^must be an object$/, '必须是对象'],
  [/^must be the name of a model$/, '必须是模型名称'],
  [/^must lead from a status to another, as whole numbers$/, '必须由一个状态码指向另一个状态码，均为整数'],
  [/^must not lead to a status of success$/, '不能指向表示成功的状态码'],
  [/^leads back to itself, or on through more than (\S+) names$/, '形成循环，或经过超过 $1 个名称'],
  [/^is missing$/, '缺失'],
  [/^is no name of a member$/, '不能用作字段名'],
  [/^has no effect beside (\S+)$/, '与 $1 并存时不起作用'],
  [/^(\S+) is more than a number holds exactly$/, '$1 超出可精确表示的整数范围'],
  [/^is nested deeper than (\S+) levels$/, '嵌套超过 $1 层'],
  [/^makes more of the body than a preview shows$/, '使请求体超出预览可显示的大小'],
  [/^is no name of a header$/, '不是请求头名称'],
  [/^must have a name$/, '必须有名称'],
  [/^cannot be set$/, '不能设置'],
  [/^must be text, or null to take the header away$/, '必须是文本，或以 null 删除该请求头'],
  [/^must be one line that a header can carry$/, '必须是请求头可以携带的单行文本'],
  [/^(\S+) is never passed on$/, '$1 从不转发'],
  [/^must be an http, https or socks5 address$/, '必须是 http、https 或 socks5 地址'],
  [/^must be the date of a version such as (\S+), or v1 or preview$/, '必须是版本日期（例如 $1），或 v1、preview'],
  [
    /^must be chat, completion or workflow, the last two also as workflow:NAME$/,
    '必须是 chat、completion 或 workflow，后两者可写作 workflow:变量名',
  ],
  [/^must be the id of an account, letters and digits$/, '必须是账户 ID，仅含字母和数字'],
  [
    /^must be the id of an account, or each key written ACCOUNT_ID\|TOKEN$/,
    '必须是账户 ID，或将每个密钥写作 ACCOUNT_ID|TOKEN',
  ],
  [/^must be the id of a knowledge base$/, '必须是知识库 ID'],
  [/^must be an? \w+ such as (.+)$/, '必须形如 $1'],
  [/^must map models to ARNs such as (.*)$/, '必须是模型到 ARN 的映射，例如 $1'],
  [/^must be one word of letters, digits, dots and hyphens$/, '必须是由字母、数字、点和连字符组成的一个词'],
  [/^must be no longer than 1 MiB$/, '长度不得超过 1 MiB'],
  [/^is not valid JSON$/, '不是有效的 JSON'],
  [/^must be at least (.+)$/, '不得小于 $1'],
  [/^must be above (.+)$/, '必须大于 $1'],
  [/^must be at most (.+)$/, '不得大于 $1'],
  [/^must be below (.+)$/, '必须小于 $1'],
  [/^must have at least (.+) characters$/, '至少需要 $1 个字符'],
  [/^must have at most (.+) characters$/, '最多 $1 个字符'],
  [/^must have at least (.+) entries$/, '至少需要 $1 项'],
  [/^must have at most (.+) entries$/, '最多 $1 项'],
  [/^must be text or a list of texts$/, '必须是文本或文本列表'],
  [/^must be a price or prices by name$/, '必须是价格，或按名称给出的价格'],
  [/^must be default or the number of a channel type$/, '必须是 default 或渠道类型编号'],
  [/^must be one of (.+)$/, '必须是以下之一：$1'],
  [/^must have at most (.+) decimal places?$/, '最多 $1 位小数'],
  [/^must not contain (.+)$/, '不得包含 $1'],
  [/^must contain (.+)$/, '必须包含 $1'],
  [/^is in the list already$/, '已在列表中'],
  [/^must be an http\(s\) address$/, '必须是 http(s) 地址'],
  [/^must be an http\(s\) address without path and query$/, '必须是不含路径和查询参数的 http(s) 地址'],
  [/^must be an http\(s\) address or a path of this site$/, '必须是 http(s) 地址或本站路径'],
  [/^must be one line without control characters$/, '必须是一行且不含控制字符'],
  [/^must be a comma list of statuses and ranges such as 500-503$/, '必须是以逗号分隔的状态码及范围，例如 500-503'],
  [/^longer than 256 KiB$/, '超过 256 KiB'],
  [/^a range must rise$/, '范围的起点不得大于终点'],
  [/^group names have 1 to 64 characters and no comma$/, '分组名称为 1 到 64 个字符，且不含逗号'],
  [/^input_over must rise$/, 'input_over 必须递增'],
  [/^at most 500 entries$/, '最多 500 项'],
  [/^more than 1000 entries$/, '超过 1000 项'],
  [/^is no category; there are (.+)$/, '不是可用的类别；可用：$1'],
  [/^must be a model, the beginning of names with \* behind it, or \*$/, '必须是模型名称、以 * 结尾的名称前缀，或 *'],
  [/^would find every text$/, '会匹配任何文本'],
  [/^the aliases form a circle$/, '别名形成了循环'],
  [/^authorization, x-api-key, host and cookie cannot be set$/, '不能设置 authorization、x-api-key、host 和 cookie'],
  [/^every entry needs exactly one name and link$/, '每一项须恰好有一个名称和链接'],
  [
    /^links must be http\(s\) with \{key\} after #, or of an app scheme$/,
    '链接须为 http(s) 且 {key} 位于 # 之后，或为应用协议',
  ],
  [
    /^is not a regular expression of RE2 \(no look-around, no back references\)$/,
    '不是 RE2 正则表达式（不支持环视和反向引用）',
  ],
];

/** An entry of a list by its place or, quoted, by itself; else the members that lead to what the reason is about. */
const place = /^(?:entry (\d+)|entry ("(?:[^"\\]|\\.)*")|(.+?)): (.+)$/s;

/** The reason in Chinese; where it stands is kept, and a reason that nobody translated stays English. */
export function chineseReason(reason: string): string {
  const whole = translated(chinese, reason);
  if (whole !== undefined) return whole;
  const found = place.exec(reason);
  if (found === null) return reason;
  const [, at, entry, members, rest = ''] = found;
  const where = at === undefined ? (members ?? `条目 ${entry}`) : `第 ${at} 项`;
  return `${where}：${chineseReason(rest)}`;
}
