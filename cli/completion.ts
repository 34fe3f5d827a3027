/** What may follow the words typed so far, and the scripts that let shells ask for it. */
import type { Argument, Command, Option } from 'commander';
import type { Candidate, LiveKind } from './live-words.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** Words that only the machine, or the server, knows. */
export interface KnownWords {
  /** Flags that every command takes, and that may stand before its words. */
  readonly common: readonly Option[];
  /** What `help` explains beside commands. */
  readonly topics: readonly string[];
  profiles(): Promise<readonly string[]>;
  live(kind: LiveKind, typed: string): Promise<readonly Candidate[]>;
  /** What the contract has under a name of its own. */
  declared(kind: 'alert-kind' | 'channel-type' | 'scope'): Promise<readonly string[]>;
  /** What the command prints, by name; no names where they are not known. */
  printed(command: Command): Promise<{ readonly columns: readonly string[]; readonly fields: readonly string[] }>;
}

/** What may stand behind the words of a command or a group. */
function optionsOf(command: Command, { common }: KnownWords): readonly Option[] {
  return command.commands.length === 0 ? command.options : [...command.options, ...common];
}

function optionOf(command: Command, word: string, known: KnownWords): Option | undefined {
  return optionsOf(command, known).find(({ long, short }) => long === word || short === word);
}

/** `--no-header` is found by itself, so whether a flag takes a value is told by its declaration alone. */
function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

const plain = (words: readonly string[]): Candidate[] => words.map((word) => ({ word, text: '' }));

/** Flags whose value names something on the server, by their own name or by that of the value. */
const liveFlags: Readonly<Record<string, LiveKind>> = {
  '--actor': 'user',
  '--group': 'group',
  '--groups': 'group',
  '--model': 'model',
  '--models': 'model',
  '--add-models': 'model',
  '--remove-models': 'model',
  '--test-model': 'model',
  '--on': 'model',
  '--off': 'model',
  '--token': 'token',
  '--user': 'user',
};

/** Arguments that name something on the server. */
const liveArguments: Readonly<Record<string, LiveKind>> = {
  channel: 'channel',
  code: 'code',
  group: 'group',
  model: 'model',
  models: 'model',
  token: 'token',
  user: 'user',
};

/** `alert` itself, or its targets. */
const isOfAlerts = ({ parent }: Command) => [parent?.name(), parent?.parent?.name()].includes('alert');

/** Value of a flag: choices, or what the server knows; none where shells had better offer files. */
async function valuesOf(
  option: Option,
  { command, typed, known }: { command: Command; typed: string; known: KnownWords },
): Promise<readonly Candidate[]> {
  const { long = '', flags } = option;
  // Several with commas: the last of them is completed.
  const last = typed.slice(0, typed.lastIndexOf(',') + 1);
  if (long === '--json') return plain((await known.printed(command)).fields.map((field) => `${last}${field}`));
  if (long === '--columns') return plain((await known.printed(command)).columns.map((name) => `${last}${name}`));
  if (long === '--sort') return plain((await known.printed(command)).fields);
  if (long === '--profile') return plain(await known.profiles());
  if (long === '--type' && command.parent?.name() === 'channel') return plain(await known.declared('channel-type'));
  if (/^--kinds?$/.test(long) && isOfAlerts(command)) {
    return plain((await known.declared('alert-kind')).map((kind) => `${long === '--kinds' ? last : ''}${kind}`));
  }
  if (long === '--scope') return plain(await known.declared('scope'));
  const placeholder = /<([^>]+)>/.exec(flags)?.[1];
  const before = placeholder === 'list' ? last : '';
  const kind = long === '--channel' ? (placeholder === 'id' ? 'channel-id' : 'channel') : liveFlags[long];
  if (kind === undefined || placeholder === 'glob') return plain(option.argChoices ?? []);
  const words = await known.live(kind, typed.slice(before.length));
  return words.map(({ word, text }) => ({ word: `${before}${word}`, text }));
}

/** What an argument may be. */
async function argumentWords(command: Command, at: number, typed: string, known: KnownWords) {
  const all: readonly Argument[] = command.registeredArguments;
  const last = all.at(-1);
  const argument = all[at] ?? (last?.variadic ? last : undefined);
  if (argument === undefined) return [];
  const name = argument.name();
  if (command.parent?.name() === 'profile') return plain(await known.profiles());
  if (command.parent?.name() === 'option' && name.startsWith('key')) return known.live('option', typed);
  if (name === 'kind' && isOfAlerts(command)) return plain(await known.declared('alert-kind'));
  const kind = liveArguments[name];
  return kind === undefined ? plain(argument.argChoices ?? []) : known.live(kind, typed);
}

