/** The tree of keys as a list. */
import type { ConfigKey } from './key.ts';
import { configKeys } from './schema.ts';

/** A key with its place in the file: `relay.connect_timeout_seconds`. */
export interface PlacedKey {
  readonly path: string;
  readonly key: ConfigKey<unknown>;
}

/** True for a key, false for a section that holds keys. */
export function isKey(node: object): node is ConfigKey<unknown> {
  return 'parse' in node && typeof node.parse === 'function';
}

/** Every key, in the order of the schema. */
export function placedKeys(): PlacedKey[] {
  return keysBelow(configKeys, '');
}

function keysBelow(section: object, prefix: string): PlacedKey[] {
  return Object.entries(section).flatMap(([name, node]: [string, object]) => {
    const path = prefix + name;
    return isKey(node) ? [{ path, key: node }] : keysBelow(node, `${path}.`);
  });
}
