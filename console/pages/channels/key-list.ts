/** The keys of a channel as they are typed or pasted: one text, or several rows. */

export interface KeyRow {
  readonly text: string;
  /** The same key stands further up. */
  readonly isRepeated: boolean;
  /** Has another number of parts than keys of this type have. */
  readonly isOdd: boolean;
}

export interface KeyRules {
  /** The key is one JSON text, or a list of them. */
  readonly isJson: boolean;
  /** Parts between bars that a key may have; undefined: any. */
  readonly parts?: readonly number[] | undefined;
}

/** True for what a multi-key view must show: a key never holds a comma or a line break, unless it is JSON. */
export function holdsSeveralKeys(text: string, { isJson }: KeyRules): boolean {
  return !isJson && /[,，\r\n]/.test(text.trim());
}

/** The keys of a text in their order, with what is wrong about each; empty ones are left out. */
export function keyRows(text: string, rules: KeyRules): KeyRow[] {
  const seen = new Set<string>();
  return textsOf(text, rules).map((key) => {
    const isRepeated = seen.has(key);
    seen.add(key);
    return { text: key, isRepeated, isOdd: isOdd(key, rules) };
  });
}

function isOdd(key: string, { isJson, parts }: KeyRules): boolean {
  if (isJson) return !isJsonObject(key);
  return parts !== undefined && !parts.includes(key.split('|').length);
}

function textsOf(text: string, { isJson }: KeyRules): string[] {
  const parts = isJson ? jsonTexts(text) : text.split(/[,，\r\n]/);
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** A JSON list is several keys; anything else is one as it stands. */
function jsonTexts(text: string): string[] {
  if (!text.trim().startsWith('[')) return [text];
  const list = parse(text);
  return Array.isArray(list) ? list.map((entry) => JSON.stringify(entry)) : [text];
}

function isJsonObject(text: string): boolean {
  const value = parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Several texts with keys as one that can be edited: a key a line, or JSON. */
export function joinKeyTexts(texts: readonly string[], rules: KeyRules): string {
  return keyText(
    texts.flatMap((text) => textsOf(text, rules)),
    rules,
    '\n',
  );
}

function keyText(keys: readonly string[], { isJson }: KeyRules, separator: string): string {
  if (!isJson) return keys.join(separator);
  return keys.length > 1 ? `[${keys.join(',')}]` : (keys[0] ?? '');
}

/** The text that is sent: without repeats, joined by commas, or as JSON. */
export function wireKeys(text: string, rules: KeyRules): string {
  const keys = keyRows(text, rules)
    .filter(({ isRepeated }) => !isRepeated)
    .map((row) => row.text);
  return keyText(keys, rules, ',');
}

/** Enough of a key to tell it from its neighbours; short ones show nothing. */
export function keyTail(text: string): string {
  return text.length >= 12 ? text.slice(-4) : '';
}
