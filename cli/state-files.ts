/** Documents of declared state as files: read from files, folders or standard input, checked, and put together. */
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Document, isAlias, isNode, LineCounter, parseDocument, visit, type YAMLParseError } from 'yaml';
import type * as z from 'zod/mini';
import type { StateFile } from '../daemon/contract/state-document.ts';
import type { CommandContext } from './context.ts';
import { type CliError, notRead, usageError } from './errors.ts';
import { type Bilingual, both } from './language.ts';

/** One file: what it says, and where its references to files begin. */
interface Part {
  readonly path: string;
  readonly document: StateFile;
  /** Whether it may say again, and otherwise, what a file before it has said. */
  readonly isOverlay: boolean;
  readonly lineOf: (place: readonly PropertyKey[]) => number;
}

/** What the files say together. */
interface ReadState {
  readonly file: StateFile;
  /** File, line and name of a place; the file that has the last word about it. */
  readonly whereIs: WhereIs;
}

export type WhereIs = (place: readonly PropertyKey[]) => string;

/** Aliases in one file: more of them blow a small file up. */
const mostAliases = 100;
const endings = ['.yaml', '.yml', '.json'];

/**
 * Reads everything that `-f` names as one document; references to files are relative to where the command runs. Throws
 * exit 3 with place and line for what cannot be taken, and exit 12 for what cannot be read.
 */
export async function readState(context: CommandContext, names: readonly string[]): Promise<ReadState> {
  if (names.length === 0) {
    throw usageError(both('name a file or folder with -f', '请用 -f 指定文件或目录'), { field: '--file' });
  }
  const paths = (await Promise.all(names.map(filesOf))).flat();
  const parts: Part[] = [];
  for (const path of paths) parts.push(await readPart(context, path));
  const file = await merged(parts);
  const whereIs = (place: readonly PropertyKey[]) => {
    const part = parts.findLast(({ document }) => isSaid(document, place)) ?? parts.at(-1);
    const name = place.map(String).join('.');
    return part === undefined ? name : `${part.path}:${part.lineOf(place)}: ${name}`;
  };
  return { file, whereIs };
}

function isSaid(document: unknown, place: readonly PropertyKey[]): boolean {
  const [key, ...rest] = place;
  if (key === undefined) return true;
  if (typeof document !== 'object' || document === null) return false;
  const value = new Map<PropertyKey, unknown>(Object.entries(document)).get(String(key));
  return value !== undefined && isSaid(value, rest);
}

async function filesOf(name: string): Promise<string[]> {
  if (name === '-') return [name];
  const found = await stat(name).catch((cause: unknown) => {
    throw notRead(name, { field: '--file', cause });
  });
  if (!found.isDirectory()) return [name];
  // Hidden ones are what editors keep beside the files, as shells pass them over for *.yaml.
  const files = (await readdir(name))
    .filter((file) => !file.startsWith('.') && endings.some((ending) => file.endsWith(ending)))
    .sort();
  if (files.length > 0) return files.map((file) => join(name, file));
  throw usageError(both(`${name} holds no document`, `${name} 中没有文档`), { field: '--file' });
}

async function readPart(context: CommandContext, path: string): Promise<Part> {
  const text = await context.value(path === '-' ? '-' : `@${path}`, '--file');
  const lines = new LineCounter();
  // Names are read as they are written: unquoted, 007 would come to 7 and 1e3 to 1000.
  const parsed = parseDocument(text, { lineCounter: lines, uniqueKeys: true, strict: true, stringKeys: true });
  const [problem] = parsed.errors;
  if (problem) {
    const { line } = lines.linePos(problem.pos[0]);
    const { en, zh } = parserReason(problem);
    throw usageError(both(`${path}:${line}: ${en}`, `${path}:${line}：${zh}`), { field: '--file' });
  }
  const lineOf = (place: readonly PropertyKey[]) => lineIn(parsed, lines, place);
  refuseTags(parsed, { path, lines });
  refuseStrayAliases(parsed, { path, lines });
  const { overlay, document } = plainOf(parsed, { path, lineOf });
  await refuseLostNames(document, { path, lineOf });
  const { StateFile } = await import('../daemon/contract/state-document.ts');
  const checked = StateFile.safeParse(document);
  if (!checked.success) throw await placed({ path, lineOf }, checked.error.issues[0], document);
  await checkOptions(checked.data, { path, lineOf });
  const secrets = await secretOptions();
  return { path, document: inside(checked.data, { path, lineOf, secrets }), isOverlay: overlay, lineOf };
}

