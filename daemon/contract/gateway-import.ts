/** What `import` takes over from other gateways: names that the command line and the reports of an import share. */
import { channelTypes } from './channel-types.ts';

/** Kinds of objects, in the order in which they are taken over. */
export const importKinds = ['options', 'users', 'balances', 'tokens', 'channels', 'redemptions'] as const;
export type ImportKind = (typeof importKinds)[number];

/** What becomes of an object whose name, key or code is here already. */
export const importClashRules = ['skip', 'rename', 'fail'] as const;
export type ImportClashRule = (typeof importClashRules)[number];

/** Gateways whose databases are understood; `channelTypes` are the numbers that mean the same vendor there and here. */
export const importSources = [
  {
    name: 'one-api',
    label: 'One API',
    channelTypes: [1, 3, 8, 11, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25],
  },
  { name: 'new-api', label: 'New API', channelTypes: upTo(48) },
  { name: 'veloera', label: 'Veloera', channelTypes: upTo(48) },
] as const satisfies readonly { name: string; label: string; channelTypes: readonly number[] }[];

export type ImportSource = (typeof importSources)[number]['name'];

function upTo(last: number): number[] {
  return channelTypes.map(({ type }) => type).filter((type) => type <= last);
}
