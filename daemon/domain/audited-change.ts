/**
 * What an edit changed, as its audit row tells it (console.md 6.24): the members that differ with their old and new
 * values. Secrets are told as `***` on both sides, so that one reads that they changed and nothing else. Pure.
 */

/** JSON texts of objects; a member that was, or is, empty stands in the other alone. */
export interface AuditedChange {
  readonly old: string;
  readonly new: string;
}

type Members = Readonly<Record<string, unknown>>;

const hidden = '***';
/** Characters of one value; lists of models can be longer than anybody reads in a row. */
const longestValue = 4000;
/** A text of JSON that nests deeper is told as a text: walking it could exhaust the stack. */
const deepestMember = 64;
/** Names whose values are never told, wherever they stand. */
const secretName =
  /^(?:key|password|secret|token|cookie|(?:proxy-)?authorization|(?:x[-_])?(?:goog[-_])?api[-_]?key|(?:access|refresh|client|private)[-_](?:token|secret|key(?:[-_]id)?))$/i;
/** Headers that are sent upstream may be credentials by any name. */
const secretTrees = new Set(['header_override', 'headers']);

/**
 * The members that differ; undefined when none does. Texts that are JSON objects on both sides are compared by their own
 * members, `setting.proxy`. Names come in the words of the wire.
 * @param names which members to compare, as the record spells them
 */
export function auditedChange(
  before: Members,
  after: Members,
  names: readonly string[] = Object.keys(after),
): AuditedChange | undefined {
  const changed = names.flatMap((name) => differences(wireName(name), before[name], after[name]));
  if (changed.length === 0) return undefined;
  return {
    old: sideOf(changed.map(([name, one]) => [name, one])),
    new: sideOf(changed.map(([name, , other]) => [name, other])),
  };
}

const sideOf = (members: readonly [name: string, value: unknown][]): string =>
  JSON.stringify(Object.fromEntries(members.filter(([, value]) => !isEmpty(value))));

const wireName = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function differences(name: string, before: unknown, after: unknown): [name: string, before: unknown, after: unknown][] {
  if (isSame(before, after)) return [];
  const [one, other] = [membersOf(before), membersOf(after)];
  // What is empty on one side only is a whole that came or went, told by its members as well.
  if ((one && other) || (one && isEmpty(after)) || (other && isEmpty(before))) {
    const inner = [...new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})])];
    return inner.flatMap((member) => {
      const [was, is] = [one?.[member], other?.[member]];
      return isSame(was, is) ? [] : [[`${name}.${member}`, told(member, was), told(member, is)]];
    });
  }
  return [[name, told(name, before), told(name, after)]];
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

/** A missing value and an empty one read alike. */
function isSame(one: unknown, other: unknown): boolean {
  return (isEmpty(one) && isEmpty(other)) || JSON.stringify(one) === JSON.stringify(other);
}

/** The members of a text that is a JSON object of no unreasonable depth. */
function membersOf(value: unknown): Members | undefined {
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) && !goesBelow(parsed, deepestMember) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function goesBelow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => goesBelow(member, levels - 1));
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as it may be told: an object or a list stays one unless it is too long. */
function told(name: string, value: unknown): unknown {
  const open = withoutSecrets(name, value);
  const text = typeof open === 'string' ? open : JSON.stringify(open);
  return text !== undefined && text.length > longestValue ? `${text.slice(0, longestValue)}… (${text.length})` : open;
}

function withoutSecrets(name: string, value: unknown): unknown {
  if (isEmpty(value)) return value;
  if (secretName.test(name) || secretTrees.has(name)) return hidden;
  if (Array.isArray(value)) return value.map((member: unknown) => withoutSecrets('', member));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutSecrets(key, member)]));
  }
  return typeof value === 'string' ? withoutCredentials(value) : value;
}

/** Addresses carry credentials before the host and in their query; keys of vendors are known by how they begin. */
function withoutCredentials(text: string): string {
  return text
    .replaceAll(/:\/\/[^\s/"@]*@/g, `://${hidden}@`)
    .replaceAll(/([?&](?:key|token|secret|password|(?:x-)?api[-_]?key|access[-_]token)=)[^&#\s"]+/gi, `$1${hidden}`)
    .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${hidden}`)
    .replaceAll(
      /\b(?:sk|pk|rk|xai|csk|pplx|nvapi|gsk|hf|tgm)[-_][\w.-]{12,}|\bAIza[\w-]{12,}|\bA[KS]IA[A-Z0-9]{12,}/g,
      hidden,
    );
}
