/** What is wrong with a value of a document or plan: what was expected there, and what was found. */
import type * as z from 'zod/mini';
import { chineseReason } from '../daemon/contract/option-reasons.ts';
import { complaint } from '../daemon/contract/schema-complaint.ts';
import { type Bilingual, both } from './language.ts';

/** Where one of several forms was meant, what is wrong inside of it. */
export function innermost(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  if (issue?.code !== 'invalid_union') return issue;
  const inside = issue.errors.flat().find(({ path }) => path.length > 0);
  return inside === undefined ? issue : innermost({ ...inside, path: [...issue.path, ...inside.path] });
}

/** As a clause behind the name of the place. Texts are not repeated: where a reference was meant, one may be a secret. */
export function schemaFault(issue: z.core.$ZodIssue | undefined, document: unknown): Bilingual {
  const found = valueAt(document, issue?.path ?? []);
  if (found === undefined) return both('is missing', '缺失');
  const expected = issue === undefined ? 'is not acceptable' : complaint(issue);
  // The name that is at fault stands at the end of the place.
  if (issue?.code === 'invalid_key') return both(expected, chineseReason(expected));
  // One of a few words was meant, and those are no secrets.
  const isWord = issue?.code === 'invalid_value' && typeof found === 'string' && found.length <= 80;
  const kind = isWord ? both(JSON.stringify(found), JSON.stringify(found)) : kindOf(found);
  return both(`${expected}; found ${kind.en}`, `${chineseReason(expected)}；实际为${kind.zh}`);
}

function valueAt(document: unknown, place: readonly PropertyKey[]): unknown {
  return place.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    document,
  );
}

function kindOf(value: unknown): Bilingual {
  if (value === null) return both('nothing', '空值');
  if (Array.isArray(value)) return both('a list', '列表');
  if (typeof value === 'object') return both('an object', '对象');
  if (typeof value === 'string') return value === '' ? both('an empty text', '空文本') : both('text', '文本');
  return both(String(value), String(value));
}
