/** What `import` takes over from other gateways: names that the command line and the reports of an import share. */
import { channelTypes } from './channel-types.ts';

/** Kinds of objects, in the order in which they are taken over. */
export const importKinds = ['options', 'users', 'balances', 'tokens', 'channels', 'redemptions'] as const;
export type ImportKind = (typeof importKinds)[number];

/** What becomes of an object whose name, key or code is here already. */
export const importClashRules = ['skip', 'rename', 'fail'] as const;
export type ImportClashRule = (typeof importClashRules)[number];

/** What becomes of administrators: `users` takes everybody in as a user. */
export const importRoleRules = ['keep', 'users'] as const;
export type ImportRoleRule = (typeof importRoleRules)[number];

/**
 * Numbers of One API that this program gives to other vendors, or other numbers to the same vendors; of those whose key
 * is one word, as it is here. Source: https://pkg.go.dev/github.com/cubeofcube-dev/one-api/relay/channeltype (MIT) and
 * https://github.com/songquanpeng/one-api/issues/2382, read 2026-11.
 */
const oneApiTypes: readonly (readonly [there: number, here: number])[] = [
  ...same([1, 3, 11, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]),
  // Custom: an address to which paths of OpenAI are added (one-api#1824), where here it is all of the address.
  [8, 1],
  [27, 35], // MiniMax
  [28, 42], // Mistral
  [29, 106], // Groq
  [30, 4], // Ollama
  [31, 31], // 01.AI
  [35, 34], // Cohere
  [36, 43], // DeepSeek
  [39, 110], // Together
  [40, 45], // Doubao, which is VolcEngine's
  [44, 40], // SiliconFlow
  [45, 48], // xAI
  [46, 109], // Replicate
];

/** Gateways whose databases are understood; `channelTypes` leads from the number of a vendor there to the one here. */
export const importSources = [
  { name: 'one-api', label: 'One API', channelTypes: new Map(oneApiTypes) },
  { name: 'new-api', label: 'New API', channelTypes: new Map(same(upTo(48))) },
  { name: 'veloera', label: 'Veloera', channelTypes: new Map(same(upTo(48))) },
] as const satisfies readonly { name: string; label: string; channelTypes: ReadonlyMap<number, number> }[];

export type ImportSource = (typeof importSources)[number]['name'];

function upTo(last: number): number[] {
  return channelTypes.map(({ type }) => type).filter((type) => type <= last);
}

function same(types: readonly number[]): [there: number, here: number][] {
  return types.map((type) => [type, type]);
}
