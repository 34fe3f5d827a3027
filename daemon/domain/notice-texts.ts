/** What notices say, in both languages. Values come filled in; escaping is the concern of each way of delivery. */
import type { AlertKind } from '../contract/alert-kinds.ts';
import type { Language } from '../contract/error-codes.ts';
import { reasonIn } from '../contract/status-reason.ts';
import type { ChannelNotice } from './channel-switch.ts';
import { type Letter, letter } from './mail-texts.ts';

export interface NoticeText {
  readonly title: string;
  /** In order, the first being the message itself. */
  readonly paragraphs: readonly string[];
  /** Where something can be done about it; undefined while the site's address is not known. */
  readonly link?: string | undefined;
}

/** Something to tell, before it is known to whom. */
export interface Notice {
  /** As webhooks name it, such as `quota_exceed`. */
  readonly type: string;
  readonly texts: Readonly<Record<Language, NoticeText>>;
  /** The values of the texts, for programs. */
  readonly values: readonly (string | number)[];
}

/** Content as one plain text, for webhooks and chat robots. */
export function plainContent({ paragraphs, link }: NoticeText): string {
  return [...paragraphs, ...(link === undefined ? [] : [link])].join('\n');
}

/** The notice as a mail. */
export function noticeLetter(text: NoticeText, scene: { siteName: string; language: Language }): Letter {
  const { title, paragraphs, link } = text;
  const texts = { subject: `${scene.siteName}: ${title}`, paragraphs, ...(link === undefined ? {} : { link }) };
  return letter(scene, { en: texts, zh: texts });
}

/** Tells users that their balance is low. `type` and values are published (management-api.md 5.7). */
export function lowBalanceNotice(facts: {
  readonly username: string;
  readonly balance: string;
  readonly site: string;
}): Notice {
  const { username, balance, site } = facts;
  const link = site === '' ? undefined : `${site}/topup`;
  return {
    type: 'quota_exceed',
    values: [balance, ...(link === undefined ? [] : [link])],
    texts: {
      en: {
        title: 'your balance is low',
        paragraphs: [
          `The balance of the account ${username} is ${balance}. Top it up to go on without interruption.`,
          'You get this because of the notification settings of that account; change the threshold or the address there.',
        ],
        link,
      },
      zh: {
        title: '余额不足提醒',
        paragraphs: [
          `账户 ${username} 的当前余额为 ${balance}，为避免影响使用，请及时充值。`,
          '此提醒依据该账户的通知设置发送；如需停止，请在个人设置中修改阈值或接收地址。',
        ],
        link,
      },
    },
  };
}

/** What a notice about a relay key says of it. */
export interface TokenFacts {
  readonly tokenId: number;
  readonly tokenName: string;
  /** What is left, as the site shows quota. */
  readonly left: string;
  readonly site: string;
}

/** Tells owners that little of a relay key's own quota is left. */
export function tokenLowNotice({ tokenId, tokenName, left, site }: TokenFacts): Notice {
  const link = site === '' ? undefined : `${site}/token`;
  return {
    type: `token_quota_low_${tokenId}`,
    values: [tokenId, tokenName, left],
    texts: {
      en: {
        title: `the quota of the key ${tokenName} is low`,
        paragraphs: [
          `The key ${tokenName} (#${tokenId}) has ${left} of its own quota left. Raise its quota to go on without interruption.`,
          'You get this because of the threshold of that key, or of the notification settings of your account.',
        ],
        link,
      },
      zh: {
        title: `令牌「${tokenName}」额度不足`,
        paragraphs: [
          `令牌「${tokenName}」（#${tokenId}）的剩余额度为 ${left}，为避免影响使用，请及时提高其额度。`,
          '此提醒依据该令牌的提醒阈值或账户的通知设置发送。',
        ],
        link,
      },
    },
  };
}

