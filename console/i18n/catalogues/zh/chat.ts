export const texts = {
  redirecting: '正在跳转...',
  consent: {
    title: '把令牌交给 {host}',
    site: '即将把令牌「{name}」交给 {host}。该网站可以用它花费你的余额。',
    program: '即将把令牌「{name}」交给程序 {host}。该程序可以用它花费你的余额。',
    query: '该链接会把令牌写入网址参数',
    limits: '受限令牌：有效期 1 天，额度 $1，分组与该令牌相同。',
    limited: '创建受限令牌',
    use: '使用该令牌',
  },
};
