/**
 * What a fresh proof is given for; it counts for nothing else (console.md N6). `sign_in_method`: what opens an
 * administrator's account by another way than before, such as an address that can reset the password.
 */
export const proofActions = [
  'second_factor',
  'account',
  'machine_token',
  'channel_key',
  'option',
  'sign_in_method',
] as const;
export type ProofAction = (typeof proofActions)[number];
