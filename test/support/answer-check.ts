/** Compares what handlers return with the declared output: nothing may be missing, nothing undeclared may come along. */
import * as z from 'zod/mini';
import type { Endpoint } from '../../daemon/contract/endpoint.ts';

/** Throws when an answer is not what the contract says; a handler's mistake then shows as a 500. */
export function checkAnswer(endpoint: Endpoint, value: unknown): void {
  const { shape, output } = endpoint;
  if (shape === 'file' || shape === 'text' || shape === 'events' || !output) return;
  const rows = shape === 'page' || shape === 'list' ? itemsOf(value) : [value];
  for (const row of rows) {
    const parsed = z.safeParse(output, row);
    if (!parsed.success) {
      throw new Error(`${endpoint.method} ${endpoint.path} answers ${z.prettifyError(parsed.error)}`);
    }
    const extra = undeclared(output, row);
    if (extra.length > 0) throw new Error(`${endpoint.method} ${endpoint.path} answers undeclared ${extra.join(', ')}`);
  }
}

function itemsOf(value: unknown): readonly unknown[] {
  const items = typeof value === 'object' && value !== null ? Reflect.get(value, 'items') : undefined;
  if (!Array.isArray(items)) throw new Error('a list answer has no items');
  return items;
}

function undeclared(schema: z.ZodMiniType, value: unknown): string[] {
  if (!(schema instanceof z.ZodMiniObject) || typeof value !== 'object' || value === null) return [];
  if (schema._zod.def.catchall) return [];
  const known = Object.keys(schema._zod.def.shape);
  return Object.keys(value).filter((name) => !known.includes(name));
}
