/** Why a notice did not arrive (`notice_failed`, tests of alert targets): made in English, read back for the Chinese text. */
import { type ReasonCatalogue, translated } from './reason-catalogue.ts';

const chinese: ReasonCatalogue = [
  [/^no mail server is configured$/, '未配置邮件服务器'],
  [/^the mail settings or the address are not usable$/, '邮件设置或收件地址不可用'],
  [/^the mail server refused: (.*)$/s, '邮件服务器拒绝：$1'],
  [
    /^the mail server wants a sign-in: SMTPAccount is filled in and SMTPToken is not$/,
    '邮件服务器要求登录：已填写 SMTPAccount，但未填写 SMTPToken',
  ],
  [
    /^the address in SMTPServer is not public, and security\.egress_allow of the configuration does not have it$/,
    'SMTPServer 的地址不是公网地址，且未列入配置的 security.egress_allow',
  ],
  [/^the mail server was not reached \(no answer\)$/, '无法连接邮件服务器（无响应）'],
  [/^the mail server was not reached \((\w+)\)$/, '无法连接邮件服务器（$1）'],
  [/^the robot refused the message \((.+)\)$/, '机器人拒绝了该消息（$1）'],
  [/^the address is not allowed$/, '不允许访问该地址'],
  [/^the address was not reached in time$/, '未能及时连接该地址'],
  [/^the address answered (\d+)$/, '该地址返回状态码 $1'],
  [/^there is no address$/, '没有可用的地址'],
];

/** The same in Chinese; a mail server's own words stay as they are. */
export function chineseDeliveryReason(reason: string): string {
  return translated(chinese, reason) ?? reason;
}
