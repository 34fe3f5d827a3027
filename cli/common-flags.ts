/** Flags of every command (cli.md 1.4). They may also stand before its words: `tollgate --profile prod user list`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { commonFlagsTitle } from './help.ts';
import { isTimeZone } from './input/time.ts';
import { type Bilingual, both, type Language } from './language.ts';
import { outputFormats } from './output/printer.ts';

interface CommonFlag {
  /** As commander reads it. */
  readonly flags: string;
  readonly text: Bilingual;
  readonly choices?: readonly string[];
  /** Throws what commander tells as a bad value. */
  readonly parse?: (value: string) => unknown;
}

const outputFlag = '-o, --output <format>';
const outFlag = '--out <file>';

const commonFlags: readonly CommonFlag[] = [
  { flags: '--profile <name>', text: both('profile of the server to talk to', '要使用的服务器配置') },
  { flags: '--url <url>', text: both('address of the server', '服务器地址') },
  {
    flags: '--ca-file <file>',
    text: both('PEM file of an authority to trust as well', '额外信任的证书颁发机构（PEM 文件）'),
  },
  { flags: outputFlag, text: both('output form', '输出格式'), choices: outputFormats },
  {
    flags: '--json <fields>',
    text: both(
      'JSON, all fields (--json) or these (--json=id,name)',
      '输出 JSON：全部字段（--json）或指定字段（--json=id,name）',
    ),
  },
  { flags: '--jq <expression>', text: both('filter the JSON with jq', '用 jq 过滤 JSON') },
  { flags: '--columns <names>', text: both('columns of table, tsv and csv', '表格、tsv 与 csv 的列') },
  { flags: '-q, --quiet', text: both('only ids, no notes', '只输出编号，不输出提示') },
  { flags: outFlag, text: both('write the result to a file', '把结果写入文件') },
  { flags: '--force', text: both('let --out replace a file', '允许 --out 覆盖文件') },
  { flags: '--header', text: both('heading line in tsv', 'tsv 输出标题行') },
  { flags: '--no-header', text: both('no heading line in csv', 'csv 不输出标题行') },
  { flags: '--bom', text: both('byte order mark in csv', 'csv 带 BOM') },
  { flags: '--raw-csv', text: both('do not guard formulas in csv', 'csv 不处理公式') },
  { flags: '--raw', text: both('leave JSON texts as texts', 'JSON 文本成员保持文本') },
  { flags: '--time <form>', text: both('form of times', '时间格式'), choices: ['iso', 'unix', 'local', 'relative'] },
  { flags: '--money <form>', text: both('form of amounts', '金额格式'), choices: ['usd', 'units'] },
  {
    flags: '--tz <zone>',
    text: both('zone for times without an offset; site for the server’s', '无偏移时间所用时区；site 为服务器时区'),
    parse: zoneOf,
  },
  { flags: '--color <when>', text: both('when to colour', '何时使用颜色'), choices: ['always', 'never', 'auto'] },
  { flags: '--no-pager', text: both('never show a long result page by page', '长结果不分页显示') },
  { flags: '--no-input', text: both('never ask', '从不询问') },
  { flags: '--lang <language>', text: both('language', '语言'), choices: ['zh', 'en'] },
  { flags: '-y, --yes', text: both('answer the question with yes', '自动确认') },
  { flags: '--debug', text: both('one line per call on standard error', '在标准错误输出每次调用') },
];

/** Made once for all commands of a program, because making them is most of its start. */
const optionsOf = new WeakMap<Run, readonly Option[]>();

/** One run of the program. */
interface Run {
  readonly language: Language;
}

/** The flags as commands take them that have none of the same name. */
export function commonOptions(run: Run): readonly Option[] {
  const made = optionsOf.get(run) ?? commonFlags.map((flag) => optionFor(flag, run.language));
  optionsOf.set(run, made);
  return made;
}

/** What is known of a word that may be one of these flags: whether the next word is its value; undefined for none. */
export function commonFlag(word: string): { readonly takesNext: boolean } | undefined {
  const [name = '', ...value] = word.startsWith('--')
    ? word.split('=')
    : [word.slice(0, 2), ...(word.length > 2 ? [''] : [])];
  const found = commonFlags.find(({ flags }) => flags.split(/[ ,]+/).includes(name));
  if (found === undefined) return undefined;
  const takesValue = found.flags.includes('<');
  // Of short flags in one word (`-qy`) the first is enough to know them by; `-ojson` has its value with it.
  return { takesNext: takesValue && value.length === 0 };
}

function optionFor({ flags, text, choices, parse }: CommonFlag, language: Language): Option {
  const option = new Option(flags, text[language]).helpGroup(commonFlagsTitle[language]);
  if (choices !== undefined) option.choices([...choices]);
  return parse === undefined ? option : option.argParser(parse);
}

/** @param forms that the command makes by itself, beside those of every result */
export function addCommonFlags(command: Command, run: Run, forms: readonly string[]): void {
  const renamed: Readonly<Record<string, string>> = {
    ...(owns(command, '--output') ? { [outputFlag]: '-o, --output-form <format>' } : {}),
    ...(owns(command, '--out') ? { [outFlag]: '--out-file <file>' } : {}),
  };
  commonFlags.forEach((flag, at) => {
    // `profile create` keeps it.
    if (flag.flags.startsWith('--ca-file') && command.options.some(({ long }) => long === '--ca-file')) return;
    const flags = renamed[flag.flags] ?? flag.flags;
    const choices = flag.flags === outputFlag && forms.length > 0 ? [...outputFormats, ...forms] : flag.choices;
    const shared = commonOptions(run)[at];
    const isShared = flags === flag.flags && choices === flag.choices && shared !== undefined;
    command.addOption(
      isShared ? shared : optionFor({ ...flag, flags, ...(choices === undefined ? {} : { choices }) }, run.language),
    );
  });
}

/**
 * True for a command whose own `--output` (a price) or `--out` (answer tokens) means something else: it finds that as
 * `ownOutput` or `ownOut`, and the common flag goes by a longer name.
 */
export function owns(command: Command, name: '--output' | '--out'): boolean {
  const common = name === '--output' ? outputFlag : outFlag;
  return command.options.some(({ long, flags }) => long === name && flags !== common);
}

function zoneOf(zone: string): string {
  if (zone === 'site' || isTimeZone(zone)) return zone;
  throw new InvalidArgumentError('It is no time zone.');
}
