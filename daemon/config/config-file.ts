/** The YAML file: parsed, and compared with the tree of keys. */
import { type Document, LineCounter, parseDocument } from 'yaml';
import { nearest } from '../contract/nearest.ts';
import { isKey, placedKeys } from './key-table.ts';
import { configKeys } from './schema.ts';

/** Something that stops the start. */
export interface ConfigProblem {
  /** Path of the key, or of the file. */
  readonly path: string;
  /** English, without the value when that may be a secret. */
  readonly message: string;
  /** Where the value came from, or could come from. */
  readonly environment: string | undefined;
}

export interface FileReading {
  /** Raw values by path, of known keys only. */
  readonly values: Map<string, unknown>;
  readonly problems: ConfigProblem[];
}

/** Reads the text of a configuration file; `path` names it in problems. An empty section or file is no problem. */
export function readConfigFile(text: string, path: string): FileReading {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const values = new Map<string, unknown>();
  const problems: ConfigProblem[] = document.errors.map((error) => {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    const reason = error.code === 'MULTIPLE_DOCS' ? 'the file must hold one document, not several' : error.message;
    return { path, message: `line ${line}, column ${col}: ${reason}`, environment: undefined };
  });
  if (problems.length > 0) return { values, problems };
  const { tree, problem } = treeOf(document);
  if (problem !== undefined) problems.push({ path, message: problem, environment: undefined });
  if (tree !== null && tree !== undefined)
    walk({ tree, section: configKeys, prefix: '', file: path }, values, problems);
  return { values, problems };
}

/** What stands behind an asterisk is looked for only now: `listen: *:3000` names an anchor. */
function treeOf(document: Document): { readonly tree?: unknown; readonly problem?: string } {
  try {
    return { tree: document.toJS() };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { problem: `${error.message}; a text that begins with * needs quotes` };
  }
}

interface Place {
  readonly tree: unknown;
  readonly section: object;
  /** Path of the section with a dot at its end; empty for the whole file. */
  readonly prefix: string;
  readonly file: string;
}

function walk(place: Place, values: Map<string, unknown>, problems: ConfigProblem[]): void {
  const { tree, section, prefix, file } = place;
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) {
    const path = prefix === '' ? file : prefix.slice(0, -1);
    problems.push({
      path,
      message: `expected a section with ${Object.keys(section).join(', ')}`,
      environment: undefined,
    });
    return;
  }
  for (const [name, value] of Object.entries(tree)) {
    const path = prefix + name;
    const node: unknown = Object.hasOwn(section, name) ? Reflect.get(section, name) : undefined;
    if (typeof node !== 'object' || node === null) {
      problems.push({ path, message: unknownKey(path, Object.keys(section)), environment: undefined });
    } else if (isKey(node)) {
      // `key:` with nothing behind it leaves the default.
      if (value !== null) values.set(path, value);
    } else if (value !== null) {
      walk({ tree: value, section: node, prefix: `${path}.`, file }, values, problems);
    }
  }
}

function unknownKey(path: string, siblings: readonly string[]): string {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const sibling = nearest(name, siblings);
  if (sibling !== undefined) return `is not a key of the configuration; did you mean ${sibling}?`;
  const elsewhere = placedKeys().find((placed) => placed.path.endsWith(`.${name}`));
  if (elsewhere) return `is not a key of the configuration; did you mean ${elsewhere.path}?`;
  return `is not a key of the configuration; expected one of ${siblings.join(', ')}`;
}
