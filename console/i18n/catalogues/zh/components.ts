/** Texts of the components that every area uses. */
export const texts = {
  confirm: {
    type: '请输入「{text}」以确认',
  },
  copy: {
    refused: '无法复制到剪贴板，请手动复制',
  },
  form: {
    required: '请填写此项',
    invalid: '格式不正确',
    integer: '请输入整数',
    tooShort_other: '至少 {count} 个字符',
    tooLong_other: '最多 {count} 个字符',
    tooFew_other: '至少选择 {count} 项',
    tooMany_other: '最多 {count} 项',
    tooSmall: '不得小于 {limit}',
    tooBig: '不得大于 {limit}',
    submitKeys: 'Ctrl/⌘ + Enter',
  },
  money: {
    unit: '单位',
    quota: '额度',
    in: { dollar: '以美元输入', quota: '以额度输入' },
    asQuota: '等价额度：{amount}',
    asDollars: '等价金额：{amount}',
    tooPrecise: '精确到 {limit}',
    unreadable: '请输入有效的金额',
    tooLarge: '金额过大',
  },
  key: {
    show: '显示{label}',
    hide: '隐藏{label}',
    copy: '复制{label}',
  },
  countdown: {
    started: '请等待 {seconds} 秒',
    ended: '可以再次操作',
  },
  json: {
    mistake: '第 {line} 行第 {column} 列：不是有效的 JSON',
    refused: '第 {line} 行第 {column} 列（{path}）：{message}',
    keys: 'Tab 缩进；先按 Esc 再按 Tab 离开',
    format: '格式化',
    template: '填入模板',
    overwrite: '用模板覆盖当前内容？',
  },
  toast: {
    requestId: '请求 ID',
  },
  failure: {
    told: '错误：{message}',
    signedOut: '未登录或登录已过期，请重新登录！',
    gone: '记录不存在或已被删除',
    demo: '本站仅作演示之用，无服务端！',
    tooMany: '请求过于频繁，请稍后再试！',
    tooManyUntil: '请求过于频繁，请稍后再试！（{seconds} 秒后可重试）',
    server: '服务器内部错误，请联系管理员！',
    unavailable: '服务暂不可用，正在重试',
    network: '网络异常，请检查连接',
    unreadable: '服务器返回了无法识别的内容',
  },
};