/** What the parser says, without the place, which is said before it, and without words for programmers. */
function parserReason({ code, message }: YAMLParseError): Bilingual {
  if (code === 'MULTIPLE_DOCS') {
    return both(
      'a second document begins here (---); write one document a file',
      '此处开始了第二个文档（---）；每个文件只能有一个文档',
    );
  }
  const reason = (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:$/, '');
  return both(reason, reason);
}

/** Throws exit 3 for a tag that is none of YAML's own: the parser would leave it out, and take `!env NAME` for a text. */
function refuseTags({ warnings }: Document, { path, lines }: { path: string; lines: LineCounter }): void {
  const unknown = warnings.find(({ code }) => code === 'TAG_RESOLVE_FAILED');
  if (unknown === undefined) return;
  const where = `${path}:${lines.linePos(unknown.pos[0]).line}`;
  throw usageError(both(`${where}: tags (!name) are not taken`, `${where}：不支持标签（!名称）`), {
    field: '--file',
    hint: both('write references as text: env:NAME, file:PATH', '引用须写作文本：env:名称、file:路径'),
  });
}

/** Throws exit 3 for an alias of an anchor that does not stand before it. */
function refuseStrayAliases(parsed: Document, { path, lines }: { path: string; lines: LineCounter }): void {
  const anchors = new Set<string>();
  visit(parsed, (_key, node) => {
    if (isAlias(node) && !anchors.has(node.source)) {
      const where = `${path}:${lines.linePos(node.range?.[0] ?? 0).line}`;
      const text = both(
        `${where}: no &${node.source} stands before *${node.source}`,
        `${where}：*${node.source} 之前没有 &${node.source}`,
      );
      throw usageError(text, { field: '--file' });
    }
    if (isNode(node) && 'anchor' in node && typeof node.anchor === 'string') anchors.add(node.anchor);
  });
}

/** Throws exit 3 for an overlay that is neither true nor false: for a text, the file would count as none. */
function plainOf(
  parsed: Document,
  { path, lineOf }: Pick<Part, 'path' | 'lineOf'>,
): { overlay: boolean; document: unknown } {
  let value: unknown;
  try {
    value = parsed.toJS({ maxAliasCount: mostAliases });
  } catch (cause) {
    throw usageError(both(`${path}: too many aliases`, `${path}：别名过多`), { field: '--file', cause });
  }
  if (typeof value !== 'object' || value === null || !('overlay' in value)) return { overlay: false, document: value };
  const { overlay, ...document } = value;
  if (typeof overlay === 'boolean') return { overlay, document };
  const where = `${path}:${lineOf(['overlay'])}`;
  throw usageError(both(`${where}: overlay must be true or false`, `${where}：overlay 必须为 true 或 false`), {
    field: '--file',
    hint: both('tollgate help state', 'tollgate help state'),
  });
}

/** Throws exit 3 for a member that the schema would leave out in silence. */
async function refuseLostNames(document: unknown, { path, lineOf }: Pick<Part, 'path' | 'lineOf'>): Promise<void> {
  const { lostNameReason, placeOfLostName } = await import('../daemon/contract/lost-names.ts');
  const place = placeOfLostName(document);
  if (place === undefined) return;
  const { chineseReason } = await import('../daemon/contract/option-reasons.ts');
  const holder = place.slice(0, -1).join('.') || 'document';
  const where = `${path}:${lineOf(place)}`;
  const text = both(`${where}: ${holder} ${lostNameReason}`, `${where}：${holder} ${chineseReason(lostNameReason)}`);
  throw usageError(text, { field: '--file' });
}

