/** Words of the reference page. Those with tags are written here and nowhere made of input. */

interface ReferenceTexts {
  readonly title: string;
  readonly contents: string;
  readonly skip: string;
  readonly otherLanguage: 'en' | 'zh';
  readonly otherName: string;
  readonly calling: string;
  readonly callingText: string;
  readonly relay: string;
  readonly relayText: string;
  readonly errors: string;
  readonly refusals: string;
  readonly parameters: string;
  readonly body: string;
  readonly example: string;
  readonly answer: string;
  readonly name: string;
  readonly place: string;
  readonly type: string;
  readonly required: string;
  readonly yes: string;
  readonly code: string;
  readonly kind: string;
  readonly access: Readonly<Record<string, string>>;
  readonly scope: string;
  /** What stands for the two that are no scopes. */
  readonly scopes: Readonly<Record<string, string>>;
}

const en: ReferenceTexts = {
  title: 'Tollgate API reference',
  contents: 'Contents',
  skip: 'Skip to the text',
  otherLanguage: 'zh',
  otherName: '中文',
  calling: 'How to call',
  callingText: `<p>Send a machine token or a system access token as <code>Authorization: Bearer ...</code>, or a session cookie with the header
<code>Tollgate-User: &lt;your id&gt;</code>. Bodies are JSON. Every path is answered with and without a trailing slash.</p>
<p>A success is <code>{"success": true, "message": "", "data": ...}</code>. A refusal has <code>success: false</code>, a stable
<code>code</code>, a <code>message</code> in the language of <code>Accept-Language</code>, and the input member at fault as
<code>field</code>. Times are unix seconds, quota is whole units. This page shows what your role may call.</p>`,
  relay: 'Model calls',
  relayText: `<p>Model calls take a relay key, <code>Authorization: Bearer sk-...</code>, and speak four dialects:</p>
<table><thead><tr><th scope="col">Dialect</th><th scope="col">Base address</th><th scope="col">Paths</th></tr></thead><tbody>
<tr><td>OpenAI</td><td><code>$TOLLGATE/v1</code></td><td><code>/chat/completions</code>, <code>/completions</code>,
<code>/responses</code>, <code>/embeddings</code>, <code>/moderations</code>, <code>/images/generations</code>,
<code>/images/edits</code>, <code>/images/variations</code>, <code>/audio/speech</code>, <code>/audio/transcriptions</code>,
<code>/audio/translations</code>, <code>/rerank</code>, <code>/models</code></td></tr>
<tr><td>Anthropic</td><td><code>$TOLLGATE</code></td><td><code>/v1/messages</code>, <code>/v1/messages/count_tokens</code>;
the key may come as <code>x-api-key</code></td></tr>
<tr><td>Gemini</td><td><code>$TOLLGATE</code></td><td><code>/v1beta/models/{model}:generateContent</code>,
<code>:streamGenerateContent</code>, <code>:embedContent</code>, <code>:countTokens</code>; the key may come as
<code>x-goog-api-key</code></td></tr></tbody></table>
<pre><code>curl "$TOLLGATE/v1/chat/completions" \\
  -H "Authorization: Bearer sk-..." -H "Content-Type: application/json" \\
  -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}'</code></pre>`,
  errors: 'Error codes',
  refusals: 'Refusals of its own',
  parameters: 'Parameters',
  body: 'Body',
  example: 'Example',
  answer: 'Answer',
  name: 'Name',
  place: 'In',
  type: 'Type',
  required: 'Required',
  yes: 'yes',
  code: 'Code',
  kind: 'Kind',
  access: {
    public: 'anyone',
    optional: 'anyone, more when signed in',
    user: 'users',
    admin: 'administrators',
    root: 'root',
    key: 'relay key',
    'key-read': 'relay key, also expired',
  },
  scope: 'Scope of machine tokens',
  scopes: { any: 'any', none: 'refused' },
};

const zh: ReferenceTexts = {
  title: 'Tollgate 接口文档',
  contents: '目录',
  skip: '跳到正文',
  otherLanguage: 'en',
  otherName: 'English',
  calling: '调用方式',
  callingText: `<p>使用机器令牌或系统访问令牌 <code>Authorization: Bearer ...</code>，或使用会话 Cookie 并附带请求头
<code>Tollgate-User: &lt;用户编号&gt;</code>。请求体为 JSON。所有路径末尾带或不带斜杠均可。</p>
<p>成功时返回 <code>{"success": true, "message": "", "data": ...}</code>。被拒绝时 <code>success: false</code>，并带有稳定的
<code>code</code>、按 <code>Accept-Language</code> 选择语言的 <code>message</code>，以及出错的参数名 <code>field</code>。
时间为 Unix 秒，额度为整数单位。本页只显示您的角色可以调用的接口。</p>`,
  relay: '模型调用',
  relayText: `<p>模型调用使用令牌 <code>Authorization: Bearer sk-...</code>，支持以下协议：</p>
<table><thead><tr><th scope="col">协议</th><th scope="col">基础地址</th><th scope="col">路径</th></tr></thead><tbody>
<tr><td>OpenAI</td><td><code>$TOLLGATE/v1</code></td><td><code>/chat/completions</code>、<code>/completions</code>、
<code>/responses</code>、<code>/embeddings</code>、<code>/moderations</code>、<code>/images/generations</code>、
<code>/images/edits</code>、<code>/images/variations</code>、<code>/audio/speech</code>、<code>/audio/transcriptions</code>、
<code>/audio/translations</code>、<code>/rerank</code>、<code>/models</code></td></tr>
<tr><td>Anthropic</td><td><code>$TOLLGATE</code></td><td><code>/v1/messages</code>、<code>/v1/messages/count_tokens</code>；
令牌也可放在 <code>x-api-key</code></td></tr>
<tr><td>Gemini</td><td><code>$TOLLGATE</code></td><td><code>/v1beta/models/{model}:generateContent</code>、
<code>:streamGenerateContent</code>、<code>:embedContent</code>、<code>:countTokens</code>；令牌也可放在
<code>x-goog-api-key</code></td></tr></tbody></table>
<pre><code>curl "$TOLLGATE/v1/chat/completions" \\
  -H "Authorization: Bearer sk-..." -H "Content-Type: application/json" \\
  -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "你好"}]}'</code></pre>`,
  errors: '错误码',
  refusals: '特有的拒绝',
  parameters: '参数',
  body: '请求体',
  example: '示例',
  answer: '返回',
  name: '名称',
  place: '位置',
  type: '类型',
  required: '必填',
  yes: '是',
  code: '错误码',
  kind: '类别',
  access: {
    public: '任何人',
    optional: '任何人，登录后可见更多',
    user: '用户',
    admin: '管理员',
    root: '超级管理员',
    key: '令牌',
    'key-read': '令牌（过期亦可）',
  },
  scope: '机器令牌权限范围',
  scopes: { any: '任意', none: '不支持' },
};

export const referenceTexts = { en, zh } as const;