/**
 * Candidates for the last of the words; the words before it are complete.
 * @param words without the program's name; the last may be empty
 */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  known: KnownWords,
): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? '';
  let command = program;
  let given = 0;
  let awaiting: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (awaiting !== undefined) {
      awaiting = undefined;
      continue;
    }
    if (word.startsWith('-') && word !== '-') {
      const option = word.includes('=') ? undefined : optionOf(command, word, known);
      if (option !== undefined && takesValue(option) && option.long !== '--json') awaiting = option;
      continue;
    }
    const next = command.commands.find((child) => child.name() === word || child.aliases().includes(word));
    if (next === undefined) given += 1;
    else command = next;
  }
  const fitting = (all: readonly Candidate[]) =>
    all.filter(({ word }) => word !== '' && word.startsWith(current)).slice(0, mostCandidates);
  if (awaiting !== undefined) return fitting(await valuesOf(awaiting, { command, typed: current, known }));
  const [, flag, typed] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  if (flag !== undefined && typed !== undefined) {
    const option = optionOf(command, flag, known);
    const values = option && takesValue(option) ? await valuesOf(option, { command, typed, known }) : [];
    return fitting(values.map(({ word, text }) => ({ word: `${flag}=${word}`, text })));
  }
  if (current.startsWith('-')) {
    const shown = optionsOf(command, known).filter(({ hidden, long }) => !hidden && long !== undefined);
    return fitting(shown.map(({ long, description }) => ({ word: long ?? '', text: description })));
  }
  if (command.name() === 'help' && command.parent === program) {
    const path = words.slice(words.indexOf('help') + 1, -1).filter((word) => !word.startsWith('-'));
    return fitting(explained(program, path, known.topics));
  }
  if (command.commands.length > 0 && given === 0) return fitting(childrenOf(command));
  return fitting(await argumentWords(command, given, current, known));
}

function childrenOf(command: Command): readonly Candidate[] {
  const children = command.commands.filter((child) => !child.name().startsWith('_'));
  return children.map((child) => ({ word: child.name(), text: child.description() }));
}

/** What `help` may be asked for behind these words: commands, and at first topics too. */
function explained(program: Command, path: readonly string[], topics: readonly string[]): readonly Candidate[] {
  let command: Command | undefined = program;
  for (const word of path) command = command?.commands.find((child) => child.name() === word);
  if (command === undefined) return [];
  const children = childrenOf(command);
  if (command !== program) return children;
  return [...children, ...plain(topics.filter((topic) => !children.some(({ word }) => word === topic)))];
}

/** More than this nobody reads. */
const mostCandidates = 200;

/** One line a candidate: the word, a tab, what it is. */
export function candidateLines(candidates: readonly Candidate[]): string {
  return candidates.map(({ word, text }) => `${word}\t${text.replace(/\s+/g, ' ')}\n`).join('');
}

const scripts: Readonly<Record<Shell, string>> = {
  // Names come from the server: they are compared and never expanded, as "compgen -W" would.
  bash: `_tollgate() {
  local line="\${COMP_LINE:0:COMP_POINT}" word text plain cut
  plain="\${line##*[[:space:]]}"
  # Behind a quote bash breaks no word at a colon or an equals sign.
  plain="\${plain%%[\\"\\'\\\\]*}"
  cut="\${plain%"\${plain##*[:=]}"}"
  COMPREPLY=()
  while IFS=$'\\t' read -r word text; do
    COMPREPLY+=("\${word#"$cut"}")
  done < <(tollgate __complete "--line=$line" 2>/dev/null)
}
complete -o default -F _tollgate tollgate
`,
  zsh: `#compdef tollgate
_tollgate() {
  local -a found
  local word text
  while IFS=$'\\t' read -r word text; do
    found+=("\${word//:/\\\\:}\${text:+:$text}")
  done < <(tollgate __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe tollgate found; else _files; fi
}
if [ "$funcstack[1]" = _tollgate ]; then _tollgate "$@"; else compdef _tollgate tollgate; fi
`,
  fish: `function __tollgate_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (tollgate __complete -- $words[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c tollgate -f -a '(__tollgate_complete)'
`,
  // Windows PowerShell drops empty arguments of programs: the word at the cursor goes behind an equals sign.
  powershell: `Register-ArgumentCompleter -Native -CommandName tollgate, tollgate.cmd, tollgate.ps1 -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
  })
  & tollgate __complete "--current=$wordToComplete" @words 2>$null | ForEach-Object {
    $word, $text = $_ -split "\`t", 2
    if (-not $text) { $text = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $text)
  }
}
`,
};

/** The script to load in a shell. */
export function completionScript(shell: Shell): string {
  return scripts[shell];
}
