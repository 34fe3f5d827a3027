import type { TextsLike } from '../../texts-like.ts';
import type { texts as zh } from '../zh/account.ts';

export const texts: TextsLike<typeof zh> = {
  invite: {
    title: 'Invite',
    description: 'You earn when friends sign up by your link.',
    link: 'Invite link',
    copy: 'Copy invite link',
    earnings: 'Earnings',
    total: 'Total',
    invited: 'Invited',
    transfer: 'Transfer',
  },
  transfer: {
    title: 'Transfer to balance',
    amount: 'Amount',
    available: '{amount} available',
    tooLittle: 'At least {amount} must be transferred',
    tooMuch: 'Only {amount} is available',
    cancel: 'Cancel',
    submit: 'Transfer',
    done: '{amount} transferred',
  },
  proof: {
    title: 'Is it you?',
    why: 'This concerns the safety of an account, so prove once more that it is you. It counts for five minutes.',
    empty: 'Fill this in first',
    submit: 'Verify',
    field: {
      password: 'Password',
      totp: 'Code of the authenticator app',
      recovery: 'Recovery code',
    },
    passkey: 'Press Verify and unlock a passkey as your browser asks.',
    noPasskey:
      'This account proves itself by a passkey, which this browser or this address cannot do. Open the console at the address of this site.',
    use: {
      password: 'Use the password',
      totp: 'Use the authenticator app',
      recovery: 'Use a recovery code',
      passkey: 'Use a passkey',
    },
  },
};
