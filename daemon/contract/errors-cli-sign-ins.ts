/** Codes of signing the command line in by way of the console; RFC 8628 3.5 has the same under its own names. */
import { define } from './error-entry.ts';

export const cliSignInErrors = define({
  authorization_denied: {
    kind: 'forbidden',
    en: 'The sign-in was refused in the console',
    zh: '控制台中已拒绝此次登录',
  },
  authorization_expired: {
    kind: 'refusal',
    en: 'This sign-in is over or was used already; begin a new one',
    zh: '此次登录已过期或已使用，请重新开始',
  },
  authorization_pending: {
    kind: 'refusal',
    en: 'Nobody has answered in the console yet',
    zh: '尚未在控制台中确认',
  },
  slow_down: {
    kind: 'refusal',
    en: 'Asked too soon after the last time; wait longer between two questions',
    zh: '查询过于频繁，请延长查询间隔',
  },
  user_code_unknown: {
    kind: 'not-found',
    en: 'No command line waits with this code: it was mistyped, answered already, or its ten minutes are over',
    zh: '没有命令行在等待此代码：可能输入有误、已被处理，或已超过十分钟',
  },
});
