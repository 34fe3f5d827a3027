/**
 * The numbers that a channel row may carry. A number is never reused; 49 to 100 stay free, because related products
 * use them for other vendors.
 */

export interface ChannelType {
  readonly type: number;
  /** Word for scripts and exports, e.g. `deepseek`. */
  readonly name: string;
  readonly label: { readonly en: string; readonly zh: string };
  /** `json`: the key is one JSON text (or a list of them), not a comma list. */
  readonly keyForm?: 'json';
  /** How the parts of a key stand together, where it is not one word. */
  readonly keyFormat?: string;
  /** Servers of this type often have no login: no key need be given. */
  readonly keyOptional?: true;
  /** What the field `other` holds where it is checked: a deployment region, as text or as JSON with `default`; a header. */
  readonly other?: 'region' | 'header';
  /** Taken for an empty `other`. */
  readonly defaultOther?: string;
  /** Kept for old rows, not offered for new ones. */
  readonly retired?: boolean;
}

const named = (type: number, name: string, ...[en, zh = en]: [en: string, zh?: string]): ChannelType => ({
  type,
  name,
  label: { en, zh },
});

export const channelTypes: readonly ChannelType[] = [
  named(1, 'openai', 'OpenAI'),
  named(2, 'midjourney-proxy', 'Midjourney Proxy'),
  named(3, 'azure', 'Azure OpenAI'),
  { ...named(4, 'ollama', 'Ollama'), keyFormat: 'key or nothing', keyOptional: true },
  named(5, 'midjourney-proxy-plus', 'Midjourney Proxy Plus'),
  named(8, 'custom', 'Custom', '自定义渠道'),
  { ...named(11, 'palm', 'Google PaLM 2'), retired: true },
  named(14, 'anthropic', 'Anthropic Claude'),
  { ...named(15, 'baidu', 'Baidu Wenxin', '百度文心千帆'), keyFormat: 'APIKey|SecretKey' },
  { ...named(16, 'zhipu', 'Zhipu ChatGLM v3', '智谱 ChatGLM v3'), keyFormat: 'id.secret' },
  { ...named(17, 'ali', 'Alibaba DashScope', '阿里通义千问'), other: 'header' },
  {
    ...named(18, 'xunfei', 'iFlytek Spark', '讯飞星火认知'),
    defaultOther: 'v2.1',
    keyFormat: 'APPID|APISecret|APIKey',
  },
  named(19, 'ai360', '360 Zhinao', '360 智脑'),
  named(20, 'openrouter', 'OpenRouter'),
  named(21, 'aiproxy-library', 'AI Proxy knowledge base', '知识库：AI Proxy'),
  { ...named(22, 'fastgpt', 'FastGPT', '知识库：FastGPT'), keyFormat: 'key or key-appId' },
  { ...named(23, 'tencent', 'Tencent Hunyuan', '腾讯混元'), keyFormat: 'AppId|SecretId|SecretKey' },
  named(24, 'gemini', 'Google Gemini'),
  named(25, 'moonshot', 'Moonshot', '月之暗面 Moonshot'),
  named(26, 'zhipu-v4', 'Zhipu GLM v4', '智谱 GLM v4'),
  named(27, 'perplexity', 'Perplexity'),
  named(31, 'lingyiwanwu', '01.AI', '零一万物'),
  { ...named(33, 'bedrock', 'AWS Bedrock Claude'), keyFormat: 'Ak|Sk|Region or ApiKey|Region' },
  named(34, 'cohere', 'Cohere'),
  { ...named(35, 'minimax', 'MiniMax'), keyFormat: 'key or key|groupId' },
  named(36, 'suno', 'Suno'),
  named(37, 'dify', 'Dify'),
  named(38, 'jina', 'Jina'),
  { ...named(39, 'cloudflare', 'Cloudflare Workers AI'), keyFormat: 'token or ACCOUNT_ID|TOKEN' },
  named(40, 'siliconflow', 'SiliconCloud', '硅基流动 SiliconCloud'),
  { ...named(41, 'vertex', 'Vertex AI'), keyForm: 'json', keyFormat: 'service account JSON', other: 'region' },
  named(42, 'mistral', 'Mistral AI'),
  named(43, 'deepseek', 'DeepSeek'),
  named(44, 'moka', 'MokaAI M3E'),
  named(45, 'volcengine', 'VolcEngine Ark', '火山方舟'),
  { ...named(46, 'baidu-v2', 'Baidu Qianfan v2', '百度千帆 v2'), keyFormat: 'bce-v3/… or ak|sk', other: 'header' },
  { ...named(47, 'xinference', 'Xinference'), keyFormat: 'key or nothing', keyOptional: true },
  named(48, 'xai', 'xAI'),
  named(101, 'azure-foundry', 'Azure AI Foundry'),
  named(102, 'cerebras', 'Cerebras'),
  { ...named(103, 'coze', 'Coze', '扣子 Coze'), keyFormat: 'token or token|userId' },
  named(104, 'fireworks', 'Fireworks'),
  { ...named(105, 'github-models', 'GitHub Models'), retired: true },
  named(106, 'groq', 'Groq'),
  { ...named(107, 'huggingface', 'Hugging Face'), other: 'header' },
  named(108, 'nvidia-nim', 'NVIDIA NIM'),
  named(109, 'replicate', 'Replicate'),
  named(110, 'together', 'Together'),
  // 111 to 113 are kept for Kling, Jimeng and Vidu, whose videos are not served yet.
];

/** The entry of a number; undefined when it is not one of the known ones. */
export function findChannelType(type: number): ChannelType | undefined {
  return channelTypes.find((entry) => entry.type === type);
}

/** The type with this number or name, as a person writes it. */
export function parseChannelType(wish: string): ChannelType | undefined {
  const text = wish.trim().toLowerCase();
  return channelTypes.find((entry) => String(entry.type) === text || entry.name === text);
}
