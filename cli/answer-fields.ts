/** Fields of what the server answers to a call by method and path, where the contract names them. */
import * as z from 'zod/mini';
import type { Endpoint } from '../daemon/contract/endpoint.ts';
import { contract } from '../daemon/contract/index.ts';
import { endpointsOf } from '../daemon/contract/openapi.ts';

/** @returns members of `data`, or of a row of it; undefined where only the answer can tell */
export function answerFields(method: string, path: string): readonly string[] | undefined {
  const endpoint = endpointAt(method, path);
  if (endpoint === undefined) return undefined;
  const { shape, output } = endpoint;
  if (shape !== 'data' && shape !== 'list') return undefined;
  if (output === undefined) return [];
  return membersOf(output instanceof z.ZodMiniArray ? output._zod.def.element : output);
}

/** Members of a row of a list that comes in pages; undefined where only the answer can tell. */
export function pagedFields({ output }: Endpoint): readonly string[] | undefined {
  return membersOf(output);
}

function membersOf(schema: unknown): readonly string[] | undefined {
  return schema instanceof z.ZodMiniObject ? Object.keys(schema._zod.def.shape) : undefined;
}

/** What the contract says of a call; undefined where it says nothing. */
export function endpointAt(method: string, path: string): Endpoint | undefined {
  return endpointsOf(contract).find(({ endpoint }) => endpoint.method === method && fits(endpoint, path))?.endpoint;
}

/** Whether a path with its query is one of an endpoint; what stands first in the contract is what the server takes. */
function fits({ path }: Endpoint, wanted: string): boolean {
  const words = (wanted.split('?')[0] ?? '').split('/');
  const parts = path.split('/');
  return (
    parts.length === words.length &&
    parts.every((part, place) => {
      const word = words[place] ?? '';
      if (part === ':id') return /^[1-9]\d{0,15}$/.test(word);
      return part.startsWith(':') ? word !== '' : part === word;
    })
  );
}
