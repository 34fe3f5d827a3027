/**
 * Why the body of a model call was refused (`invalid_request`), in Chinese. Reasons are made in English where the rule
 * stands, as `<field> <rule>` or `<field>: <rule>`; this catalogue is keyed by the rules, `$1` and so on being what
 * varies. A test reads every rule out of the sources and finds each of them here.
 */

import { type ReasonCatalogue, translated } from './reason-catalogue.ts';

const rules: ReasonCatalogue = [
  [/^is required$/, '为必填项'],
  [/^is required; a body with (\S+) belongs to (\S+)$/, '为必填项；带有 $1 的请求体应发往 $2'],
  [/^is missing$/, '缺失'],
  [/^is missing, and no call waits for a result$/, '缺失，且没有等待结果的调用'],
  [/^is repeated$/, '重复出现'],
  [/^belongs to (\S+)$/, '应发往 $1'],
  [/^(\S+) is a block of the Messages API: send it to (\S+)$/, '$1 是 Messages API 的内容块，应发往 $2'],
  [/^must be true or false$/, '必须是 true 或 false'],
  [/^must not be true: a compaction is answered as a whole$/, '不能为 true：压缩结果总是整体返回'],
  [/^must not be true: variations are answered as a whole$/, '不能为 true：图片变体总是整体返回'],
  [/^must be a string$/, '必须是字符串'],
  [/^must be a string or an array$/, '必须是字符串或数组'],
  [/^must be a string or a non-empty array$/, '必须是字符串或非空数组'],
  [/^must be a string or a list of token ids$/, '必须是字符串或 token id 列表'],
  [
    /^must be a string, a list of token ids, or a part: text, image_url or video_url$/,
    '必须是字符串、token id 列表，或内容块 text、image_url、video_url',
  ],
  [/^must be a string of 1 to 200 printable characters$/, '必须是 1 到 200 个可打印字符的字符串'],
  [/^must be a text that is not empty$/, '必须是非空文本'],
  [/^must be an? (?:JSON )?object$/, '必须是对象'],
  [/^must be a non-empty array$/, '必须是非空数组'],
  [/^must be an array of objects$/, '必须是对象数组'],
  [/^must be a positive whole number$/, '必须是正整数'],
  [/^must be an? (?:whole number|integer) from (\S+) to (\S+)$/, '必须是 $1 到 $2 之间的整数'],
  [/^must be a number from (\S+) to (\S+)$/, '必须是 $1 到 $2 之间的数字'],
  [/^must be (\S+) to (\S+) images$/, '必须是 $1 到 $2 张图片'],
  [/^must be one file$/, '必须是一个文件'],
  [/^must not be an empty file$/, '不能是空文件'],
  [/^must be one image$/, '必须是一张图片'],
  [/^must be a file of a multipart\/form-data body$/, '必须是 multipart/form-data 请求体中的文件'],
  [/^must be a file with sound$/, '必须是带有声音的文件'],
  [/^must be WIDTHxHEIGHT, auto, 1K, 2K or 4K$/, '必须是 宽x高、auto、1K、2K 或 4K'],
  [/^must be one of (.+)$/, '必须是以下之一：$1'],
  [/^must be ([\w ,]+ or [\w]+)$/, '必须是以下之一：$1'],
  [/^must have at most (\S+) characters$/, '最多 $1 个字符'],
  [/^must have at most (\S+) entries$/, '最多 $1 项'],
  [/^must have at most (\S+) entries that are named by their id alone$/, '最多包含 $1 个仅以 id 指定的项'],
  [/^must be 13$/, '必须是 13'],
  [/^must be 16 bytes in base64$/, '必须是 16 字节的 base64'],
  [/^must be a list of names, each of them once$/, '必须是名称列表，且各名称只出现一次'],
  [/^must be at most (\S+) bytes long$/, '最多 $1 字节'],
  [/^must not be more than (\S+)$/, '不得多于 $1 个'],
  [/^must name an image by its address or as a data URL$/, '必须以地址或 data URL 指定图片'],
  [/^or garmentClass or maskPrompt must say what is replaced$/, '、garmentClass 或 maskPrompt 须说明替换什么'],
  [/^needs id and name$/, '需要 id 和 name'],
  [/^tool_use needs id and name$/, 'tool_use 需要 id 和 name'],
  [/^needs a url$/, '需要 url'],
  [/^needs ([\w, ]+ or \w+)$/, '需要 $1 之一'],
  [/^a call needs a name$/, '调用需要名称'],
];

/** Reasons that are about no field. */
const wholes: ReasonCatalogue = [
  [/^the body is not valid JSON$/, '请求体不是有效的 JSON'],
  [/^the body is not valid JSON \(near byte (\d+)\)$/, '请求体不是有效的 JSON（第 $1 字节附近）'],
  [/^the body holds more than (\d+) values$/, '请求体包含的值超过 $1 个'],
  [/^the body holds more than (\d+) objects and lists$/, '请求体包含的对象和列表超过 $1 个'],
  [/^the event holds more than (\d+) values$/, '事件包含的值超过 $1 个'],
  [/^the event is nested deeper than (\d+) levels$/, '事件嵌套超过 $1 层'],
  [/^the body is nested deeper than (\d+) levels$/, '请求体嵌套超过 $1 层'],
  [/^the body is not UTF-8$/, '请求体不是 UTF-8'],
  [/^the body must be a JSON object$/, '请求体必须是 JSON 对象'],
  [/^the body must be multipart\/form-data$/, '请求体必须是 multipart/form-data'],
  [/^the form cannot be read$/, '无法读取表单'],
  [/^at most (\d+) addresses of media can be loaded$/, '最多可加载 $1 个媒体地址'],
  [/^a file inside the request is too large$/, '请求中的文件过大'],
  [/^could not load (\S+) (\S+): (.+)$/s, '无法加载 $1 $2：$3'],
];

/** The reason in Chinese; the field is kept as the body names it, and a reason that nobody translated stays English. */
export function chineseRequestReason(reason: string): string {
  const whole = translated(wholes, reason);
  if (whole !== undefined) return whole;
  const [, field, rule] = /^(\S+?):? (.+)$/s.exec(reason) ?? [];
  if (field === undefined || rule === undefined) return reason;
  const told = translated(rules, rule);
  return told === undefined ? reason : `${field} ${told}`;
}
