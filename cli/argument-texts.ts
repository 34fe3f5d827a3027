/** What the arguments of commands are, for help: by their names, which mean the same in every command. */
import { alertKinds } from '../daemon/contract/alert-kinds.ts';
import { type Bilingual, both } from './language.ts';

const reference = (en: string, zh: string): Bilingual =>
  both(`id or exact name of a ${en}; name:123 for a name of digits`, `${zh}的编号或完整名称；纯数字名称写作 name:123`);

const texts: Readonly<Record<string, Bilingual>> = {
  address: both('mail address', '邮箱地址'),
  amount: both('units to buy, as the site counts them', '购买数量，按站点计数方式'),
  channel: reference('channel', '渠道'),
  code: both('id or exact name of a code, or the code itself', '兑换码的编号、完整名称或兑换码本身'),
  database: both('SQLite file, postgres://… or env:NAME', 'SQLite 文件、postgres://… 或 env:变量名'),
  email: both('mail address', '邮箱地址'),
  file: both('file to read', '要读取的文件'),
  group: both('name of a group', '分组名称'),
  id: both('id as the list shows it', '列表中显示的编号'),
  key: both('name of an option, or number or hash of a key', '选项名称，或密钥的序号或摘要'),
  'key-value': both('KEY VALUE, or several KEY=VALUE', 'KEY VALUE，或多个 KEY=VALUE'),
  kind: both(alertKinds.join(', '), alertKinds.join('、')),
  method: both('GET, POST, PUT or DELETE', 'GET、POST、PUT 或 DELETE'),
  model: both('name of a model', '模型名称'),
  models: both('names of models', '模型名称'),
  money: both('amount, e.g. 5usd or 1000000units', '金额，如 5usd 或 1000000units'),
  name: both('exact name', '完整名称'),
  page: both('notice, about, home or footer', 'notice、about、home 或 footer'),
  passkey: reference('passkey', '通行密钥'),
  path: both('path of the call, e.g. /api/status', '请求路径，如 /api/status'),
  place: both('page of the console, e.g. log or channel', '控制台页面，如 log 或 channel'),
  prompt: both('what to ask', '要提问的内容'),
  provider: both('sign-in service', '登录服务'),
  'request-id': both('request id as logs show it', '日志中显示的请求编号'),
  shell: both('shell that completes', '要补全的 shell'),
  source: both('- or env:NAME, where the key is', '密钥来源：- 或 env:NAME'),
  tag: both('tag of channels', '渠道标签'),
  target: both('id as alert list shows it', 'alert list 中显示的编号'),
  text: both('text, @file or -', '文本、@文件或 -'),
  token: reference('token', '令牌'),
  'trade-no': both('order number', '订单号'),
  user: both(
    'id, exact name or mail address of a user; name:123 for a name of digits',
    '用户的编号、完整用户名或邮箱；纯数字名称写作 name:123',
  ),
  'user-and-money': both('users, and the amount as the last word', '用户，最后一个词为金额'),
  words: both('words of a command, or a topic', '命令或主题'),
};

/** Those that name something on the server: it may not be there, and several are done one by one. */
const references: ReadonlySet<string> = new Set(
  'channel code group id key model request-id tag target token trade-no user user-and-money'.split(' '),
);

/** What an argument of that name is; undefined where its name says it. */
export function argumentText(name: string): Bilingual | undefined {
  return texts[name];
}

/** Whether an argument of that name may name what is not there. */
export function isReference(name: string): boolean {
  return references.has(name);
}
