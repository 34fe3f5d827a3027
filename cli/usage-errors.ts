/** What commander says about a command line that it cannot read, in the user's language and with what to do about it. */
import type { Language } from './language.ts';

const chinese: readonly (readonly [english: RegExp, chinese: string])[] = [
  [/^unknown command '(.+)'$/, '没有命令 $1'],
  [/^unknown option '(.+)'$/, '没有选项 $1'],
  [/^required option '(.+)' not specified$/, '缺少必填选项 $1'],
  [/^missing required argument '(.+)'$/, '缺少参数 $1'],
  [/^option '(.+)' argument missing$/, '选项 $1 缺少值'],
  [
    /^too many arguments(?: for '.+')?\. Expected (\d+) arguments? but got (\d+)(?:: .*)?\.?$/,
    '参数过多：需要 $1 个，给出了 $2 个',
  ],
  [/^option '(.+)' argument '(.*)' is invalid\. Allowed choices are (.+)\.$/, '选项 $1 的值 $2 无效，可选：$3'],
  [/^option '(.+)' argument '(.*)' is invalid\. It is no time zone\.$/, '选项 $1 的值 $2 不是有效的时区'],
  [
    /^command-argument value '(.*)' is invalid for argument '(.+)'\. Allowed choices are (.+)\.$/,
    '参数 $2 的值 $1 无效，可选：$3',
  ],
  [/^option '(.+)' cannot be used with option '(.+)'$/, '选项 $1 与 $2 不能同时使用'],
  [/^\(Did you mean one of (.+)\?\)$/, '（是否指以下之一：$1？）'],
  [/^\(Did you mean (.+)\?\)$/, '（是否指 $1？）'],
];

/** The words behind `error: `, line by line; a line that nobody translated stays English. `help` is the command to ask. */
export function usageErrorText(words: string, { language, help }: { language: Language; help: string }): string {
  const lines = words.trimEnd().split('\n');
  if (language === 'en') return `${lines.join('\n')}\n  try: ${help}\n`;
  const told = lines.map((line) => {
    const found = chinese.find(([pattern]) => pattern.test(line));
    return found === undefined ? line : line.replace(...found);
  });
  return `${told.join('\n')}\n  可尝试：${help}\n`;
}
