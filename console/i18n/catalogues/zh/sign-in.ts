/** Texts of signing in elsewhere and of proving to be a person, shared by the front door and the personal page. */
export const texts = {
  humanCheck: {
    pending: '请稍后几秒重试，正在检查环境！',
    unreachable: '无法加载人机验证组件，请检查网络后刷新页面',
  },
  telegram: {
    unreachable: '无法加载 Telegram 登录组件，请检查网络后重试',
    notAsked: 'Telegram 的登录结果不是由当前标签页发起的，或已超时，请重新发起',
  },
  wechat: {
    qrCode: '微信公众号二维码',
    hint: '扫码关注公众号，输入「{word}」获取验证码（三分钟内有效）',
    code: '验证码',
    codeEmpty: '请输入验证码！',
  },
};
