/** What `help TOPIC` says beside the help of commands. */
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type Bilingual, both, type Language } from './language.ts';

/** What `help state` shows in either language. */
const stateDocument = `  apiVersion: tollgate/v1
  set: prod-core
  options: {RetryTimes: 2, SMTPToken: env:SMTP_TOKEN}
  groups:
    vip: {ratio: 0.8, usable: true, description: Customers}
  prices:
    my-model: {input_usd_per_million: 1, output_usd_per_million: 4}
  rate_rules:
    - {who: "group:vip", model: "gpt-*", ratio: 0.7}
  limits:
    group:vip: {rpm: 600}
  alerts:
    rules: {error-rate: {enabled: true}}
    targets: {pager: {type: webhook, address: "https://pager.example.com/in", secret: env:PAGER}}
  channels:
    openai-main: {type: openai, keys: [env:OPENAI_KEY], models: [gpt-4o], groups: [default, vip]}`;

/** What the program tells its caller, by the code it ends with. */
export const exitTexts: Readonly<Record<ExitCode, Bilingual>> = {
  [exitCodes.done]: both(
    'done; also an empty list, help, and a reader that closed the pipe',
    '成功；也包括空列表、帮助与读端关闭',
  ),
  [exitCodes.failed]: both('refused or failed, and no closer code fits', '被拒绝或失败，且没有更贴切的代码'),
  [exitCodes.no]: both('the check ran; its answer is no', '检查已执行，结论为否'),
  [exitCodes.usage]: both(
    'usage: unknown command or flag, bad or missing value, also where the server found it; an answer needed but nobody to ask',
    '用法错误：未知命令或参数、值错误或缺失（包括服务器判定的）、需要确认却无人应答',
  ),
  [exitCodes.notSignedIn]: both(
    'not signed in; token unknown, expired or revoked; second factor needed',
    '未登录；令牌未知、过期或已吊销；需要双重验证',
  ),
  [exitCodes.forbidden]: both(
    'signed in, but role or scope is too small; account disabled',
    '已登录但角色或令牌权限不足；账户被停用',
  ),
  [exitCodes.notFound]: both('the named thing does not exist', '指定的对象不存在'),
  [exitCodes.conflict]: both(
    'conflict: key reused with other content, stale plan, name taken, owned by another set, already running',
    '冲突：幂等键内容不同、计划过期、名称占用、属于其他集合、正在运行',
  ),
  [exitCodes.waitedTooLong]: both('--wait or --timeout ran out; the work may go on', '等待超时；任务可能仍在进行'),
  [exitCodes.rateLimited]: both('rate limited for longer than the command may wait', '触发限流，且超出允许的等待时间'),
  [exitCodes.unavailable]: both('server not reached or not able to answer', '无法连接服务器或服务器不可用'),
  [exitCodes.partial]: both('some items of several failed; the report names them', '多项中有部分失败，见报告'),
  [exitCodes.local]: both('local: configuration, file or disk at fault', '本地错误：配置、文件或磁盘'),
  [exitCodes.bug]: both('a bug here, or an answer that breaks the contract', '程序缺陷，或响应不符合约定'),
  [exitCodes.interrupted]: both('ended by Ctrl-C', '被 Ctrl-C 中断'),
  [exitCodes.terminated]: both('ended by SIGTERM', '被 SIGTERM 终止'),
};

