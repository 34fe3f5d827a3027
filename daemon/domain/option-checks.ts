/**
 * What is asked of an option when it is saved, beyond its schema, by which stored values are read as well: patterns of a
 * linear-time engine, and values that every call or every mail would fail by.
 */
import { RE2JS } from 're2js';
import { entryReason, type OptionKey, type OptionValue } from '../contract/options.ts';
import { isModelPattern } from '../contract/rate-rules.ts';
import { headerNameProblem, headerTextProblem, safetyCategories } from '../relay/channel-rules.ts';
import { isPlainAddress } from './plain-address.ts';
import { sensitivePattern } from './sensitive-patterns.ts';

type Check<K extends OptionKey> = (value: OptionValue<K>) => string | undefined;

/** A host name, or an IPv4 or IPv6 address: a colon makes the latter, since the port is an option of its own. */
const hostPattern = /^(?:[\w.-]+|[\da-f.:]*:[\da-f.]*:[\da-f.:]*)$/i;

const checks: { readonly [K in OptionKey]?: Check<K> } = {
  Chats: (links) =>
    firstProblem(links, (link) =>
      Object.keys(link).every((name) => name.trim() !== '') ? undefined : 'must have a name',
    ),
  CompletionRatioRules: (rules) =>
    firstProblem(rules, (rule) => (rule.match === 'regex' ? patternProblem(rule.value) : undefined)),
  RateLimits: ({ model = {} }) =>
    memberProblem(model, (_, name) =>
      isModelPattern(name) ? undefined : 'must be a model, the beginning of names with * behind it, or *',
    ),
  SMTPFrom: (sender) =>
    sender === '' || isPlainAddress(sender) ? undefined : 'must be an address such as post@example.org',
  SMTPServer: (host) => (host === '' || hostPattern.test(host) ? undefined : 'must be a name such as smtp.example.org'),
  SensitiveWords: (lines) =>
    firstProblem(lines, (line) => patternProblem(sensitivePattern(line)) ?? boundlessProblem(sensitivePattern(line))),
  channel_affinity: (option) =>
    firstProblem(option.rules, (rule) => patternProblem(rule.model_regex) ?? patternProblem(rule.path_regex)),
  'claude.model_headers_settings': modelHeadersProblem,
  'gemini.safety_settings': (thresholds) =>
    memberProblem(thresholds, (word, category) =>
      category === 'default' || safetyCategories.includes(category)
        ? wordProblem(word, safetyThresholds)
        : `is no category; there are ${['default', ...safetyCategories].join(', ')}`,
    ),
  'gemini.version_settings': (versions) =>
    memberProblem(versions, (version) =>
      /^(?:v\d+(?:alpha|beta)?\d*)?$/.test(version) ? undefined : 'must be a version such as v1beta',
    ),
};

/** The vendor's own; it refuses a call that names another. */
const safetyThresholds = [
  'OFF',
  'BLOCK_NONE',
  'BLOCK_ONLY_HIGH',
  'BLOCK_MEDIUM_AND_ABOVE',
  'BLOCK_LOW_AND_ABOVE',
  'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
];

/** Why a value that its schema accepts cannot be used: one English clause; undefined when it can. */
export function optionProblem<K extends OptionKey>(key: K, value: OptionValue<K>): string | undefined {
  return checks[key]?.(value);
}

function firstProblem<T>(list: readonly T[], problemOf: (item: T) => string | undefined): string | undefined {
  for (const [index, item] of list.entries()) {
    const problem = problemOf(item);
    if (problem !== undefined) return entryReason(list, index, problem);
  }
  return undefined;
}

function wordProblem(word: string, known: readonly string[]): string | undefined {
  return known.includes(word) ? undefined : `must be one of ${known.join(', ')}`;
}

/** The first problem of a member, behind the name that leads to it. */
function memberProblem<T>(
  members: Readonly<Record<string, T>>,
  problemOf: (member: T, name: string) => string | undefined,
): string | undefined {
  for (const [name, member] of Object.entries(members)) {
    const problem = problemOf(member, name);
    if (problem !== undefined) return `${name}: ${problem}`;
  }
  return undefined;
}

function modelHeadersProblem(models: OptionValue<'claude.model_headers_settings'>): string | undefined {
  for (const [model, headers] of Object.entries(models)) {
    const problem = memberProblem(
      headers,
      (value, name) => headerNameProblem(name) ?? headerTextProblem([value].flat().join(',')),
    );
    if (problem !== undefined) return `${model}.${problem}`;
  }
  return undefined;
}

/** A pattern that is found in an empty text is found in all, and every prompt would be refused. */
function boundlessProblem(pattern: string | undefined): string | undefined {
  return pattern !== undefined && RE2JS.compile(pattern).matcher('').find() ? 'would find every text' : undefined;
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
