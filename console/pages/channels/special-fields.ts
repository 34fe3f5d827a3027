/**
 * What the channel editor does otherwise for each type: addresses, the field `other`, the form of keys, and where the
 * type stands in the select. Names and labels of the types are the contract's.
 */

export const typeGroups = ['international', 'china', 'selfHosted', 'tasks', 'gateways'] as const;
export type TypeGroup = (typeof typeGroups)[number];

/** The field `other`, where the type has a use for it; `label` is also the key of its text. */
export interface OtherField {
  readonly label:
    | 'apiVersion'
    | 'version'
    | 'knowledgeBase'
    | 'accountId'
    | 'region'
    | 'appKind'
    | 'endUser'
    | 'payer'
    | 'plugin'
    | 'application';
  readonly isRequired?: boolean;
  readonly placeholder?: string;
  /** Text, or JSON where it starts with a brace. */
  readonly template?: string;
  readonly choices?: readonly string[];
}

export interface SpecialFields {
  readonly group: TypeGroup;
  /** Further words by which the select finds the type. */
  readonly aliases?: readonly string[];
  /** Shown where no address is entered: the one that the daemon takes then, or an example. */
  readonly addressHint: string;
  readonly isAddressRequired?: boolean;
  /** Key of the field's own label. */
  readonly addressLabel?: 'azureEndpoint' | 'fullUrl' | 'plainAddress';
  /** Addresses that are one click away. */
  readonly addresses?: readonly string[];
  readonly other?: OtherField;
  /** How one key may be written, neutral of language. */
  readonly keyForms?: readonly string[];
  /** Parts between bars that a key may have. */
  readonly keyParts?: readonly number[];
  readonly note?: 'twoSites';
  /** Entered into an empty list of models. */
  readonly models?: readonly string[];
  readonly isUntestable?: boolean;
  /** The upstream tells its balance. */
  readonly hasBalance?: boolean;
}

const drawing = [
  'mj_imagine',
  'mj_variation',
  'mj_reroll',
  'mj_blend',
  'mj_upscale',
  'mj_describe',
  'mj_upload',
] as const;

const everyDrawing = [
  ...drawing,
  'mj_high_variation',
  'mj_low_variation',
  'mj_pan',
  'mj_zoom',
  'mj_custom_zoom',
  'mj_inpaint',
  'mj_shorten',
  'mj_modal',
  'mj_edits',
  'mj_video',
  'swap_face',
] as const;