/** Tells owners that a relay key's own quota is used up, or no longer pays for a call. `needed` is "" for the former. */
export function tokenExhaustedNotice({
  tokenId,
  tokenName,
  left,
  site,
  needed,
}: TokenFacts & { needed: string }): Notice {
  const link = site === '' ? undefined : `${site}/token`;
  const isSpent = needed === '';
  return {
    type: `token_quota_exhausted_${tokenId}`,
    values: [tokenId, tokenName, left, ...(isSpent ? [] : [needed])],
    texts: {
      en: {
        title: `the quota of the key ${tokenName} is used up`,
        paragraphs: [
          isSpent
            ? `The key ${tokenName} (#${tokenId}) has none of its own quota left; calls with it are refused.`
            : `A call with the key ${tokenName} (#${tokenId}) was refused: it needs ${needed}, and ${left} of the key's own quota is left.`,
          'Raise the quota of the key to use it again.',
        ],
        link,
      },
      zh: {
        title: `令牌「${tokenName}」额度已用尽`,
        paragraphs: [
          isSpent
            ? `令牌「${tokenName}」（#${tokenId}）的额度已用尽，使用该令牌的请求将被拒绝。`
            : `使用令牌「${tokenName}」（#${tokenId}）的请求被拒绝：需要 ${needed}，令牌剩余额度为 ${left}。`,
          '如需继续使用，请提高该令牌的额度。',
        ],
        link,
      },
    },
  };
}

/** Tells operators that little of a relay key's own quota is left. */
export function tokenQuotaNotice(
  facts: TokenFacts & { readonly userId: number; readonly username: string; readonly threshold: string },
): Notice {
  const { tokenId, tokenName, left, site, userId, username, threshold } = facts;
  const link = site === '' ? undefined : `${site}/user`;
  return {
    type: `token_quota_${tokenId}`,
    values: [tokenId, tokenName, userId, username, left, threshold],
    texts: {
      en: {
        title: `quota of a key of ${username} is low`,
        paragraphs: [
          `The key ${tokenName} (#${tokenId}) of user ${username} (#${userId}) has ${left} of its own quota left, below ${threshold}.`,
        ],
        link,
      },
      zh: {
        title: `用户 ${username} 的令牌额度不足`,
        paragraphs: [
          `用户 ${username}（#${userId}）的令牌「${tokenName}」（#${tokenId}）剩余额度为 ${left}，低于 ${threshold}。`,
        ],
        link,
      },
    },
  };
}

/** Tells operators that a channel or one of its keys went out of routing, or came back. */
export function channelNotice(event: ChannelNotice, site: string): Notice {
  const { channelId, channelName, keyId, reason, isRecovery } = { ...event, isRecovery: event.kind.endsWith('_1') };
  const link = site === '' ? undefined : `${site}/channel`;
  const en = keyId === undefined ? `Channel ${channelName} (#${channelId})` : `Key #${keyId} of channel ${channelName}`;
  const zh = keyId === undefined ? `渠道「${channelName}」（#${channelId}）` : `渠道「${channelName}」的密钥 #${keyId}`;
  return {
    type: event.kind,
    values: [channelId, channelName, ...(isRecovery ? [] : [reason])],
    texts: isRecovery
      ? {
          en: { title: `channel ${channelName} recovered`, paragraphs: [`${en} answers again and is enabled.`], link },
          zh: { title: `渠道「${channelName}」已恢复`, paragraphs: [`${zh}已恢复正常，现已启用。`], link },
        }
      : {
          en: {
            title: `channel ${channelName} disabled`,
            paragraphs: [`${en} was disabled automatically.`, `Reason: ${reasonIn('en', reason)}`],
            link,
          },
          zh: {
            title: `渠道「${channelName}」已被禁用`,
            paragraphs: [`${zh}已被自动禁用。`, `原因：${reasonIn('zh', reason)}`],
            link,
          },
        },
  };
}

/** Tells root how a test of all channels ended. */
export function channelTestNotice(
  run: { readonly tested: number; readonly failed: number; readonly outage: boolean },
  site: string,
): Notice {
  const { tested, failed, outage } = run;
  const link = site === '' ? undefined : `${site}/channel`;
  const spared = {
    en: 'Most upstreams could not be reached: the network of this server seems to be at fault, so no channel was disabled.',
    zh: '大多数上游无法连接，可能是本服务器的网络故障，因此没有禁用任何渠道。',
  };
  return {
    type: 'channel_test',
    values: [tested, failed],
    texts: {
      en: {
        title: 'the channels are tested',
        paragraphs: [`${tested} channels were tested, ${failed} of them failed.`, ...(outage ? [spared.en] : [])],
        link,
      },
      zh: {
        title: '渠道测试已完成',
        paragraphs: [`共测试 ${tested} 个渠道，其中 ${failed} 个失败。`, ...(outage ? [spared.zh] : [])],
        link,
      },
    },
  };
}

