/** Texts of budgets by the period, in the drawers of tokens, users and channels. */
export const texts = {
  title: '周期预算',
  hint: '设置后立即生效。预算用完后请求会被拒绝或转到其他渠道，直到下一周期开始；同一周期内修改上限不会清零已用量。',
  none: '未设置预算',
  own: { title: '账户预算', hint: '由管理员设置；用尽后请求会被拒绝，直到下一周期。' },
  kind: { quota: '额度', tokens: 'token 数', requests: '成功请求数' },
  per: { hour: '每小时', day: '每天', week: '每周', month: '每月' },
  resets: '重置于 {time}（{zone}）',
  share: '{period}{name}已用比例',
  field: { per: '周期', kind: '类型', limit: '上限' },
  set: { verb: '设置预算', wrong: '请输入大于 0 的整数' },
  remove: {
    act: '删除',
    title: '删除{period}{name}预算？',
    text: '不再限制；本周期的用量会保留到周期结束。',
    verb: '删除预算',
  },
};