const table: Readonly<Record<number, SpecialFields>> = {
  1: { group: 'international', addressHint: 'https://api.openai.com', aliases: ['gpt'], hasBalance: true },
  2: {
    group: 'tasks',
    addressHint: 'http://localhost:8080',
    isAddressRequired: true,
    aliases: ['mj'],
    models: drawing,
    isUntestable: true,
  },
  3: {
    group: 'international',
    addressHint: 'https://{resource}.openai.azure.com',
    addressLabel: 'azureEndpoint',
    isAddressRequired: true,
    aliases: ['microsoft'],
    other: { label: 'apiVersion', placeholder: '2024-12-01-preview' },
  },
  4: { group: 'selfHosted', addressHint: 'http://localhost:11434', aliases: ['llama'] },
  5: {
    group: 'tasks',
    addressHint: 'http://localhost:8080',
    isAddressRequired: true,
    aliases: ['mj'],
    models: everyDrawing,
    isUntestable: true,
  },
  8: {
    group: 'gateways',
    addressHint: 'https://api.example.com/v1/chat/completions',
    addressLabel: 'fullUrl',
    isAddressRequired: true,
    hasBalance: true,
  },
  11: { group: 'international', addressHint: '', aliases: ['google'] },
  14: { group: 'international', addressHint: 'https://api.anthropic.com', aliases: ['claude'] },
  15: {
    group: 'china',
    addressHint: 'https://aip.baidubce.com',
    aliases: ['ernie', '文心一言'],
    keyForms: ['APIKey|SecretKey'],
    keyParts: [2],
  },
  16: { group: 'china', addressHint: 'https://open.bigmodel.cn', aliases: ['glm'], keyForms: ['id.secret'] },
  17: {
    group: 'china',
    addressHint: 'https://dashscope.aliyuncs.com',
    addresses: ['https://dashscope.aliyuncs.com', 'https://dashscope-intl.aliyuncs.com'],
    aliases: ['qwen', '通义', '百炼', 'bailian'],
    other: { label: 'plugin' },
  },
  18: {
    group: 'china',
    addressHint: 'https://spark-api-open.xf-yun.com',
    aliases: ['spark'],
    other: { label: 'version', placeholder: 'v2.1' },
    keyForms: ['APPID|APISecret|APIKey'],
    keyParts: [3],
  },
  19: { group: 'china', addressHint: 'https://api.360.cn' },
  20: { group: 'gateways', addressHint: 'https://openrouter.ai/api', hasBalance: true },
  21: {
    group: 'gateways',
    addressHint: 'https://api.aiproxy.io',
    other: { label: 'knowledgeBase', isRequired: true, placeholder: '123456' },
  },
  22: {
    group: 'gateways',
    addressHint: 'https://cloud.fastgpt.cn/api',
    keyForms: ['fastgpt-…', 'key-appId'],
  },
  23: {
    group: 'china',
    addressHint: 'https://tokenhub.tencentmaas.com',
    aliases: ['hunyuan', '混元'],
    keyForms: ['AppId|SecretId|SecretKey'],
    keyParts: [3],
  },
  24: {
    group: 'international',
    addressHint: 'https://generativelanguage.googleapis.com',
    aliases: ['google', 'ai studio'],
    other: { label: 'apiVersion', placeholder: 'v1beta' },
  },
  25: {
    group: 'china',
    addressHint: 'https://api.moonshot.cn',
    addresses: ['https://api.moonshot.cn', 'https://api.moonshot.ai'],
    aliases: ['kimi'],
    hasBalance: true,
  },
  26: {
    group: 'china',
    addressHint: 'https://open.bigmodel.cn',
    addresses: ['https://open.bigmodel.cn', 'https://api.z.ai'],
    aliases: ['glm'],
  },
  27: { group: 'international', addressHint: 'https://api.perplexity.ai', aliases: ['sonar'] },
  31: { group: 'china', addressHint: 'https://api.lingyiwanwu.com', aliases: ['yi'] },
  33: {
    group: 'international',
    addressHint: '',
    aliases: ['amazon'],
    other: { label: 'region', placeholder: 'us-east-1' },
    keyForms: ['Ak|Sk|Region', 'ApiKey|Region'],
    keyParts: [2, 3],
  },
  34: { group: 'international', addressHint: 'https://api.cohere.com', aliases: ['command'] },
  35: {
    group: 'china',
    addressHint: 'https://api.minimaxi.com',
    addresses: ['https://api.minimaxi.com', 'https://api.minimax.io'],
    aliases: ['abab', 'hailuo'],
    keyForms: ['key', 'key|groupId'],
    keyParts: [1, 2],
  },
  36: {
    group: 'tasks',
    addressHint: 'http://localhost:3000',
    addressLabel: 'plainAddress',
    isAddressRequired: true,
    hasBalance: true,
    models: ['suno_music', 'suno_lyrics'],
    isUntestable: true,
  },
  37: {
    group: 'gateways',
    addressHint: 'https://api.dify.ai',
    other: { label: 'appKind', placeholder: 'chat', choices: ['chat', 'completion', 'workflow'] },
    keyForms: ['app-…'],
  },
  38: { group: 'international', addressHint: 'https://api.jina.ai' },
  39: {
    group: 'international',
    addressHint: 'https://api.cloudflare.com',
    aliases: ['workers ai'],
    other: { label: 'accountId', isRequired: true, placeholder: 'd6b5da8hk1c8t852c2afbd12' },
    keyForms: ['TOKEN', 'ACCOUNT_ID|TOKEN'],
    keyParts: [1, 2],
  },
  40: {
    group: 'china',
    addressHint: 'https://api.siliconflow.cn',
    addresses: ['https://api.siliconflow.cn', 'https://api.siliconflow.com'],
    note: 'twoSites',
    hasBalance: true,
  },
  41: {
    group: 'international',
    addressHint: '',
    aliases: ['google', 'gemini', 'gcp'],
    other: {
      label: 'region',
      isRequired: true,
      placeholder: 'us-central1',
      template: '{"default": "us-central1", "claude-3-5-sonnet-20240620": "europe-west1"}',
    },
  },
  42: { group: 'international', addressHint: 'https://api.mistral.ai', aliases: ['codestral'] },
  43: { group: 'china', addressHint: 'https://api.deepseek.com', hasBalance: true },
  44: { group: 'china', addressHint: 'https://api.moka.ai', aliases: ['m3e', 'embedding', '嵌入'] },
  45: {
    group: 'china',
    addressHint: 'https://ark.cn-beijing.volces.com',
    addresses: ['https://ark.cn-beijing.volces.com', 'https://ark.ap-southeast.bytepluses.com'],
    aliases: ['doubao', '豆包', 'byteplus'],
  },
  46: {
    group: 'china',
    addressHint: 'https://qianfan.baidubce.com',
    aliases: ['ernie', '文心一言'],
    other: { label: 'application', placeholder: 'app-…' },
    keyForms: ['bce-v3/…', 'ak|sk'],
    keyParts: [1, 2],
  },
  47: { group: 'selfHosted', addressHint: 'http://localhost:9997', isAddressRequired: true },
  48: { group: 'international', addressHint: 'https://api.x.ai', aliases: ['grok'] },
  101: {
    group: 'international',
    addressHint: 'https://{resource}.services.ai.azure.com',
    isAddressRequired: true,
    aliases: ['microsoft'],
    other: { label: 'apiVersion', placeholder: 'preview' },
  },
  102: { group: 'international', addressHint: 'https://api.cerebras.ai' },
  103: {
    group: 'gateways',
    addressHint: 'https://api.coze.com',
    addresses: ['https://api.coze.com', 'https://api.coze.cn'],
    other: { label: 'endUser' },
    keyForms: ['TOKEN', 'TOKEN|USER_ID'],
    keyParts: [1, 2],
  },
  104: { group: 'international', addressHint: 'https://api.fireworks.ai/inference' },
  105: { group: 'international', addressHint: '' },
  106: { group: 'international', addressHint: 'https://api.groq.com/openai' },
  107: {
    group: 'international',
    addressHint: 'https://router.huggingface.co',
    aliases: ['hf'],
    other: { label: 'payer' },
  },
  108: { group: 'selfHosted', addressHint: 'https://integrate.api.nvidia.com', aliases: ['nim'] },
  109: { group: 'international', addressHint: 'https://api.replicate.com' },
  110: { group: 'international', addressHint: 'https://api.together.xyz' },
};

const plain: SpecialFields = { group: 'gateways', addressHint: '' };

/** The editor's peculiarities of a type; those of a plain one for a number it does not know. */
export function specialFieldsOf(type: number): SpecialFields {
  return table[type] ?? plain;
}
