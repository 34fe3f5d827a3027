/** What a service says of a task beside its state. Source: providers/midjourney.md, read 2026-11. */
import type { JsonObject } from '../../json.ts';

/** The others name the service's accounts and messages, and the address of callbacks. */
const PUBLIC = ['finalPrompt', 'finalZhPrompt'] as const;

/** What its owner may read of them. */
export function publicProperties(properties: JsonObject): JsonObject {
  const shown: JsonObject = {};
  for (const name of PUBLIC) {
    const value = properties[name];
    if (value !== undefined) shown[name] = value;
  }
  return shown;
}

/** All but the address of callbacks: whoever knows it can end the tasks of its channel. */
export function withoutHook({ notifyHook: _, ...properties }: JsonObject): JsonObject {
  return properties;
}
