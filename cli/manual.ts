/** What there is to say of one command, for `--help` and manual pages (cli.md 1.8). Loads no schema. */
import type { Command } from 'commander';
import { argumentText, isReference } from './argument-texts.ts';
import { callAddresses } from './call-addresses.ts';
import { type CommandText, commandPath, printedBy, type Runtime } from './command.ts';
import { CommandContext } from './context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { flagsOf, type Manual, type Meaning } from './help.ts';
import { exitTexts } from './help-topics.ts';
import type { Bilingual } from './language.ts';
import { columnNames } from './output/choices.ts';
import { keyedCalls } from './write-calls.ts';

/** Looks up what the help of a command says beside its flags: commander prints it at once. */
export async function lookUp(command: Command, runtime: Runtime): Promise<void> {
  const text = runtime.texts.get(command);
  if (text !== undefined) runtime.manuals.set(command, await manualOf(command, text, runtime));
}

/** Reads the manual off a declared command. */
export async function manualOf(command: Command, text: CommandText, runtime: Runtime): Promise<Manual> {
  const say = (words: Bilingual) => words[runtime.language];
  const printed = await printedBy(new CommandContext({}, runtime), {}, text);
  const path = commandPath(command);
  const { parent } = command;
  return {
    path,
    sentence: say(text.summary),
    usage: `tollgate ${path} ${command.usage()}`.trim(),
    examples: text.examples.map((example) => `tollgate ${example}`),
    arguments: command.registeredArguments.flatMap((argument): Meaning[] => {
      const meaning = argumentText(argument.name());
      if (meaning === undefined) return [];
      return [[`${argument.name()}${argument.variadic ? '...' : ''}`, say(meaning)]];
    }),
    flags: flagsOf(command.options, runtime.language),
    columns: columnNames(printed),
    fields: printed.fields ?? [],
    exits: exitsOf(command, text).map((code): Meaning => [String(code), say(exitTexts[code])]),
    calls: [...new Set(text.calls ?? [])].map((name) => callAddresses[name] ?? name),
    seeAlso: [
      ...(parent?.parent ? [`tollgate ${commandPath(parent)} --help`] : []),
      ...['formatting', 'exit-codes', 'scripting'].map((topic) => `tollgate help ${topic}`),
    ],
  };
}

/** What a command may end with: by what it takes and calls, and what its text adds. */
function exitsOf(command: Command, { calls = [], callsAny = false, exits = [] }: CommandText): ExitCode[] {
  const isRemote = callsAny || calls.length > 0;
  const takes = command.registeredArguments;
  const found: ExitCode[] = [exitCodes.done, exitCodes.failed, exitCodes.usage, exitCodes.local, ...exits];
  if (isRemote) found.push(exitCodes.notSignedIn, exitCodes.forbidden, exitCodes.rateLimited, exitCodes.unavailable);
  if (isRemote && takes.some((argument) => isReference(argument.name()))) found.push(exitCodes.notFound);
  if (command.options.some(({ long }) => long === '--timeout')) found.push(exitCodes.waitedTooLong);
  if (calls.some((name) => keyedCalls.has(name))) found.push(exitCodes.conflict);
  if (command.options.some(({ long }) => long === '--concurrency')) found.push(exitCodes.partial);
  return [...new Set(found)].sort((a, b) => a - b);
}
