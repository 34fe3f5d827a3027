/** Manual pages of every command, in both languages (cli.md 1.8): the build writes them from the table of commands. */
import { PassThrough } from 'node:stream';
import { marked } from 'marked';
import manualFormat from 'marked-man';
import type { Runtime } from '../cli/command.ts';
import type { Manual, Meaning } from '../cli/help.ts';
import { both, type Language } from '../cli/language.ts';
import { localCommandsThat } from '../cli/local-commands.ts';
import { manualOf } from '../cli/manual.ts';
import { buildProgram } from '../cli/program.ts';
import { version } from '../cli/version.ts';

const elsewhere = () => Promise.reject(new Error('no command is run here'));
const languages: readonly Language[] = ['en', 'zh'];
/** Where `man` looks for pages of a language. */
const folders: Readonly<Record<Language, string>> = { en: 'man1', zh: 'zh_CN/man1' };

/** Texts of the pages by their places below a folder of manuals. */
export async function manualPages(): Promise<Map<string, string>> {
  // The date would make every build another one.
  Object.assign(manualFormat, { date: 0, manVersion: version, manual: 'Tollgate' });
  marked.use(manualFormat);
  const pages = new Map<string, string>();
  for (const language of languages) {
    const manuals = await manualsOf(language);
    for (const manual of manuals) {
      pages.set(`${folders[language]}/${nameOf(manual)}.1`, await marked.parse(pageOf(manual, language)));
    }
    pages.set(`${folders[language]}/tollgate.1`, await marked.parse(firstPage(manuals, language)));
  }
  return pages;
}

async function manualsOf(language: Language): Promise<Manual[]> {
  // Every command listens to it, and none is run.
  const stream = new PassThrough().setMaxListeners(0);
  const runtime: Runtime = {
    environment: {},
    host: { stdin: stream, stdout: stream, stderr: stream },
    signal: new AbortController().signal,
    local: localCommandsThat(elsewhere),
    language,
    texts: new Map(),
    manuals: new Map(),
  };
  const manuals: Promise<Manual>[] = [];
  buildProgram({
    ...runtime,
    onCommand: (command, text) => {
      runtime.texts.set(command, text);
      // Its flags are declared behind this.
      manuals.push(Promise.resolve().then(() => manualOf(command, text, runtime)));
    },
  });
  return Promise.all(manuals);
}

const titles = {
  synopsis: both('SYNOPSIS', '概要'),
  examples: both('EXAMPLES', '示例'),
  arguments: both('ARGUMENTS', '参数'),
  options: both('OPTIONS', '选项'),
  columns: both('COLUMNS', '列'),
  fields: both('JSON FIELDS', 'JSON 字段'),
  exits: both('EXIT STATUS', '退出码'),
  calls: both('CALLS', '调用'),
  commands: both('COMMANDS', '命令'),
  seeAlso: both('SEE ALSO', '参见'),
};

function nameOf({ path }: Manual): string {
  return `tollgate-${path.replaceAll(' ', '-')}`;
}

/** The page of one command as Markdown. */
function pageOf(manual: Manual, language: Language): string {
  return page(`${nameOf(manual)}(1) -- ${manual.sentence}`, [
    [titles.synopsis[language], code(manual.usage)],
    [titles.examples[language], verbatim(manual.examples)],
    [titles.arguments[language], listed(manual.arguments)],
    ...manual.flags.map(([title, flags]): Section => [headingOf(title, language), listed(flags)]),
    [titles.columns[language], manual.columns.map(code).join(', ')],
    [titles.fields[language], manual.fields.map(code).join(', ')],
    [titles.exits[language], listed(manual.exits)],
    [titles.calls[language], verbatim(manual.calls)],
    [titles.seeAlso[language], manual.seeAlso.map(code).join(', ')],
  ]);
}

/** The page that names all others. */
function firstPage(manuals: readonly Manual[], language: Language): string {
  const sentence = both('gateway for AI models: server, administration and scripts', 'AI 模型网关：服务、管理与脚本');
  return page(`tollgate(1) -- ${sentence[language]}`, [
    [titles.synopsis[language], code('tollgate <command> [options]')],
    [titles.commands[language], listed(manuals.map((manual) => [`${nameOf(manual)}(1)`, manual.sentence]))],
  ]);
}

/** A title of help as one of a page. */
function headingOf(title: string, language: Language): string {
  return title === 'Options:' ? titles.options[language] : title.replace(/[:：]$/, '').toUpperCase();
}

type Section = readonly [title: string, body: string];

function page(title: string, sections: readonly Section[]): string {
  const bodies = sections.flatMap(([heading, body]) => (body === '' ? [] : [`## ${heading}\n\n${body}\n`]));
  return [`# ${title}\n`, ...bodies].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

function verbatim(lines: readonly string[]): string {
  return lines.map((line) => `    ${line}`).join('\n');
}

function listed(meanings: readonly Meaning[]): string {
  return meanings.map(([word, meaning]) => `  * ${code(word)}:\n    ${meaning.replaceAll('<', '&lt;')}`).join('\n');
}
