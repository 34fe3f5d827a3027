/**
 * Why a request cannot be put into the words of the chosen model (`convert_request_failed`), in Chinese. Reasons are made
 * in English by the formats, as `<field>: <reason>`; this catalogue is keyed by them, `$1` and so on being what varies. A
 * test reads every reason out of the sources and finds each of them here.
 */

import { type ReasonCatalogue, translated } from './reason-catalogue.ts';

const reasons: ReasonCatalogue = [
  // What cannot go where it should. One word is a name of the client's dialect; words of ours are told in Chinese.
  [/^masks cannot be sent to this channel$/, '此渠道不接受蒙版'],
  [/^masks cannot be sent to this model$/, '此模型不接受蒙版'],
  [/^images cannot be sent to this channel$/, '此渠道不接受图片'],
  [/^images cannot be sent to this model$/, '此模型不接受图片'],
  [/^images by address or id cannot be sent to this channel$/, '此渠道不接受以地址或 id 指定的图片'],
  [/^files by id cannot be sent to this channel$/, '此渠道不接受以 id 指定的文件'],
  [/^lists of token ids cannot be sent to this channel$/, '此渠道不接受 token id 列表'],
  [/^several prompts cannot be sent to this channel$/, '此渠道不接受多个提示词'],
  [/^parts other than text, images and videos cannot be sent to this channel$/, '此渠道只接受文本、图片和视频'],
  [/^\S+ other than text cannot be sent to this channel$/, '此渠道只接受文本'],
  [/^a part without a type cannot be sent to this channel$/, '此渠道不接受没有 type 的内容块'],
  [/^a part cannot be sent$/, '内容块无法发送'],
  [/^a file of another vendor cannot be sent$/, '无法发送存放在其他厂商的文件'],
  [/^only images by their bytes can be sent to this channel$/, '此渠道只接受内嵌的图片'],
  [/^that differ in their wishes cannot be sent to this channel$/, '各项的要求不同，此渠道无法一次处理'],
  [/^(\S+) cannot be sent to this model$/, '此模型不接受 $1'],
  [/^cannot be sent to this channel$/, '此渠道不接受该字段'],
  [/^(\S+) cannot be sent to this channel$/, '此渠道不接受 $1'],
  [/^(\S+) cannot be sent$/, '$1 无法发送'],
  [/^(\S+): addresses are read by their own vendor alone$/, '$1: 地址只有其所属厂商能读取'],

  // What only its own vendor understands.
  [
    /^state that an upstream keeps cannot be converted: send the earlier items as input$/,
    '由上游保存的状态无法转换：请在 input 中发送之前的全部内容',
  ],
  [
    /^a thread that an upstream keeps cannot be converted: send the whole conversation without it$/,
    '由上游保存的会话线程无法转换：请去掉该字段并发送完整对话',
  ],
  [
    /^a prompt that an upstream keeps cannot be converted: send its text as instructions$/,
    '由上游保存的提示词无法转换：请将其文本作为 instructions 发送',
  ],
  [
    /^item_reference names what its own upstream keeps: send the item itself instead, as clients do with "store": false$/,
    'item_reference 指向由其上游保存的内容：请改为发送该内容本身，客户端设置 "store": false 即会如此',
  ],
  [/^this model answers while one waits: leave the field out$/, '此模型只能同步回答：请去掉该字段'],
  [
    /^(\S+) is run by its own vendor: leave the tool out, or set the conversion of your key to warn$/,
    '$1 由其所属厂商运行：请去掉该工具，或将令牌的 conversion 设为 warn',
  ],
  [/^a block without a type cannot be converted$/, '没有类型的内容块无法转换'],
  [/^(\S+) cannot be converted$/, '$1 无法转换'],
  [
    /^(\S+): this model takes instructions as text, so put it into a message of the user$/,
    '$1：此模型的系统指令只能是文本，请放入用户消息',
  ],
  [
    /^the chosen model cannot search the web: leave the tool out, or set the conversion of your key to warn$/,
    '所选模型无法联网搜索：请去掉该工具，或将令牌的 conversion 设为 warn',
  ],

  // How content must be given.
  [/^must be an object$/, '必须是对象'],
  [/^must be given by its bytes$/, '必须直接给出文件内容'],
  [/^must be given inline$/, '必须内联给出'],
  [/^(.+) is not one of jpeg, png, gif, webp$/, '$1 不是 jpeg、png、gif 或 webp'],
  [/^must be texts and images$/, '必须是文本和图片'],
  [/^this model takes at most (\d+) texts in one call$/, '此模型一次最多处理 $1 段文本'],
  [/^(.+) is no video that this host reads$/, '此平台不支持 $1 格式的视频'],
  [/^(.+) is neither PDF nor text$/, '$1 既不是 PDF 也不是文本'],
  [/^(.+) is neither PDF, text nor a document of Word or Excel$/, '$1 不是 PDF、文本，也不是 Word 或 Excel 文档'],
  [/^this format reads text, images and documents$/, '此格式只能读取文本、图片和文档'],
  [/^this format reads text, images, files and audio$/, '此格式只能读取文本、图片、文件和音频'],
  [/^this model reads text alone$/, '此模型只能读取文本'],

  // Answers.
  [/^this model does not answer with (\S+)$/, '此模型不能以 $1 回答'],
  [/^this model gives one answer at a time$/, '此模型每次只给出一个回答'],
  [/^this model gives at most (\S+) answers$/, '此模型最多给出 $1 个回答'],
  [/^this model streams one answer at a time$/, '此模型流式输出时每次只给出一个回答'],

  // Images.
  [/^this model edits no images$/, '此模型不能编辑图片'],
  [/^this model edits one image$/, '此模型只能编辑一张图片'],
  [/^this channel edits one image$/, '此渠道只能编辑一张图片'],
  [/^this channel takes one image$/, '此渠道只接受一张图片'],
  [/^this channel edits at most three images$/, '此渠道最多编辑三张图片'],
  [/^at most (\S+) images can be edited$/, '最多可编辑 $1 张图片'],
  [/^at most (\S+) images in one message$/, '一条消息最多包含 $1 张图片'],
  [/^this model takes one image$/, '此模型只接受一张图片'],
  [/^this model looks at one image$/, '此模型只接受一张图片'],
  [/^this model looks at most at (\S+) images$/, '此模型最多接受 $1 张图片'],
  [/^this task looks at most at (\S+) images$/, '此任务最多接受 $1 张图片'],
  [/^number of images that this model looks at: (\S+)$/, '此模型需要的图片数：$1'],
  [
    /^this task takes two images: what is changed, and what is put into it$/,
    '此任务需要两张图片：被修改的图片，以及放入其中的图片',
  ],
  [/^only hf-inference makes images here$/, '此处只有 hf-inference 能生成图片'],

  // Masks.
  [/^this model takes no mask$/, '此模型不接受蒙版'],
  [/^this task takes no mask$/, '此任务不接受蒙版'],
  [/^a mask needs an image$/, '蒙版须与图片一起发送'],
  [/^the file is broken: save it anew, as a PNG file$/, '文件已损坏：请重新保存为 PNG 文件'],
  [
    /^(\S+) is more than the (\S+) pixels \((\S+)\) that can be painted for this channel: send image and mask smaller, or the mask in black and white without transparency$/,
    '$1 超过了可为此渠道绘制的 $2 像素（$3）：请缩小图片和蒙版，或发送不透明的黑白蒙版',
  ],

  // Sound.
  [/^this model speaks with voices that were made for it only$/, '此模型只能使用专为其制作的音色'],
  [/^this model does not translate$/, '此模型不支持翻译'],
  [/^this channel does not translate$/, '此渠道不支持翻译'],
  [/^this model tells no speakers$/, '此模型不能区分说话人'],
  [/^this channel tells no speakers$/, '此渠道不能区分说话人'],
  [/^this channel tells no times$/, '此渠道不提供时间戳'],
  [/^this model hears WAV, MP3, Ogg, AAC and AMR files only$/, '此模型只能识别 WAV、MP3、Ogg、AAC 和 AMR 文件'],
  [/^this model hears WAV files of 16 bits and Opus only$/, '此模型只能识别 16 位 WAV 文件和 Opus'],
  [/^only hf-inference hears files here$/, '此处只有 hf-inference 能识别音频文件'],

  // Sessions.
  [/^this model hears PCM at 16 or 24 kHz$/, '此模型只能识别 16 或 24 kHz 的 PCM'],
  [/^this model speaks PCM at 24 kHz$/, '此模型只能输出 24 kHz 的 PCM'],
  [/^this model calls functions only$/, '此模型只能调用函数'],
  [/^this model answers within its conversation only$/, '此模型只能在会话之内回答'],
  [
    /^this model sees JPEG, PNG, WebP and GIF files given as data URLs only$/,
    '此模型只能读取以 data URL 给出的 JPEG、PNG、WebP 和 GIF 图片',
  ],
  [
    /^pictures wait for sound here, at most (\S+) of (\S+ \S+) in all: send sound first$/,
    '图片须等待声音一起发送，最多 $1 张、共 $2：请先发送声音',
  ],
  [/^the file is broken: save it anew, as a JPEG file$/, '文件已损坏：请重新保存为 JPEG 文件'],
  [
    /^(\S+) is more than the (\S+) pixels \((\S+)\) that this model can be shown: send the picture smaller$/,
    '$1 超过了此模型可读取的 $2 像素（$3）：请缩小图片',
  ],

  // Embeddings.
  [/^only hf-inference embeds here$/, '此处只有 hf-inference 能生成嵌入'],
];

/** The reason in Chinese; the field is kept as the body names it, and a reason that nobody translated stays English. */
export function chineseConversionReason(reason: string): string {
  const [, field, why] = /^(\S+?): (.+)$/s.exec(reason) ?? [];
  if (field === undefined || why === undefined) return reason;
  const told = translated(reasons, why);
  return told === undefined ? reason : `${field}：${told}`;
}