/** Tells operators that an upstream account runs dry. Amounts are in USD. */
export function channelBalanceNotice(facts: {
  readonly channelId: number;
  readonly channelName: string;
  readonly balance: number;
  readonly threshold: number;
  readonly site: string;
}): Notice {
  const { channelId, channelName, site } = facts;
  const [balance, threshold] = [`$${facts.balance.toFixed(2)}`, `$${facts.threshold.toFixed(2)}`];
  const link = site === '' ? undefined : `${site}/channel`;
  return {
    type: `channel_balance_${channelId}`,
    values: [channelId, channelName, balance, threshold],
    texts: {
      en: {
        title: `balance of channel ${channelName} is low`,
        paragraphs: [
          `The account behind channel ${channelName} (#${channelId}) has ${balance} left, below ${threshold}.`,
        ],
        link,
      },
      zh: {
        title: `渠道「${channelName}」余额不足`,
        paragraphs: [`渠道「${channelName}」（#${channelId}）的上游余额为 ${balance}，低于 ${threshold}。`],
        link,
      },
    },
  };
}

/** Tells operators that too many calls fail: of one channel, or of the site when `channel` is undefined. */
export function errorRateNotice(facts: {
  readonly channel: { readonly id: number; readonly name: string } | undefined;
  readonly failed: number;
  readonly total: number;
  readonly minutes: number;
  readonly site: string;
}): Notice {
  const { channel, failed, total, minutes, site } = facts;
  const percent = `${((failed / total) * 100).toFixed(1)}%`;
  const link = site === '' ? undefined : `${site}/${channel ? 'channel' : 'log'}`;
  const en = channel ? `Channel ${channel.name} (#${channel.id})` : 'The site as a whole';
  const zh = channel ? `渠道「${channel.name}」（#${channel.id}）` : '全站';
  return {
    type: channel ? `error_rate_${channel.id}` : 'error_rate',
    values: [channel?.id ?? 0, percent, failed, total, minutes],
    texts: {
      en: {
        title: channel ? `many calls of channel ${channel.name} fail` : 'many calls fail',
        paragraphs: [`${en}: ${failed} of ${total} calls failed (${percent}) in the last ${minutes} minutes.`],
        link,
      },
      zh: {
        title: channel ? `渠道「${channel.name}」错误率过高` : '全站错误率过高',
        paragraphs: [`${zh}最近 ${minutes} 分钟内 ${total} 次调用中有 ${failed} 次失败（${percent}）。`],
        link,
      },
    },
  };
}

/** Tells operators that a user's balance is low. */
export function userBalanceNotice(facts: {
  readonly userId: number;
  readonly username: string;
  readonly balance: string;
  readonly threshold: string;
  readonly site: string;
}): Notice {
  const { userId, username, balance, threshold, site } = facts;
  const link = site === '' ? undefined : `${site}/user`;
  return {
    type: `user_balance_${userId}`,
    values: [userId, username, balance, threshold],
    texts: {
      en: {
        title: `balance of user ${username} is low`,
        paragraphs: [`User ${username} (#${userId}) has ${balance} left, below ${threshold}.`],
        link,
      },
      zh: {
        title: `用户 ${username} 余额不足`,
        paragraphs: [`用户 ${username}（#${userId}）的余额为 ${balance}，低于 ${threshold}。`],
        link,
      },
    },
  };
}

/** What a test call sends: a sample of the kind, marked as one. */
export function sampleNotice(kind: AlertKind | undefined, site: string): Notice {
  const subject = kind ?? 'notice';
  const link = site === '' ? undefined : site;
  return {
    type: 'test',
    values: [subject],
    texts: {
      en: { title: 'test notice', paragraphs: [`This is a test (${subject}). Notices reach you here.`], link },
      zh: { title: '测试通知', paragraphs: [`这是一条测试通知（${subject}）。你能收到它，说明通知设置可用。`], link },
    },
  };
}