/** The failure of a schema with file, line and place. */
async function placed(
  { path, lineOf }: Pick<Part, 'path' | 'lineOf'>,
  outer: z.core.$ZodIssue | undefined,
  document: unknown,
): Promise<CliError> {
  const { innermost, schemaFault } = await import('./state-fault.ts');
  const issue = innermost(outer);
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const place = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])];
  const where = `${path}:${lineOf(place)}`;
  const name = place.map(String).join('.') || 'document';
  if (unknown !== undefined) {
    const { stateFieldsAt } = await import('../daemon/contract/state-document.ts');
    const meant = await meantBy(unknown, stateFieldsAt(issue?.path ?? []));
    return usageError(both(`${where}: there is no field ${name}${meant.en}`, `${where}：没有字段 ${name}${meant.zh}`), {
      field: '--file',
      hint: both('tollgate help state', 'tollgate help state'),
    });
  }
  const { en, zh } = schemaFault(issue, document);
  return usageError(both(`${where}: ${name} ${en}`, `${where}：${name} ${zh}`), {
    field: '--file',
    hint: both('tollgate help state', 'tollgate help state'),
  });
}

/** What is said of a name that is probably another one misspelt; nothing where none is close. */
async function meantBy(unknown: string, known: readonly string[]): Promise<Bilingual> {
  const { nearest } = await import('../daemon/contract/nearest.ts');
  const meant = nearest(unknown, known);
  return meant === undefined ? both('', '') : both(`; did you mean ${meant}?`, `，是否指 ${meant}？`);
}

/** Throws exit 3, as the server would refuse it, but with file and line, for an option that nobody can declare so. */
async function checkOptions(
  { options = {} }: StateFile,
  { path, lineOf }: Pick<Part, 'path' | 'lineOf'>,
): Promise<void> {
  const { optionFault } = await import('../daemon/contract/state-options.ts');
  const { formatError } = await import('../daemon/contract/error-codes.ts');
  for (const [key, value] of Object.entries(options)) {
    const fault = optionFault(key, value);
    if (fault === undefined) continue;
    const where = `${path}:${lineOf(['options', key])}`;
    const isUnknown = fault.code === 'state_option_unknown';
    const meant = isUnknown
      ? await meantBy(key, (await import('../daemon/contract/options.ts')).optionKeys)
      : both('', '');
    const said = (language: 'en' | 'zh') => `${formatError(fault.code, fault.params, language)}${meant[language]}`;
    throw usageError(both(`${where}: ${said('en')}`, `${where}：${said('zh')}`), {
      field: '--file',
      ...(isUnknown && { hint: both('tollgate option list', 'tollgate option list') }),
    });
  }
}

