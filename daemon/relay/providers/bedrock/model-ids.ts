/** Models' names on Amazon Bedrock: the host's own ids, and the prefix of the regions that share the work. */
import { entryOf } from '../../formats/fields.ts';

/** Names without a date, and the dated one that they mean here. Source: providers/bedrock.md, read 2026-11. */
const dated: Readonly<Record<string, string>> = {
  'claude-3-5-sonnet-latest': 'claude-3-5-sonnet-20241022',
  'claude-3-5-haiku-latest': 'claude-3-5-haiku-20241022',
  'claude-3-7-sonnet-latest': 'claude-3-7-sonnet-20250219',
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

/** Ids that follow no rule; the names of others' models are those by which their vendors sell them. */
const fixed: Readonly<Record<string, string>> = {
  'amazon-titan-embed-text': 'amazon.titan-embed-text-v1',
  'titan-embed-text-v2': 'amazon.titan-embed-text-v2:0',
  'titan-image-generator-v1': 'amazon.titan-image-generator-v1',
  'titan-image-generator-v2': 'amazon.titan-image-generator-v2:0',
  'nova-canvas': 'amazon.nova-canvas-v1:0',
  'embed-english-v3.0': 'cohere.embed-english-v3',
  'embed-multilingual-v3.0': 'cohere.embed-multilingual-v3',
  'embed-v4.0': 'cohere.embed-v4:0',
  'rerank-v3.5': 'cohere.rerank-v3-5:0',
  'claude-instant-1.2': 'anthropic.claude-instant-v1',
  'claude-2.0': 'anthropic.claude-v2',
  'claude-2.1': 'anthropic.claude-v2:1',
};

/** Short names of other vendors' models, with the prefixes under which they are shared. */
interface Shared {
  readonly id: string;
  readonly us: 'us';
  readonly eu?: 'eu';
  readonly ap?: 'apac';
}

const shared: Readonly<Record<string, Shared>> = {
  'nova-premier': { id: 'amazon.nova-premier-v1:0', us: 'us' },
  'nova-pro': { id: 'amazon.nova-pro-v1:0', us: 'us', eu: 'eu', ap: 'apac' },
  'nova-lite': { id: 'amazon.nova-lite-v1:0', us: 'us', eu: 'eu', ap: 'apac' },
  'nova-micro': { id: 'amazon.nova-micro-v1:0', us: 'us', eu: 'eu', ap: 'apac' },
  'nova-2-lite': { id: 'amazon.nova-2-lite-v1:0', us: 'us', eu: 'eu' },
  'deepseek-r1': { id: 'deepseek.r1-v1:0', us: 'us' },
  'llama4-maverick-17b-instruct': { id: 'meta.llama4-maverick-17b-instruct-v1:0', us: 'us' },
  'llama4-scout-17b-instruct': { id: 'meta.llama4-scout-17b-instruct-v1:0', us: 'us' },
  'llama3-3-70b-instruct': { id: 'meta.llama3-3-70b-instruct-v1:0', us: 'us' },
};

/** Models that change images, which only a profile of several regions serves; there is one, whatever is forced. */
const imageServices = /^stability\.stable-(?!image-(?:core|ultra))/;

const profilePrefix = /^(?:global|us|us-gov|eu|apac|jp|au|ca)\./;

const isWhole = /^arn:|^[a-z-]+\./;

/**
 * The id for the path; a name that is in no table, or a whole id already, stays as it is.
 * @param forced the prefix that the operator wants, whatever the region
 */
export function bedrockModelId(model: string, region: string, forced?: string): string {
  const other = entryOf(shared, model);
  if (other !== undefined) return withPrefix(other.id, forced ?? sharedPrefix(other, region));
  const name = entryOf(dated, model) ?? model;
  const irregular = entryOf(fixed, name);
  if (irregular !== undefined) return irregular;
  if (/^openai\.gpt-[5-9]/.test(name)) return `global.${name}`;
  if (imageServices.test(name)) return `us.${name}`;
  if (isWhole.test(name) || !name.startsWith('claude-')) return name;
  return withPrefix(`anthropic.${name}${versionOf(name)}`, forced ?? prefixOf(name, region));
}

/** The id of the model itself, whatever regions share its work: tokens are counted by it. */
export function foundationModelId(model: string): string {
  const id = bedrockModelId(model, '');
  return id.startsWith('arn:') ? id : id.replace(profilePrefix, '');
}

/** True for a model's own id, which names no regions that share its work. */
export function isBareId(id: string): boolean {
  return !id.startsWith('arn:') && !profilePrefix.test(id);
}

/** The prefix under which a continent's regions share work; undefined where none do. */
export function continentOf(region: string): string | undefined {
  if (region.startsWith('us-gov-')) return 'us-gov';
  if (/^(us|ca|sa)-/.test(region)) return 'us';
  return region.startsWith('eu-') ? 'eu' : region.startsWith('ap-') ? 'apac' : undefined;
}

/** Mantle knows neither versions nor regions. */
export function mantleModelId(model: string): string {
  return isWhole.test(model) ? model : `anthropic.${model}`;
}

/** The name under which a listed model is asked for: Claude's own, so that the region's prefix is added. */
export function publicName(id: string): string {
  const name = /^anthropic\.(claude-.*?)(?:-v\d+(?::\d+)?)?$/.exec(id)?.[1];
  return name !== undefined && bedrockModelId(name, '').endsWith(id) ? name : id;
}

function withPrefix(id: string, prefix: string | undefined): string {
  return prefix === undefined ? id : `${prefix}.${id}`;
}

function sharedPrefix(model: Shared, region: string): string | undefined {
  if (region.startsWith('us-gov-')) return 'us-gov';
  if (region.startsWith('ca-') && model.id.startsWith('amazon.nova-')) return 'ca';
  if (/^(us|ca|sa)-/.test(region)) return model.us;
  return region.startsWith('eu-') ? model.eu : region.startsWith('ap-') ? model.ap : undefined;
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
