/** Local storage of the console (console.md 4.8). Nothing secret is ever stored; what cannot be read is dropped. */

/** The value under a key; undefined when there is none, or when the browser keeps nothing for this page. */
export function readText(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined removes the key. A browser that refuses to store goes on without. */
export function writeText(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Private windows and full storages: the page works for as long as it is open.
  }
}

/** The parsed value; one that is not JSON is removed. */
export function readJson(key: string): unknown {
  const text = readText(key);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    writeText(key, undefined);
    return undefined;
  }
}

export function writeJson(key: string, value: unknown): void {
  writeText(key, value === undefined ? undefined : JSON.stringify(value));
}
