/**
 * How help is laid out (cli.md 1.8): `-h` says what a command does and takes, `--help` all there is to know of it, with
 * examples first. Commander wraps and aligns.
 */
import type { Command, Help, Option } from 'commander';
import { type Bilingual, both, type Language } from './language.ts';

/** A word and what it means, in the language of the run. */
export type Meaning = readonly [word: string, meaning: string];

export interface Manual {
  /** Words behind the program's name. */
  readonly path: string;
  readonly sentence: string;
  readonly usage: string;
  /** Whole command lines. */
  readonly examples: readonly string[];
  readonly arguments: readonly Meaning[];
  /** Flags with what they mean, by the title they stand under; the command's own first. */
  readonly flags: readonly (readonly [title: string, flags: readonly Meaning[]])[];
  /** Names by which the result can be asked for. */
  readonly columns: readonly string[];
  readonly fields: readonly string[];
  readonly exits: readonly Meaning[];
  /** `GET /api/status`. */
  readonly calls: readonly string[];
  /** Command lines that explain more. */
  readonly seeAlso: readonly string[];
}

export type HelpShape = 'short' | 'whole';

/** Flags that every command takes stand under this. */
export const commonFlagsTitle = both('Common flags:', '通用参数：');

const titles: Readonly<Record<string, Bilingual>> = {
  'Usage:': both('Usage:', '用法：'),
  'Examples:': both('Examples:', '示例：'),
  'Arguments:': both('Arguments:', '参数：'),
  'Options:': both('Options:', '选项：'),
  'Commands:': both('Commands:', '命令：'),
  'Columns:': both('Columns:', '列：'),
  'JSON fields:': both('JSON fields:', 'JSON 字段：'),
  'Exit codes:': both('Exit codes:', '退出码：'),
  'Calls:': both('Calls:', '调用：'),
  'See also:': both('See also:', '参见：'),
};

export interface HelpLayout {
  readonly language: Language;
  readonly shape: HelpShape;
  /** What was looked up of a command before its help is printed. */
  readonly manuals: ReadonlyMap<Command, Manual>;
}

const widest = 78;

/** What commander is told of help. */
export function helpConfiguration({ language, shape, manuals }: HelpLayout): Partial<Help> {
  const title = (text: string) => titles[text]?.[language] ?? text;
  const isShown = (heading: string) => shape === 'whole' || heading !== commonFlagsTitle[language];
  return {
    // Aliases are for those who know them.
    commandUsage: (command) => [...pathOf(command), command.usage()].join(' ').trim(),
    subcommandTerm: (command) => [command.name(), command.usage()].join(' ').trim(),
    formatHelp: (command, helper) => {
      const width = helper.padWidth(command, helper);
      const item = ([term, meaning]: Meaning) => helper.formatItem(term, width, meaning, helper);
      const manual = manuals.get(command);
      const examples = manual?.examples.map((example) => `$ ${example}`) ?? [];
      const parts: [heading: string, lines: readonly string[]][] = [
        ['Examples:', (shape === 'whole' ? examples : examples.slice(0, 1)).map((line) => `  ${line}`)],
        ['Arguments:', manual?.arguments.map(item) ?? []],
        ...flagsOf(helper.visibleOptions(command), language).flatMap(([heading, flags]): [string, string[]][] =>
          isShown(heading) ? [[heading, flags.map(item)]] : [],
        ),
        ['Commands:', helper.visibleCommands(command).map((child) => item(meaningOf(child, helper)))],
      ];
      if (manual !== undefined && shape === 'whole') {
        parts.push(
          ['Columns:', wrapped(manual.columns)],
          ['JSON fields:', wrapped(manual.fields)],
          ['Exit codes:', manual.exits.map(item)],
          ['Calls:', manual.calls.map((call) => `  ${call}`)],
          ['See also:', manual.seeAlso.map((line) => `  ${line}`)],
        );
      }
      const more = both(
        '--help shows common flags, columns, JSON fields and exit codes too',
        '--help 还会列出通用参数、列、JSON 字段与退出码',
      );
      return [
        helper.commandDescription(command),
        `${title('Usage:')}${language === 'zh' ? '' : ' '}${helper.commandUsage(command)}`,
        ...parts.flatMap(([heading, lines]) => (lines.length === 0 ? [] : [[title(heading), ...lines].join('\n')])),
        ...(manual !== undefined && shape === 'short' ? [more[language]] : []),
      ]
        .filter((part) => part !== '')
        .join('\n\n')
        .concat('\n');
    },
  };
}

/** Flags with what they mean, by the title they stand under, the command's own first. */
export function flagsOf(options: readonly Option[], language: Language): [title: string, flags: Meaning[]][] {
  const groups = new Map<string, Meaning[]>([['Options:', []]]);
  for (const { flags, description, mandatory, argChoices = [], helpGroupHeading = 'Options:' } of options) {
    const required = mandatory ? requiredText[language] : '';
    const choices = argChoices.length === 0 ? '' : choicesText[language](argChoices);
    const group = groups.get(helpGroupHeading) ?? [];
    groups.set(helpGroupHeading, group);
    group.push([flags, `${description}${choices}${required}`]);
  }
  return [...groups].filter(([, flags]) => flags.length > 0);
}

/** What is said of a flag without which a command does nothing. */
export const requiredText = both(' (required)', '（必填）');

const choicesText: Readonly<Record<Language, (choices: readonly string[]) => string>> = {
  en: (choices) => ` (${choices.join(', ')})`,
  zh: (choices) => `（可选：${choices.join('、')}）`,
};

/** The names that lead to a command, from the program's on. */
function pathOf(command: Command): readonly string[] {
  return [...(command.parent === null ? [] : pathOf(command.parent)), command.name()];
}

function meaningOf(command: Command, helper: Help): Meaning {
  return [helper.subcommandTerm(command), helper.subcommandDescription(command)];
}

/** Names as lines of a paragraph. */
function wrapped(names: readonly string[]): string[] {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last === undefined || last.length + name.length + 2 > widest) lines.push(name);
    else lines[lines.length - 1] = `${last}, ${name}`;
  }
  return lines.map((line, at) => `  ${line}${at < lines.length - 1 ? ',' : ''}`);
}