/** Environment names that the command line reads. */
const variables: readonly (readonly [name: string, text: Bilingual])[] = [
  ['TOLLGATE_URL', both('address of the server (http://127.0.0.1:3000)', '服务器地址（http://127.0.0.1:3000）')],
  [
    'TOLLGATE_ACCESS_TOKEN',
    both('machine token or access token; goes before the one of the profile', '机器令牌或系统令牌，优先于配置中的令牌'),
  ],
  ['TOLLGATE_PROFILE', both('profile in use', '使用的配置')],
  ['TOLLGATE_API_KEY', both('relay key for chat and token check', 'chat 与 token check 使用的密钥')],
  [
    'TOLLGATE_CONFIG_DIR',
    both('folder of profiles.yaml (~/.config/tollgate)', 'profiles.yaml 所在目录（~/.config/tollgate）'),
  ],
  [
    'TOLLGATE_LANG',
    both(
      'zh or en; goes before the lang of the profile, LC_ALL, LC_MESSAGES and LANG',
      '语言 zh 或 en，优先于配置中的 lang 与 LC_ALL 等',
    ),
  ],
  ['TOLLGATE_TZ', both('zone for times without an offset', '无偏移时间所用时区')],
  ['TOLLGATE_FORCE_TTY', both('1 or a column count: print as on a terminal', '1 或列数：按终端方式输出')],
  [
    'TOLLGATE_PAGER, PAGER',
    both('shows what is taller than the screen (less -FRX); cat for none', '分页程序（less -FRX）；cat 表示不分页'),
  ],
  ['TOLLGATE_NO_INPUT, CI', both('never ask', '从不询问')],
  ['VISUAL, EDITOR', both('what option edit opens', 'option edit 使用的编辑器')],
  ['TOLLGATE_DEBUG', both('one line per call on standard error, as --debug', '在标准错误输出每次调用，同 --debug')],
  ['NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE', both('colours off or on', '关闭或启用颜色')],
  ['HTTPS_PROXY, HTTP_PROXY, NO_PROXY', both('proxies', '代理')],
  ['NODE_EXTRA_CA_CERTS', both('PEM file of authorities to trust as well', '额外信任的证书颁发机构（PEM 文件）')],
  ['npm_config_registry', both('registry that version --check asks', 'version --check 查询的 npm 源')],
  ['XDG_CACHE_HOME', both('where completion keeps names for a minute', '补全内容的缓存目录，保留一分钟')],
];

