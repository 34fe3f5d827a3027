/** What may follow the words typed so far, and the scripts that let shells ask for it. */
import type { Command, Option } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export interface Candidate {
  readonly word: string;
  readonly text: string;
}

/** Words that only the machine knows. */
export interface KnownWords {
  profiles(): Promise<readonly string[]>;
}

function optionOf(command: Command, word: string): Option | undefined {
  return command.options.find(({ long, short }) => long === word || short === word);
}

/** `--no-header` is found by itself, so whether a flag takes a value is told by its declaration alone. */
function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

const plain = (words: readonly string[]): Candidate[] => words.map((word) => ({ word, text: '' }));

/** Choices of a flag's value; none where shells had better offer files. */
async function valuesOf(option: Option, known: KnownWords): Promise<Candidate[]> {
  if (option.long === '--profile') return plain(await known.profiles());
  if (option.long === '--lang') return plain(['en', 'zh']);
  if (option.long === '--color') return plain(['always', 'never', 'auto']);
  if (option.long === '--time') return plain(['iso', 'unix', 'local', 'relative']);
  if (option.long === '--money') return plain(['usd', 'units']);
  return plain(option.argChoices ?? []);
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
      const option = word.includes('=') ? undefined : optionOf(command, word);
      if (option !== undefined && takesValue(option) && option.long !== '--json') awaiting = option;
      continue;
    }
    const next = command.commands.find((child) => child.name() === word || child.aliases().includes(word));
    if (next === undefined) given += 1;
    else command = next;
  }
  const fitting = (all: readonly Candidate[]) => all.filter(({ word }) => word.startsWith(current));
  if (awaiting !== undefined) return fitting(await valuesOf(awaiting, known));
  if (current.startsWith('-')) {
    const shown = command.options.filter(({ hidden, long }) => !hidden && long !== undefined);
    return fitting(shown.map(({ long, description }) => ({ word: long ?? '', text: description })));
  }
  const children = command.commands.filter((child) => !child.name().startsWith('_'));
  if (children.length > 0 && given === 0) {
    return fitting(children.map((child) => ({ word: child.name(), text: child.description() })));
  }
  if (command.parent?.name() === 'profile' && given === 0) return fitting(plain(await known.profiles()));
  return fitting(plain(command.registeredArguments[given]?.argChoices ?? []));
}

/** One line a candidate: the word, a tab, what it is. */
export function candidateLines(candidates: readonly Candidate[]): string {
  return candidates.map(({ word, text }) => `${word}\t${text.replace(/\s+/g, ' ')}\n`).join('');
}

const scripts: Readonly<Record<Shell, string>> = {
  bash: `_tollgate() {
  local IFS=$'\\n' current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(compgen -W "$(tollgate __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "$current"))
}
complete -o default -F _tollgate tollgate
`,
  zsh: `#compdef tollgate
_tollgate() {
  local -a found
  local word text
  while IFS=$'\\t' read -r word text; do
    found+=("\${word//:/\\\\:}:$text")
  done < <(tollgate __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe tollgate found; else _files; fi
}
if [ "$funcstack[1]" = _tollgate ]; then _tollgate "$@"; else compdef _tollgate tollgate; fi
`,
  fish: `function __tollgate_complete
  set -l words (commandline -opc) (commandline -ct)
  tollgate __complete -- $words[2..-1] 2>/dev/null
end
complete -c tollgate -a '(__tollgate_complete)'
`,
};

/** The script to load in a shell. */
export function completionScript(shell: Shell): string {
  return scripts[shell];
}
