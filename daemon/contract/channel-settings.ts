/**
 * What a channel's `setting` may say: every member that something reads, with its label, and which values it takes
 * (relay.md 12.7). Members that stand in no line here are kept and ignored.
 */
import type { OptionLabel } from './options-entry.ts';

/** How a value is written: also the control that a form shows for it. */
export type ChannelSettingForm =
  | 'boolean'
  | 'seconds'
  | 'ratio'
  | 'text'
  | 'choice'
  | 'list'
  | 'object'
  | 'arns'
  | 'proxy'
  | 'word';

/** One member of a channel's setting. */
export interface ChannelSetting {
  readonly key: string;
  readonly form: ChannelSettingForm;
  readonly label: OptionLabel;
  readonly help: OptionLabel;
  /** Numbers of the channel types that it means anything for; undefined: all. */
  readonly types?: readonly number[];
  /** The words to choose from, where `form` is `choice`. */
  readonly choices?: readonly string[];
}

/** English and Chinese. */
type Both = readonly [en: string, zh: string];

const entry =
  (form: ChannelSettingForm) =>
  (key: string, [en, zh]: Both, [helpEn, helpZh]: Both): ChannelSetting => ({
    key,
    form,
    label: { en, zh },
    help: { en: helpEn, zh: helpZh },
  });

const flag = entry('boolean');
const seconds = entry('seconds');
const ratio = entry('ratio');
const text = entry('text');
const word = entry('word');
const list = entry('list');
const object = entry('object');
const arns = entry('arns');
const proxy = entry('proxy');
const choice = entry('choice');

