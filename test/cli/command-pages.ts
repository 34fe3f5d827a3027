/**
 * Writes docs/cli from the table of commands, in both languages: `node --import tsx test/cli/command-pages.ts`.
 * The pages are checked by `command-pages.test.ts`, so that they never tell what is no longer so.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { type CommandText, commandPath, printedBy, type Runtime } from '../../cli/command.ts';
import { CommandContext } from '../../cli/context.ts';
import { requiredText } from '../../cli/help.ts';
import { both } from '../../cli/language.ts';
import { localCommandsThat } from '../../cli/local-commands.ts';
import { columnNames } from '../../cli/output/choices.ts';
import { buildProgram } from '../../cli/program.ts';
import { contract } from '../../daemon/contract/index.ts';
import { endpointsOf } from '../../daemon/contract/openapi.ts';

export const pagesFolder = new URL('../../docs/cli/', import.meta.url);

const origin = 'Written by `node --import tsx test/cli/command-pages.ts` from the table of commands.';
const commonGroups = new Set(['Common flags:', '通用参数：']);

interface Declared {
  readonly command: Command;
  readonly text: CommandText;
}

function runtimeOf(language: 'en' | 'zh'): Omit<Runtime, 'texts' | 'manuals'> {
  const stream = new PassThrough();
  const elsewhere = () => Promise.reject(new Error('no command is run here'));
  return {
    environment: {},
    host: { stdin: stream, stdout: stream, stderr: stream },
    signal: new AbortController().signal,
    local: localCommandsThat(elsewhere),
    language,
  };
}

/** Every command by its words. */
function declared(language: 'en' | 'zh'): Map<string, Declared> {
  const found = new Map<string, Declared>();
  const onCommand = (command: Command, text: CommandText) => found.set(commandPath(command), { command, text });
  buildProgram({ ...runtimeOf(language), onCommand });
  return found;
}

// Angle brackets would be tags of the page, and a bar the end of a cell.
const shown = (words: string) => words.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('|', '\\|');

/** Flags of both programs side by side. */
function flagRows(english: Command, chinese: Command, which: 'own' | 'common'): string[] {
  return english.options.flatMap((option, at) => {
    const isCommon = commonGroups.has(option.helpGroupHeading ?? '');
    if (isCommon !== (which === 'common') || option.hidden) return [];
    const choices = option.argChoices === undefined ? '' : `: ${option.argChoices.join(', ')}`;
    const required = option.mandatory ? requiredText : both('', '');
    const told = [
      `${option.description}${choices}${required.en}`,
      `${chinese.options[at]?.description ?? ''}${choices}${required.zh}`,
    ].map(shown);
    return [`| \`${option.flags.replaceAll('|', '\\|')}\` | ${told.join(' | ')} |`];
  });
}

const flagHead = ['| flag | meaning | 说明 |', '| --- | --- | --- |'];
const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

async function sectionOf({ command, text }: Declared, chinese: Declared): Promise<string[]> {
  const printed = await printedBy(new CommandContext({}, { ...runtimeOf('en') }), {}, text);
  const addresses = new Map(
    endpointsOf(contract).map(({ name, endpoint }) => [name, `${endpoint.method} ${endpoint.path}`]),
  );
  const calls = [...new Set(text.calls ?? [])].map((name) => addresses.get(name) ?? name);
  const rows = flagRows(command, chinese.command, 'own');
  const known: readonly (readonly [label: string, names: readonly string[]])[] = [
    ['Columns (列)', columnNames(printed)],
    ['JSON fields (JSON 字段)', printed.fields ?? []],
    ['Calls (调用)', calls],
  ];
  return [
    `## ${commandPath(command)}`,
    '',
    `${shown(text.summary.en)}`,
    '',
    `${shown(text.summary.zh)}`,
    '',
    '```',
    `tollgate ${commandPath(command)} ${command.usage()}`,
    '',
    ...text.examples.map((example) => `$ tollgate ${example}`),
    '```',
    '',
    ...(rows.length === 0 ? [] : [...flagHead, ...rows, '']),
    ...known.flatMap(([label, names]) => (names.length === 0 ? [] : [`${label}: ${listed(names)}`, ''])),
  ];
}

/** Texts of the pages by their names. */
export async function commandPages(): Promise<Map<string, string>> {
  const [english, chinese] = [declared('en'), declared('zh')];
  const chapters = new Map<string, string[]>();
  const index: string[] = [];
  for (const [path, one] of english) {
    const other = chinese.get(path);
    const [name = ''] = path.split(' ');
    if (other === undefined) throw new Error(`${path} is missing in Chinese`);
    const before = chapters.get(name) ?? [`# tollgate ${name}`, '', origin, ''];
    chapters.set(name, [...before, ...(await sectionOf(one, other))]);
    index.push(
      `| [${path}](${name}.md#${path.replaceAll(' ', '-')}) | ${shown(one.text.summary.en)} | ${shown(one.text.summary.zh)} |`,
    );
  }
  const [anyEnglish, anyChinese] = [english.get('user list'), chinese.get('user list')];
  if (anyEnglish === undefined || anyChinese === undefined) throw new Error('there is no user list');
  const readme = [
    '# The command line',
    '',
    origin,
    'The build also writes manual pages: `man -M dist/man tollgate-user-list`, in Chinese with `-M dist/man/zh_CN`.',
    '',
    '| command | what it does | 说明 |',
    '| --- | --- | --- |',
    ...index,
    '',
    '## Flags of every command',
    '',
    'They may also stand before it: `tollgate --profile prod -o json user list`. 也可写在命令之前。',
    '',
    ...flagHead,
    ...flagRows(anyEnglish.command, anyChinese.command, 'common'),
    '',
  ];
  const pages = [...chapters].map(([name, lines]): [string, string] => [
    `${name}.md`,
    `${lines.join('\n').trimEnd()}\n`,
  ]);
  return new Map([['README.md', readme.join('\n')], ...pages]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(pagesFolder, { recursive: true });
  const pages = await commandPages();
  for (const name of readdirSync(pagesFolder)) if (!pages.has(name)) rmSync(new URL(name, pagesFolder));
  for (const [name, text] of pages) writeFileSync(new URL(name, pagesFolder), text);
}
