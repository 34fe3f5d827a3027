/** Texts of the page that signs a command line in. */
export const texts = {
  title: '命令行登录',
  broken: '此链接不完整或已损坏，请在终端中重新运行 tollgate login。',
  code: {
    lead: '请输入终端中显示的代码，然后核对是哪个程序在请求登录。',
    label: '代码',
    short: '代码为 8 个字母',
    warning:
      '仅输入你本人刚刚在终端中获取的代码。任何人通过消息、邮件或电话提供的代码都可能是骗局：输入后，对方将以你的身份登录。',
    submit: '下一步',
  },
  review: {
    lead: '以下程序请求以你的身份登录：',
    warningTitle: '仅在你本人刚刚发起此登录时才允许',
    warningHere: '此页面应由你在本机终端中运行的 tollgate login 打开。若非如此，请拒绝。',
    warningElsewhere: '允许后，该程序将持有一个令牌，并以你的身份执行下列操作。若不是你本人发起，请拒绝。',
    warningOtherAddress:
      '该程序的请求来自另一个地址（{address}），与你当前的地址不同。除非你确认这是你自己的服务器或容器，否则请拒绝。',
    name: '自称',
    origin: '来自',
    thisMachine: '本机（127.0.0.1）',
    otherAddress: '与你的地址不同',
    asked: '请求时间',
    account: '登录账户',
    writes: '可查看和更改',
    reads: '可查看',
    until: '有效期至',
    revocable: '可随时在「个人设置 → 安全 → 机器令牌」中吊销。',
    approve: '允许登录',
    deny: '拒绝',
  },
  end: {
    approved: '已允许登录。请返回终端，此页面可以关闭。',
    carried: '已允许登录，正在转交给本机上的程序。请返回终端。',
    denied: '已拒绝登录，该程序未获得任何权限。',
  },
};