/** The line of a place; of what it stands in where it is not there. */
function lineIn(parsed: Document, lines: LineCounter, place: readonly PropertyKey[]): number {
  for (let length = place.length; length > 0; length -= 1) {
    const node = parsed.getIn(place.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

/** References to files, which stand beside the document or below it, seen from where the command runs. */
function inside(
  document: StateFile,
  { path, lineOf, secrets }: Pick<Part, 'path' | 'lineOf'> & { readonly secrets: ReadonlySet<string> },
): StateFile {
  const folder = path === '-' ? '.' : dirname(path);
  const move = (reference: string, place: readonly PropertyKey[]): string => {
    if (!reference.startsWith('file:')) return reference;
    const target = resolve(folder, reference.slice('file:'.length));
    if (target.startsWith(`${resolve(folder)}${sep}`)) return `file:${relative('.', target)}`;
    const where = `${path}:${lineOf(place)}`;
    throw usageError(
      both(`${where}: ${reference} is outside the folder of the document`, `${where}：${reference} 不在文档所在目录内`),
      { field: '--file' },
    );
  };
  return mapReferences(document, secrets, move);
}

/** Keys of options whose values are references. */
async function secretOptions(): Promise<ReadonlySet<string>> {
  const { optionKeys, optionTable } = await import('../daemon/contract/options.ts');
  return new Set(optionKeys.filter((key) => optionTable[key].secret));
}

/** The document with every text that may be a reference to a secret put through `change`. */
function mapReferences(
  document: StateFile,
  secrets: ReadonlySet<string>,
  change: (reference: string, place: readonly PropertyKey[]) => string,
): StateFile {
  const { options, channels, alerts } = document;
  return {
    ...document,
    ...(options && {
      options: mapEntries(options, (value, key) =>
        typeof value === 'string' && secrets.has(key) ? change(value, ['options', key]) : value,
      ),
    }),
    ...(channels && {
      channels: mapEntries(channels, ({ keys, ...channel }, key) => ({
        ...channel,
        ...(Array.isArray(keys) && { keys: keys.map((one, index) => change(one, ['channels', key, 'keys', index])) }),
        ...(typeof keys === 'string' && { keys }),
      })),
    }),
    ...(alerts?.targets && {
      alerts: {
        ...alerts,
        targets: mapEntries(alerts.targets, (target, id) => {
          const place = ['alerts', 'targets', id];
          return {
            ...target,
            ...(target.secret && { secret: change(target.secret, [...place, 'secret']) }),
            ...(target.secret_address && {
              secret_address: change(target.secret_address, [...place, 'secret_address']),
            }),
          };
        }),
      },
    }),
  };
}

function mapEntries<T, R>(record: Readonly<Record<string, T>>, map: (value: T, key: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** One document of several files. Throws exit 3 for what two of them say, unless the later one is an overlay. */
async function merged(parts: readonly Part[]): Promise<StateFile> {
  const [first, ...others] = parts;
  if (!first) throw usageError(both('there is no document', '没有文档'), { field: '--file' });
  const origins = new Map<string, Part>();
  let whole: Tree = {};
  for (const part of [first, ...others]) {
    if (part.document.set !== first.document.set) {
      const sets = `${first.document.set}, ${part.document.set}`;
      throw usageError(both(`the files name several sets: ${sets}`, `文件属于不同的集合：${sets}`), {
        field: '--file',
      });
    }
    const tree = asTree(part);
    for (const place of objectsOf(tree)) claim(place, part, origins);
    whole = deepMerge(whole, tree);
  }
  const { rate_rules: rules, ...rest } = whole;
  const { StateFile } = await import('../daemon/contract/state-document.ts');
  return StateFile.parse({ ...rest, ...(isTree(rules) && { rate_rules: Object.values(rules) }) });
}

type Tree = Readonly<Record<string, unknown>>;

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Rules by whom and which model they are for, so that they merge as everything else does. Throws exit 3 for two of one. */
function asTree({ document: { rate_rules: rules, ...document }, path, lineOf }: Part): Tree {
  if (!rules) return document;
  const places = new Map<string, string>();
  for (const [index, { who, model }] of rules.entries()) {
    const [key, place] = [`${who} ${model}`, `${path}:${lineOf(['rate_rules', index])}`];
    const before = places.get(key);
    if (before !== undefined) throw declaredTwice(`rate_rules.${key}`, [before, place]);
    places.set(key, place);
  }
  return { ...document, rate_rules: Object.fromEntries(rules.map((rule) => [`${rule.who} ${rule.model}`, rule])) };
}

/** The places of the objects of a document. */
function objectsOf({ alerts, ...sections }: Tree): string[][] {
  const within = (name: string, section: unknown) =>
    isTree(section) ? Object.keys(section).map((key) => [name, key]) : [];
  const plain = Object.entries(sections).flatMap(([name, section]) => within(name, section));
  const inAlerts = isTree(alerts) ? Object.entries(alerts).flatMap(([name, section]) => within(name, section)) : [];
  return [...plain, ...inAlerts.map((place) => ['alerts', ...place])];
}

function claim(place: readonly string[], part: Part, origins: Map<string, Part>): void {
  const name = place.join('.');
  const before = origins.get(name);
  if (before && !part.isOverlay) {
    const places = [before, part].map(({ path, lineOf }) => `${path}:${lineOf(place)}`);
    throw declaredTwice(
      name,
      places,
      both('write overlay: true into the later file to change it', '若要覆盖，请在后一个文件中写 overlay: true'),
    );
  }
  origins.set(name, part);
}

function declaredTwice(name: string, places: readonly string[], hint?: Bilingual) {
  const text = both(`${name} is declared twice: ${places.join(', ')}`, `${name} 声明了两次：${places.join('、')}`);
  return usageError(text, { field: '--file', ...(hint === undefined ? {} : { hint }) });
}

function deepMerge(below: Tree, above: Tree): Tree {
  const next: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const before = next[key];
    next[key] = isTree(before) && isTree(value) ? deepMerge(before, value) : value;
  }
  return next;
}
