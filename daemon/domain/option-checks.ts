/** What a schema cannot say about an option: patterns of a linear-time engine and texts that span several rules. */
import { RE2JS } from 're2js';
import { entryReason, type OptionKey, type OptionValue } from '../contract/options.ts';

type Check<K extends OptionKey> = (value: OptionValue<K>) => string | undefined;

const checks: { readonly [K in OptionKey]?: Check<K> } = {
  CompletionRatioRules: (rules) =>
    firstProblem(rules, (rule) => (rule.match === 'regex' ? patternProblem(rule.value) : undefined)),
  SensitiveWords: (lines) => firstProblem(lines, (line) => patternProblem(sensitivePattern(line))),
  channel_affinity: (option) =>
    firstProblem(option.rules, (rule) => patternProblem(rule.model_regex) ?? patternProblem(rule.path_regex)),
};

/** Why a value that its schema accepts cannot be used: one English clause; undefined when it can. */
export function optionProblem<K extends OptionKey>(key: K, value: OptionValue<K>): string | undefined {
  return checks[key]?.(value);
}

/** The pattern of a `regex:` line; undefined for a plain word. */
export function sensitivePattern(line: string): string | undefined {
  return line.startsWith('regex:') ? line.slice('regex:'.length) : undefined;
}

function firstProblem<T>(list: readonly T[], problemOf: (item: T) => string | undefined): string | undefined {
  for (const [index, item] of list.entries()) {
    const problem = problemOf(item);
    if (problem !== undefined) return entryReason(list, index, problem);
  }
  return undefined;
}

function patternProblem(pattern: string | undefined): string | undefined {
  if (pattern === undefined) return undefined;
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch {
    return 'is not a regular expression of RE2 (no look-around, no back references)';
  }
}
