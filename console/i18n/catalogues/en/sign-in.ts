import type { TextsLike } from '../../texts-like.ts';
import type { texts as zh } from '../zh/sign-in.ts';

export const texts: TextsLike<typeof zh> = {
  humanCheck: {
    pending: 'Please retry in a few seconds, checking environment',
    unreachable: 'The human check could not be loaded; check the network and reload the page',
  },
  telegram: {
    unreachable: 'The Telegram button could not be loaded; check the network and retry',
    notAsked: 'The answer of Telegram was not asked for in this tab, or too long ago; start again',
  },
  wechat: {
    qrCode: 'QR code of the WeChat account',
    hint: 'Scan, follow the account and send {word} to get a code (valid for 3 minutes)',
    code: 'Verification code',
    codeEmpty: 'Enter the verification code',
  },
};