export const channelSettings: readonly ChannelSetting[] = [
  proxy(
    'proxy',
    ['Proxy', '代理'],
    [
      'http://, https:// or socks5:// address for every call to this channel',
      '访问该渠道时使用的 http://、https:// 或 socks5:// 代理',
    ],
  ),
  seconds(
    'timeout_connect',
    ['Seconds to connect', '连接超时（秒）'],
    ['longest time for a connection, and for TLS', '建立连接及 TLS 的最长时间'],
  ),
  seconds(
    'timeout_first_byte',
    ['Seconds to the headers', '响应头超时（秒）'],
    ['longest time until the upstream answers', '等待上游响应头的最长时间'],
  ),
  seconds(
    'timeout_first_token',
    ['Seconds to the first token', '首个 token 超时（秒）'],
    ['longest time until a stream says anything', '等待流式首个输出的最长时间'],
  ),
  seconds(
    'timeout_idle',
    ['Seconds of silence', '空闲超时（秒）'],
    ['longest pause within an answer', '应答过程中允许的最长停顿'],
  ),
  {
    ...choice(
      'multi_key_mode',
      ['Order of keys', '多密钥模式'],
      ['how the next of several keys is chosen', '多个密钥之间的选择方式'],
    ),
    choices: ['polling', 'random'],
  },
  ratio(
    'cost_ratio',
    ['Part of the list price paid', '成本倍率'],
    [
      'what this channel costs the operator, as a part of the list price (1); reports set it against the revenue',
      '该渠道实际成本占标价的比例（默认 1），报表据此对比成本与收入',
    ],
  ),
  list(
    'disabled_models',
    ['Models switched off', '禁用的模型'],
    ['models of this channel that get no calls', '该渠道中不再接收请求的模型'],
  ),
  text(
    'system_prompt',
    ['System prompt', '系统提示词'],
    ['instructions for requests that bring none', '请求没有系统提示词时加入的提示词'],
  ),
  flag(
    'system_prompt_override',
    ['System prompt always', '始终加入系统提示词'],
    ['puts it before the client’s own instructions too', '客户端自带提示词时也置于其前'],
  ),
  flag(
    'pass_through_body_enabled',
    ['Pass bodies through', '透传请求体'],
    ['only the model’s name is changed where client and channel speak the same', '客户端与渠道格式相同时只修改模型名'],
  ),
  flag(
    'force_format',
    ['Standard fields only', '强制标准格式'],
    ['answers are written anew with OpenAI’s fields alone', '应答只保留 OpenAI 标准字段'],
  ),
  flag(
    'thinking_to_content',
    ['Thoughts into the text', '思考内容转为正文'],
    ['reasoning is shown between <think> tags', '以 <think> 标签输出推理内容'],
  ),
  flag(
    'split_think_tags',
    ['Thoughts out of the text', '分离思考标签'],
    ['text between <think> tags becomes reasoning', '将 <think> 标签内的文本作为推理内容'],
  ),
  {
    ...choice(
      'stream_support',
      ['Streams', '流式支持'],
      ['NON_STREAM_ONLY: the upstream is never asked for a stream', 'NON_STREAM_ONLY：不向上游请求流式输出'],
    ),
    choices: ['', 'default', 'NON_STREAM_ONLY'],
  },
  flag(
    'force_stream',
    ['Always stream', '强制流式'],
    ['the upstream is always asked for a stream', '始终以流式请求上游'],
  ),
  flag(
    'stream_options',
    ['Knows stream_options', '支持 stream_options'],
    ['whether include_usage may be sent', '是否可以发送 include_usage'],
  ),
  flag(
    'responses_native',
    ['Speaks Responses', '原生支持 Responses'],
    ['whether /v1/responses is served by this host itself', '该地址是否原生支持 /v1/responses'],
  ),
  flag(
    'upstream_fetches_url',
    ['Upstream fetches addresses', '由上游下载链接'],
    ['addresses of media are passed on and not downloaded here', '媒体链接直接转发，不在本地下载'],
  ),
  flag(
    'keep_suffix',
    ['Keep suffixes', '保留模型后缀'],
    ['thinking and effort suffixes stay in the model’s name', '保留模型名中的思考与强度后缀'],
  ),
  object(
    'header_override',
    ['Headers set', '请求头覆盖'],
    [
      'header to value; {api_key} and {client_header:name} are filled in',
      '请求头到值的映射，支持 {api_key} 与 {client_header:名称}',
    ],
  ),
  list(
    'pass_headers',
    ['Headers passed on', '透传的请求头'],
    ['names of client headers that travel on', '转发给上游的客户端请求头名称'],
  ),
  text('user_agent', ['User agent', 'User-Agent'], ['instead of Tollgate’s own', '替代默认的 User-Agent']),
  flag(
    'allow_service_tier',
    ['Let service_tier through', '允许 service_tier'],
    ['it changes what the channel’s owner pays', '该字段会影响渠道方的费用'],
  ),
  flag('allow_store', ['Let store through', '允许 store'], ['the upstream may keep answers', '允许上游保存应答']),
  flag(
    'allow_safety_identifier',
    ['Let user identifiers through', '允许用户标识'],
    ['safety_identifier and user reach the upstream', '向上游传递 safety_identifier 与 user'],
  ),
  flag(
    'allow_include_obfuscation',
    ['Let include_obfuscation through', '允许 include_obfuscation'],
    ['a client may ask for padded streams', '允许客户端控制流式填充'],
  ),
  flag(
    'allow_inference_geo',
    ['Let inference_geo through', '允许 inference_geo'],
    ['a client may choose where the model runs', '允许客户端选择推理地区'],
  ),
  flag(
    'allow_speed',
    ['Let speed through', '允许 speed'],
    ['a client may ask for faster and dearer answers', '允许客户端请求更快且更贵的模式'],
  ),
  flag(
    'expose_upstream_model',
    ['Show the upstream’s model', '显示上游模型名'],
    ['answers name the model as the upstream does', '应答中使用上游返回的模型名'],
  ),
  flag(
    'expose_auth_error',
    ['Show refusals of the key', '显示鉴权错误'],
    ['clients see what the upstream said of the key', '向客户端显示上游的密钥错误'],
  ),
  flag(
    'expose_upstream_request_id',
    ['Show the upstream’s request id', '显示上游请求 ID'],
    ['answers carry X-Upstream-Request-Id', '应答附带 X-Upstream-Request-Id'],
  ),
  flag(
    'untrusted',
    ['Not trusted', '不受信任'],
    [
      'logged answers name each tool call with a digest of its arguments, by which tampering can be proved',
      '记录的应答中列出每个工具调用及其参数摘要，便于核查是否被篡改',
    ],
  ),
  {
    ...flag(
      'azure_strip_dots',
      ['Names without dots', '去除模型名中的点'],
      ['deployments are named gpt-35-turbo and not gpt-3.5-turbo', '部署名形如 gpt-35-turbo 而非 gpt-3.5-turbo'],
    ),
    types: [3],
  },
  {
    ...word(
      'azure_responses_version',
      ['Version for Responses', 'Responses 接口版本'],
      ['api-version for /responses, such as preview', '/responses 使用的 api-version，例如 preview'],
    ),
    types: [3],
  },
  {
    ...flag(
      'ollama_native',
      ['Ollama’s own interface', 'Ollama 原生接口'],
      ['chats by /api/chat instead of the OpenAI-compatible one', '对话使用 /api/chat，而非 OpenAI 兼容接口'],
    ),
    types: [4],
  },
  {
    ...flag(
      'claude_beta_query',
      ['beta=true in the address', '地址附加 beta=true'],
      ['every call asks for the beta interface', '所有请求使用 beta 接口'],
    ),
    types: [14],
  },
  {
    ...flag(
      'dashscope_native',
      ['DashScope’s own interface', 'DashScope 原生接口'],
      [
        'chats and embeddings by the interface that plugins need, instead of the compatible one',
        '对话与向量使用插件所需的原生接口，而非兼容接口',
      ],
    ),
    types: [17],
  },
  {
    ...word(
      'dashscope_workspace',
      ['Workspace', '业务空间'],
      [
        'id of the workspace: sockets (realtime sessions, speech, recognition) are opened at its own host in the region of the address, which qwen3.8-omni-flash-realtime needs',
        '业务空间 ID：实时会话、语音合成与识别的 WebSocket 连接使用该地址所在地域的业务空间专属域名，qwen3.8-omni-flash-realtime 需要此项',
      ],
    ),
    types: [17],
  },
  {
    ...choice(
      'api_version',
      ['Version of the chat', '对话接口版本'],
      ['v1 asks the first version, which knows neither tools nor images', 'v1 使用第一版接口，不支持工具与图片'],
    ),
    types: [34],
    choices: ['v1', 'v2'],
  },
  {
    ...word(
      'vertex_project',
      ['Project', '项目 ID'],
      ['project whose models are called; default: the key’s own', '调用模型所用的项目；默认使用密钥自身的项目'],
    ),
    types: [41],
  },
  {
    ...word(
      'bedrock_profile',
      ['Inference profile', '推理配置前缀'],
      [
        'prefix of the regions that share the work, such as us, eu, apac or global; default: by the key’s region',
        '跨区域推理前缀，例如 us、eu、apac、global；默认按密钥的地区选择',
      ],
    ),
    types: [33],
  },
  {
    ...arns(
      'bedrock_arns',
      ['ARNs by model', '模型 ARN 映射'],
      [
        'model to the ARN that serves it: an application inference profile, provisioned throughput or a deployment; called in its own region, with the form of the model',
        '模型到 ARN 的映射：应用推理配置、预置吞吐量或自定义部署；在 ARN 所在地区调用，请求格式按模型确定',
      ],
    ),
    types: [33],
  },
];

