/** Patterns that prompts may not match (relay.md 17.6), in linear time: lines that begin with `regex:`. */
import { RE2JS } from 're2js';
import { normalPieces, PIECE_UNITS } from './normal-pieces.ts';
import { seenOf } from './seen-text.ts';

export class SensitivePatterns {
  /** Those that are valid. */
  readonly lines: readonly string[];
  readonly #patterns: readonly RE2JS[];

  constructor(lines: readonly string[]) {
    const valid = lines.flatMap((line) => compiled(line));
    this.lines = valid.map(({ line }) => line);
    this.#patterns = valid.map(({ pattern }) => pattern);
  }

  /** The line of a pattern that one of the texts matches, as it is read or as it is written: one may look for what nobody sees. */
  find(texts: readonly string[]): string | undefined {
    for (const text of texts) {
      const pieces = [...normalPieces(text, PIECE_UNITS)].map(seenOf);
      const forms = new Set([pieces.map(({ read }) => read).join(''), pieces.map(({ written }) => written).join('')]);
      for (const form of forms) {
        const at = this.#patterns.findIndex((pattern) => pattern.matcher(form).find());
        if (at !== -1) return this.lines[at];
      }
    }
    return undefined;
  }
}

/** The pattern of a `regex:` line; undefined for a plain word. */
export function sensitivePattern(line: string): string | undefined {
  return line.startsWith('regex:') ? line.slice('regex:'.length) : undefined;
}

function compiled(line: string): { line: string; pattern: RE2JS }[] {
  try {
    return [{ line, pattern: RE2JS.compile(sensitivePattern(line) ?? '', RE2JS.CASE_INSENSITIVE) }];
  } catch {
    return [];
  }
}
