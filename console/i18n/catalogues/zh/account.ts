/** Texts of the own account that more than one page shows. */
export const texts = {
  invite: {
    title: '邀请',
    description: '好友通过你的链接注册后，你会获得邀请收益。',
    link: '邀请链接',
    copy: '复制邀请链接',
    earnings: '待使用收益',
    total: '总收益',
    invited: '邀请人数',
    transfer: '划转',
  },
  transfer: {
    title: '划转到余额',
    amount: '划转额度',
    available: '可用 {amount}',
    tooLittle: '划转额度最低为 {amount}',
    tooMuch: '可用收益只有 {amount}',
    cancel: '取消',
    submit: '划转',
    done: '划转成功：{amount}',
  },
  proof: {
    title: '验证身份',
    why: '此操作涉及账户安全，请再次验证是你本人。验证在五分钟内有效。',
    empty: '请填写后再提交',
    submit: '验证',
    field: {
      password: '密码',
      totp: '验证码（验证器应用）',
      recovery: '恢复码',
    },
    passkey: '点击「验证」后，按浏览器的提示使用通行密钥。',
    noPasskey: '此账户以通行密钥验证身份，但当前浏览器或网址无法使用通行密钥。请通过本站的正式网址打开控制台。',
    use: {
      password: '使用密码',
      totp: '使用验证器应用',
      recovery: '使用恢复码',
      passkey: '使用通行密钥',
    },
  },
};