const byKey: ReadonlyMap<string, ChannelSetting> = new Map(channelSettings.map((one) => [one.key, one]));

/** What is wrong with a channel's setting: the member and, in English, why. Undefined when nothing is. */
export function settingProblem(
  setting: Readonly<Record<string, unknown>>,
): { readonly key: string; readonly reason: string } | undefined {
  for (const [key, value] of Object.entries(setting)) {
    const known = byKey.get(key);
    // What is null counts as absent.
    const reason = known === undefined || value === null ? undefined : reasonAgainst(known, value);
    if (reason !== undefined) return { key, reason };
  }
  return undefined;
}

/** Longest wait that a timer of the runtime keeps. */
const LONGEST_SECONDS = 2_147_483;
const HIGHEST_RATIO = 1_000_000;
const PROXY = /^(?:https?|socks5):\/\/[^/\s]+\/?$/i;
const WORD = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;
/** As the vendor writes what may stand in place of a model's id: partition, region, account, resource. */
const ARN = /^arn:aws(?:-[a-z-]+)?:bedrock:[a-z0-9-]{1,20}:(?:\d{12})?:[a-z-]+\/[\w.:/-]+$/;

function reasonAgainst({ form, choices = [] }: ChannelSetting, value: unknown): string | undefined {
  switch (form) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'seconds':
      if (typeof value !== 'number') return 'must be a number';
      if (value < 0) return 'must be at least 0';
      return value <= LONGEST_SECONDS ? undefined : `must be at most ${LONGEST_SECONDS}`;
    case 'ratio':
      return typeof value === 'number' && value >= 0 && value <= HIGHEST_RATIO
        ? undefined
        : `must be a number from 0 to ${HIGHEST_RATIO}`;
    case 'list':
      return Array.isArray(value) && value.every((one) => typeof one === 'string')
        ? undefined
        : 'must be a list of texts';
    case 'object':
      return typeof value === 'object' && !Array.isArray(value) ? undefined : 'must be an object';
    case 'arns':
      return isArnMap(value)
        ? undefined
        : 'must map models to ARNs such as arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2c3';
    case 'choice':
      return choices.some((one) => one === value)
        ? undefined
        : `must be one of ${choices.filter((one) => one !== '').join(', ')}`;
    case 'text':
      return typeof value === 'string' ? undefined : 'must be text';
    case 'proxy':
      if (typeof value !== 'string') return 'must be text';
      return value.trim() === '' || isProxy(value.trim()) ? undefined : 'must be an http, https or socks5 address';
    case 'word':
      if (typeof value !== 'string') return 'must be text';
      return value === '' || WORD.test(value) ? undefined : 'must be one word of letters, digits, dots and hyphens';
  }
}

function isProxy(address: string): boolean {
  return PROXY.test(address) && URL.canParse(address);
}

function isArnMap(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((one) => typeof one === 'string' && ARN.test(one));
}
