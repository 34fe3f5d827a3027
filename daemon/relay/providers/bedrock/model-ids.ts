/** Claude's names on Amazon Bedrock: the host's own ids, and the prefix of the regions that share the work. */

/** Names without a date, and the dated one that they mean here. Source: providers/bedrock.md, read 2026-11. */
const dated: Readonly<Record<string, string>> = {
  'claude-3-5-sonnet-latest': 'claude-3-5-sonnet-20241022',
  'claude-3-5-haiku-latest': 'claude-3-5-haiku-20241022',
  'claude-sonnet-4-0': 'claude-sonnet-4-20250514',
  'claude-opus-4-0': 'claude-opus-4-20250514',
  'claude-opus-4-1': 'claude-opus-4-1-20250805',
  'claude-sonnet-4-5': 'claude-sonnet-4-5-20250929',
  'claude-haiku-4-5': 'claude-haiku-4-5-20251001',
  'claude-opus-4-5': 'claude-opus-4-5-20251101',
};

/** Which prefix serves a model by continent; a continent left out takes the bare id. */
interface Profile {
  readonly models: RegExp;
  readonly us?: 'us';
  readonly eu?: 'eu' | 'global';
  readonly ap?: 'apac' | 'near' | 'global';
}

const profiles: readonly Profile[] = [
  { models: /^claude-(3-sonnet|3-haiku|3-5-sonnet-20240620|3-7-sonnet|sonnet-4-2)/, us: 'us', eu: 'eu', ap: 'apac' },
  { models: /^claude-3-5-sonnet-20241022/, us: 'us', ap: 'apac' },
  { models: /^claude-(3-opus|3-5-haiku|opus-4-2|opus-4-1)/, us: 'us' },
  { models: /^claude-(sonnet|haiku|opus)-4-[5-8]|^claude-opus-5$/, us: 'us', eu: 'eu', ap: 'near' },
  { models: /^claude-opus-5-5/, us: 'us', eu: 'global', ap: 'near' },
  { models: /^claude-(sonnet|haiku|fable)-5/, us: 'us', eu: 'global', ap: 'global' },
];

const isWhole = /^arn:|^[a-z-]+\./;

/** The id for the path; a name that is none of Claude's, or a whole id already, stays as it is. */
export function bedrockModelId(model: string, region: string): string {
  const name = dated[model] ?? model;
  if (isWhole.test(name) || !name.startsWith('claude-')) return name;
  const prefix = prefixOf(name, region);
  return `${prefix === undefined ? '' : `${prefix}.`}anthropic.${name}${versionOf(name)}`;
}

function versionOf(name: string): string {
  if (/-\d{8}$/.test(name)) return name === 'claude-3-5-sonnet-20241022' ? '-v2:0' : '-v1:0';
  return name === 'claude-opus-4-6' ? '-v1' : '';
}

function prefixOf(name: string, region: string): string | undefined {
  const profile = profiles.find(({ models }) => models.test(name));
  if (region.startsWith('us-gov-')) return profile?.us === undefined ? undefined : 'us-gov';
  if (/^(us|ca|sa)-/.test(region)) return profile?.us;
  if (region.startsWith('eu-')) return profile?.eu;
  if (!region.startsWith('ap-')) return undefined;
  return profile?.ap === 'near' ? nearest(name, region) : profile?.ap;
}

function nearest(name: string, region: string): string {
  if (/^ap-northeast-[13]$/.test(region)) return 'jp';
  return /^ap-southeast-[24]$/.test(region) && name !== 'claude-opus-5-5' ? 'au' : 'global';
}