const texts = {
  formatting: both(
    `On a terminal results are tables; elsewhere they are tab-separated lines without a header.
  -o table|tsv|csv|json|yaml|ndjson   the form; --out FILE.csv names it by its ending
  --json, --json=id,name              all fields, or these; --json=help lists them
  --jq EXPRESSION                     filters the JSON; texts print bare
  --columns a,b                       columns of table, tsv and csv; --columns help lists them
  -q                                  ids only, one a line, for the next command
  --no-pager                          prints tables and YAML that are taller than the screen in one go
Notes, questions and errors go to standard error; standard output has the result and nothing else.`,
    `终端上输出表格，其他情况输出无标题的制表符分隔行。
  -o table|tsv|csv|json|yaml|ndjson   输出格式；--out FILE.csv 由扩展名决定
  --json, --json=id,name              全部或指定字段；--json=help 列出字段
  --jq 表达式                         过滤 JSON，文本按原样输出
  --columns a,b                       表格、tsv 与 csv 的列；--columns help 列出可用列
  -q                                  只输出编号，每行一个，便于后续命令使用
  --no-pager                          超过一屏的表格与 YAML 不分页，直接输出
提示、询问与错误写入标准错误；标准输出只有结果。`,
  ),
  'channel-rules': both(
    `Rules of a channel are JSON objects; a broken one is refused with the members that lead to what is wrong.
  --mapping          {"asked":"sent","*":"any other"}; names may follow each other, at most 10 times, never in a circle
  --status-mapping   {"400":"500"}; statuses from 100 to 599, no success
  --override         {"temperature":0} sets members, or {"operations":[{"mode":"set","path":"a.b","value":1}]}:
                     set delete move copy prepend append trim_prefix trim_suffix ensure_prefix ensure_suffix
                     trim_space to_lower to_upper replace regex_replace return_error set_header delete_header
  --setting          header_override and pass_headers name headers; see help channel-settings
  --other            vertex: a location, or {"default":"us-east5","model":"europe-west1"}
                     bedrock: a region such as us-east-1, where neither address, model nor key names one
                     azure, azure-foundry: a version such as 2024-10-21, or v1 or preview; gemini: such as v1beta
                     cloudflare: the id of the account, unless each key is ACCOUNT_ID|TOKEN
                     dify: chat, completion or workflow, the last two also as workflow:NAME of the variable
                     xunfei: a version such as v3.5; baidu-v2: an application, app-…; ali: a plugin
                     aiproxy-library: the id of a knowledge base; coze: whom its bot talks to
                     huggingface: the organization that is billed
Where only what is stored is broken, name that member to mend it; edits of others are not kept from it.`,
    `渠道规则为 JSON 对象；有误的规则会被拒绝，并指出出错的字段路径。
  --mapping          {"请求名":"上游名","*":"其他"}；可连续映射，最多 10 次，不得循环
  --status-mapping   {"400":"500"}；状态码为 100 到 599，不能指向成功
  --override         {"temperature":0} 直接设置字段，或 {"operations":[{"mode":"set","path":"a.b","value":1}]}：
                     set delete move copy prepend append trim_prefix trim_suffix ensure_prefix ensure_suffix
                     trim_space to_lower to_upper replace regex_replace return_error set_header delete_header
  --setting          header_override 与 pass_headers 指定请求头；参见 help channel-settings
  --other            vertex：地区，或 {"default":"us-east5","模型":"europe-west1"}
                     bedrock：区域，如 us-east-1；地址、模型与密钥均未指明时使用
                     azure、azure-foundry：版本，如 2024-10-21，或 v1、preview；gemini：版本，如 v1beta
                     cloudflare：账户 ID；每个密钥都写作 ACCOUNT_ID|TOKEN 时可不填
                     dify：chat、completion 或 workflow，后两者可写作 workflow:变量名
                     xunfei：版本，如 v3.5；baidu-v2：应用 ID，app-…；ali：插件
                     aiproxy-library：知识库 ID；coze：Bot 看到的用户
                     huggingface：付费的组织
若仅已保存的内容有误，提交该字段即可修正；编辑其他字段不受影响。`,
  ),
  'time-and-money': both(
    `Times:  now, today, yesterday; durations 90s 15m 2h 3d 2w (past for --since, future for --expires);
        2026-11-01, 2026-11-01T08:00, RFC 3339 with offset, @1793491200; never where allowed.
        Without an offset they are read in --tz, TOLLGATE_TZ, the profile's tz or the machine's zone; --tz site is the server's.
Money:  5usd, 0.25usd, 1000000units, or a bare number of units from 1000 on; unlimited where allowed.
        --money usd|units chooses how amounts are printed; for machines dollars come under names that end in _usd.
        Prices of models are dollars either way; tables alone show the sign.
        --time iso|unix|local|relative does so for times. Tables say how long ago something of the last day was and
        name the zone of older times; csv and tsv have RFC 3339, JSON has unix seconds.`,
    `时间：now、today、yesterday；时长 90s 15m 2h 3d 2w（--since 为过去，--expires 为将来）；
      2026-11-01、2026-11-01T08:00、带偏移的 RFC 3339、@1793491200；允许处可用 never。
      无偏移时按 --tz、TOLLGATE_TZ、配置中的 tz 或本机时区解释；--tz site 为服务器时区。
金额：5usd、0.25usd、1000000units，或不小于 1000 的整数（单位数）；允许处可用 unlimited。
      --money usd|units 决定金额的输出方式；供程序读取的输出中，美元金额的名称以 _usd 结尾。
      模型价格始终为美元，仅表格显示货币符号。
      --time iso|unix|local|relative 决定时间的输出方式。表格中一天以内的时间显示为多久以前，更早的按标题所示时区显示；
      csv 与 tsv 默认为 RFC 3339，JSON 为 unix 秒。`,
  ),
  profiles: both(
    `A profile keeps the address of a server and a token, in profiles.yaml with mode 0600.
  tollgate login --url https://gw.example.com    signs in and writes one
  tollgate profile list                          shows them, never their tokens
  tollgate profile use NAME                      chooses the one in use
The server is the first of --url, TOLLGATE_URL, --profile, TOLLGATE_PROFILE, the current profile and
http://127.0.0.1:3000; the token the first of TOLLGATE_ACCESS_TOKEN, token_command and token of the profile.
A profile's token goes to that profile's address only. chat keeps the model in the profile and asks it when none is named.`,
    `配置保存服务器地址与令牌，位于 profiles.yaml，权限 0600。
  tollgate login --url https://gw.example.com    登录并写入配置
  tollgate profile list                          列出配置，不显示令牌
  tollgate profile use NAME                      切换当前配置
服务器依次取 --url、TOLLGATE_URL、--profile、TOLLGATE_PROFILE、当前配置、http://127.0.0.1:3000；
令牌依次取 TOLLGATE_ACCESS_TOKEN、配置的 token_command、token。配置的令牌只发往该配置的地址。chat 会在配置中保存模型，未指定时使用它。`,
  ),
  state: both(
    `A document says what options, groups, prices, rate rules, limits, alerts and channels shall be; what it does not name
is left alone. The server remembers what each set named, so nothing has to be kept beside the document.
${stateDocument}
  tollgate export > state.yaml               what there is, as a document
  tollgate diff -f state/ --prune            0 same, 2 different, 7 owned by another set
  tollgate apply -f state/ --prune --yes     all or nothing; 7 when refused or stale
Secrets are env:NAME, file:PATH below the document, or keep. A field that is taken out of a document goes back to its
default; an object that is taken out is an orphan and is deleted with --prune alone. A later file may change what an
earlier one says when it has overlay: true. state sets, state get and state forget show and end who owns what.
help state --schema prints the JSON Schema for editors.`,
    `文档声明选项、分组、价格、费率规则、限流、告警与渠道应有的状态；未提及的内容保持不变。
服务器记录每个集合声明过的内容，文档之外无需保存任何文件。
${stateDocument}
  tollgate export > state.yaml               以文档形式输出当前状态
  tollgate diff -f state/ --prune            0 相同，2 不同，7 属于其他集合
  tollgate apply -f state/ --prune --yes     全部成功或全部不变；被拒绝或计划过期为 7
机密写作 env:名称、文档目录内的 file:路径，或 keep。从文档中去掉的字段恢复默认值；去掉的对象成为孤立对象，
仅 --prune 会删除。后一个文件写 overlay: true 时可覆盖前面的内容。state sets、state get、state forget 查看与释放所有权。
help state --schema 输出供编辑器使用的 JSON Schema。`,
  ),
  scripting: both(
    `Nothing is asked, coloured or cut outside a terminal; what would be asked ends with 3 unless --yes answers.
  tollgate channel list --status auto -q | tollgate channel test -
  tollgate redemption create --name "job-$ID" --count 500 --quota 2usd --idempotency-key "codes-$ID" --out codes.csv
Several items: a dash reads ids, or NDJSON with id, from standard input. A create may be repeated with the same
--idempotency-key. With --json errors are one JSON line on standard error. See help exit-codes.
PowerShell: @ is an operator there, so write file:PATH or quote '@file'; quote values with commas ('a,b'); > of 5.1
writes UTF-16, so use --out. Ctrl-Break ends a command as SIGTERM does.`,
    `非终端环境不询问、不着色、不截断；需要确认处以 3 退出，除非给出 --yes。
  tollgate channel list --status auto -q | tollgate channel test -
  tollgate redemption create --name "job-$ID" --count 500 --quota 2usd --idempotency-key "codes-$ID" --out codes.csv
多个对象：用 - 从标准输入读取编号或含 id 的 NDJSON。使用相同 --idempotency-key 可安全重复创建。
使用 --json 时错误为标准错误上的一行 JSON。参见 help exit-codes。
PowerShell：@ 是运算符，请写 file:路径 或加引号 '@file'；含逗号的值加引号（'a,b'）；5.1 的 > 写出 UTF-16，
请改用 --out。Ctrl-Break 等同于 SIGTERM。`,
  ),
} as const;

