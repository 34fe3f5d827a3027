/** What a fresh proof is given for; it counts for nothing else (console.md N6). */
export const proofActions = ['second_factor', 'account', 'machine_token', 'channel_key', 'option'] as const;
export type ProofAction = (typeof proofActions)[number];
