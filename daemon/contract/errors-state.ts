/** Codes of declared state (cli.md 4). */
import { define } from './error-entry.ts';

export const stateErrors = define({
  state_adopt: {
    kind: 'conflict',
    en: '{kind} {key} is there already, differs and is owned by no set; adopt it to take it over',
    zh: '{kind} {key} 已存在且内容不同，不属于任何集合；需要允许接管',
  },
  state_channel_ambiguous: {
    kind: 'conflict',
    en: 'Several channels are called {name}: {ids}; say which by id',
    zh: '有多个渠道名为 {name}：{ids}；请用 id 指明',
  },
  state_channel_unknown: { kind: 'not-found', en: 'There is no channel {id}', zh: '渠道 {id} 不存在' },
  state_fields_clash: {
    kind: 'refusal',
    en: 'What {key} says does not go together: {fields}',
    zh: '{key} 的字段组合不成立：{fields}',
  },
  state_deletes: {
    kind: 'conflict',
    en: '{count} {count:object|objects} would be deleted, more than the {max} allowed',
    zh: '将删除 {count} 个对象，超过允许的 {max} 个',
  },
  state_group_default: {
    kind: 'conflict',
    en: 'The group default cannot be taken away',
    zh: '不能移除 default 分组',
  },
  state_group_empty: {
    kind: 'conflict',
    en: 'The group {key} would be left without an enabled channel',
    zh: '分组 {key} 将没有可用的渠道',
  },
  state_option_elsewhere: {
    kind: 'refusal',
    en: '{key} is declared under {section}, not as an option',
    zh: '{key} 应在 {section} 下声明，不能作为选项',
  },
  state_option_unknown: { kind: 'refusal', en: 'There is no option {key}', zh: '选项 {key} 不存在' },
  state_owned: {
    kind: 'conflict',
    en: '{kind} {key} is owned by the set {owner}',
    zh: '{kind} {key} 属于集合 {owner}',
  },
  state_plan_stale: {
    kind: 'conflict',
    en: 'Something has changed since the plan was made; make it anew',
    zh: '计划生成后状态已发生变化，请重新生成计划',
    status: { management: 409 },
  },
  state_price_kind: {
    kind: 'conflict',
    en: '{key} would change between a price by token and one by call',
    zh: '{key} 将在按量计费与按次计费之间切换',
  },
  state_price_rise: {
    kind: 'conflict',
    en: 'The price of {key} would rise by {rise} %, more than the {max} % allowed',
    zh: '{key} 的价格将上涨 {rise}%，超过允许的 {max}%',
  },
  state_root_needed: {
    kind: 'conflict',
    en: '{kind} {key} can be changed by the root user alone',
    zh: '{kind} {key} 仅超级管理员可修改',
  },
  state_secret_inline: {
    kind: 'refusal',
    en: '{key} is a secret: name it by a reference, or keep it',
    zh: '{key} 为机密：请使用引用，或填写 keep',
  },
  state_set_not_found: { kind: 'not-found', en: 'There is no set {name}', zh: '集合 {name} 不存在' },
  state_twice: { kind: 'refusal', en: '{key} is declared twice', zh: '{key} 声明了两次' },
  state_value_invalid: {
    kind: 'refusal',
    en: '{key} must be written like this: {form}',
    zh: '{key} 的写法应如：{form}',
  },
});
