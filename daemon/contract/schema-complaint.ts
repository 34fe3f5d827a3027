/** What a schema says of a value that it does not take, in words of JSON. */
import type * as z from 'zod/mini';

/** What a limit counts; undefined where it bounds the value itself. */
function lengthOf(origin: string): string | undefined {
  if (origin === 'string') return 'characters';
  return origin === 'array' ? 'entries' : undefined;
}

/** What a value must be, in words of JSON instead of the schema's. */
const typeReasons: Readonly<Record<string, string>> = {
  array: 'must be a list',
  boolean: 'must be true or false',
  int: 'must be a whole number',
  number: 'must be a number',
  object: 'must be an object',
  record: 'must be an object',
  string: 'must be text',
  tuple: 'must be a list',
};

/** What a value must be, as an English clause that `chineseReason` knows; says nothing of the value itself. */
export function complaint(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_small':
      if (lengthOf(issue.origin) !== undefined) return `must have at least ${issue.minimum} ${lengthOf(issue.origin)}`;
      return `must be ${issue.inclusive === false ? 'above' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      if (lengthOf(issue.origin) !== undefined) return `must have at most ${issue.maximum} ${lengthOf(issue.origin)}`;
      return `must be ${issue.inclusive === false ? 'below' : 'at most'} ${issue.maximum}`;
    case 'invalid_type':
      return typeReasons[issue.expected] ?? 'has the wrong form';
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_key':
      return issue.issues[0] === undefined ? 'has the wrong form' : complaint(issue.issues[0]);
    case 'unrecognized_keys':
      return `must not contain ${issue.keys.join(', ')}`;
    default:
      // Rules have words of their own; where one has none, these are the schema's.
      return issue.message === 'Invalid input' ? 'has the wrong form' : issue.message;
  }
}
