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
};
