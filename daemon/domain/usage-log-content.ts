/** The one readable line of a log row, in the site's language. Nothing is ever parsed out of it (relay.md 16.1). */
import type { GroupRatio, Price } from './price-book.ts';
import type { TokenRatios } from './price-rates.ts';
import type { AnswerFacts, CallFacts } from './usage-log-facts.ts';

export type LogLanguage = 'en' | 'zh';

const words = {
  en: {
    separator: ', ',
    modelRatio: 'model ratio',
    completionRatio: 'completion ratio',
    groupRatio: 'group ratio',
    userGroupRatio: 'user group ratio',
    ruleRatio: 'rate rule',
    audioRatio: 'audio ratio',
    audioCompletionRatio: 'audio completion ratio',
    price: 'price',
    size: 'size',
    quality: 'quality',
    images: 'images',
    action: 'action',
    task: 'task',
    model: 'model',
    notes: {
      'no-usage': 'no usage reported',
      'empty-answer': 'empty answer, not billed',
      estimated: 'estimated usage',
      'client-gone': 'client disconnected',
    },
  },
  zh: {
    separator: '，',
    modelRatio: '模型倍率',
    completionRatio: '补全倍率',
    groupRatio: '分组倍率',
    userGroupRatio: '专属分组倍率',
    ruleRatio: '专属费率',
    audioRatio: '音频倍率',
    audioCompletionRatio: '音频补全倍率',
    price: '价格',
    size: '尺寸',
    quality: '质量',
    images: '张数',
    action: '操作',
    task: '任务',
    model: '模型',
    notes: {
      'no-usage': '上游未返回用量',
      'empty-answer': '空回答，不计费',
      estimated: '用量为估算',
      'client-gone': '客户端已断开',
    },
  },
} as const;

/** The part that price and group decide; the same for every call at that price. */
export function priceContent(
  language: LogLanguage,
  facts: {
    readonly price: Price;
    readonly groupRatio: GroupRatio;
    /** Undefined for a fixed price. */
    readonly ratios: TokenRatios | undefined;
    readonly kind: AnswerFacts['kind'];
  },
): string {
  const w = words[language];
  const { price, ratios, groupRatio, kind } = facts;
  const group = `${groupWord(w, groupRatio)} ${shortNumber(groupRatio.ratio)}`;
  if (price.mode === 'fixed' || !ratios) {
    const usd = price.mode === 'fixed' ? price.price : 0;
    return [`${w.price} $${usd}`, group].join(w.separator);
  }
  const parts = [
    `${w.modelRatio} ${shortNumber(ratios.model)}`,
    `${w.completionRatio} ${shortNumber(ratios.completion)}`,
    group,
  ];
  if (kind === 'audio' || kind === 'realtime') {
    parts.push(`${w.audioRatio} ${shortNumber(ratios.audio)}`);
    parts.push(`${w.audioCompletionRatio} ${shortNumber(ratios.audioCompletion)}`);
  }
  return parts.join(w.separator);
}

function groupWord(w: (typeof words)[LogLanguage], { rateRule, userGroupRatio }: GroupRatio): string {
  if (rateRule !== undefined) return w.ruleRatio;
  return userGroupRatio === undefined ? w.groupRatio : w.userGroupRatio;
}

/** What this call adds to the line, separator first; '' for most. `shownModel` is the row's model name. */
export function contentNotes(language: LogLanguage, call: CallFacts, answer: AnswerFacts, shownModel: string): string {
  const w = words[language];
  const { image, task, charge, notes } = answer;
  let text = '';
  const add = (part: string): void => {
    text += w.separator + part;
  };
  if (shownModel !== call.modelName) add(`${w.model} ${call.modelName}`);
  if (image) {
    if (image.size) add(`${w.size} ${image.size}`);
    if (image.quality) add(`${w.quality} ${image.quality}`);
    add(`${w.images} ${image.count}`);
  }
  if (task) {
    add(`${w.action} ${task.action}`);
    add(`${w.task} ${task.id}`);
  }
  for (const tool of charge.tools) add(`${tool.name} x ${tool.count}`);
  for (const note of notes ?? []) add(w.notes[note]);
  return text;
}

/** At most four decimals, trailing zeros cut. */
function shortNumber(value: number): string {
  return String(Number(value.toFixed(4)));
}