/** Names of the topics, in the order they are listed. */
export const topicNames: readonly string[] = ['environment', 'exit-codes', 'channel-settings', ...Object.keys(texts)];

const daemonHeading = both(
  'Of the daemon, with their keys of config.yaml, which config.example.yaml explains:',
  '服务读取的变量及其在 config.yaml 中的键（说明见 config.example.yaml）：',
);

/** What the topic `environment` says of the daemon's variables. @param rows names with keys of the configuration */
export function daemonVariables(rows: readonly (readonly [name: string, key: string])[], language: Language): string {
  return `\n${daemonHeading[language]}\n${columns(rows)}`;
}

/** The text of a topic with its line end; undefined for no topic of that name. */
export async function topicText(name: string, language: Language): Promise<string | undefined> {
  if (name === 'exit-codes') {
    const lines = Object.entries(exitTexts).map(([code, text]) => `${code.padStart(3)}  ${text[language]}`);
    return `${lines.join('\n')}\n`;
  }
  if (name === 'environment') return columns(variables.map(([variable, text]) => [variable, text[language]]));
  if (name === 'channel-settings') {
    // The contract is loaded when it is asked for.
    const { channelSettings } = await import('../daemon/contract/channel-settings.ts');
    const { findChannelType } = await import('../daemon/contract/channel-types.ts');
    return columns(
      channelSettings.map(({ key, help, types = [] }) => {
        const vendors = types.map((type) => findChannelType(type)?.label[language] ?? String(type));
        return [key, vendors.length === 0 ? help[language] : `${vendors.join(', ')}: ${help[language]}`];
      }),
    );
  }
  const found = Object.entries(texts).find(([topic]) => topic === name);
  return found === undefined ? undefined : `${found[1][language]}\n`;
}

/** Words and what they mean, side by side. */
function columns(rows: readonly (readonly [word: string, meaning: string])[]): string {
  const width = Math.max(...rows.map(([word]) => word.length));
  return `${rows.map(([word, meaning]) => `${word.padEnd(width)}  ${meaning}`).join('\n')}\n`;
}
