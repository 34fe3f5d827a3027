/** What is wrong with the configuration, in Chinese: the daemon's code says it in English. JSON stays English. */
import { type ReasonCatalogue, translated } from '../daemon/contract/reason-catalogue.ts';
import { type Bilingual, both } from './language.ts';

/** `$1` and so on are names and figures, which stay as they are. */
const whole: ReasonCatalogue = [
  [/^is not a key of the configuration; did you mean (.+)\?$/, '不是配置项，是否指 $1？'],
  [/^is not a key of the configuration; expected one of (.+)$/, '不是配置项，可用：$1'],
  [/^is not a key of the configuration$/, '不是配置项'],
  [/^is not known; did you mean (.+)\?$/, '未知变量，是否指 $1？'],
  [/^is not known and changes nothing; the nearest name is (.+)$/, '未知变量，不起作用；最接近的名称是 $1'],
  [/^cannot be read: (.+)$/s, '无法读取：$1'],
  [
    /^line (\d+), column (\d+): the file must hold one document, not several$/,
    '第 $1 行第 $2 列：文件只能包含一个文档',
  ],
  [/^line (\d+), column (\d+): (.+)$/s, '第 $1 行第 $2 列：YAML 语法错误（$3）'],
  [/^(.+); a text that begins with \* needs quotes$/s, 'YAML 语法错误（$1）；以 * 开头的文本须加引号'],
  [
    /^must be set, the same on all nodes, when node\.count is (\d+)$/,
    'node.count 为 $1 时必须设置，且各节点须使用相同的值',
  ],
  [
    /^must name a PostgreSQL database when (\S+) is (\d+) and (\S+) is (\d+)$/,
    '$1 为 $2 且 $3 为 $4 时须使用 PostgreSQL 数据库',
  ],
  [/^must name a PostgreSQL database when (\S+) is (\d+)$/, '$1 为 $2 时须使用 PostgreSQL 数据库'],
  [/^needs (\d+) ports, one for each worker: expected at most (\d+)$/, '需要 $1 个端口，每个工作进程一个：不得大于 $2'],
  [/^needs a port of its own, and (\d+) is that of listen$/, '须使用单独的端口，$1 已用于 listen'],
  [/^has no effect: no management call takes an upload yet$/, '不起作用：目前没有接受上传的管理接口'],
  [/^has no effect: the option UserApiRateLimit says how many$/, '不起作用：次数由选项 UserApiRateLimit 决定'],
  [
    /^has no effect: a channel that names no version speaks the v1 API, which has none$/,
    '不起作用：未指定版本的渠道使用没有版本号的 v1 接口',
  ],
  [
    /^has no effect: settlements that wait at one moment share one transaction, counters included$/,
    '不起作用：同时等待的结算共用一个事务，计数也在其中',
  ],
  [
    /^has no effect: log rows stay beside the balances they belong to; a copy elsewhere is not written yet$/,
    '不起作用：日志与对应的余额保存在同一处，尚不写入其他位置',
  ],
];

/** What would have been right, behind 须为. */
const expected: ReasonCatalogue = [
  [/^true or false$/, ' true 或 false'],
  [/^a whole number from (-?\d+) to (\d+)$/, ' $1 到 $2 之间的整数'],
  [/^one of (.+)$/, '以下之一：$1'],
  [/^a text in quotes$/, '加引号的文本'],
  [/^a text$/, '文本'],
  [/^a text that is not empty$/, '非空文本'],
  [/^a list of texts$/, '文本列表'],
  [/^a section with (.+)$/, '包含以下各项的一节：$1'],
  [/^a port from 0 to 65535$/, ' 0 到 65535 之间的端口'],
  [/^host:port, for example (\S+) or (\S+)$/, ' host:port，例如 $1 或 $2'],
  [/^an address or a range such as (\S+)$/, ' IP 地址或网段，例如 $1'],
  [/^a range such as (\S+), or host:port$/, '网段（例如 $1）或 host:port'],
  [/^sqlite:PATH or (postgres:\S+)$/, ' sqlite:PATH 或 $1'],
  [/^(redis:\S+)$/, ' $1'],
  [/^an address such as (\S+)$/, '网址，例如 $1'],
  [/^a time zone such as (\S+)$/, '时区，例如 $1'],
  [/^at most 100 printable characters$/, '不超过 100 个可见字符'],
  [
    /^a secret of your own, not a placeholder; make one with: (.+)$/,
    '自己的密钥，不能是示例中的占位文本；可用此命令生成：$1',
  ],
  [/^at least 16 characters; make them with: (.+)$/, '不少于 16 个字符；可用此命令生成：$1'],
];

const ofFlag = ' (from the command line)';

/** A key that is wrong, as it stands in a line: with what is wrong, and the variable that sets it. */
export interface ConfigProblem {
  readonly path: string;
  /** English. */
  readonly message: string;
  readonly environment: string | undefined;
}

/** True for what the daemon's own code throws, whose classes are not known here. */
export function isConfigProblem(value: unknown): value is ConfigProblem {
  if (typeof value !== 'object' || value === null || !('path' in value) || !('message' in value)) return false;
  return typeof value.path === 'string' && typeof value.message === 'string' && 'environment' in value;
}

/** A problem as a line says it in both languages. */
export function configProblemText({ path, message, environment }: ConfigProblem): Bilingual {
  const [variable, chinese] = environment === undefined ? ['', ''] : [` (${environment})`, `（${environment}）`];
  return both(`${path}: ${message}${variable}`, `${path}：${chineseConfigProblem(message)}${chinese}`);
}

/** A line of `path: message` in Chinese; undefined for any other text. */
export function chineseConfigLine(line: string): string | undefined {
  const [, path, message = ''] = /^(\S+): (.+)$/s.exec(line) ?? [];
  const chinese = chineseConfigProblem(message);
  return path === undefined || chinese === message ? undefined : `${path}：${chinese}`;
}

/** A problem's message in Chinese; as it is where nobody translated it. */
export function chineseConfigProblem(message: string): string {
  const [, phrase] = /^expected (.+)$/s.exec(message) ?? [];
  if (phrase === undefined) return translated(whole, message) ?? message;
  const isOfFlag = phrase.endsWith(ofFlag);
  const right = chineseExpected(isOfFlag ? phrase.slice(0, -ofFlag.length) : phrase);
  return right === undefined ? message : `须为${right}${isOfFlag ? '（来自命令行）' : ''}`;
}

function chineseExpected(phrase: string): string | undefined {
  const [, item] = /^a list in which each item is (.+)$/s.exec(phrase) ?? [];
  if (item === undefined) return translated(expected, phrase);
  const each = translated(expected, item);
  return each === undefined ? undefined : `列表，每一项须为${each}`;
}
