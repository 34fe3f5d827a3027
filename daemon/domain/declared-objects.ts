/** What declared state is made of: objects of a kind, each with fields, as they are and as a document wants them. */
import { createHash } from 'node:crypto';
import type { OptionKey, OptionsView } from '../contract/options.ts';
import type { StateDocument, StateKind } from '../contract/state-document.ts';
import { TollgateError } from '../errors.ts';
import type { Stores } from '../store/database.ts';
import type { Actor } from './actor.ts';

/** JSON values by name, as a document writes them; secrets as `SecretDigests`. */
export type Fields = Readonly<Record<string, unknown>>;

/** Stands for secrets that are compared and never shown. */
export class SecretDigests {
  readonly digests: readonly string[];

  constructor(digests: readonly string[]) {
    this.digests = digests;
  }
}

export interface LiveObject {
  /** What names the object for good: the id of a channel, else its name. */
  readonly target: string;
  /** What a document calls it that nobody has written yet. */
  readonly key: string;
  /** Of channels. */
  readonly id?: number;
  /** All fields, also those at their defaults. */
  readonly fields: Fields;
  /** False for what everybody has without saying so: an option or a price at its default. */
  readonly isThere: boolean;
}

export interface WantedObject {
  readonly key: string;
  /** Undefined for an object that is to be made and has no name for good yet. */
  readonly target: string | undefined;
  readonly fields: Fields;
  /** Fields that follow from others and are not the document's own. */
  readonly implied?: readonly string[];
  /** Fields that the document names and leaves as they are. */
  readonly kept?: readonly string[];
}

export interface FieldDifference {
  readonly path: string;
  /** Undefined where there is nothing. */
  readonly from: unknown;
  readonly to: unknown;
  /** True where the document does not name the field any more. */
  readonly isReset: boolean;
}

export interface ObjectChange {
  /** `adopt`: nobody owns it, and it differs. */
  readonly action: 'create' | 'adopt' | 'update' | 'delete';
  readonly kind: StateKind;
  readonly key: string;
  readonly target: string | undefined;
  readonly id: number | undefined;
  readonly fields: readonly FieldDifference[];
}

/** Who wrote something last. */
export interface LastWriter {
  readonly name: string;
  /** Unix seconds. */
  readonly at: number;
}

/** What is read before kinds are compared. */
export interface StateReading {
  readonly stores: Stores;
  readonly actor: Actor;
  readonly document: StateDocument;
  /** Options as they are stored at that very moment, not as this node has them in force. */
  readonly options: OptionsView;
  /** Their stored texts; secrets are sealed. */
  readonly texts: ReadonlyMap<OptionKey, string>;
  /** Who wrote an option last. */
  readonly writerOf: (key: OptionKey) => LastWriter | undefined;
  /** What names for good the object that this set calls so; undefined where it owns none. */
  readonly ownedTarget: (kind: StateKind, key: string) => string | undefined;
  /** What the sets call an object that one of them owns. */
  readonly ownedKey: (kind: StateKind, target: string) => string | undefined;
}

/** Changes that were checked, ready to be written. */
export interface Prepared {
  /** Options to store; undefined puts the default in force. */
  readonly options?: ReadonlyMap<OptionKey, string | undefined>;
  /** In the transaction; returns the targets of objects that were made, by key. */
  readonly write?: (stores: Stores, actor: Actor) => Promise<ReadonlyMap<string, string>>;
}

/** One kind of objects at one moment. */
export interface KindView {
  /** By target. */
  readonly live: ReadonlyMap<string, LiveObject>;
  readonly wanted: readonly WantedObject[];
  /** The value of a field that nobody has set; undefined where it has none, and so cannot be reset. */
  defaultOf(target: string | undefined, path: string): unknown;
  /** True where only root may write the field; "" asks about the object as a whole. */
  isRootOnly(target: string | undefined, path: string): boolean;
  /** Undefined where it is looked up in the audit log, or not known. */
  writerOf(target: string, path: string): LastWriter | undefined;
  /** Checks changes by the rules that hold for single ones, and throws as they do. */
  prepare(changes: readonly ObjectChange[]): Prepared | Promise<Prepared>;
}

export interface DeclaredKind {
  readonly kind: StateKind;
  /** `root` where nobody else may see what is live. */
  readonly readers?: 'root';
  /** Reads what is live, and what the document wants of it. Throws what the document cannot say. */
  view(reading: StateReading): Promise<KindView>;
}

/** Whether two values say the same, in whatever order their members stand. */
export function isSame(one: unknown, other: unknown): boolean {
  // Most are single values, and a large document has tens of thousands to compare while nothing else runs.
  if (!isObject(one) && !isObject(other)) return (one ?? null) === (other ?? null);
  return canonicalText(one) === canonicalText(other);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** JSON with sorted members; secrets as their digests. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value ?? null, (_name, member: unknown) => {
    if (member instanceof SecretDigests) return { secret: member.digests };
    return isObject(member) && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  });
}

/** What is remembered of a value: enough to see that somebody has changed it. Of secrets nothing. */
export function digestOf(value: unknown): string {
  if (value instanceof SecretDigests) return '';
  return createHash('sha256').update(canonicalText(value)).digest('hex').slice(0, 16);
}

/** Runs a check of one object; what it refuses is told with its place in the document. */
export function atPlace<T>(place: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof TollgateError)) throw error;
    const field = error.field === undefined ? place : `${place}.${error.field}`;
    throw new TollgateError(error.code, error.params, { field, cause: error });
  }
}

/** The fields of an object after a change. */
export function changedFields(before: Fields, change: ObjectChange): Fields {
  return { ...before, ...Object.fromEntries(change.fields.map(({ path, to }) => [path, to])) };
}
