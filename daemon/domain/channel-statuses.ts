/** States of a channel and of each of its keys, as their rows hold them. */
export const enabled = 1;
export const disabledByHand = 2;
export const disabledBySystem = 3;
