/** `version`, `help` and `completion`: what the program says about itself. */
import { Argument, type Command } from 'commander';
import { commandAt, leaf, printedBy, type Runtime } from '../command.ts';
import { commonOptions } from '../common-flags.ts';
import { candidateLines, candidatesFor, completionScript, type KnownWords, shells } from '../completion.ts';
import { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { wordsOf } from '../flags.ts';
import { daemonVariables, topicNames, topicText } from '../help-topics.ts';
import { both } from '../language.ts';
import { liveWords } from '../live-words.ts';
import { lookUp } from '../manual.ts';
import { columnNames } from '../output/choices.ts';
import type { View } from '../output/columns.ts';
import { configFolder, readProfiles } from '../profile.ts';
import { isNewer, latestRelease } from '../release-check.ts';
import { shellWords } from '../shell-words.ts';
import { packageName, version } from '../version.ts';

interface VersionRow {
  client: string;
  server: string | null;
  url: string;
  /** Only where the registry was asked. */
  latest?: string;
}

const versionView: View<VersionRow> = {
  columns: [
    { heading: 'CLIENT', value: (row) => row.client, priority: 1 },
    { heading: 'SERVER', value: (row) => row.server, priority: 2 },
    { heading: 'URL', value: (row) => row.url, priority: 3 },
    { heading: 'LATEST', value: (row) => row.latest, priority: 4 },
  ],
  fields: ['client', 'server', 'url', 'latest'],
  id: (row) => row.client,
};

function registerVersion(program: Command, runtime: Runtime): void {
  leaf(
    program
      .command('version')
      .option(
        '--check',
        both('ask the npm registry for a newer one; exit 2 when there is', '向 npm 查询新版本；有新版本时退出码为 2')[
          runtime.language
        ],
      ),
    runtime,
    {
      summary: both('Show the version of this program and of the server', '显示客户端与服务器版本'),
      examples: ['version', 'version --json', 'version --check'],
      prints: () => versionView,
      calls: ['status.get'],
      exits: [exitCodes.no],
    },
    async (context, _args, flags) => {
      const { url } = await context.target();
      const server = await (await context.client()).status.get().then(
        (status) => status.version,
        () => null,
      );
      if (server === null) context.note(context.say(both(`${url} was not reached`, `无法连接 ${url}`)));
      const row = { client: version, server, url };
      if (flags.check !== true) return context.printer.one(row, versionView);
      const latest = await latestRelease(context);
      await context.printer.one({ ...row, latest }, versionView);
      if (!isNewer(latest, version)) return;
      context.note(`npm install --global ${packageName}@${latest}`);
      context.endWith(exitCodes.no);
    },
  );
}

function registerHelp(program: Command, runtime: Runtime): void {
  const listed = topicNames.join(', ');
  program.helpCommand(false);
  program.addHelpText('after', `\n${both('Topics of help', 'help 的主题')[runtime.language]}: ${listed}`);
  leaf(
    program
      .command('help')
      .argument('[words...]')
      .option(
        '--schema',
        both('of the topic state: the JSON Schema of documents', '主题 state：输出文档的 JSON Schema')[
          runtime.language
        ],
      ),
    runtime,
    {
      summary: both('Explain a command or a topic', '说明命令或主题'),
      examples: ['help exit-codes', 'help channel create', 'help state --schema'],
      prints: 'text',
    },
    async (context, [given], flags) => {
      const words = wordsOf(given);
      const [topic = ''] = words;
      if (flags.schema === true) {
        if (topic !== 'state') throw usageError(both('only state has a schema', '仅主题 state 有 schema'));
        const { stateFileSchema } = await import('../../daemon/contract/state-document.ts');
        return context.printer.text(`${JSON.stringify(stateFileSchema(), null, 2)}\n`);
      }
      const text = words.length === 1 ? await topicText(topic, runtime.language) : undefined;
      if (text !== undefined) {
        return context.printer.text(topic === 'environment' ? text + (await ofDaemon(runtime)) : text);
      }
      const command = commandAt(program, words);
      if (command !== undefined) {
        await lookUp(command, runtime);
        return command.outputHelp();
      }
      const missing = words.join(' ');
      throw usageError(both(`no command or topic ${missing}`, `没有命令或主题 ${missing}`), {
        hint: both(`topics: ${listed}`, `主题：${listed}`),
      });
    },
  );
}

/** The variables that the daemon reads. */
async function ofDaemon({ local, language }: Runtime): Promise<string> {
  const { entries } = await local.checkConfig({});
  const named = entries.flatMap(({ environment, path }) =>
    environment === undefined ? [] : [[environment, path] as const],
  );
  return daemonVariables(named, language);
}

/** What a flag among words typed so far was given; undefined without. */
function flagValue(words: readonly string[], flag: string): string | undefined {
  const at = words.findLastIndex(
    (word, index) => index < words.length - 1 && (word === flag || word.startsWith(`${flag}=`)),
  );
  const word = words[at];
  if (word === undefined) return undefined;
  return word === flag ? words[at + 1] : word.slice(flag.length + 1);
}

function registerCompletion(program: Command, runtime: Runtime): void {
  leaf(
    program.command('completion').addArgument(new Argument('<shell>').choices(shells)),
    runtime,
    {
      summary: both('Print the script that completes commands in a shell', '输出 shell 补全脚本'),
      examples: [
        'completion zsh > ~/.zfunc/_tollgate',
        'completion bash > ~/.local/share/bash-completion/completions/tollgate',
        'completion powershell >> $PROFILE',
      ],
      prints: 'text',
    },
    async (context, [wish]) => {
      const shell = shells.find((name) => name === wish);
      if (shell !== undefined) await context.printer.text(completionScript(shell));
    },
  );
  program
    .command('__complete [words...]', { hidden: true })
    .option('--current <word>', 'the word at the cursor, where it is not the last of the words')
    .option('--line <text>', 'the line up to the cursor, in the place of words')
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (before: string[], { current, line }: { current?: string; line?: string }) => {
      const given = line === undefined ? before : shellWords(line).slice(1);
      const words = current === undefined ? given : [...given, current];
      const profiles = async () => {
        const file = await readProfiles(configFolder(runtime.environment)).catch(() => ({ profiles: {} }));
        return Object.keys(file.profiles);
      };
      const live: KnownWords['live'] = async (kind, typed) => {
        const [profile, url] = [flagValue(words, '--profile'), flagValue(words, '--url')];
        const wishes = { ...(profile === undefined ? {} : { profile }), ...(url === undefined ? {} : { url }) };
        return liveWords(new CommandContext(wishes, runtime), kind, typed);
      };
      const printed: KnownWords['printed'] = async (command) => {
        const text = runtime.texts.get(command);
        if (text === undefined) return { columns: [], fields: [] };
        const names = await printedBy(new CommandContext({}, runtime), {}, text);
        return { columns: columnNames(names), fields: names.fields ?? [] };
      };
      const declared: KnownWords['declared'] = async (kind) => {
        if (kind === 'alert-kind') return (await import('../../daemon/contract/alert-kinds.ts')).alertKinds;
        if (kind === 'scope') return ['*', ...(await import('../../daemon/contract/scopes.ts')).scopes];
        const { channelTypes } = await import('../../daemon/contract/channel-types.ts');
        return channelTypes.flatMap((type) => (type.retired === true ? [] : [type.name]));
      };
      const common = commonOptions(runtime);
      const candidates = await candidatesFor(program, words, {
        common,
        topics: topicNames,
        profiles,
        live,
        declared,
        printed,
      });
      runtime.host.stdout.write(candidateLines(candidates));
    });
}

export function registerAboutCommands(program: Command, runtime: Runtime): void {
  registerVersion(program, runtime);
  registerHelp(program, runtime);
  registerCompletion(program, runtime);
}
